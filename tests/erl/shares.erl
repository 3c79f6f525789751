%% Processes that use processor time in known ways: for how long by whom, and with which callers. What calls a function
%% uses its result, so that no call is a tail call but where it says so.
-module(shares).
-export([shares/0, shares/1, mixed/0, deep/1, tails/0, funs/0, bifs/0, traps/0, garbage/0, waits/1, calls/0, count/0, turns/0, command/2]).

-define(STEPS, 20000).

%% 60, 30 and 10 percent.
shares() ->
    Steps = steps(),
    _ = sixty(60 * Steps),
    _ = thirty(30 * Steps),
    _ = ten(10 * Steps),
    shares().

%% For each percent of a turn. Turns of one length would keep step with the samples, which then are always of the same
%% moments of a turn.
steps() -> ?STEPS div 2 + rand:uniform(?STEPS).

sixty(Steps) -> [burn(Steps, 0)].
thirty(Steps) -> [burn(Steps, 0)].
ten(Steps) -> [burn(Steps, 0)].

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
    _ = first(100 * ?STEPS),
    tails().

first(Steps) -> second(Steps).
second(Steps) -> third(Steps).
third(Steps) -> [burn(Steps, 0)].

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
    count(),
    waits(Time).

%% How often processes have counted since it was first asked for.
turns() ->
    case persistent_term:get(?MODULE, none) of
        none -> persistent_term:put(?MODULE, counters:new(1, [])), 0;
        Counter -> counters:get(Counter, 1)
    end.

count() ->
    case persistent_term:get(?MODULE, none) of
        none -> ok;
        Counter -> counters:add(Counter, 1, 1)
    end.

wait(Time) ->
    receive
        message -> wrong
    after Time -> ok
    end.

%% What the node of a command does. Files in this folder tell who started it how far it is, and it how to go on: it is `ready`;
%% after `go`, it has run for 200 ms or waited 20 times when it is `done`; and ends after `stop`.
command(Folder, What) ->
    0 = turns(),
    spawn(?MODULE, What, case What of shares -> []; waits -> [10] end),
    tell(Folder, "ready"),
    until(fun() -> filelib:is_file(filename:join(Folder, "go")) end),
    Before = progress(What),
    until(fun() -> progress(What) >= Before + 20 end),
    tell(Folder, "done"),
    until(fun() -> filelib:is_file(filename:join(Folder, "stop")) end),
    halt().

progress(shares) -> element(1, statistics(runtime)) div 10;
progress(waits) -> turns().

until(Condition) -> Condition() orelse begin timer:sleep(5), until(Condition) end.

tell(Folder, File) -> ok = file:write_file(filename:join(Folder, File), "").

%% Calls a server that answers late.
calls() -> calls(spawn_link(fun answers/0)).

calls(Server) ->
    done = call(Server),
    count(),
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
    Steps = steps() div 10,
    _ = [large(30 * Steps), middle(20 * Steps), small(10 * Steps),
         lists:map(fun(N) -> [grind(N * Steps, 0)] end, [30]),
         length(lists:seq(1, 20 * Steps))],
    mixed().

large(Steps) -> [grind(Steps, 0)].
middle(Steps) -> [grind(Steps, 0)].
small(Steps) -> [grind(Steps, 0)].

%% With frame pointers a function's first instructions hide its caller from perf: of this one they are a small part.
grind(0, Sum) -> Sum;
grind(N, Sum) ->
    grind(N - 1, ((((((((((((Sum bxor N) band 16#ffff) * 3) bxor N) band 16#ffff) * 5) bxor N) band 16#ffff) * 7) bxor N)
                     band 16#ffff) * 9) bxor N).

%% As shares/0, with a rest of so many milliseconds after each turn: what is only to be seen leaves the CPUs to others.
shares(Rest) ->
    Steps = steps(),
    _ = {sixty(60 * Steps), thirty(30 * Steps), ten(10 * Steps)},
    receive after Rest -> ok end,
    shares(Rest).
