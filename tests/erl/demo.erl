%% The demo's workload: servers with requests to answer, and others that keep the schedulers busy, so
%% that some messages wait a little and some a lot.
-module(demo).
-export([main/0, start/0]).

main() ->
    start(),
    io:format("ready~n"),
    io:get_line(""),
    halt(0).

start() ->
    Servers = [spawn(fun server/0) || _ <- lists:seq(1, 20)],
    [spawn(fun() -> client(Servers, N) end) || N <- lists:seq(1, 50)],
    [spawn(fun busy/0) || _ <- lists:seq(1, 3)].

server() ->
    receive {From, Ref, N} -> From ! {Ref, lists:sum(lists:seq(1, N))} end,
    server().

client(Servers, N) ->
    Ref = make_ref(),
    lists:nth(1 + N rem length(Servers), Servers) ! {self(), Ref, 100 * (N rem 7)},
    receive {Ref, _} -> ok end,
    timer:sleep(N rem 11),
    client(Servers, N + 1).

busy() ->
    lists:foldl(fun(X, Sum) -> X * X + Sum end, 0, lists:seq(1, 3000)),
    timer:sleep(1),
    busy().
