%% SPDX-License-Identifier: BSD-2-Clause
%%
%% @doc Probes that Erlang code fires, and erlbpf sees.
%%
%% A probe is a call of a BIF that does nothing, `erts_debug:same/2'. erlbpf puts a uprobe on its C
%% function and reads the arguments from the memory of the node. So there is no NIF and no process, and
%% while nobody looks, a probe only costs the call and what it takes to build its arguments.
%%
%% The first argument of the BIF is a number that tells our calls from those of others. The rows of
%% `erts_debug_same_2' in probes/translators.def know it, and how the second argument is built.
-module(erlbpf).

-export([probe/1, probe/2, span/2, span/3, declare/1, marks/1]).
-export([p/0, p/1, p/2, p/3, p/4, p/5, p/6, p/7, p/8]).
-export([pn/1, pn/2, pn/3, pn/4, pn/5, pn/6, pn/7, pn/8, pn/9]).
-export([event/6]).
-export([user_trace_s1/1, put_tag/1, get_tag/0]).

-export_type([name/0, text/0, value/0]).

-type name() :: atom().
%% What a probe is called.
-type text() :: iodata().
-type value() :: integer() | text().
%% As of `dyntrace': up to four integers, then up to four texts.

%% A probe that is off costs little more than such calls.
-compile({inline, [fire/2, tag/1, text/1, words/4, numbered/2]}).

-define(PROBE, 16#6574000).
-define(I4S4, 16#6574001).
-define(S1, 16#6574002).
-define(SPAN, 16#6574003).
-define(N(N), 16#6574010 + (N)).
%% The same of a marker whose integers are small: they come as they are.
-define(SMALL(Key), (Key) + 16#1000).
-define(IS_SMALL(N), is_integer(N), N >= -(1 bsl 59), N =< (1 bsl 59) - 1).

%% What a span does: enum app_kind of bpf/app.h.
-define(START, 0).
-define(STOP, 1).
-define(EXCEPTION, 2).

%% Where the process dictionary has the span that the process is in: ours, and that of OpenTelemetry (otel_ctx.erl,
%% otel_tracer.hrl).
-define(IN, '$erlbpf_span').
-define(OTEL_CTX, '$__current_otel_ctx').
-define(OTEL_SPAN, {otel_tracer, span_ctx}).

%% Where put_tag/1 keeps the tag, in the process dictionary.
-define(TAG, '$erlbpf_tag').

%% See declared_read() of user/node/names/declared.c.
-define(MARK, "$erlbpf:").

%% Lists of more bytes than this are not read (IODATA_LIST of bpf/iodata.bpf.h).
-define(MAX_LIST, 64).

%% @equiv probe(Name, [])
-spec probe(name()) -> ok.
probe(Name) ->
    probe(Name, []).

%% @doc Fire the probe `Name', with any term.
-spec probe(name(), term()) -> ok.
probe(Name, Term) when is_atom(Name) ->
    fire(?PROBE, [Name | Term]).

%% @doc Make these names known to `erlbpf list' before they fire. Those that are written in code can be found by
%% {@link erlbpf_transform}; others, as those that are made when an application starts, are declared. They stay for as
%% long as the node runs, as atoms do.
-spec declare([name()]) -> ok.
declare(Names) ->
    lists:foreach(fun(Name) when is_atom(Name) -> marks(Name) end, Names).

%% @private The atom by which erlbpf knows the name when it reads the node's table of atoms; none if it would be too
%% long.
-spec marks(name()) -> [atom()].
marks(Name) ->
    Text = ?MARK ++ atom_to_list(Name),
    [list_to_atom(Text) || length(Text) =< 255].

%% @equiv span(Name, [], Fun)
-spec span(name(), fun(() -> Result)) -> Result.
span(Name, Fun) ->
    span(Name, [], Fun).

%% @doc Call `Fun' and fire the probe `Name' when it begins and when it ends.
%%
%% erlbpf shows both with `Term', the end also with how long it took. If `Fun' raises an exception, the span ends
%% with `{Class, Reason}' in place of `Term', and the exception goes on. Spans nest: each has a number, unique in the
%% node, and that of the span of this process which it is in. If the process is in a span of OpenTelemetry,
%% its trace id comes with both.
-spec span(name(), term(), fun(() -> Result)) -> Result.
span(Name, Term, Fun) when is_atom(Name), is_function(Fun, 0) ->
    Span = erlang:unique_integer([positive]),
    Outer = put(?IN, Span),
    Parent = parent(Outer),
    Start = erlang:monotonic_time(),
    event(?START, Name, Span, Parent, 0, Term),
    try Fun() of
        Result ->
            event(?STOP, Name, Span, Parent, since(Start), Term),
            Result
    catch
        Class:Reason:Stack ->
            event(?EXCEPTION, Name, Span, Parent, since(Start), {Class, Reason}),
            erlang:raise(Class, Reason, Stack)
    after
        leave(Outer)
    end.

