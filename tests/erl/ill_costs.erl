%% More ill nodes: what they do takes far more than it has to, or waits for something that takes long. See ill.erl.
-module(ill_costs).
-export([unlimited_pool/0, flooded_log/0, flooded_error/0, large_closures/0, copied_binary/0, syncing_server/0,
         syncing_disk_log/0, syncing_crowd/0, growing_state/0, growing_dictionary/0, growing_list/0, growing_queue/0,
         busy_polling/0, few_pollers/0, yielders/0, hung_call/0, forgotten_timers/0, flapping_connection/1, slow_handler/0, stuck_start/0,
         restarted_transactions/0, slow_dets/0, blocking_nif/0, slow_answers/0, slow_work/0, fill/2, busy_asking/0, busy_waiting/0, large_bag/0, slow_tracer/0, fast_tracer/0, hibernating/0,
         large_lookups/0, large_terms/0, list_of_tuples/0, keys_of_a_map/0]).
-export([healthy_storage/0, healthy_builder/0, healthy_workers/0, healthy_state/0, healthy_receivers/0, healthy_lookups/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, log/2, start/2, stop/1, child/0]).

-define(SEEN, 250000).

named(Name, Fun) ->
    Pid = spawn(Fun),
    register(Name, Pid),
    Pid.

path(Name) -> filename:join(os:getenv("ILL_FOLDER"), Name).

init({file, Path}) -> file:open(Path, [write, raw, binary]);
init({supervisor, Children}) -> {ok, {{one_for_one, 1, 5}, Children}};
init({slow, Name}) -> register(Name, self()), waiting_for_peers();
init(State) -> {ok, State}.
handle_call({write, Data}, _From, File) ->
    ok = file:write(File, Data),
    ok = file:sync(File),
    {reply, ok, File};
