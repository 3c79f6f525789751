%% Processes that use processor time in known ways: for how long by whom, and with which callers. What calls a function
%% uses its result, so that no call is a tail call but where it says so.
-module(shares).
-export([shares/0, mixed/0, deep/1, tails/0, funs/0, bifs/0, traps/0, garbage/0, waits/1, calls/0]).

-define(STEPS, 20000).

%% 60, 30 and 10 percent.
shares() ->
    _ = sixty(60),
    _ = thirty(30),
    _ = ten(10),
    shares().

sixty(N) -> [burn(N * ?STEPS, 0)].
thirty(N) -> [burn(N * ?STEPS, 0)].
ten(N) -> [burn(N * ?STEPS, 0)].

burn(0, Sum) -> Sum;
burn(N, Sum) -> burn(N - 1, Sum bxor N).

%% So many frames of one function above each other.
deep(Depth) ->
    _ = down(Depth),
    deep(Depth).

down(0) -> burn(100 * ?STEPS, 0);
down(N) -> [down(N - 1)].

%% first/1 and second/1 leave no frame: third/1 returns to tails/0.
tails() ->
    _ = first(100),
    tails().

first(N) -> second(N).
second(N) -> third(N).
third(N) -> [burn(N * ?STEPS, 0)].

%% A fun of its own, called by another module.
funs() ->
    _ = lists:map(fun(N) -> [burn(N * ?STEPS, 0)] end, [100]),
    funs().

%% A BIF under who calls it.
bifs() ->
    Table = ets:new(shares, []),
    ets:insert(Table, {key, lists:seq(1, 100000)}),
    lookups(Table).

lookups(Table) ->
    _ = lookup(Table),
    lookups(Table).

lookup(Table) -> length(ets:lookup(Table, key)).

%% BIFs that take long: the VM goes on with a function of C that no table knows, and that may be static.
traps() ->
    Table = ets:new(shares, []),
    ets:insert(Table, [{N, N} || N <- lists:seq(1, 20000)]),
    traps(binary:copy(<<"abcdefgh">>, 2000000), Table).

traps(Bytes, Table) ->
    _ = matching(Bytes),
    _ = selecting(Table),
    traps(Bytes, Table).

matching(Bytes) -> [binary:match(Bytes, <<"zzz">>)].
selecting(Table) -> [ets:select(Table, [{{'$1', '_'}, [{'<', '$1', 0}], ['$1']}])].

%% Collections: of a large heap, again and again.
garbage() ->
    collect(lists:seq(1, 1000000)).

collect(Live) ->
    true = erlang:garbage_collect(),
    true = is_list(Live),
    collect(Live).

%% Waits for a message that does not come, again and again, for so many milliseconds.
waits(Time) ->
    ok = wait(Time),
    waits(Time).

wait(Time) ->
    receive
        message -> wrong
    after Time -> ok
    end.

%% Calls a server that answers late.
calls() -> calls(spawn_link(fun answers/0)).

calls(Server) ->
    done = call(Server),
    calls(Server).

call(Server) ->
    Answer = gen_server:call(Server, work),
    Answer.

answers() ->
    receive
        {'$gen_call', From, work} ->
            ok = wait(50),
            gen_server:reply(From, done),
            answers()
    end.

%% All kinds of callers, in turn.
mixed() ->
    _ = [sixty(30), thirty(20), ten(10), first(10),
         lists:map(fun(N) -> [burn(N * ?STEPS, 0)] end, [20]),
         length(lists:seq(1, 100000))],
    mixed().
