%% A process that makes garbage when it is told to, and what the node's own tracing says of its collections.
-module(garbage).
-export([start/1, make/3]).

%% `Keep` elements stay, so that the heap is large or not.
start(Keep) -> spawn(fun() -> loop(lists:seq(1, Keep)) end).

loop(Keep) ->
    receive
        {make, Rounds, From} ->
            _ = [lists:sum(lists:seq(1, Round)) || Round <- lists:seq(1, Rounds)],
            From ! {made, length(Keep)}
    end,
    loop(Keep).

%% {Kind, reclaimed, words before, words after} of every collection meanwhile.
make(Pid, Rounds, Messages) ->
    erlang:trace(Pid, true, [garbage_collection]),
    %% They wait in its queue and are copied to its heap by a collection.
    [Pid ! {noise, lists:seq(1, 100)} || _ <- lists:seq(1, Messages)],
    Pid ! {make, Rounds, self()},
    receive {made, _} -> ok end,
    erlang:trace(Pid, false, [garbage_collection]),
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    collections(Pid, []).

collections(Pid, Done) ->
    receive
        {trace, Pid, Start, Before} when Start =:= gc_minor_start; Start =:= gc_major_start ->
            receive
                {trace, Pid, End, After} when End =:= gc_minor_end; End =:= gc_major_end ->
                    Kind = case End of gc_minor_end -> minor; gc_major_end -> major end,
                    {_, Reclaimed} = lists:keyfind(wordsize, 1, After),
                    collections(Pid, [{Kind, Reclaimed, words(Before), words(After)} | Done])
            end
    after 0 ->
        lists:reverse(Done)
    end.

words(Info) ->
    lists:sum([Words || {What, Words} <- Info, lists:member(What, [heap_size, old_heap_size, mbuf_size])]).
