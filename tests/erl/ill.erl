%% Ill nodes: each function makes the node ill in one way and returns the pid of who does it, or is named for it.
-module(ill).
-export([stuck_server/0, slow_server/0, hog/0, gc_storm/0, huge_heap/0, binary_leak/0, busy_connection/1, busy_port/0,
         ets_contention/0, spawn_storm/0, fragmented/0, holding/1, slow_log/0, silent_file/1, sleepy_server/0, global_lock/0, lost_name/1, atom_growth/0, call_chain/0, asked_server/0, busy_server/0, process_leak/0, port_leak/0, table_leak/0, table_growth/0, timer_leak/0, replaced_terms/0, term_leak/0, replaced_code/0, open_files/1, large_messages/0, deadlock/0, silent_server/0, slow_leader/0, suspended/0, full_connection/0, crash_loop/0, nameless_crash_loop/0, starving/0, one_online/0, lost_answers/1, skipped_messages/0, endless_match/0, exhausted_pool/0, monitor_leak/0, alias_leak/0, binary_table/0, unaccepted/0, missing_module/0, mnesia_lock/0, slow_timer_leak/0, short_lived/0, pollers/0, searched_table/0, matched_table/0, inspected/0, copied_lists/0, long_lists/0, forced_collections/0, waiting_chain/0, stuck_for_few/0, healthy_watched/0, healthy_registry/0, spinning/0, healthy/0, healthy_shop/0, healthy_loader/0, healthy_keeper/0, healthy_starter/0, healthy_compiler/0, healthy_pool/0, healthy_matcher/0]).
