%% Calls whose number is known: N of each when it is told to, and how long the long ones took by its own
%% clock. Compiled code, since the shell's evaluator calls a great deal itself.
-module(calling).
-export([start/0, call/2]).

start() -> spawn(fun loop/0).

call(P, What) ->
    P ! {self(), What},
    receive {P, Answer} -> Answer end.

loop() ->
    receive
        {From, {nap, Ms}} -> From ! {self(), nap(Ms)}, loop();
        {From, {N, Call}} -> From ! {self(), call_n(N, Call)}, loop();
        {From, long} -> From ! {self(), long(lists:seq(1, 2000000))}, loop()
    end.

call_n(0, _) -> done;
call_n(N, Call) -> call_one(N, Call), call_n(N - 1, Call).

call_one(N, reverse) -> lists:reverse([N, N], []);
call_one(N, find) -> lists:keyfind(N, 1, [{0, N}]);
call_one(N, insert) -> ets:insert(calling, {N, N});
call_one(N, bang) -> self() ! N, receive N -> ok end;
call_one(_, size) -> prim_buffer:size(persistent_term:get(calling));
call_one(_, info) -> prim_file:read_file_info("/");
call_one(N, outer) -> outer(N);
call_one(N, kept) -> kept(N).

%% The instruction with which it returns (deallocate_return) tells nobody.
outer(N) -> leaf(N) + 1.

%% Returns with move_deallocate_return, which does.
kept(N) -> leaf(N), N.

leaf(N) -> N * 2.

%% One BIF that does not yield.
long(Big) ->
    erlang:yield(),
    T0 = os:perf_counter(nanosecond),
    erts_debug:flat_size(Big),
    os:perf_counter(nanosecond) - T0.

nap(Ms) ->
    T0 = os:perf_counter(nanosecond),
    sleeper:nap(Ms),
    os:perf_counter(nanosecond) - T0.
