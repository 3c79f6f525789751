%% Work for tests/bench: known calls and messages, and Erlang's own tracing of them.
-module(load).
-export([calls/1, traced_calls/2, paced/2, paced/3, paced_by_dbg/3, paced_by_recon/4, streamed/2, leaf/1, echoes/1, touch/1, looks/0, trace_all/1, trace_end/0]).

%% ns of one call of a BIF.
calls(N) ->
    T0 = erlang:monotonic_time(nanosecond),
    call(N),
    (erlang:monotonic_time(nanosecond) - T0) / N.

call(0) -> ok;
call(N) -> erlang:phash2(N), call(N - 1).	% not one that the JIT inlines

%% The same while Erlang counts the calls or adds up their time.
traced_calls(N, How) ->
    BIF = {erlang, phash2, 1},
    1 = erlang:trace_pattern(BIF, true, [How]),
    erlang:trace(self(), true, [call]),
    Ns = calls(N),
    erlang:trace(self(), false, [call]),
    erlang:trace_pattern(BIF, false, [How]),
    Ns.

%% How many calls of a function are traced within Ms: each is a message to a process, or a record in a file.
streamed(To, Ms) ->
    {Tracer, End} = tracer(To),
    erlang:trace_pattern({?MODULE, leaf, 1}, true, [global]),
    {P, Ref} = spawn_monitor(fun() -> receive go -> exit({done, leaves(deadline(Ms), 0)}) end end),
    1 = erlang:trace(P, true, [call, {tracer, Tracer}]),
    P ! go,
    N = receive {'DOWN', Ref, process, P, {done, Done}} -> Done end,
    erlang:trace_pattern({?MODULE, leaf, 1}, false, [global]),
    End(),
    N.

tracer(process) ->
    P = spawn(fun drain/0),
    {P, fun() -> exit(P, kill) end};
tracer(file) ->
    %% What ttb and dbg:trace_port(file, _) use, without their applications.
    Path = filename:join("/dev", "null"),
    {ok, _} = application:ensure_all_started(runtime_tools),
    Port = (dbg:trace_port(file, Path))(),
    {Port, fun() -> catch erlang:port_close(Port) end}.

%% So many calls a second are wanted of a function, for Ms: how many there were. 1000 turns a second, each with its share.
paced(Rate, Ms) -> paced(leaf, Rate, Ms).

%% The same of others: a BIF, a message to a process, an operation on an ETS table.
paced(What, Rate, Ms) ->
    {P, Ref} = spawn_monitor(fun() -> exit({done, turns(doing(What), Rate, Ms)}) end),
    receive {'DOWN', Ref, process, P, {done, Done}} -> Done end.

doing(leaf) -> fun ?MODULE:leaf/1;
doing(bif) -> fun erlang:phash2/1;
doing(message) ->
    To = spawn_link(fun drain/0),
    fun(N) -> To ! N end;
doing(ets) ->
    Table = ets:new(?MODULE, [public]),
    fun(N) -> ets:insert(Table, {N band 1023, N}) end.

turns(Do, Rate, Ms) ->
    Begin = erlang:monotonic_time(millisecond),
    N = turn(Do, Rate, Begin, Begin + Ms, 0),
    N * 1000 / (erlang:monotonic_time(millisecond) - Begin).

turn(Do, Rate, Begin, End, Done) ->
    case erlang:monotonic_time(millisecond) of
        Now when Now >= End -> Done;
        Now when (Now - Begin + 1) * Rate div 1000 =< Done -> timer:sleep(1), turn(Do, Rate, Begin, End, Done);
        Now -> turn(Do, Rate, Begin, End, batch(Do, min((Now - Begin + 1) * Rate div 1000 - Done, 1000), Done))
    end.

batch(_, 0, Done) -> Done;
batch(Do, N, Done) -> Do(N), batch(Do, N - 1, Done + 1).