-export([child/0, nameless_child/0, worker/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

%% A server whose callers' messages pile up while it waits for an answer that does not come.
stuck_server() -> server(ill_stuck, stuck).

%% A server that takes longer for a message than it takes to send one.
slow_server() -> server(ill_slow, slow).

server(Name, How) ->
    Silent = spawn(fun() -> receive never -> ok end end),
    {ok, Server} = gen_server:start({local, Name}, ?MODULE, Silent, []),
    spawn(fun() -> feed(Server, How) end),
    Server.

feed(Server, How) ->
    [gen_server:cast(Server, How) || _ <- lists:seq(1, 5)],
    timer:sleep(2),
    feed(Server, How).

init({supervisor, Flags, Child}) -> {ok, {Flags, [Child]}};
init([_ | _] = Objects) ->
    Table = ets:new(scanned, []),
    ets:insert(Table, Objects),
    {ok, Table};
init(Silent) -> {ok, Silent}.
handle_call(echo, _From, State) -> {reply, echo, State};
handle_call(checkout, {User, _} = From, {Free, Waiting}) ->
    erlang:monitor(process, User),
    {noreply, hand_out({Free, Waiting ++ [From]})};
handle_call(park, From, Parked) -> {noreply, [From | Parked]};
handle_call(next, _From, none) -> {reply, work(erlang:monotonic_time(millisecond) + 20, 0), none};
handle_call(next, _From, Next) -> {reply, gen_server:call(Next, next, 60000), Next};
handle_call(scan, _From, Table) -> {reply, ets:select(Table, [{{'$1', 7}, [], ['$1']}]), Table}.
handle_cast(stuck, Silent) -> gen_server:call(Silent, hello, infinity), {noreply, Silent};
handle_cast({ask, Other}, State) -> timer:sleep(50), gen_server:call(Other, echo, infinity), {noreply, State};
handle_cast(slow, State) -> work(erlang:monotonic_time(millisecond) + 5, 0), {noreply, State}.
handle_info({'DOWN', _, process, _, normal}, {Free, Waiting}) -> {noreply, hand_out({Free + 1, Waiting})};
handle_info(_, State) -> {noreply, State}.

%% What a pool has, to those who wait for longest.
hand_out({0, Waiting}) -> {0, Waiting};
hand_out({Free, []}) -> {Free, []};
hand_out({Free, [From | Waiting]}) -> gen_server:reply(From, ok), hand_out({Free - 1, Waiting}).

work(Until, N) ->
    case erlang:monotonic_time(millisecond) of
        Now when Now < Until -> work(Until, sum(1000, N) rem 7);
        _ -> N
    end.

sum(0, Sum) -> Sum;
sum(N, Sum) -> sum(N - 1, Sum + N).

named(Name, Fun) ->
    Pid = spawn(Fun),
    register(Name, Pid),
    Pid.

%% A BIF that does not yield, and takes few reductions for what it does: to delete an object that is not there among
%% many of the same key.
hog() -> named(ill_hog, fun() -> hogging(many_of_a_key(hogged, [])) end).

many_of_a_key(Name, Options) ->
    Table = ets:new(Name, [duplicate_bag | Options]),
    ets:insert(Table, [{a, N} || N <- lists:seq(1, 200000)]),
    Table.

hogging(Table) ->
    [true = ets:delete_object(Table, {a, 0}) || _ <- lists:seq(1, 60)],
    timer:sleep(20),
    hogging(Table).

%% Much that lives, and is copied all the time.
gc_storm() -> named(ill_gc, fun() -> collecting(lists:seq(1, 300000)) end).

collecting(Live) ->
    _ = lists:sum(lists:seq(1, 1000)),
    garbage_collect(),
    collecting(Live).

huge_heap() ->
    Parent = self(),
    Pid = named(ill_heap, fun() -> Live = lists:seq(1, 12000000), Parent ! made, receive never -> Live end end),
    receive made -> Pid end.

%% Parts of large binaries, with so little heap that there is no reason to collect it.
binary_leak() ->
    Parent = self(),
    Pid = named(ill_leak, fun() -> leaking(Parent, []) end),
    receive made -> Pid end.

leaking(Parent, Parts) when length(Parts) > 2000 -> Parent ! made, receive never -> Parts end;
leaking(Parent, Parts) -> leaking(Parent, [binary:part(binary:copy(<<0>>, 150000), 0, 100) | Parts]).

%% To a node that does not read: see the test.
busy_connection(Node) ->
    Message = binary:copy(<<0>>, 1000000),
    named(ill_sender, fun() -> sending({somebody, Node}, Message) end).

sending(To, Message) ->
    erlang:send(To, Message),
    sending(To, Message).

busy_port() ->
    named(ill_writer, fun() -> writing(open_port({spawn, "sleep 120"}, [binary]), binary:copy(<<0>>, 100000)) end).

writing(Port, Data) ->
    port_command(Port, Data),
    writing(Port, Data).

%% Processes on both schedulers that want the same table, which is locked for long.
ets_contention() ->
    Parent = self(),
    named(ill_owner, fun() ->
        Parent ! {made, many_of_a_key(contended, [public])},
        receive never -> ok end
    end),
    Table = receive {made, Made} -> Made end,
    [spawn_opt(fun() -> contending(Table) end, [{scheduler, N rem 2 + 1}]) || N <- lists:seq(1, 4)],
    ok.

%% A table that is not named has a name, too.
contending(Table) ->
    true = ets:delete_object(Table, {a, 0}),
    timer:sleep(1),
    contending(Table).

%% Few small binaries that live among many that do not any more: what they are in cannot be given back.
fragmented() ->
    Parent = self(),
    Pid = named(ill_holder, fun() ->
        Kept = one_of_40([binary:copy(<<0>>, 1000) || _ <- lists:seq(1, 240000)]),
        garbage_collect(),
        Parent ! made,
        receive never -> Kept end
    end),
    receive made -> Pid end.

one_of_40([]) -> [];
one_of_40(Binaries) -> [hd(Binaries) | one_of_40(lists:nthtail(40, Binaries))].

spawn_storm() -> named(ill_spawner, fun spawning/0).

spawning() ->
    spawn(fun() -> ok end),
    spawning().

atom_growth() -> named(ill_atoms, fun() -> making(0) end).

making(N) ->
    true = is_atom(list_to_atom("ill_" ++ integer_to_list(N))),
    N rem 50 =:= 0 andalso timer:sleep(1),
    making(N + 1).

%% A handler whose device takes long for each line.
slow_log() ->
    Device = spawn(fun slow_device/0),
    ok = logger:add_handler(ill_log, logger_std_h, #{config => #{type => {device, Device}}, level => alert}),
    [spawn(fun logging/0) || _ <- lists:seq(1, 20)],
    ok.

slow_device() ->
    receive
        {io_request, From, As, _} ->
            timer:sleep(20),
            From ! {io_reply, As, ok};
        _ -> ok
    end,
    slow_device().

logging() ->
    logger:alert("~p", [self()], #{domain => [ill]}),
    logging().

%% A file that does not answer: a pipe that nobody writes to.
silent_file(Path) -> named(ill_reader, fun() -> file:open(Path, [read, raw]) end).

%% A server that sleeps for each of those who call it and wait: its mailbox does not grow.
sleepy_server() ->
    Server = named(ill_sleepy, fun sleepy/0),
    [spawn(fun() -> asking(Server) end) || _ <- lists:seq(1, 40)],
    Server.

sleepy() ->
    receive {ask, From} -> timer:sleep(30), From ! answer end,
    sleepy().

asking(Server) ->
    Server ! {ask, self()},
    receive answer -> asking(Server) end.

%% Servers that wait for each other's answers; the last one works for each.
call_chain() ->
    [{ok, _} = gen_server:start({local, Name}, ?MODULE, Next, [])
     || {Name, Next} <- [{ill_first, ill_second}, {ill_second, ill_last}, {ill_last, none}]],
    [spawn(fun() -> calling(ill_first, next) end) || _ <- lists:seq(1, 40)],
    ok.

%% A server that works for each of the few that ask it.
busy_server() ->
    {ok, _} = gen_server:start({local, ill_works}, ?MODULE, none, []),
    [spawn(fun() -> calling(ill_works, next) end) || _ <- lists:seq(1, 10)],
    ok.

%% A server that looks through all of a table for each of the few that ask.
asked_server() ->
    {ok, _} = gen_server:start({local, ill_scanner}, ?MODULE, [{N, N rem 7} || N <- lists:seq(1, 100000)], []),
    [spawn(fun() -> calling(ill_scanner, scan) end) || _ <- lists:seq(1, 10)],
    ok.

%% Processes that nobody ends.
process_leak() -> named(ill_leaker, fun leaking_processes/0).

leaking_processes() ->
    spawn(fun() -> receive never -> ok end end),
    timer:sleep(15),
    leaking_processes().

%% Ports that nobody closes.
port_leak() -> named(ill_ports, fun leaking_ports/0).

leaking_ports() ->
    {ok, _} = gen_udp:open(0),
    timer:sleep(10),
    leaking_ports().

table_leak() -> named(ill_tables, fun leaking_tables/0).

leaking_tables() ->
    ets:new(leaked, []),
    timer:sleep(5),
    leaking_tables().

%% A cache that nothing is ever deleted from.
table_growth() -> named(ill_cache, fun() -> filling(ets:new(ill_cached, [public, {write_concurrency, true}]), 0) end).

filling(Table, N) ->
    [ets:insert(Table, {{N, I}, lists:duplicate(20, I)}) || I <- lists:seq(1, 100)],
    timer:sleep(2),
    filling(Table, N + 1).

timer_leak() -> named(ill_timers, fun leaking_timers/0).

leaking_timers() ->
    [erlang:send_after(600000, self(), late) || _ <- lists:seq(1, 500)],
    timer:sleep(1),
    leaking_timers().

%% Configuration that is written for each request.
replaced_terms() -> named(ill_writes, fun() -> replacing(0) end).

replacing(N) ->
    persistent_term:put(ill_config, {N}),
    timer:sleep(1),
    replacing(N + 1).

%% A cache in persistent terms, from which nothing is ever erased.
term_leak() -> named(ill_terms, fun() -> leaking_terms(0) end).

leaking_terms(N) ->
    persistent_term:put({ill, N}, lists:seq(N, N + 200)),
    N rem 20 =:= 0 andalso timer:sleep(1),
    leaking_terms(N + 1).

%% A module that is loaded over and over.
replaced_code() ->
    Forms = [{attribute, 1, module, ill_loaded}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{atom, 1, ok}]}]}],
    {ok, ill_loaded, Code} = compile:forms(Forms),
    named(ill_reloads, fun() -> reloading(Code) end).

