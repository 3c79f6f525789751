%% A receiver that measures by its own clock how long its messages waited: a paced sender, competing
%% processes, one scheduler. `erl +S 1 -s waits main N Competitors PauseMs`.
%% Prints "ready PID", waits for a line on stdin, runs, prints "done COUNT MEDIAN_NS MEAN_NS MAX_NS P40_NS P60_NS".
-module(waits).
-export([main/1, start/1, held/3]).

main(Args) ->
    [N, Competitors, Pause] = [list_to_integer(atom_to_list(A)) || A <- Args],
    Self = self(),
    Receiver = spawn(fun() -> receiver(Self, N, []) end),
    io:format("ready ~p~n", [Receiver]),
    io:get_line(""),
    Hogs = [spawn(fun hog/0) || _ <- lists:seq(1, Competitors)],
    spawn(fun() -> sender(Receiver, N, Pause) end),
    receive {waits, Waits} -> report(lists:sort(Waits)) end,
    [exit(Hog, kill) || Hog <- Hogs],
    io:get_line(""),
    halt(0).

%% A receiver of N messages, and its N messages. On a node with one scheduler, each waits for Ms milliseconds at
%% least: whoever sent it keeps the scheduler in a NIF. How long each waited at most: from a clock that is read before
%% it is sent to one that is read after it is received.
start(N) ->
    Self = self(),
    spawn(fun() -> receiver(Self, N, []) end).

held(Receiver, N, Ms) ->
    [begin
         erlang:yield(),
         Receiver ! {sent, now_ns()},
         sleeper:nap(Ms)
     end || _ <- lists:seq(1, N)],
    receive {waits, Waits} -> lists:reverse(Waits) end.

report(Waits) ->
    Count = length(Waits),
    Of = fun(Percent) -> lists:nth((Count * Percent + 99) div 100, Waits) end,
    io:format("done ~b ~b ~b ~b ~b ~b~n", [Count, Of(50), lists:sum(Waits) div Count, lists:last(Waits), Of(40), Of(60)]).

receiver(Parent, 0, Waits) ->
    Parent ! {waits, Waits};
receiver(Parent, N, Waits) ->
    receive
        {sent, T} ->
            receiver(Parent, N - 1, [now_ns() - T | Waits])
    end.

sender(_, 0, _) ->
    ok;
sender(Receiver, N, Pause) ->
    Receiver ! {sent, now_ns()},
    receive after Pause -> ok end,
    sender(Receiver, N - 1, Pause).

%% Some hundred microseconds of work, then another's turn.
hog() ->
    lists:foldl(fun(X, Sum) -> X + Sum end, 0, lists:seq(1, 500)),
    erlang:yield(),
    hog().

%% The clock that erlbpf reads, too: without the corrections of the VM.
now_ns() -> os:perf_counter(nanosecond).
