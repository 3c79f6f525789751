%% SPDX-License-Identifier: BSD-2-Clause
%%
%% @doc Events of `telemetry' as probes. The application `telemetry' is only called when it is there.
%%
%% The event `[phoenix, endpoint, stop]' is the probe `phoenix.endpoint.stop', with the term
%% `{Measurements, Metadata}'. Its name is made once, when the handler is attached, since only then is the
%% number of atoms bounded.
-module(erlbpf_telemetry).

-export([attach/1, attach/2, detach/0, detach/1, name/1]).
-export([handle/4]).

-type event() :: [atom(), ...].

%% @equiv attach(erlbpf, Events)
-spec attach([event()]) -> ok | {error, already_exists | no_telemetry}.
attach(Events) ->
    attach(erlbpf, Events).

%% @doc Make a probe of each of these events. `Id' is the name of the handler, for detach/1.
-spec attach(term(), [event()]) -> ok | {error, already_exists | no_telemetry}.
attach(Id, Events) ->
    Names = maps:from_list([{Event, name(Event)} || Event <- Events]),
    call(attach_many, [Id, Events, fun ?MODULE:handle/4, Names]).

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

%% @private
-spec handle(event(), map(), map(), #{event() => erlbpf:name()}) -> ok.
handle(Event, Measurements, Metadata, Names) ->
    #{Event := Name} = Names,
    erlbpf:probe(Name, {Measurements, Metadata}).

call(Function, Arguments) ->
    case code:ensure_loaded(telemetry) of
        {module, Module} -> apply(Module, Function, Arguments);
        {error, _} -> {error, no_telemetry}
    end.