parent(undefined) -> 0;
parent(Span) -> Span.

leave(undefined) -> erase(?IN);
leave(Outer) -> put(?IN, Outer).

%% @private Fire a span's start, stop or exception, whose duration is known already.
-spec event(0..2, name(), integer(), integer(), integer(), term()) -> ok.
event(Kind, Name, Span, Parent, Took, Term) ->
    fire(?SPAN, {words(Kind, Span, Parent, Took), Name, Term, trace_id()}).

%% The trace id of the OpenTelemetry span that this process is in, or []. It is taken from the process dictionary,
%% where otel_ctx and otel_tracer keep it: {span_ctx, TraceId, ...} in a map, or by itself.
trace_id() ->
    case get(?OTEL_CTX) of
        #{?OTEL_SPAN := Span} -> trace_of(Span);
        _ -> []
    end.

trace_of(Span) when is_tuple(Span), tuple_size(Span) > 1, element(1, Span) =:= span_ctx ->
    trace_if(element(2, Span));
trace_of(_) ->
    [].

%% 0 is no trace, and so is what does not fit 128 bits.
trace_if(Trace) when is_integer(Trace), Trace > 0, Trace bsr 128 =:= 0 -> Trace;
trace_if(_) -> [].

since(Start) ->
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond).

%% @doc As `dyntrace:put_tag/1': a text that comes with each p and pn of this process. It returns the old one.
-spec put_tag(undefined | text()) -> binary() | undefined.
put_tag(undefined) -> erase(?TAG);
put_tag(Tag) -> put(?TAG, iolist_to_binary(Tag)).

%% @doc The tag of this process.
-spec get_tag() -> binary() | undefined.
get_tag() -> get(?TAG).

%% @doc As `dyntrace:user_trace_s1/1'.
-spec user_trace_s1(text()) -> true.
user_trace_s1(Text) ->
    fire(?S1, {text(Text)}),
    true.

%% @doc As `dyntrace:p/0..8', the probe `user_trace-i4s4'. It returns true, since it cannot know whether
%% somebody looks; error if the arguments are wrong.
-spec p() -> true.
p() -> marker(?I4S4, []).
-spec p(value()) -> true | error.
p(A) -> marker(?I4S4, [A]).
-spec p(value(), value()) -> true | error.
p(A, B) -> marker(?I4S4, [A, B]).
-spec p(value(), value(), value()) -> true | error.
p(A, B, C) -> marker(?I4S4, [A, B, C]).
-spec p(value(), value(), value(), value()) -> true | error.
p(A, B, C, D) -> marker(?I4S4, [A, B, C, D]).
-spec p(value(), value(), value(), value(), value()) -> true | error.
p(A, B, C, D, E) -> marker(?I4S4, [A, B, C, D, E]).
-spec p(value(), value(), value(), value(), value(), value()) -> true | error.
p(A, B, C, D, E, F) -> marker(?I4S4, [A, B, C, D, E, F]).
-spec p(value(), value(), value(), value(), value(), value(), value()) -> true | error.
p(A, B, C, D, E, F, G) -> marker(?I4S4, [A, B, C, D, E, F, G]).
-spec p(value(), value(), value(), value(), value(), value(), value(), value()) -> true | error.
p(A, B, C, D, E, F, G, H) -> marker(?I4S4, [A, B, C, D, E, F, G, H]).

%% @doc As `dyntrace:pn/1..9', the probe `user_trace-nN'.
-spec pn(0..950) -> true | error.
pn(N) -> numbered(N, []).
-spec pn(0..950, value()) -> true | error.
pn(N, A) -> numbered(N, [A]).
-spec pn(0..950, value(), value()) -> true | error.
pn(N, A, B) -> numbered(N, [A, B]).
-spec pn(0..950, value(), value(), value()) -> true | error.
pn(N, A, B, C) -> numbered(N, [A, B, C]).
-spec pn(0..950, value(), value(), value(), value()) -> true | error.
pn(N, A, B, C, D) -> numbered(N, [A, B, C, D]).
-spec pn(0..950, value(), value(), value(), value(), value()) -> true | error.
pn(N, A, B, C, D, E) -> numbered(N, [A, B, C, D, E]).
-spec pn(0..950, value(), value(), value(), value(), value(), value()) -> true | error.
pn(N, A, B, C, D, E, F) -> numbered(N, [A, B, C, D, E, F]).
-spec pn(0..950, value(), value(), value(), value(), value(), value(), value()) -> true | error.
pn(N, A, B, C, D, E, F, G) -> numbered(N, [A, B, C, D, E, F, G]).
-spec pn(0..950, value(), value(), value(), value(), value(), value(), value(), value()) -> true | error.
pn(N, A, B, C, D, E, F, G, H) -> numbered(N, [A, B, C, D, E, F, G, H]).