reloading(Code) ->
    code:purge(ill_loaded),
    {module, ill_loaded} = code:load_binary(ill_loaded, "ill_loaded.erl", Code),
    reloading(Code).

%% Messages that take long to copy.
large_messages() ->
    Receiver = spawn(fun dropping/0),
    named(ill_copier, fun() -> copying(Receiver, lists:seq(1, 8000000)) end).

dropping() -> receive {From, _} -> From ! dropped, garbage_collect(), dropping() end.

copying(Receiver, Much) ->
    Receiver ! {self(), Much},
    receive dropped -> copying(Receiver, Much) end.

%% Two servers that ask each other.
deadlock() ->
    [{ok, _} = gen_server:start({local, Name}, ?MODULE, none, []) || Name <- [ill_one, ill_other]],
    gen_server:cast(ill_one, {ask, ill_other}),
    gen_server:cast(ill_other, {ask, ill_one}).

%% A server that does not answer, and few that wait for it without a limit.
silent_server() ->
    Server = named(ill_silent, fun() -> receive never -> ok end end),
    [spawn(fun() -> gen_server:call(Server, hello, infinity) end) || _ <- lists:seq(1, 8)],
    Server.

%% One that asks for each thing, and receives the answer from behind many messages that it never receives.
skipped_messages() ->
    Answering = spawn(fun answering/0),
    Skipping = named(ill_skips, fun() -> skipping(Answering) end),
    [Skipping ! {never, N} || N <- lists:seq(1, 9000)],
    Skipping.

