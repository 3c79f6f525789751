%% A process whose heap grows and shrinks when it is told to, and that says how large it is then.
-module(heap).
-export([start/0]).

start() -> spawn(fun() -> loop() end).

loop() ->
    receive
        {grow, Elements, From} ->
            List = lists:seq(1, Elements),
            From ! {grown, size_of_heap()},
            receive {shrink, To} -> To ! {shrunk, shrink(length(List))} end,
            loop()
    end.

%% A collection with nothing left to keep.
shrink(_) ->
    erlang:garbage_collect(),
    size_of_heap().

size_of_heap() -> element(2, process_info(self(), heap_size)).
