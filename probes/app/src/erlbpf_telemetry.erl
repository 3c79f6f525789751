%% SPDX-License-Identifier: BSD-2-Clause
%%
%% @doc Events of `telemetry' as probes. The application `telemetry' is only called when it is there.
%%
%% The event `[phoenix, endpoint, stop]' is the probe `phoenix.endpoint.stop', with the term
%% `{Measurements, Metadata}'. An event that measures a `duration' or, as those of Ecto, a `total_time' is the end of a
%% span, which took so long; if its last word is `exception', an exception has ended it. Its name is made once, when
%% the handler is attached, since only then is the number of atoms bounded.
-module(erlbpf_telemetry).

-export([attach/1, attach/2, detach/0, detach/1, name/1]).
-export([handle/4, names/1]).

-export_type([event/0]).

-type event() :: [atom(), ...].
%% As `telemetry' has it.
-type names() :: #{event() => {erlbpf:name(), 1..2}}.

-define(STOP, 1).
-define(EXCEPTION, 2).
-define(MOST_TOOK, 16#7fffffffffffffff).

%% @equiv attach(erlbpf, Events)
-spec attach([event()]) -> ok | {error, already_exists | no_telemetry}.
attach(Events) ->
    attach(erlbpf, Events).

%% @doc Make a probe of each of these events. `Id' is the name of the handler, for detach/1.
-spec attach(term(), [event()]) -> ok | {error, already_exists | no_telemetry}.
attach(Id, Events) ->
    ok = erlbpf:declare([name(Event) || Event <- Events]),
    call(attach_many, [Id, Events, fun ?MODULE:handle/4, names(Events)]).

%% @equiv detach(erlbpf)
-spec detach() -> ok | {error, not_found | no_telemetry}.
detach() ->
    detach(erlbpf).

%% @doc Take the handler away.
-spec detach(term()) -> ok | {error, not_found | no_telemetry}.
detach(Id) ->
    call(detach, [Id]).

%% @doc What the probe of an event is called.
-spec name(event()) -> erlbpf:name().
name(Event) ->
    list_to_atom(lists:flatten(lists:join($., [atom_to_list(Part) || Part <- Event]))).

%% @private The names of the probes, and how a span ends whose end the event is.
-spec names([event()]) -> names().
names(Events) ->
    maps:from_list([{Event, {name(Event), kind(lists:last(Event))}} || Event <- Events]).

kind(exception) -> ?EXCEPTION;
kind(_) -> ?STOP.

%% @private
-spec handle(event(), map(), map(), names()) -> ok.
handle(Event, Measurements, Metadata, Names) ->
    #{Event := {Name, Kind}} = Names,
    Term = {Measurements, Metadata},
    case Measurements of
        #{duration := Took} when is_integer(Took), Took >= 0 -> ended(Kind, Name, Took, Term);
        #{total_time := Took} when is_integer(Took), Took >= 0 -> ended(Kind, Name, Took, Term);
        _ -> erlbpf:probe(Name, Term)
    end.

ended(Kind, Name, Took, Term) ->
    Nanoseconds = min(erlang:convert_time_unit(Took, native, nanosecond), ?MOST_TOOK),
    erlbpf:event(Kind, Name, 0, 0, Nanoseconds, Term).

-spec call(attach_many | detach, [term()]) -> ok | {error, already_exists | not_found | no_telemetry}.
call(Function, Arguments) ->
    case code:ensure_loaded(telemetry) of
        {module, Module} -> apply(Module, Function, Arguments);
        {error, _} -> {error, no_telemetry}
    end.
