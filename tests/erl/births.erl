%% Spawns processes when it is told to, whose number it knows.
-module(births).
-behaviour(gen_server).
-export([start/0, call/2, worker/1, stays/0, init/1, handle_call/3, handle_cast/2]).

start() -> spawn(fun loop/0).

call(P, What) ->
    P ! {self(), What},
    receive {P, Answer} -> Answer end.

loop() ->
    receive
        {From, {N, timed}} -> From ! {self(), lists:sum([timed() || _ <- lists:seq(1, N)]) div N}, loop();
        {From, {N, Spawn}} -> [spawn_one(Spawn) || _ <- lists:seq(1, N)], From ! {self(), done}, loop();
        {From, stop} -> From ! {self(), done}
    end.

%% Each returns when the process is gone.
spawn_one(worker) -> wait(spawn_monitor(?MODULE, worker, [5]));
spawn_one(proc_lib) -> wait(proc_lib:spawn_opt(?MODULE, worker, [1], [monitor]));
spawn_one(server) -> {ok, P} = gen_server:start(?MODULE, [], []), gen_server:stop(P);
spawn_one(killed) -> {P, Ref} = spawn_monitor(?MODULE, stays, []), exit(P, kill), wait({P, Ref}).

%% Nanoseconds from before the spawn to behind the exit.
timed() ->
    T0 = erlang:monotonic_time(nanosecond),
    wait(spawn_monitor(?MODULE, worker, [5])),
    erlang:monotonic_time(nanosecond) - T0.

wait({P, Ref}) -> receive {'DOWN', Ref, process, P, _} -> ok end.

worker(Ms) -> receive after Ms -> ok end.

stays() -> receive never -> ok end.

init([]) -> {ok, []}.
handle_call(_, _, State) -> {reply, ok, State}.
handle_cast(_, State) -> {noreply, State}.
