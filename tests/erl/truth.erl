%% Workloads that know their own numbers: each event is counted in a bucket of a millisecond of the system's clock. An event is
%% ets:lookup/2, or erlang:garbage_collect/0 in gc.
-module(truth).
-export([start/2, events/2]).
-define(MS, 600000).

start(Kind, Args) ->
    C = counters:new(?MS, [atomics]),
    persistent_term:put(truth, {C, os:system_time(millisecond)}),
    spawn(fun() ->
                  T = ets:new(truth, [set, public]),
                  [ets:insert(T, {I, I}) || I <- lists:seq(1, 1000)],
                  run(Kind, Args, T)
          end).

%% Between two times in milliseconds.
events(From, To) ->
    {C, Base} = persistent_term:get(truth),
    lists:sum([counters:get(C, I + 1) || I <- lists:seq(max(From - Base, 0), min(To - Base, ?MS) - 1)]).

bump(N) ->
    {C, Base} = persistent_term:get(truth),
    counters:add(C, os:system_time(millisecond) - Base + 1, N).

look(_, 0) -> ok;
look(T, N) -> ets:lookup(T, N rem 1000 + 1), look(T, N - 1).

events(T, N, ets) -> look(T, N), bump(N);
events(_, N, gc) -> [erlang:garbage_collect() || _ <- lists:seq(1, N)], bump(N).

busy() -> lists:foldl(fun(X, A) -> (X * A) rem 7919 end, 1, lists:seq(1, 1000)), busy().

run(steady, [Rate, What], T) -> paced(Rate, What, T, erlang:monotonic_time(microsecond), 0);
run(busy, [Kind | Args], T) -> spawn_link(fun busy/0), run(Kind, Args, T);
run(bursts, [On, Period], T) -> bursts(On, Period, T);
run(midway, [From, To, Rate], T) -> midway(From, To, Rate, T, erlang:monotonic_time(millisecond));
run(tail, [Rate], T) -> tail(Rate, T);
run(short, [Rate], T) -> short(Rate, T).

%% So many a second, in steps of a millisecond.
paced(Rate, What, T, Since, Done) ->
    receive after 1 -> ok end,
    Due = (erlang:monotonic_time(microsecond) - Since) * Rate div 1000000,
    Due > Done andalso events(T, min(Due - Done, Rate div 10 + 1), What),
    paced(Rate, What, T, Since, max(Due, Done)).

%% As many as there is time for, for On of every Period milliseconds of the system's clock.
bursts(On, Period, T) ->
    Now = os:system_time(millisecond) rem Period,
    case Now < On of
        true -> events(T, 50, ets);
        false -> receive after Period - Now -> ok end
    end,
    bursts(On, Period, T).

midway(From, To, Rate, T, Since) ->
    receive after 1 -> ok end,
    Now = erlang:monotonic_time(millisecond) - Since,
    Now >= From andalso Now < To andalso events(T, Rate div 1000, ets),
    midway(From, To, Rate, T, Since).

%% Each millisecond has some; few have very many.
tail(Rate, T) ->
    receive after 1 -> ok end,
    events(T, min(trunc(Rate / 3000 * (math:pow(1 - rand:uniform(), -1 / 1.5))) + 1, Rate), ets),
    tail(Rate, T).

%% By processes that live for an event each.
short(Rate, T) ->
    receive after 1 -> ok end,
    N = Rate div 1000,
    [spawn(fun() -> ets:lookup(T, 1) end) || _ <- lists:seq(1, N)],
    bump(N),
    short(Rate, T).
