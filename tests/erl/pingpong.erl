%% A pair that exchanges messages as fast as it can: `run(Ms)` is the number of round trips.
-module(pingpong).
-export([run/1, traced/1]).

run(Ms) ->
    Pong = spawn(fun pong/0),
    {Pid, Ref} = spawn_monitor(fun() -> exit({done, ping(Pong, deadline(Ms), 0)}) end),
    receive {'DOWN', Ref, process, Pid, {done, N}} -> exit(Pong, kill), N end.

%% The same, while Erlang's own tracing tells a process of every send and of every start of a slice.
traced(Ms) ->
    Tracer = spawn(fun drain/0),
    erlang:trace(new_processes, true, [send, running, {tracer, Tracer}]),
    N = run(Ms),
    erlang:trace(all, false, [all]),
    exit(Tracer, kill),
    N.

deadline(Ms) -> erlang:monotonic_time(millisecond) + Ms.

pong() -> receive {Pid, N} -> Pid ! N end, pong().

ping(Pong, Deadline, N) ->
    Pong ! {self(), N},
    receive N -> ok end,
    case N band 63 =:= 0 andalso erlang:monotonic_time(millisecond) >= Deadline of
        true -> N;
        false -> ping(Pong, Deadline, N + 1)
    end.

drain() -> receive _ -> drain() end.