numbered(N, Values) when is_integer(N), N >= 0, N =< 950 -> marker(?N(N), Values);
numbered(_, _) -> error.

marker(Key, Values) ->
    try
        small(Key, Values)
    catch
        error:_ -> large(Key, Values)
    end.

%% The common case, without lists that are made on the way: up to four integers, one after the other, then texts.
small(Key, [I | Values]) when ?IS_SMALL(I) -> small(Key, Values, I);
small(Key, Texts) -> texts(Key, Texts, 0, 0, 0, 0).

small(Key, [I | Values], I1) when ?IS_SMALL(I) -> small(Key, Values, I1, I);
small(Key, Texts, I1) -> texts(Key, Texts, I1, 0, 0, 0).

small(Key, [I | Values], I1, I2) when ?IS_SMALL(I) -> small(Key, Values, I1, I2, I);
small(Key, Texts, I1, I2) -> texts(Key, Texts, I1, I2, 0, 0).

small(Key, [I | Texts], I1, I2, I3) when ?IS_SMALL(I) -> texts(Key, Texts, I1, I2, I3, I);
small(Key, Texts, I1, I2, I3) -> texts(Key, Texts, I1, I2, I3, 0).

%% Tuples are written out: a function with all that they have as its arguments takes 10 ns more.
texts(Key, [], I1, I2, I3, I4) ->
    fire(?SMALL(Key), {I1, I2, I3, I4, tag(get(?TAG)), [], [], [], []}),
    true;
texts(Key, [S1], I1, I2, I3, I4) ->
    fire(?SMALL(Key), {I1, I2, I3, I4, tag(get(?TAG)), text(S1), [], [], []}),
    true;
texts(Key, [S1, S2], I1, I2, I3, I4) ->
    fire(?SMALL(Key), {I1, I2, I3, I4, tag(get(?TAG)), text(S1), text(S2), [], []}),
    true;
texts(Key, [S1, S2, S3], I1, I2, I3, I4) ->
    fire(?SMALL(Key), {I1, I2, I3, I4, tag(get(?TAG)), text(S1), text(S2), text(S3), []}),
    true;
texts(Key, [S1, S2, S3, S4], I1, I2, I3, I4) ->
    fire(?SMALL(Key), {I1, I2, I3, I4, tag(get(?TAG)), text(S1), text(S2), text(S3), text(S4)}),
    true.

%% With integers that are not small, or arguments that are wrong.
large(Key, Values) ->
    try arguments(Values) of
        Arguments ->
            fire(Key, Arguments),
            true
    catch
        error:_ -> error
    end.

arguments(Values) ->
    {[I1, I2, I3, I4], Texts} = integers(Values, 4, []),
    [S1, S2, S3, S4] = some_texts(Texts, 4),
    {words(I1, I2, I3, I4), tag(get(?TAG)), S1, S2, S3, S4}.

%% Read as words of C. It is small enough to be on the heap.
words(I1, I2, I3, I4) ->
    <<I1:64/native, I2:64/native, I3:64/native, I4:64/native>>.

integers([I | Values], Left, Integers) when is_integer(I), Left > 0 ->
    integers(Values, Left - 1, [I | Integers]);
integers(Texts, Left, Integers) ->
    {lists:reverse(Integers, lists:duplicate(Left, 0)), Texts}.

some_texts([], Left) -> lists:duplicate(Left, []);
some_texts([Text | Texts], Left) when Left > 0 -> [text(Text) | some_texts(Texts, Left - 1)].

tag(undefined) -> [];
tag(Text) -> Text.

%% As bpf/iodata.bpf.h can read it: [] is no text.
text(Text) when is_binary(Text) -> Text;
text([]) -> <<>>;
text(Text) -> list(Text, ?MAX_LIST, Text).

%% The text itself, if it has nothing but bytes, so many at most.
list([Byte | Bytes], Left, Text) when is_integer(Byte), 0 =< Byte, Byte =< 255, Left > 0 -> list(Bytes, Left - 1, Text);
list([], _, Text) -> Text;
list(_, _, Text) -> iolist_to_binary(Text).

fire(Key, Arguments) ->
    _ = erts_debug:same(Key, Arguments),
    ok.