answering() ->
    receive {From, ask} -> From ! answer end,
    answering().

skipping(Answering) ->
    Answering ! {self(), ask},
    receive answer -> skipping(Answering) end.

%% A regular expression that tries twice as much for each letter more.
endless_match() ->
    Text = lists:duplicate(60, $a) ++ "b",
    named(ill_matches, fun() -> trying(Text) end).

trying(Text) ->
    {error, match_limit} = re:run(Text, "^(a+)+$", [report_errors, {match_limit, 2000000000}]),
    trying(Text).

%% Those who write have a group leader of their own, which takes long for each line.
slow_leader() ->
    Leader = named(ill_leader, fun slow_device/0),
    [spawn(fun() -> group_leader(Leader, self()), printing() end) || _ <- lists:seq(1, 12)],
    Leader.

printing() ->
    io:format("~p~n", [self()]),
    printing().

%% A server that somebody has suspended, and not resumed.
suspended() ->
    Server = named(ill_suspended, fun dropping_all/0),
    spawn(fun() -> erlang:suspend_process(Server), receive never -> ok end end),
    spawn(fun() -> feed(Server, once) end),
    Server.

dropping_all() -> receive _ -> dropping_all() end.

%% One who sends to a peer that has accepted its connection and does not read.
full_connection() ->
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listening),
    named(ill_client, fun() ->
        {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary]),
        pushing(Socket, binary:copy(<<0>>, 100000))
    end),
    {ok, _} = gen_tcp:accept(Listening),
    named(ill_not_reading, fun() -> receive never -> ok end end).

pushing(Socket, Data) ->
    ok = gen_tcp:send(Socket, Data),
    pushing(Socket, Data).

%% A child that crashes soon after each restart.
crash_loop() -> crash_loop(child).

%% The same of one that registers no name.
nameless_crash_loop() -> crash_loop(nameless_child).

