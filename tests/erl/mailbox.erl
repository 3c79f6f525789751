%% A process whose messages wait for a known time: it measures, by a clock, from before a message is
%% sent to it until it has received it, which is in 20 ms at the earliest.
-module(mailbox).
-export([start/0, call/2, echo/0]).

start() -> spawn(fun loop/0).

call(P, What) ->
    P ! {self(), What},
    receive {P, Answer} -> Answer end.

loop() ->
    receive
        {From, {fifo, N}} -> From ! {self(), fifo(N)}, loop();
        {From, {backwards, N}} -> From ! {self(), backwards(N)}, loop();
        {From, {collected, N}} -> From ! {self(), collected(N)}, loop();
        {From, {echo, N}} -> From ! {self(), echo(N)}, loop();
        {From, {dropped, N}} -> From ! {self(), dropped(N)}, loop()
    end.

%% The clock that erlbpf reads, too: without the corrections of the VM.
now_ns() -> os:perf_counter(nanosecond).

%% N messages from another process wait while this one does something else.
filled(N) ->
    Self = self(),
    {_, Ref} = spawn_monitor(fun() -> [Self ! {K, now_ns(), lists:seq(1, 20)} || K <- lists:seq(1, N)] end),
    receive {'DOWN', Ref, process, _, _} -> ok end,
    receive after 20 -> ok end.

fifo(N) ->
    filled(N),
    [receive {K, T, _} -> now_ns() - T end || K <- lists:seq(1, N)].

%% The last comes first.
backwards(N) ->
    filled(N),
    [receive {K, T, _} -> now_ns() - T end || K <- lists:seq(N, 1, -1)].

%% Garbage collections move what waits.
collected(N) ->
    filled(N),
    garbage_collect(), garbage_collect(),
    [receive {K, T, _} -> now_ns() - T end || K <- lists:seq(1, N)].

%% N answers to an alias, as gen_server:call is answered.
echo(N) ->
    P = spawn_link(?MODULE, echo, []),
    Times = [begin
                 Alias = monitor(process, P, [{alias, reply_demonitor}]),
                 P ! {self(), Alias},
                 receive {Alias, T} -> now_ns() - T end
             end || _ <- lists:seq(1, N)],
    unlink(P), exit(P, kill),
    Times.

%% N messages to a process that ends without receiving them.
dropped(N) ->
    {P, Ref} = spawn_monitor(fun() -> receive never -> ok end end),
    [P ! K || K <- lists:seq(1, N)],
    exit(P, kill),
    receive {'DOWN', Ref, process, _, _} -> ok end.

echo() -> receive {_, Alias} -> Alias ! {Alias, now_ns()}, echo() end.
