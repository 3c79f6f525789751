%% Processes of funs that run in a function and never return from it: in one that calls itself as its last act, and in
%% one that has called that.
-module(keeper).
-export([start/0, ask/1, keep/0, deep/0]).

start() ->
    [spawn(fun() -> keep() end), spawn(fun() -> deep() end)].

ask(Pids) ->
    [Pid ! {self(), go} || Pid <- Pids],
    [receive {went, Pid} -> ok end || Pid <- Pids],
    ok.

keep() ->
    receive {From, go} -> From ! {went, self()} end,
    keep().

%% The compiler is not to know that it never returns.
deep() ->
    [?MODULE:keep()].
