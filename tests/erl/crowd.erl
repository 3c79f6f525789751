%% Many processes, and some that do a known amount of what `top` shows.
-module(crowd).
-behaviour(gen_server).
-export([idle/1, named/2, servers/1, callers/3, busy/2, beats/1, pair/2, slow/3, stats/0, sealed/1, init/1, handle_call/3, handle_cast/2]).

idle(N) -> [spawn(fun wait/0) || _ <- lists:seq(1, N)].

%% Processes that are registered as Prefix1, Prefix2, ...
named(Prefix, N) ->
    [begin
         P = spawn(fun wait/0),
         register(list_to_atom(Prefix ++ integer_to_list(I)), P),
         P
     end || I <- lists:seq(1, N)].

servers(N) -> [element(2, gen_server:start(?MODULE, [], [])) || _ <- lists:seq(1, N)].

%% Each server is called K times by a process of its own, every so many ms. Returns when all have been.
callers(Servers, Every, K) ->
    Refs = [element(2, spawn_monitor(fun() -> call(Server, Every, K) end)) || Server <- Servers],
    [receive {'DOWN', Ref, _, _, normal} -> ok end || Ref <- Refs],
    ok.

call(_, _, 0) -> ok;
call(Server, Every, K) ->
    gen_server:call(Server, {work, K}),
    receive after Every -> call(Server, Every, K - 1) end.

wait() -> receive stop -> ok end.

%% Registered as seal, with relations of all kinds, waiting three functions deep.
sealed(Ps) ->
    spawn(fun() ->
        register(seal, self()),
        %% Outside of its heap.
        Held = binary:copy(<<1>>, 3 bsl 20),
        [link(P) || P <- Ps],
        [monitor(process, P) || P <- tl(Ps)],
        monitor(time_offset, clock_service),
        erlang:suspend_process(hd(Ps)),
        {keep(), byte_size(Held)}
    end).

keep() -> [keep_inner()].

keep_inner() -> {wait()}.

%% Works `On` of every On + Off milliseconds; says what share it worked, by its own clock, when asked.
busy(On, Off) -> spawn(fun() -> busy(On, Off, now_us(), 0) end).

busy(On, Off, Began, Worked) ->
    T0 = now_us(),
    spin(T0 + On * 1000),
    Sum = Worked + now_us() - T0,
    receive
        {share, To} -> To ! {share, Sum / max(1, now_us() - Began)}, busy(On, Off, now_us(), 0)
    after Off -> busy(On, Off, Began, Sum)
    end.

%% N processes that take turns of a millisecond, on a beat of N milliseconds; say their share as busy/2 does.
beats(N) -> [spawn(fun() -> beat(I * 1000, N * 1000, now_us(), 0) end) || I <- lists:seq(0, N - 1)].

beat(Phase, Every, Began, Worked) ->
    Wait = (Phase - now_us()) rem Every + Every,
    receive
        {share, To} -> To ! {share, Worked / max(1, now_us() - Began)}, beat(Phase, Every, now_us(), 0)
    after Wait div 1000 ->
        T0 = now_us(),
        spin(T0 + 1000),
        beat(Phase, Every, Began, Worked + now_us() - T0)
    end.

spin(Until) -> case now_us() >= Until of true -> ok; false -> spin(Until) end.

%% N messages from one process to another, which takes them one by one.
pair(N, Every) ->
    Me = self(),
    To = spawn(fun() -> take(N), Me ! {done, self()}, wait() end),
    From = spawn(fun() -> give(To, N, Every), wait() end),
    receive {done, To} -> {From, To} end.

give(_, 0, _) -> ok;
give(To, N, Every) ->
    To ! {message, N},
    %% Not timer:sleep(1): loading that module may take messages.
    N rem Every =:= 0 andalso receive after 1 -> ok end,
    give(To, N - 1, Every).

take(0) -> ok;
take(N) -> receive {message, N} -> take(N - 1) end.

%% `Rounds` times, `Burst` messages at once to a process that works Ms on each. The mean time that they
%% waited, in microseconds, and who it was.
slow(Rounds, Burst, Ms) ->
    Me = self(),
    P = spawn(fun() -> Me ! {waited, self(), slow_loop(Rounds * Burst, Ms, 0) / (Rounds * Burst)}, wait() end),
    timer:sleep(100),
    [begin
         [P ! {at, now_us()} || _ <- lists:seq(1, Burst)],
         timer:sleep(Burst * Ms * 3 div 2)
     end || _ <- lists:seq(1, Rounds)],
    receive {waited, P, Mean} -> {P, round(Mean)} end.

slow_loop(0, _, Sum) -> Sum;
slow_loop(N, Ms, Sum) ->
    receive
        {at, T} ->
            Waited = now_us() - T,
            spin(now_us() + Ms * 1000),
            slow_loop(N - 1, Ms, Sum + Waited)
    end.

now_us() -> erlang:monotonic_time(microsecond).

%% What the node itself says of its processes, a line for each.
stats() ->
    [begin
         [{reductions, R}, {message_queue_len, Q}, {total_heap_size, H}, {status, S}] =
             process_info(P, [reductions, message_queue_len, total_heap_size, status]),
         Name = case process_info(P, registered_name) of {_, N} -> N; [] -> '' end,
         Call = case proc_lib:translate_initial_call(P) of
                    {proc_lib, init_p, 5} -> element(2, process_info(P, initial_call));
                    MFA -> MFA
                end,
         {P, R, Q, H * erlang:system_info(wordsize), S, Name, Call}
     end || P <- processes(), P =/= self(), is_process_alive(P)].

init([]) -> {ok, none}.
handle_call(Request, _, State) -> {reply, Request, State}.
handle_cast(_, State) -> {noreply, State}.
