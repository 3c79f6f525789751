%% Native code that sleeps or works: the NIFs nap and burn on a normal scheduler, dirty_nap and dirty_burn on a dirty one,
%% and a driver. A process runs what it is told.
-module(sleeper).
-export([load/0, start/0, run/2, loop/0, nap/1, dirty_nap/1, burn/1, dirty_burn/1, burns/1, tell/2, open/0, control/1, waits/2, now_ns/0, reads/2]).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

start() -> spawn(?MODULE, loop, []).

%% Nanoseconds that it took, by the process's own clock.
run(Pid, {_Function, _Args} = What) ->
    Pid ! {self(), What},
    receive {ran, Pid, Ns} -> Ns end.

loop() ->
    receive
        {From, {Function, Args}} ->
            T0 = os:perf_counter(nanosecond),
            apply(?MODULE, Function, Args),
            From ! {ran, self(), os:perf_counter(nanosecond) - T0}
    end,
    ?MODULE:loop().

nap(_Ms) -> erlang:nif_error(not_loaded).
dirty_nap(_Ms) -> erlang:nif_error(not_loaded).

%% So many milliseconds of processor time.
burn(_Ms) -> erlang:nif_error(not_loaded).
dirty_burn(_Ms) -> erlang:nif_error(not_loaded).

%% They do nothing else, but let others run, too. A NIF may be called as a function of the same module, or of any.
burns(near) ->
    ok = burn(2),
    erlang:bump_reductions(2000),
    burns(near);
burns(far) ->
    ok = ?MODULE:burn(2),
    erlang:bump_reductions(2000),
    burns(far);
burns(dirty) ->
    ok = dirty_burn(2),
    burns(dirty);
%% Nothing in the code says what it calls.
burns(Function) ->
    ok = ?MODULE:Function(2),
    erlang:bump_reductions(2000),
    burns(Function).

%% The NIF sends so many messages.
tell(_Pid, _Times) -> erlang:nif_error(not_loaded).

%% A port of the driver that sleeps when it is controlled, or sent something, which is left to a scheduler.
open() ->
    ok = erl_ddll:load(filename:dirname(code:which(?MODULE)), sleeper_drv),
    open_port({spawn_driver, "sleeper_drv"}, [binary, {parallelism, true}]).

control(Port) -> port_control(Port, 0, <<>>).

%% Sends so many commands to the port. How long each of them waited, by the driver's clock: at least, since it had been
%% sent, and at most, since before it was sent.
waits(Port, N) ->
    Sending = [begin
                   T0 = now_ns(),
                   Port ! {self(), {command, <<T0:64/native>>}},
                   now_ns() - T0
               end || _ <- lists:seq(1, N)],
    [receive {Port, {data, <<Ns:64/native>>}} -> {max(0, Ns - Sent), Ns} end || Sent <- Sending].

%% Reads this many bytes of a named pipe: so long as a test wants.
reads(_Path, _Bytes) -> erlang:nif_error(not_loaded).

now_ns() -> erlang:nif_error(not_loaded).
