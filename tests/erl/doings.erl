%% A process that sends, spawns, allocates, collects or only runs, three times as much from one function as from another.
%% What calls a function uses its result, so that no call is a tail call.
-module(doings).
-export([run/2, work/3, nothing/0]).
-export([sends/1, spawns/1, lists/1, binaries/1, collections/1, reductions/1]).

%% Does it so many times in a process of its own; how many reductions that took.
run(What, Times) ->
    Sink = spawn(fun sink/0),
    {Pid, Ref} = spawn_monitor(?MODULE, work, [What, Times, Sink]),
    receive
        {'DOWN', Ref, process, Pid, {done, Reductions}} ->
            exit(Sink, kill),
            Reductions
    end.

sink() ->
    receive
        _ -> sink()
    end.

work(What, Times, Sink) ->
    rand:seed(exsss, 17),
    ok = repeat(Times, fun ?MODULE:What/1, Sink),
    {reductions, Reductions} = process_info(self(), reductions),
    exit({done, Reductions}).

repeat(0, _, _) -> ok;
repeat(Times, What, Sink) ->
    _ = What(Sink),
    repeat(Times - 1, What, Sink).

%% Lists of 300 and of 100, of two words an element.
sends(Sink) -> [sends_much(Sink), sends_little(Sink)].
sends_much(Sink) -> [Sink ! lists:seq(1, 300)].
sends_little(Sink) -> [Sink ! lists:seq(1, 100)].

spawns(_) -> [spawns_much(), spawns_little()].
spawns_much() -> [spawn(?MODULE, nothing, []), spawn(?MODULE, nothing, []), spawn(?MODULE, nothing, [])].
spawns_little() -> [spawn(?MODULE, nothing, [])].

nothing() -> ok.

lists(_) -> [lists_much(), lists_little()].
lists_much() -> [length(lists:seq(1, 3000))].
lists_little() -> [length(lists:seq(1, 1000))].

%% Three times as often, in no order that collections could keep in step with.
binaries(_) ->
    case rand:uniform(4) of
        4 -> [binaries_little()];
        _ -> [binaries_much()]
    end.
binaries_much() -> [byte_size(binary:copy(<<0>>, 100000))].
binaries_little() -> [byte_size(binary:copy(<<0>>, 100000))].

%% What is collected is garbage: 60,000 words, and 20,000.
collections(_) -> [collections_much(), collections_little()].
collections_much() -> [length(lists:seq(1, 30000)), garbage_collect()].
collections_little() -> [length(lists:seq(1, 10000)), garbage_collect()].

reductions(_) -> [reductions_much(), reductions_little()].
reductions_much() -> [burn(30000, 0)].
reductions_little() -> [burn(10000, 0)].

burn(0, Sum) -> Sum;
burn(N, Sum) -> burn(N - 1, Sum bxor N).