crash_loop(Start) ->
    logger:set_primary_config(level, none),
    Child = #{id => child, start => {?MODULE, Start, []}},
    spawn(fun() ->
        {ok, _} = supervisor:start_link({local, ill_boss}, ?MODULE,
                                        {supervisor, #{intensity => 1000, period => 1}, Child}),
        receive never -> ok end
    end).

child() ->
    Pid = proc_lib:spawn_link(fun() -> timer:sleep(150), exit(crashed) end),
    register(ill_child, Pid),
    {ok, Pid}.

nameless_child() -> {ok, proc_lib:spawn_link(fun() -> timer:sleep(50), exit(crashed) end)}.

%% As many of a high priority as there are schedulers, and more. They begin when all has been said.
starving() ->
    [spawn(fun() -> timer:sleep(300), work(infinity, 0) end) || _ <- lists:seq(1, 10)],
    [named(Name, fun() ->
        process_flag(priority, high),
        timer:sleep(500),
        work(infinity, 0)
     end) || Name <- [ill_urgent1, ill_urgent2, ill_urgent3, ill_urgent4]].

%% Schedulers that nobody has switched on again.
one_online() ->
    erlang:system_flag(schedulers_online, 1),
    [named(Name, fun() -> work(infinity, 0) end) || Name <- [ill_full1, ill_full2, ill_full3]].

%% Of a node that does not answer: see the test.
lost_answers(Node) ->
    Asks = [fun() -> rpc:call(Node, erlang, node, []) end, fun() -> gen_server:call({rex, Node}, hello, infinity) end],
    [named(list_to_atom("ill_lost" ++ integer_to_list(N)), lists:nth(N rem 2 + 1, Asks)) || N <- lists:seq(1, 10)].

open_files(Count) ->
    Open = fun() -> element(2, {ok, _} = file:open("/dev/null", [read, raw])) end,
    Parent = self(),
    Pid = named(ill_opens, fun() ->
        Files = [Open() || _ <- lists:seq(1, Count)],
        Parent ! made,
        receive never -> Files end
    end),
    receive made -> Pid end.

%% A lock of all nodes that is kept.
global_lock() ->
    Parent = self(),
    Keep = fun() -> Parent ! locked, receive never -> ok end end,
    Pid = named(ill_keeper, fun() -> global:trans({ill, self()}, Keep) end),
    receive locked -> ok end,
    [spawn(fun() -> global:trans({ill, self()}, fun() -> ok end) end) || _ <- lists:seq(1, 10)],
    Pid.

%% The name of a host that nobody answers for.
lost_name(Port) ->
    Options = [{nameservers, [{{127, 0, 0, 1}, Port}]}, {timeout, 60000}],
    named(ill_resolver, fun() -> inet_res:resolve("example.invalid", in, a, Options) end).

%% So many MiB.
holding(MiB) ->
    Parent = self(),
    Pid = named(ill_big, fun() -> Held = binary:copy(<<0>>, MiB bsl 20), Parent ! made, receive never -> Held end end),
    receive made -> Pid end.

%% More work than a control group allows.
spinning() ->
    [spawn(fun() -> work(infinity, 0) end) || _ <- lists:seq(1, 3)],
    named(ill_spinner, fun() -> work(infinity, 0) end).

%% Busy and well: ping-pong, and servers that are called.
healthy() ->
    [spawn(fun() -> ping(spawn(fun pong/0)) end) || _ <- lists:seq(1, 10)],
    Servers = [element(2, {ok, _} = gen_server:start(?MODULE, none, [])) || _ <- lists:seq(1, 5)],
    [spawn(fun() -> calling(Server) end) || Server <- Servers, _ <- lists:seq(1, 4)],
    ok.

%% As an Elixir application under load: servers with names of Elixir and a cache in ETS, clients, tasks that end soon, garbage.
healthy_shop() ->
    Parent = self(),
    spawn(fun() ->
        ets:new('Elixir.Shop.Cache', [named_table, public]),
        Parent ! made,
        receive never -> ok end
    end),
    receive made -> ok end,
    Carts = [list_to_atom("Elixir.Shop.Cart" ++ integer_to_list(N)) || N <- lists:seq(1, 20)],
    [{ok, _} = gen_server:start({local, Cart}, ?MODULE, none, []) || Cart <- Carts],
    [spawn(fun() -> shopping(Carts, 0) end) || _ <- lists:seq(1, 10)],
    ok.

shopping(Carts, N) ->
    [echo = gen_server:call(Cart, echo) || Cart <- Carts],
    ets:insert('Elixir.Shop.Cache', {N rem 1000, N}),
    Me = self(),
    Tasks = [spawn(fun() -> Me ! {self(), length(lists:map(fun integer_to_list/1, lists:seq(1, 500)))} end) || _ <- [1, 2]],
    [receive {Task, 500} -> ok end || Task <- Tasks],
    timer:sleep(1),
    shopping(Carts, N + 1).

ping(Pong) ->
    Pong ! {self(), ping},
    receive pong -> ping(Pong) end.

pong() -> receive {Ping, ping} -> Ping ! pong, pong() end.

calling(Server) ->
    echo = gen_server:call(Server, echo),
    calling(Server).

calling(Server, What) ->
    gen_server:call(Server, What, infinity),
    calling(Server, What).

%% Loads all that is in its path, over and over: each new module brings its atoms.
healthy_loader() ->
    Files = [{filename:rootname(File), Folder} || Folder <- code:get_path(), {ok, Found} <- [file:list_dir(Folder)],
                                                   File <- Found, filename:extension(File) =:= ".beam"],
    named(ill_loader, fun() -> [code:load_abs(filename:join(Folder, Module)) || {Module, Folder} <- Files] end).

%% Few large binaries that it needs.
healthy_keeper() ->
    Parent = self(),
    Pid = named(ill_needs, fun() ->
        Needed = [binary:copy(<<N>>, 20000000) || N <- lists:seq(1, 10)],
        Parent ! made,
        keeping(Needed, 0)
    end),
    receive made -> Pid end.

keeping(Needed, N) ->
    N = binary:last(lists:nth(N rem 10 + 1, Needed)) - 1,
    timer:sleep(1),
    keeping(Needed, (N + 1) rem 10).

%% Starts and ends servers that have tables, ports, timers and persistent terms of their own, and compiles.
healthy_starter() ->
    named(ill_starts, fun() -> starting(0) end).

starting(N) ->
    persistent_term:put({ill_started, N rem 100}, N rem 100),
    spawn(fun() ->
        ets:insert(ets:new(ill_started, [public]), [{I, I} || I <- lists:seq(1, 1000)]),
        {ok, Socket} = gen_udp:open(0),
        erlang:send_after(60000, self(), late),
        timer:sleep(20),
        gen_udp:close(Socket)
    end),
    timer:sleep(5),
    starting(N + 1).

%% Compiles a module again and again, as one who works on it does, and loads it now and then.
healthy_compiler() ->
    Name = [{attribute, 1, module, ill_compiled}, {attribute, 1, export, [{f, 0}]}],
    Forms = Name ++ [{function, 1, f, 0, [{clause, 1, [], [], [{integer, 1, 1}]}]}],
    named(ill_compiles, fun() -> compiling(Forms, 0) end).

compiling(Forms, N) ->
    {ok, Module, Code} = compile:forms(Forms),
    N rem 100 =:= 0 andalso begin code:purge(Module), {module, Module} = code:load_binary(Module, "x", Code) end,
    compiling(Forms, N + 1).

%% A pool whose members are all lent to processes that do not give them back.
exhausted_pool() ->
    {ok, Pool} = gen_server:start({local, ill_pool}, ?MODULE, {3, []}, []),
    [spawn(fun() -> ok = gen_server:call(Pool, checkout), forgetting() end) || _ <- lists:seq(1, 3)],
    spawn(fun() -> timer:sleep(100), wanting(Pool) end),
    Pool.

forgetting() -> receive never -> ok end.

wanting(Pool) ->
    spawn(fun() -> gen_server:call(Pool, checkout) end),
    timer:sleep(50),
    wanting(Pool).

%% Parts of large binaries in a table: each is little, but keeps all of a large one.
binary_table() -> named(ill_keeps, fun() -> keeping_parts(ets:new(ill_parts, []), 0) end).

keeping_parts(Table, N) ->
    ets:insert(Table, {N, binary:part(binary:copy(<<N:32>>, 25000), 100, 100)}),
    timer:sleep(5),
    keeping_parts(Table, N + 1).

%% A socket that listens, and whose owner does something else.
unaccepted() ->
    Parent = self(),
    Pid = named(ill_listens, fun() ->
        {ok, Socket} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}, {backlog, 20}]),
        {ok, Port} = inet:port(Socket),
        Parent ! {listens, Port},
        dozing(Socket)
    end),
    Port = receive {listens, Number} -> Number end,
    named(ill_dials, fun() ->
        Sockets = [gen_tcp:connect({127, 0, 0, 1}, Port, []) || _ <- lists:seq(1, 10)],
        Parent ! dialed,
        receive never -> Sockets end
    end),
    receive dialed -> Pid end.

