%% A process that works when it is told to and says, by its own clock, for how long.
-module(worker).
-export([start/1, work/2]).

start(Parent) -> spawn(fun() -> loop(Parent, lists:seq(1, 2000000)) end).

%% How long it worked, and how long it took to have it work.
work(Worker, What) ->
    T0 = now_ns(),
    Worker ! What,
    receive {worked, Ns} -> {Ns, now_ns() - T0} end.

%% {short, N}: well below the reductions of a slice. stuck: one BIF that does not yield.
loop(Parent, Big) ->
    receive
        {short, N} ->
            T0 = now_ns(),
            sum(N, 0),
            Parent ! {worked, now_ns() - T0};
        stuck ->
            erlang:yield(),
            T0 = now_ns(),
            erts_debug:flat_size(Big),
            Parent ! {worked, now_ns() - T0}
    end,
    loop(Parent, Big).

%% Many divisions for one reduction, so that a slice is long beside what it costs to probe its ends.
sum(0, Sum) -> Sum;
sum(N, Sum) ->
    M = N + 1000003,
    A = (Sum * 31 + N) rem M,
    B = (A * 31 + N) rem M,
    C = (B * 31 + N) rem M,
    D = (C * 31 + N) rem M,
    E = (D * 31 + N) rem M,
    F = (E * 31 + N) rem M,
    G = (F * 31 + N) rem M,
    sum(N - 1, (G * 31 + N) rem M).

now_ns() -> os:perf_counter(nanosecond).
