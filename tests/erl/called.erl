%% Functions that are called as often as a test wants, in a process of their own.
-module(called).
-export([start/0, call/3, timed/1, leaf/1, outer/1, tail/1, loop/1, boom/1, slow/1, factorial/1, echo/1, busy/0]).

start() ->
    spawn(fun go/0).

go() ->
    receive
        {From, Function, Times, Argument} ->
            _ = [catch ?MODULE:Function(Argument) || _ <- lists:seq(1, Times)],
            From ! {self(), done},
            go();
        {From, timed} ->
            {Us, _} = timer:tc(?MODULE, slow, [x]),
            From ! {self(), Us * 1000},
            go();
        busy ->
            busy()
    end.

call(Pid, Function, {Times, Argument}) ->
    Pid ! {self(), Function, Times, Argument},
    receive {Pid, done} -> done end.

timed(Pid) ->
    Pid ! {self(), timed},
    receive {Pid, Ns} -> Ns end.

leaf(N) -> {leaf, N}.
outer(N) -> [leaf(N), leaf(N)].
tail(N) -> leaf(N).
loop(0) -> done;
loop(N) -> loop(N - 1).
boom(X) -> error({boom, X}).
slow(_) -> timer:sleep(30).
factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).
echo(Term) -> [Term].

busy() ->
    leaf(1),
    busy().