dozing(Socket) -> receive never -> Socket end.

%% Timers that come due tomorrow, some more all the time.
slow_timer_leak() ->
    Parent = self(),
    Pid = named(ill_waits, fun() ->
        [erlang:send_after(36000000 + N, self(), due) || N <- lists:seq(1, 110000)],
        Parent ! made,
        delaying()
    end),
    receive made -> Pid end.

delaying() ->
    [erlang:send_after(36000000, self(), due) || _ <- lists:seq(1, 5)],
    timer:sleep(10),
    delaying().

%% A module that is not there is looked for in each call.
missing_module() ->
    [spawn(fun() -> calling_nobody() end) || _ <- lists:seq(1, 12)],
    whereis(code_server).

calling_nobody() ->
    catch apply(ill_nowhere, f, []),
    calling_nobody().

%% One who has a lock and thinks, and others who want it.
mnesia_lock() ->
    ok = mnesia:start(),
    {atomic, ok} = mnesia:create_table(ill_table, []),
    Parent = self(),
    Pid = named(ill_thinks, fun() ->
        mnesia:transaction(fun() -> mnesia:write({ill_table, 1, 1}), Parent ! locked, thinking() end)
    end),
    receive locked -> ok end,
    [spawn(fun() -> mnesia:transaction(fun() -> mnesia:write({ill_table, 1, N}) end) end) || N <- lists:seq(1, 20)],
    Pid.

