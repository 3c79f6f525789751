%% A ring of processes that passes a message round until N sends are done.
%% `erl -s ring main Processes N`: prints "ready", waits for a line, runs,
%% prints "{done,N}", and is to be killed.
-module(ring).
-export([main/1]).

main(Args) ->
    [Processes, N] = [list_to_integer(atom_to_list(A)) || A <- Args],
    Self = self(),
    First = lists:foldl(fun(_, Next) -> spawn(fun() -> node_loop(Next, Self) end) end, self(),
                        lists:seq(2, Processes)),
    io:format("ready ~p~n", [self()]),
    io:get_line(""),
    pass(First, N),
    %% Without a message to anybody: what is sent from here on would be counted or not, as it comes.
    erlang:display({done, N}),
    receive stop -> ok end.

%% Every hop is one send; this process makes one send a round, too.
pass(_, N) when N =< 0 -> ok;
pass(First, N) ->
    First ! N - 1,
    receive Left -> pass(First, Left) end.

node_loop(Next, Last) ->
    receive
        0 -> Last ! 0;
        N -> Next ! N - 1
    end,
    node_loop(Next, Last).
