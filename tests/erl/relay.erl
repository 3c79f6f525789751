%% A socket of this VM that hands on what it gets to another port, and back.
-module(relay).
-export([start/1]).

%% The port on which it listens.
start(To) ->
    Me = self(),
    spawn(fun() ->
        {ok, L} = gen_tcp:listen(0, [binary, {ip, {127, 0, 0, 1}}, {active, false}, {reuseaddr, true}]),
        {ok, Port} = inet:port(L),
        Me ! {?MODULE, Port},
        accept(L, To)
    end),
    receive {?MODULE, Port} -> Port end.

accept(L, To) ->
    {ok, From} = gen_tcp:accept(L),
    Pid = spawn(fun() -> receive go -> pair(From, To) end end),
    ok = gen_tcp:controlling_process(From, Pid),
    Pid ! go,
    accept(L, To).

pair(A, To) ->
    {ok, B} = gen_tcp:connect({127, 0, 0, 1}, To, [binary, {active, true}]),
    inet:setopts(A, [{active, true}]),
    copy(A, B).

copy(A, B) ->
    receive
        {tcp, A, Data} -> gen_tcp:send(B, Data), copy(A, B);
        {tcp, B, Data} -> gen_tcp:send(A, Data), copy(A, B);
        {tcp_closed, _} -> gen_tcp:close(A), gen_tcp:close(B)
    end.
