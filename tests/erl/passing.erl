%% Threads that come and go: of a library, while dirty schedulers work and others are taken offline.
-module(passing).
-export([start/0, stop/1, threads/1]).
-on_load(init/0).

init() ->
    erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

threads(_Rounds) ->
    erlang:nif_error(not_loaded).

start() ->
    Online = erlang:system_info(schedulers_online),
    spawn(fun() -> pass(Online) end).

%% How many threads there were, some at least.
stop(Pid) ->
    Pid ! {stop, self()},
    receive {Pid, Threads} -> Threads end.

pass(Online) ->
    pass(Online, 0).

pass(Online, Threads) ->
    Now = Threads + threads(5),
    _ = erlang:system_flag(schedulers_online, 1),
    _ = erlang:garbage_collect(),
    _ = erlang:system_flag(schedulers_online, Online),
    receive
        {stop, From} when Now >= 20 -> From ! {self(), Now}
    after 0 -> pass(Online, Now)
    end.
