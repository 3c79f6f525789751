%% A process with a heap that it collects when it is told to. The node's own tracing tells how long.
-module(collector).
-export([start/1, collect/2, mean/2, times/2]).

start(Elements) -> spawn(fun() -> loop(lists:seq(1, Elements)) end).

loop(Keep) ->
    receive
        {collect, From} ->
            erlang:garbage_collect(),
            From ! {collected, length(Keep) > 0}
    end,
    loop(Keep).

%% N major collections; their median pause in nanoseconds, by the VM's own trace events.
collect(Pid, N) -> lists:nth((N + 1) div 2, lists:sort(pauses(Pid, N))).

%% The same, and their mean.
mean(Pid, N) -> lists:sum(pauses(Pid, N)) div N.

pauses(Pid, N) -> [Pause || {Pause, _} <- times(Pid, N)].

%% Of N major collections: the pause by the VM's own trace events, and how long it took to ask for it.
times(Pid, N) ->
    Self = self(),
    Tracer = spawn(fun() -> tracer(Self, N, undefined, []) end),
    erlang:trace(Pid, true, [garbage_collection, monotonic_timestamp, {tracer, Tracer}]),
    Asked = [begin
                 T0 = os:perf_counter(nanosecond),
                 Pid ! {collect, self()},
                 receive {collected, _} -> os:perf_counter(nanosecond) - T0 end
             end || _ <- lists:seq(1, N)],
    receive {pauses, Pauses} -> lists:zip(lists:reverse(Pauses), Asked) end.

tracer(Parent, 0, _, Pauses) ->
    Parent ! {pauses, Pauses};
tracer(Parent, N, Start, Pauses) ->
    receive
        {trace_ts, _, gc_major_start, _, T} -> tracer(Parent, N, T, Pauses);
        {trace_ts, _, gc_major_end, _, T} ->
            Ns = erlang:convert_time_unit(T - Start, native, nanosecond),
            tracer(Parent, N - 1, undefined, [Ns | Pauses]);
        _ -> tracer(Parent, N, Start, Pauses)
    end.