%% The same while dbg traces calls and returns: a handler that only counts, or its own, which prints to where it is dropped.
paced_by_dbg(How, Rate, Ms) ->
    {ok, _} = application:ensure_all_started(runtime_tools),
    {ok, _} = dbg:tracer(process, handler(How)),
    {ok, _} = dbg:p(all, [call, timestamp]),
    {ok, _} = dbg:tpl(?MODULE, leaf, 1, [{'_', [], [{return_trace}]}]),
    Rate2 = paced(Rate, Ms),
    dbg:stop(),
    erlang:trace_pattern({?MODULE, leaf, 1}, false, [local]),
    Rate2.

handler(count) -> {fun(_, N) -> N + 1 end, 0};
handler(print) ->
    {ok, Nowhere} = file:open("/dev/null", [write]),
    {fun dbg:dhandler/2, Nowhere}.

%% ... and recon_trace, of at most so many calls; its folder is that of the package which has it.
paced_by_recon(Folder, Most, Rate, Ms) ->
    true = code:add_pathz(Folder),
    {ok, Nowhere} = file:open("/dev/null", [write]),
    %% It says at its end that this has come, wherever its caller prints.
    Leader = group_leader(),
    group_leader(Nowhere, self()),
    1 = recon_trace:calls({?MODULE, leaf, return_trace}, Most, [{scope, local}, {io_server, Nowhere}]),
    group_leader(Leader, self()),
    Rate2 = paced(Rate, Ms),
    recon_trace:clear(),
    Rate2.

drain() -> receive _ -> drain() end.

deadline(Ms) -> erlang:monotonic_time(millisecond) + round(Ms).

leaves(Deadline, N) ->
    ?MODULE:leaf(N),
    case N band 255 =:= 0 andalso erlang:monotonic_time(millisecond) >= Deadline of
        true -> N;
        false -> leaves(Deadline, N + 1)
    end.

leaf(N) -> N.

%% N processes that answer, and a message to each and back: nanoseconds for one of them.
echoes(N) ->
    persistent_term:put(?MODULE, [spawn(fun echo/0) || _ <- lists:seq(1, N)]),
    N.

echo() -> receive {From, Ref} -> From ! Ref, echo() end.

touch(Rounds) ->
    Ps = persistent_term:get(?MODULE),
    T0 = erlang:monotonic_time(nanosecond),
    touch(Rounds, Ps),
    (erlang:monotonic_time(nanosecond) - T0) / Rounds / length(Ps).

touch(0, _) -> ok;
touch(Rounds, Ps) ->
    Ref = make_ref(),
    in_batches(Ps, Ref),
    touch(Rounds - 1, Ps).

%% Not all at once: a mailbox with a million answers is another question.
in_batches([], _) -> ok;
in_batches(Ps, Ref) ->
    {N, Rest} = send(Ps, Ref, 0),
    answers(N, Ref),
    in_batches(Rest, Ref).

send([P | Ps], Ref, N) when N < 1000 -> P ! {self(), Ref}, send(Ps, Ref, N + 1);
send(Ps, _, N) -> {N, Ps}.

answers(0, _) -> ok;
answers(N, Ref) -> receive Ref -> answers(N - 1, Ref) end.

%% What a table of all processes costs the node that makes it itself, in milliseconds.
looks() ->
    T0 = erlang:monotonic_time(microsecond),
    [process_info(P, [reductions, message_queue_len, total_heap_size, status, registered_name, current_function])
     || P <- processes()],
    (erlang:monotonic_time(microsecond) - T0) / 1000.

%% All processes, told to one that does nothing with it.
trace_all(Flags) ->
    Tracer = spawn(fun drain/0),
    persistent_term:put({?MODULE, tracer}, Tracer),
    erlang:trace(new_processes, true, [{tracer, Tracer} | Flags]),
    erlang:trace(existing, true, [{tracer, Tracer} | Flags]).

trace_end() ->
    erlang:trace(all, false, [all]),
    exit(persistent_term:get({?MODULE, tracer}), kill).