handle_call({sleep, Ms}, _From, State) -> {reply, timer:sleep(Ms), State};
handle_call({work, Ms}, _From, State) -> {reply, working_until(erlang:monotonic_time(millisecond) + Ms), State};
handle_call(hibernate, _From, State) -> {reply, awake, State, hibernate};
handle_call(hang, _From, State) -> receive never -> {reply, ok, State} end;
handle_call(next, _From, none) -> {noreply, none};
handle_call(seen, _From, State) -> {reply, seen, State};
handle_call(echo, _From, State) -> {reply, echo, State}.
handle_cast({count, N}, {counts, Counts}) when map_size(Counts) >= 3000 -> {noreply, {counts, #{N => N}}};
handle_cast({count, N}, {counts, Counts}) -> {noreply, {counts, Counts#{N => lists:duplicate(1000, N)}}};
handle_cast({session, N}, {sessions, All}) -> {noreply, {sessions, maps:remove(N - ?SEEN, All#{N => {session, N}})}};
handle_cast({seen, N}, {state, Seen}) when is_map(Seen) -> {noreply, {state, Seen#{N => lists:duplicate(12, N)}}};
handle_cast({seen, N}, {state, Seen}) when is_list(Seen) -> {noreply, {state, [lists:duplicate(8, N) | Seen]}};
handle_cast({seen, N}, {state, {queue, Seen}}) -> {noreply, {state, {queue, queue:in(lists:duplicate(8, N), Seen)}}};
handle_cast({seen, N}, State) ->
    put({seen, N}, lists:duplicate(12, N)),
    {noreply, State}.
handle_info(_, State) -> {noreply, State}.

%% A pool whose members are all lent, and callers that wait for one without a limit.
unlimited_pool() ->
    {ok, Pool} = gen_server:start({local, ill_unlimited}, ill, {2, []}, []),
    [spawn(fun() -> ok = checkout(Pool), receive never -> ok end end) || _ <- lists:seq(1, 14)],
    Pool.

checkout(Pool) ->
    ok = gen_server:call(Pool, checkout, infinity).

%% Many who log all the time, into a file.
flooded_log() ->
    Config = #{type => file, file => path("ill.log"), max_no_bytes => 1000000, max_no_files => 1},
    ok = logger:add_handler(ill_flood, logger_std_h, #{config => Config, level => error}),
    [named(list_to_atom("ill_logs" ++ integer_to_list(N)), fun() -> flooding(0) end) || N <- [1, 2]],
    ok.

flooding(N) ->
    logger:error("request ~p of ~p: ~p", [N, self(), {failed, [N, retry]}], #{domain => [ill]}),
    flooding(N + 1).

%% Few who write to standard_error without a pause.
flooded_error() -> [named(list_to_atom("ill_complains" ++ integer_to_list(N)), fun() -> complaining(0) end) || N <- [1, 2, 3]].

complaining(N) ->
    io:format(standard_error, "request ~p failed: ~p~n", [N, lists:seq(1, 50)]),
    complaining(N + 1).

%% Each process gets a copy of a large term that its fun refers to.
large_closures() ->
    Large = lists:seq(1, 20000),
    named(ill_copies, fun() -> starting(Large) end).

starting(Large) ->
    {Pid, Monitor} = spawn_monitor(fun() -> true = is_list(Large) end),
    receive {'DOWN', Monitor, process, Pid, _} -> starting(Large) end.

%% A binary that is copied for each part that is put before it.
copied_binary() -> named(ill_appends, fun() -> appending(<<>>, 0) end).

appending(All, _) when byte_size(All) > 4000000 -> appending(<<>>, 0);
appending(All, N) -> appending(<<N:800, All/binary>>, N + 1).

%% A server that has each write reach the disk before it answers.
syncing_server() ->
    {ok, Server} = gen_server:start({local, ill_journal}, ?MODULE, {file, path("ill.journal")}, []),
    [spawn(fun() -> storing(Server) end) || _ <- lists:seq(1, 4)],
    Server.

storing(Server) ->
    ok = gen_server:call(Server, {write, <<"entry">>}, infinity),
    storing(Server).

%% The same with disk_log.
syncing_disk_log() ->
    {ok, ill_disk_log} = disk_log:open([{name, ill_disk_log}, {file, path("ill.disk_log")}]),
    [spawn(fun() -> logging(ill_disk_log) end) || _ <- lists:seq(1, 12)],
    ok.

logging(Log) ->
    ok = disk_log:log(Log, entry),
    ok = disk_log:sync(Log),
    logging(Log).

%% Many with a file each.
syncing_crowd() ->
    [spawn(fun() ->
        {ok, File} = file:open(path("part" ++ integer_to_list(N)), [write, raw, binary]),
        syncing(File)
     end) || N <- lists:seq(1, 20)],
    ok.

syncing(File) ->
    ok = file:write(File, <<"entry">>),
    ok = file:sync(File),
    syncing(File).

%% A server that remembers all that it has seen, for a while already.
growing_state() -> remembering(ill_remembers, #{}, ?SEEN).

%% The same in its process dictionary.
growing_dictionary() -> remembering(ill_keeps_all, none, ?SEEN).

%% The same in a list, and in a queue that nothing is taken from.
growing_list() -> remembering(ill_lists, [], 2 * ?SEEN).
growing_queue() -> remembering(ill_queues, {queue, queue:new()}, 2 * ?SEEN).

remembering(Name, State, Seen) ->
    {ok, Server} = gen_server:start({local, Name}, ?MODULE, {state, State}, []),
    [gen_server:cast(Server, {seen, N}) || N <- lists:seq(1, Seen)],
    seen = gen_server:call(Server, seen, infinity),
    spawn(fun() -> telling(Server, Seen) end),
    Server.

telling(Server, N) ->
    [gen_server:cast(Server, {seen, N + I}) || I <- lists:seq(1, 20)],
    timer:sleep(5),
    telling(Server, N + 20).

%% One that asks whether there is a message instead of waiting for one.
busy_polling() -> named(ill_asks, fun() -> looking(ets:new(ill_looked_at, [])) end).

looking(Table) ->
    receive stop -> ok
    after 0 -> ets:lookup(Table, key), looking(Table)
    end.

%% One that looks up the same again and again, until somebody else changes it.
busy_asking() ->
    Parent = self(),
    Pid = named(ill_looks_up, fun() ->
        Table = ets:new(ill_flags, [public]),
        ets:insert(Table, {is_ready, false}),
        Parent ! made,
        until_ready(Table)
    end),
    receive made -> Pid end.

until_ready(Table) ->
    case ets:lookup(Table, is_ready) of
        [{_, true}] -> ok;
        _ -> until_ready(Table)
    end.

%% The same of a process that is to register a name.
busy_waiting() -> named(ill_awaits, fun until_there/0).

until_there() ->
    case whereis(ill_never_there) of
        undefined -> until_there();
        _ -> ok
    end.

%% Some who do nothing else, and share the schedulers.
few_pollers() -> [named(list_to_atom("ill_turns" ++ integer_to_list(N)), fun turning/0) || N <- [1, 2, 3, 4, 5]].

turning() ->
    receive stop -> ok after 0 -> turning() end.

%% A server that hangs in a call; who calls it gives up after five seconds and tries again.
hung_call() ->
    {ok, Server} = gen_server:start({local, ill_hangs}, ?MODULE, none, []),
    [spawn(fun() -> trying_again(Server) end) || _ <- [1, 2, 3]].

trying_again(Server) ->
    catch gen_server:call(Server, hang),
    trying_again(Server).

%% A server that waits for more than a second for each of the few that call it.
slow_answers() -> slow_server(ill_slowly, {sleep, 1100}).

%% The same of one that works.
slow_work() -> slow_server(ill_works_long, {work, 1100}).

slow_server(Name, What) ->
    {ok, Server} = gen_server:start({local, Name}, ?MODULE, none, []),
    [spawn(fun() -> asking(Server, What, Limit) end) || Limit <- [infinity, 60000, infinity, 60000]],
    Server.

asking(Server, What, Limit) ->
    ok = gen_server:call(Server, What, Limit),
    asking(Server, What, Limit).

working_until(Time) ->
    _ = lists:sum(lists:seq(1, 100)),
    erlang:monotonic_time(millisecond) >= Time orelse working_until(Time),
    ok.

%% Nearly as many as there may be, in hundredths.
fill(What, Share) ->
    {Limit, Count} = {erlang:system_info(limit_of(What)), erlang:system_info(count_of(What))},
    Parent = self(),
    Made = Limit * Share div 100 - Count,
    spawn(fun() -> More = [make(What, Count + N) || N <- lists:seq(1, Made)], Parent ! made, receive never -> More end end),
    receive made -> ok end.

limit_of(atoms) -> atom_limit;
limit_of(ports) -> port_limit;
limit_of(processes) -> process_limit.

count_of(atoms) -> atom_count;
count_of(ports) -> port_count;
count_of(processes) -> process_count.

make(atoms, N) -> list_to_atom("ill_made_" ++ integer_to_list(N));
make(ports, _) -> element(2, {ok, _} = file:open(<<>>, [ram, read]));
make(processes, _) -> spawn(fun() -> receive never -> ok end end).

%% Some who yield instead of waiting.
yielders() -> [named(list_to_atom("ill_yields" ++ integer_to_list(N)), fun yielding/0) || N <- [1, 2, 3]].

yielding() ->
    erlang:yield(),
    yielding().

%% A handler of logger that asks somebody who is slow, in each process that logs.
slow_handler() ->
    ok = logger:add_handler(ill_handler, ?MODULE, #{level => alert}),
    [spawn(fun alerting/0) || _ <- lists:seq(1, 20)],
    ok.

log(_, _) ->
    ok = timer:sleep(200),
    ok.

alerting() ->
    logger:alert("~p", [self()], #{domain => [ill]}),
    alerting().

%% An application one of whose servers waits for something before it is ready.
stuck_start() ->
    ok = application:load({application, ill_application, [{vsn, "1"}, {applications, [kernel, stdlib]}, {mod, {?MODULE, []}}]}),
    [spawn(fun() -> application:ensure_all_started(ill_application) end) || _ <- [1, 2]],
    ok.

start(_, _) -> supervisor:start_link(?MODULE, {supervisor, [child(ready, ready), child(unready, {slow, ill_unready})]}).

stop(_) -> ok.

child(Id, State) -> #{id => Id, start => {gen_server, start_link, [?MODULE, State, []]}}.

waiting_for_peers() -> receive peers_are_there -> {ok, none} end.

%% Transactions that read what they write later.
restarted_transactions() ->
    ok = mnesia:start(),
    {atomic, ok} = mnesia:create_table(ill_counts, []),
    ok = mnesia:dirty_write({ill_counts, all, 0}),
    [spawn(fun counting_up/0) || _ <- lists:seq(1, 20)],
    ok.

counting_up() ->
    {atomic, ok} = mnesia:transaction(fun() ->
        [{ill_counts, all, N}] = mnesia:read(ill_counts, all),
        timer:sleep(1),
        mnesia:write({ill_counts, all, N + 1})
    end),
    counting_up().

%% A file of dets that has each change written to the disk, for many.
slow_dets() ->
    {ok, ill_dets} = dets:open_file(ill_dets, [{file, path("ill.dets")}]),
    [spawn(fun() -> storing(ill_dets, N) end) || N <- lists:seq(1, 12)],
    ok.

storing(Table, N) ->
    ok = dets:insert(Table, {N, N}),
    ok = dets:sync(Table),
    storing(Table, N).

%% A NIF that waits for something on the scheduler that it was called on.
blocking_nif() ->
    ok = sleeper:load(),
    named(ill_naps, fun napping/0).

napping() ->
    _ = sleeper:nap(30),
    erlang:yield(),
    napping().

%% A trace that nobody has switched off, of which the tracer writes each line, or counts them.
slow_tracer() -> traced_to(named(ill_traces, fun() -> tracing(1) end)).
fast_tracer() -> traced_to(named(ill_follows, fun() -> tracing(0) end)).

traced_to(Tracer) ->
    erlang:trace(all, true, [call, send, 'receive', {tracer, Tracer}]),
    [spawn(fun() -> echoing(spawn(fun echo/0)) end) || _ <- [1, 2]],
    Tracer.

tracing(Ms) ->
    receive _ -> Ms =:= 0 orelse timer:sleep(Ms) end,
    tracing(Ms).

echoing(Echo) ->
    Echo ! {self(), again},
    receive again -> echoing(Echo) end.

echo() -> receive {From, What} -> From ! What, echo() end.

%% A server that hibernates after each message.
hibernating() ->
    {ok, Server} = gen_server:start({local, ill_hibernates}, ?MODULE, lists:seq(1, 20000), []),
    spawn(fun() -> waking(Server) end),
    Server.

waking(Server) ->
    awake = gen_server:call(Server, hibernate, infinity),
    waking(Server).

%% A bag one of whose keys has very many objects.
large_bag() -> named(ill_collects, fun() ->
    Table = ets:new(ill_bag, [bag]),
    ets:insert(Table, [{key, N} || N <- lists:seq(0, 29999)]),
    inserting(Table, 30000, 0)
  end).

inserting(Table, Objects, N) ->
    ets:insert(Table, {key, N rem Objects}),
    inserting(Table, Objects, N + 1).

%% A table with few objects that are large, of which little is wanted.
large_lookups() ->
    Table = ets:new(ill_prices, [public]),
    ets:insert(Table, [{N, lists:seq(1, 20000)} || N <- lists:seq(1, 20)]),
    Pid = named(ill_prices_of, fun() -> receive start -> looking_up(Table, 1) end end),
    ets:give_away(Table, Pid, start),
    Pid ! start,
    Pid.

looking_up(Table, N) ->
    [{N, [1 | _]}] = ets:lookup(Table, N),
    erlang:yield(),
    looking_up(Table, N rem 20 + 1).

%% Terms that are written as a whole for each change of them.
large_terms() -> named(ill_saves, fun() -> saving([{N, "text", #{n => N}} || N <- lists:seq(1, 20000)]) end).

saving(Term) ->
    true = is_binary(term_to_binary(Term)),
    saving(Term).

%% What a table or a smaller map were for.
list_of_tuples() -> named(ill_seeks, fun() -> seeking([{N, "text", N} || N <- lists:seq(1, 15000)]) end).

seeking(List) ->
    false = lists:keyfind(0, 1, List),
    seeking(List).

keys_of_a_map() -> named(ill_counts_keys, fun() -> counting_keys(maps:from_list([{N, N} || N <- lists:seq(1, 50000)])) end).

counting_keys(Map) ->
    true = is_integer(hd(maps:keys(Map))),
    counting_keys(Map).

child() -> {ok, proc_lib:spawn_link(fun() -> receive never -> ok end end)}.

%% A connection that does not last.
flapping_connection(Node) ->
    spawn(fun() -> connecting(Node) end).

connecting(Node) ->
    true = net_kernel:connect_node(Node),
    timer:sleep(100),
    erlang:disconnect_node(Node),
    timer:sleep(100),
    connecting(Node).

%% Timers that nobody needs any more, and nobody cancels.
forgotten_timers() ->
    Parent = self(),
    Pid = named(ill_forgets, fun() ->
        [erlang:start_timer(36000000 + N rem 1000, self(), due) || N <- lists:seq(1, 1100000)],
        Parent ! made,
        receive never -> ok end
    end),
    receive made -> Pid end.

%% Storage that works well: a journal that is synchronized now and then, logs, a console.
healthy_storage() ->
    [spawn(fun() ->
        {ok, File} = file:open(path("healthy" ++ integer_to_list(N)), [write, raw, binary]),
        journaling(File, 0)
     end) || N <- lists:seq(1, 3)],
    [spawn(fun() -> reporting(0) end) || _ <- lists:seq(1, 5)],
    ok.

journaling(File, N) ->
    {ok, _} = file:position(File, 0),
    ok = file:write(File, binary:copy(<<N:32>>, 1000)),
    ok = file:sync(File),
    timer:sleep(3),
    journaling(File, N + 1).

reporting(N) ->
    logger:error("request ~p", [N], #{domain => [ill]}),
    io:format(standard_error, "request ~p~n", [N]),
    timer:sleep(20),
    reporting(N + 1).

%% Those who build large binaries as they should, and texts, and start processes with little.
healthy_builder() ->
    [spawn(fun() -> building(<<>>, N) end) || N <- [1, 2]],
    [spawn(fun() -> formatting(0) end) || _ <- [1, 2]],
    ok.

building(All, _) when byte_size(All) > 4000000 -> building(<<>>, 0);
building(All, N) -> building(<<All/binary, N:800>>, N + 1).

formatting(N) ->
    _ = iolist_to_binary([io_lib:format("~p ~s~n", [I, "text"]) || I <- lists:seq(1, N rem 5000)]),
    {Pid, Monitor} = spawn_monitor(fun() -> N end),
    receive {'DOWN', Monitor, process, Pid, _} -> formatting(N + 1) end.

%% Workers that wait for work without a limit; and one that takes the answers of its workers in order, the first of which is slow.
healthy_workers() ->
    {ok, Queue} = gen_server:start(?MODULE, none, []),
    [spawn(fun() -> next_job(Queue) end) || _ <- lists:seq(1, 30)],
    spawn(fun() ->
        [{_, First} | _] = [spawn_monitor(fun() -> N =:= 1 andalso timer:sleep(60000) end) || N <- lists:seq(1, 40)],
        receive {'DOWN', First, process, _, _} -> ok end
    end),
    timer:sleep(100),
    ok.

%% Counts that are sent away and forgotten now and then, and as many sessions that end as begin.
healthy_state() ->
    Sessions = maps:from_list([{N, {session, N}} || N <- lists:seq(1, ?SEEN)]),
    [begin
        {ok, Server} = gen_server:start(?MODULE, State, []),
        spawn(fun() -> counting(Server, What, ?SEEN + 1) end)
     end || {What, State} <- [{count, {counts, #{}}}, {session, {sessions, Sessions}}]],
    ok.

%% Those who get very many messages, and read all that are there before they do something else: `after 0` as it is meant.
%% And those who work all the time, and look now and then whether they are to stop.
%% Or yield between two parts of their work, or look up the same setting for each.
healthy_receivers() ->
    Settings = ets:new(healthy_settings, [public]),
    ets:insert(Settings, {factor, 7}),
    Able = spawn(fun() -> receive start -> by_setting(Settings, lists:seq(1, 200), 0) end end),
    ets:give_away(Settings, Able, start),
    Able ! start,
    [spawn(fun() -> sharing(lists:seq(1, 2000), 0) end) || _ <- [1, 2]],
    Draining = [spawn(fun draining/0) || _ <- [1, 2]],
    [spawn(fun() -> filling(Each, 0) end) || Each <- Draining, _ <- [1, 2]],
    [spawn(fun() -> working(lists:seq(1, 2000), 0) end) || _ <- [1, 2]],
    ok.

%% Who looks up small objects and does nothing else, inserts into a bag, looks through short lists, and starts and ends children.
healthy_lookups() ->
    Table = ets:new(healthy_small, [public, {read_concurrency, true}]),
    ets:insert(Table, [{N, {session, N, [1, 2, 3]}} || N <- lists:seq(1, 50000)]),
    spawn(fun() ->
        {ok, Supervisor} = supervisor:start_link(ill, {supervisor, #{strategy => simple_one_for_one},
            #{id => child, start => {?MODULE, child, []}, restart => temporary}}),
        changing_children(Supervisor)
    end),
    Pids = [spawn(fun() -> receive start -> small_lookups(Table, 1) end end) || _ <- [1, 2]],
    spawn(fun() -> small_inserts(ets:new(healthy_bag, [bag]), 0) end),
    ets:give_away(Table, hd(Pids), start),
    [Pid ! start || Pid <- Pids],
    ok.

small_lookups(Table, N) ->
    [{N, {session, N, List}}] = ets:lookup(Table, N),
    true = lists:member(2, List),
    small_lookups(Table, N rem 50000 + 1).

small_inserts(Bag, N) ->
    ets:insert(Bag, {N rem 20000, N rem 3}),
    small_inserts(Bag, N + 1).

changing_children(Supervisor) ->
    {ok, Pid} = supervisor:start_child(Supervisor, []),
    ok = supervisor:terminate_child(Supervisor, Pid),
    changing_children(Supervisor).

draining() ->
    receive {part, N} -> draining(N) end.

draining(N) ->
    receive {part, M} -> draining(N + M)
    after 0 -> draining()
    end.

filling(Draining, N) ->
    [Draining ! {part, I} || I <- lists:seq(1, 50)],
    N rem 20 =:= 0 andalso timer:sleep(1),
    filling(Draining, N + 1).

working(Numbers, N) ->
    receive stop -> ok
    after 0 -> working(Numbers, N + lists:sum(Numbers) rem 7)
    end.

by_setting(Settings, Numbers, N) ->
    [{factor, Factor}] = ets:lookup(Settings, factor),
    by_setting(Settings, Numbers, N + lists:sum(Numbers) rem Factor).

sharing(Numbers, N) ->
    erlang:yield(),
    sharing(Numbers, N + lists:sum(Numbers) rem 7).

counting(Server, What, N) ->
    gen_server:cast(Server, {What, N}),
    timer:sleep(1),
    counting(Server, What, N + 1).

next_job(Queue) ->
    {job, _} = gen_server:call(Queue, next, infinity),
    next_job(Queue).