thinking() -> receive never -> ok end.

%% Monitors of the same process, again and again.
monitor_leak() ->
    Server = named(ill_monitored, fun() -> receive never -> ok end end),
    named(ill_monitors, fun() -> [erlang:monitor(process, Server) || _ <- lists:seq(1, 12000)], monitoring(Server) end).

monitoring(Server) ->
    erlang:monitor(process, Server),
    timer:sleep(5),
    monitoring(Server).

alias_leak() ->
    named(ill_aliases, fun() -> [erlang:alias() || _ <- lists:seq(1, 12000)], receive never -> ok end end).

%% Garbage of processes that end before they can be looked at.
short_lived() -> named(ill_spawns, fun spawning_garbage/0).

spawning_garbage() ->
    {Pid, Monitor} = spawn_monitor(fun() -> lists:foldl(fun(_, _) -> lists:seq(1, 20000) end, [], [1, 2, 3, 4, 5]) end),
    receive {'DOWN', Monitor, process, Pid, _} -> spawning_garbage() end.

%% Processes that ask a thousand times per second whether there is something to do.
pollers() -> [spawn(fun polling/0) || _ <- lists:seq(1, 1000)].

polling() ->
    receive work -> ok after 1 -> polling() end.

%% A table that is read as a whole for the little that is wanted of it.
searched_table() ->
    named(ill_searches, fun() -> searching(large_table(ill_searched)) end).

large_table(Name) ->
    Table = ets:new(Name, [public]),
    ets:insert(Table, [{N, {N, large}} || N <- lists:seq(1, 50000)]),
    Table.

searching(Table) ->
    _ = ets:tab2list(Table),
    searching(Table).

%% The same, of several, by what is no key.
matched_table() ->
    Table = owned_table(ill_matched),
    [spawn(fun() -> matching_all(Table) end) || _ <- lists:seq(1, 4)].

owned_table(Name) ->
    Parent = self(),
    named(ill_has, fun() -> Parent ! {made, large_table(Name)}, receive never -> ok end end),
    receive {made, Table} -> Table end.

matching_all(Table) ->
    [] = ets:select(Table, [{{'$1', {'$2', large}}, [{'=:=', '$2', 0}], ['$1']}]),
    matching_all(Table).

%% One that asks all others how they are, without a pause.
inspected() ->
    [spawn(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 2000)],
    named(ill_inspects, fun inspecting/0).

inspecting() ->
    [process_info(Pid, [memory, message_queue_len, current_function]) || Pid <- processes()],
    inspecting().

%% Messages that are large, but take less than a slice to copy.
copied_lists() ->
    Receiver = named(ill_receives, fun dropping_and_telling/0),
    named(ill_sends, fun() -> telling(Receiver, lists:seq(1, 100000)) end).

dropping_and_telling() -> receive {From, _} -> From ! dropped, dropping_and_telling() end.

telling(Receiver, Much) ->
    Receiver ! {self(), Much},
    receive dropped -> telling(Receiver, Much) end.

%% A list where a set is wanted.
long_lists() -> named(ill_looks, fun() -> looking_up(lists:seq(1, 200000)) end).

looking_up(List) ->
    false = lists:member(0, List),
    looking_up(List).

%% One that has all others collected.
forced_collections() ->
    [spawn(fun() -> Live = lists:seq(1, 20000), receive never -> Live end end) || _ <- lists:seq(1, 100)],
    named(ill_forces, fun forcing/0).

forcing() ->
    [garbage_collect(Pid) || Pid <- processes()],
    forcing().

%% Few servers that ask each other, of which the last one asks somebody who does not answer.
waiting_chain() ->
    Silent = named(ill_mute, fun() -> receive never -> ok end end),
    [{ok, _} = gen_server:start({local, Name}, ?MODULE, Next, [])
     || {Name, Next} <- [{ill_near, ill_middle}, {ill_middle, ill_far}, {ill_far, Silent}]],
    gen_server:cast(ill_far, stuck),
    [spawn(fun() -> calling(ill_near, next) end) || _ <- lists:seq(1, 2)].

