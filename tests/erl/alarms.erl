%% A process that sets timers and waits for them.
-module(alarms).
-export([start/0, run/4, late/3, loop/0, set/3, wait/2]).

start() -> spawn(?MODULE, loop, []).

%% Sets so many timers that send a message, as many that it cancels, and waits so often to the end of receive ... after.
run(Pid, Messages, Cancelled, Receives) -> ask(Pid, {set, [Messages, Cancelled, Receives]}).

%% Sets a timer and keeps its scheduler meanwhile. How late its message came, in ns by the process's own clock.
late(Pid, Ms, NapMs) -> ask(Pid, {wait, [Ms, NapMs]}).

ask(Pid, What) ->
    Pid ! {self(), What},
    receive {Pid, Answer} -> Answer end.

loop() ->
    receive
        {From, {Function, Args}} -> From ! {self(), apply(?MODULE, Function, Args)}
    end,
    ?MODULE:loop().

set(Messages, Cancelled, Receives) ->
    [erlang:send_after(1 + I rem 50, self(), alarm) || I <- lists:seq(1, Messages div 2)],
    [erlang:start_timer(1 + I rem 50, self(), alarm) || I <- lists:seq(1, Messages - Messages div 2)],
    Others = [erlang:send_after(500, self(), never) || _ <- lists:seq(1, Cancelled)],
    [receive alarm -> ok; {timeout, _, alarm} -> ok end || _ <- lists:seq(1, Messages)],
    [erlang:cancel_timer(Other) || Other <- Others],
    [receive never -> never after 2 -> ok end || _ <- lists:seq(1, Receives)],
    ok.

wait(Ms, NapMs) ->
    T0 = os:perf_counter(nanosecond),
    erlang:send_after(Ms, self(), alarm),
    sleeper:nap(NapMs),
    receive alarm -> os:perf_counter(nanosecond) - T0 - Ms * 1000000 end.
