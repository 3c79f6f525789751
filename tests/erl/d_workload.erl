%% Known numbers of everything that the scripts of tests/d/scripts tell of. Each function gives what it knows
%% of what it did: pids, ports, durations in nanoseconds.
-module(d_workload).
-export([leave/1, lives/2, linked/1, signals/1, collect/2]).
-export([exchange/1, traced_exchange/1, receiver/2, remote/2]).
-export([sleepers/1, awake/2, garbage/1, grow/0, keep/1]).
-export([calls/1, fac/1, slow/1, spin/1, dirty/1]).
-export([ports/1, busy_port/1, driver/1, async/1]).

%% N processes that end with that reason, their pids.
lives(N, Reason) ->
    [begin
         {Pid, Ref} = spawn_monitor(?MODULE, leave, [Reason]),
         receive {'DOWN', Ref, process, Pid, _} -> Pid end
     end || _ <- lists:seq(1, N)].

leave(Reason) -> exit(Reason).

%% One process with N linked to it; they all end with it: [it | them].
linked(N) ->
    Self = self(),
    {First, Ref} = spawn_monitor(fun() ->
        Self ! {linked, [spawn_link(fun() -> receive never -> ok end end) || _ <- lists:seq(1, N)]},
        receive go -> exit(chain) end
    end),
    Linked = receive {linked, Pids} -> Pids end,
    Refs = [monitor(process, Pid) || Pid <- Linked],
    First ! go,
    [receive {'DOWN', R, _, _, _} -> ok end || R <- [Ref | Refs]],
    [First | Linked].

%% N exit signals to one process that traps them; its pid.
signals(N) ->
    {Pid, Ref} = spawn_monitor(?MODULE, collect, [self(), N]),
    receive {trapping, Pid} -> ok end,
    [exit(Pid, {please, I}) || I <- lists:seq(1, N)],
    receive {'DOWN', Ref, _, _, _} -> Pid end.

collect(From, N) ->
    process_flag(trap_exit, true),
    From ! {trapping, self()},
    [receive {'EXIT', From, {please, I}} -> ok end || I <- lists:seq(1, N)].

%% N messages of three words to one process, which receives them; its pid.
exchange(N) ->
    {Pid, Ref} = spawn_monitor(?MODULE, receiver, [self(), N]),
    receive {ready, Pid} -> ok end,
    [Pid ! {message, I} || I <- lists:seq(1, N)],
    receive {'DOWN', Ref, _, _, _} -> Pid end.

%% The same with a token of seq_trace whose label is 17.
traced_exchange(N) ->
    seq_trace:set_token(label, 17),
    seq_trace:set_token(send, true),
    Pid = exchange(N),
    seq_trace:set_token([]),
    Pid.

receiver(From, N) ->
    From ! {ready, self()},
    [receive {message, I} -> ok end || I <- lists:seq(1, N)].

%% N messages to a name on another node that nobody has.
remote(Node, N) ->
    [{nobody, Node} ! {message, I} || I <- lists:seq(1, N)],
    Node.

%% A process that hibernates N times; its pid.
sleepers(N) ->
    Self = self(),
    Pid = spawn(fun() -> erlang:hibernate(?MODULE, awake, [Self, N]) end),
    [begin Pid ! wake, receive {awake, Pid} -> ok end end || _ <- lists:seq(1, N)],
    Pid.

awake(From, N) ->
    receive wake -> From ! {awake, self()} end,
    case N of
        1 -> ok;
        _ -> erlang:hibernate(?MODULE, awake, [From, N - 1])
    end.

%% N major and N minor collections of a process that has something to lose; its pid.
garbage(N) ->
    Pid = spawn(?MODULE, keep, [lists:seq(1, 1000)]),
    [begin
         true = erlang:garbage_collect(Pid, [{type, major}]),
         true = erlang:garbage_collect(Pid, [{type, minor}])
     end || _ <- lists:seq(1, N)],
    Pid ! stop,
    Pid.

keep(List) -> receive stop -> length(List) end.

%% A process whose heap grows and shrinks; its pid.
grow() ->
    Self = self(),
    Pid = spawn(fun() ->
        Sum = lists:sum(lists:seq(1, 200000)),
        garbage_collect(),
        garbage_collect(),
        Self ! {shrunk, Sum}
    end),
    receive {shrunk, _} -> Pid end.

