%% Functions that are called as often as a test wants, in a process of their own.
-module(called).
-export([start/0, call/3, timed/1, leaf/1, outer/1, tail/1, loop/1, boom/1, bad/1, nested/1, uncaught/1, slow/1, factorial/1, echo/1, busy/0]).

start() ->
    spawn(fun go/0).

go() ->
    receive
        {From, Function, Times, Argument} ->
            _ = [catch ?MODULE:Function(Argument) || _ <- lists:seq(1, Times)],
            From ! {self(), done},
            go();
        {From, timed} ->
            Begin = os:perf_counter(nanosecond),
            ?MODULE:slow(x),
            From ! {self(), os:perf_counter(nanosecond) - Begin},
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
bad(exit) -> exit(gone);
bad(throw) -> throw({ball, 1});
bad(late) -> timer:sleep(30), exit(timeout);
bad(match) -> {ok, _} = bad(nothing);
bad(_) -> 1.
%% Of two that are measured, one ends by the exception, and the other one catches it and returns.
nested(X) -> try [boom(X), ok] catch error:{boom, _} -> [leaf(X)] end.
uncaught(X) ->
    {_, Ref} = spawn_monitor(?MODULE, boom, [X]),
    receive {'DOWN', Ref, _, _, _} -> ok end.
slow(forever) -> timer:sleep(infinity);
slow({until, Word}) -> receive Word -> ok end;
slow(_) -> timer:sleep(30).
factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).
echo(Term) -> [Term].

busy() ->
    leaf(1),
    busy().