%% A server that few ask waits for somebody who does not answer, and somewhat more is sent to it that nobody waits for.
stuck_for_few() ->
    Silent = named(ill_mutes, fun() -> receive never -> ok end end),
    {ok, Server} = gen_server:start(?MODULE, Silent, []),
    gen_server:cast(Server, stuck),
    [spawn(fun() -> gen_server:call(Server, echo, infinity) end) || _ <- lists:seq(1, 3)],
    [gen_server:cast(Server, slow) || _ <- lists:seq(1, 8)].

%% Much of what others do too much: a monitor that looks at all processes now and then, processes that tick each second,
%% a table that is large and asked by key, lists and messages that are short.
healthy_watched() ->
    Table = owned_table(ill_asked),
    [spawn(fun ticking/0) || _ <- lists:seq(1, 2000)],
    [spawn(fun() -> asking_by_key(Table, 1) end) || _ <- lists:seq(1, 3)],
    named(ill_watches, fun watching/0).

ticking() ->
    erlang:send_after(500 + rand:uniform(500), self(), tick),
    receive tick -> ticking() end.

watching() ->
    [process_info(Pid, [memory, message_queue_len]) || Pid <- processes()],
    [ets:info(Table, size) || Table <- ets:all()],
    timer:sleep(200),
    watching().

asking_by_key(Table, N) ->
    [_] = ets:select(Table, [{{N, '$1'}, [], ['$1']}]),
    List = lists:seq(1, 100),
    true = lists:member(N rem 100 + 1, List),
    self() ! {N, List},
    receive {N, Got} -> 5050 = lists:sum(Got) end,
    asking_by_key(Table, N rem 50000 + 1).

%% One that monitors very many, one that asks and asks, and a pool that is used much and well.
healthy_registry() ->
    Members = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 15000)],
    Parent = self(),
    named(ill_registry, fun() -> [erlang:monitor(process, Each) || Each <- Members], Parent ! made, receive never -> ok end end),
    receive made -> ok end,
    {ok, Pool} = gen_server:start(?MODULE, {3, []}, []),
    [spawn(fun() -> borrowing(Pool) end) || _ <- lists:seq(1, 10)],
    {ok, Server} = gen_server:start(?MODULE, none, []),
    [spawn(fun() -> calling(Server) end) || _ <- lists:seq(1, 2)],
    ok.

borrowing(Pool) ->
    {Pid, Monitor} = spawn_monitor(fun() -> ok = gen_server:call(Pool, checkout), timer:sleep(10) end),
    receive {'DOWN', Monitor, process, Pid, normal} -> borrowing(Pool) end.

%% A pool of workers that are started for one thing each and end, a supervisor of its own that restarts one now and then,
%% callers that a server lets wait on purpose, and one who sends to a peer that reads slowly.
healthy_pool() ->
    spawn(fun() ->
        Worker = #{id => worker, start => {?MODULE, worker, []}, restart => temporary},
        {ok, Pool} = supervisor:start_link(?MODULE, {supervisor, #{strategy => simple_one_for_one}, Worker}),
        using(Pool)
    end),
    {ok, Parking} = gen_server:start(?MODULE, [], []),
    [spawn(fun() -> gen_server:call(Parking, park, infinity) end) || _ <- lists:seq(1, 20)],
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listening),
    spawn(fun() ->
        {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary]),
        pushing(Socket, binary:copy(<<0>>, 100000))
    end),
    {ok, Socket} = gen_tcp:accept(Listening),
    Reader = spawn(fun() -> receive go -> reading(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Reader),
    Reader ! go.

%% Those who match many texts, and long ones.
healthy_matcher() ->
    {ok, Expression} = re:compile("item ([0-9]+) of a"),
    Texts = [iolist_to_binary(["this is item ", integer_to_list(N), " of b"]) || N <- lists:seq(1, 1000)],
    Long = iolist_to_binary(Texts),
    [spawn(fun() -> matching(Expression, Each) end) || Each <- [Texts, [Long]]].

matching(Expression, Texts) ->
    lists:foreach(fun(Text) -> nomatch = re:run(Text, Expression, [{capture, none}]) end, Texts),
    matching(Expression, Texts).

using(Pool) ->
    {ok, _} = supervisor:start_child(Pool, []),
    timer:sleep(5),
    using(Pool).

worker() -> {ok, proc_lib:spawn_link(fun() -> timer:sleep(20) end)}.

reading(Socket) ->
    {ok, _} = gen_tcp:recv(Socket, 0),
    timer:sleep(2),
    reading(Socket).