%% A process that makes N local calls, N to another module, N of a BIF, N of a dirty NIF; its pid.
calls(N) ->
    {Pid, Ref} = spawn_monitor(fun() -> make_calls(N) end),
    receive {'DOWN', Ref, _, _, normal} -> Pid end.

make_calls(0) -> ok;
make_calls(N) ->
    120 = fac(5),
    6 = lists:sum([1, 2, 3]),
    garbage_collect(),
    {ok, _} = prim_file:read_file_info("/"),
    make_calls(N - 1).

fac(0) -> 1;
fac(N) -> N * fac(N - 1).

%% N calls of some milliseconds each; the pid that made them, and how long the shortest and the longest took.
slow(N) ->
    Self = self(),
    Pid = spawn(fun() -> Self ! {slow, lists:sort([took(fun() -> ?MODULE:spin(5) end) || _ <- lists:seq(1, N)])} end),
    receive {slow, Times} -> {Pid, hd(Times), lists:last(Times)} end.

took(Fun) ->
    T0 = erlang:monotonic_time(nanosecond),
    Fun(),
    erlang:monotonic_time(nanosecond) - T0.

spin(Ms) -> spin_until(erlang:monotonic_time(millisecond) + Ms), Ms.

spin_until(End) ->
    case erlang:monotonic_time(millisecond) < End of
        true -> spin_until(End);
        false -> ok
    end.

%% N dirty NIFs of 20 ms; the pid that called them.
dirty(N) ->
    Pid = sleeper:start(),
    sleeper:run(Pid, {dirty_nap, [20]}),
    [begin P = sleeper:start(), sleeper:run(P, {dirty_nap, [20]}), P end || _ <- lists:seq(1, N)].

%% One port: N commands by port_command/2, one new owner and one end of it; and N control commands to a socket.
ports(N) ->
    Port = open_port({spawn, "cat"}, [binary]),
    [port_command(Port, <<"hello">>) || _ <- lists:seq(1, N)],
    Owner = spawn(fun() -> receive stop -> ok end end),
    true = port_connect(Port, Owner),
    unlink(Port),
    {ok, Socket} = gen_udp:open(0),
    [{ok, _} = inet:getstat(Socket) || _ <- lists:seq(1, N)],
    Ref = monitor(port, Port),
    Owner ! stop,
    receive {'DOWN', Ref, _, _, _} -> ok end,
    gen_udp:close(Socket),
    {Port, Owner}.

%% A port that nobody reads before the file is there.
busy_port(File) ->
    Port = open_port({spawn, "sh -c 'until [ -e " ++ File ++ " ]; do sleep 0.05; done; cat > /dev/null'"}, [binary]),
    port_command(Port, binary:copy(<<0>>, 1000000)),
    port_command(Port, <<0>>),
    Port.

%% Every callback of a driver, N times each but those at the beginning and at the end; the port.
driver(N) ->
    ok = erl_ddll:load_driver(filename:dirname(code:which(?MODULE)), known_drv),
    Port = open_port({spawn_driver, known_drv}, [binary]),
    Does = fun(Command, What) -> port_control(Port, Command, <<>>), heard(Port, What) end,
    [begin
         port_command(Port, <<"12345">>), heard(Port, <<"output">>),
         {hello, I} = erlang:port_call(Port, 7, {hello, I}),
         Does(1, <<"timeout">>),
         Does(5, <<"ready_async">>),
         spawn(fun() -> port_control(Port, 2, <<>>) end), heard(Port, <<"process_exit">>)
     end || I <- lists:seq(1, N)],
    Does(3, <<"ready_input">>),
    Does(4, <<"ready_output">>),
    port_control(Port, 6, <<>>),
    true = port_close(Port),
    ok = erl_ddll:unload_driver(known_drv),
    Port.

heard(Port, What) -> receive {Port, {data, What}} -> ok after 60000 -> exit({not_heard, What}) end.

%% N jobs of the async pool.
async(N) ->
    ok = erl_ddll:load_driver(filename:dirname(code:which(?MODULE)), known_drv),
    Port = open_port({spawn_driver, known_drv}, [binary]),
    [port_control(Port, 5, <<>>) || _ <- lists:seq(1, N)],
    [heard(Port, <<"ready_async">>) || _ <- lists:seq(1, N)],
    port_close(Port),
    Port.
