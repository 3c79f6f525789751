%% More processes than schedulers: those that never have done, and those that wake each other.
-module(rivals).
-export([hogs/1, stop/1, lengths/1, turns/1, pairs/2, moves/1, statistics/1]).

%% Processes that always have more to do.
hogs(N) -> [spawn(fun hog/0) || _ <- lists:seq(1, N)].

hog() -> erlang:yield(), hog().

stop(Pids) -> [exit(Pid, kill) || Pid <- Pids], ok.

%% The length of all queues together, so many times, a millisecond apart: on average, in tenths.
lengths(N) ->
    Lengths = [begin timer:sleep(1), lists:sum(erlang:statistics(run_queue_lengths)) end || _ <- lists:seq(1, N)],
    lists:sum(Lengths) * 10 div N.

%% Lets all others of its scheduler run, so many times.
turns(N) -> [erlang:yield() || _ <- lists:seq(1, N)], ok.

%% A process that goes to the other of two schedulers, so many times.
moves(N) ->
    {_, Ref} = spawn_monitor(fun() ->
                                 [begin
                                      process_flag(scheduler, 1 + Moved rem 2),
                                      erlang:yield()
                                  end || Moved <- lists:seq(1, N)]
                             end),
    receive {'DOWN', Ref, process, _, normal} -> ok end.

%% So many pairs of processes play so many rounds of ping-pong; back when all are done. There are no links
%% and monitors: their signals are handled in picks of their own, which only the VM knows of.
pairs(N, Rounds) ->
    Self = self(),
    [spawn(fun() -> pair(Self, Rounds) end) || _ <- lists:seq(1, N)],
    [receive played -> ok end || _ <- lists:seq(1, N)],
    ok.

pair(Parent, Rounds) ->
    Self = self(),
    Other = spawn(fun() -> pong(Self, Rounds) end),
    ping(Other, Rounds),
    Parent ! played.

ping(_, 0) -> ok;
ping(Other, N) ->
    Other ! {ping, self()},
    receive pong -> ping(Other, N - 1) end.

pong(_, 0) -> ok;
pong(Other, N) ->
    receive {ping, Other} -> Other ! pong, pong(Other, N - 1) end.

%% What the VM counts itself, from `start` to `stop`: {picks, migrations} of processes.
statistics(start) -> erlang:system_flag(scheduling_statistics, enable);
statistics(clear) -> erlang:system_flag(scheduling_statistics, clear);
statistics(stop) ->
    Rows = erlang:system_info(total_scheduling_statistics),
    {lists:sum([Picks || {What, Picks, _} <- Rows, What =/= port]),
     lists:sum([Moves || {What, _, Moves} <- Rows, What =/= port])}.
