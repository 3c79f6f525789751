%% SPDX-License-Identifier: BSD-2-Clause
%%
%% @doc D from inside Erlang: erlbpf as a port program, which compiles a D program, runs it, and gives what it finds as
%% terms.
%%
%% ```
%% {ok, Port} = erlbpf_port:open(#{}),
%% {ok, Probes} = erlbpf_port:compile(Port, "app*:::checkout /arg3/ { @took = quantize(arg6); }"),
%% ok = erlbpf_port:go(Port),
%% {ok, Aggregations} = erlbpf_port:walk(Port),
%% {ok, _Summary} = erlbpf_port:stop(Port),
%% ok = erlbpf_port:close(Port).
%% '''
%%
%% erlbpf needs the rights that it needs elsewhere: root, or its capabilities. The node that opens the port must have
%% them, or be allowed to start erlbpf with them, as by `sudo -n': see `command' of {@link options()}. Or the agent runs
%% the programs, for nodes of the same user: `erlbpf export --d-socket /run/erlbpf/d.sock', which is found by itself (or
%% by `ERLBPF_SOCKET' of the environment). Without either, {@link compile/2} or {@link go/1} says what is missing.
%%
%% A port belongs to the process that has opened it, which calls these functions. It ends with this process, and with it
%% all probes. {@link wait_end/2} waits for a D program that ends by itself.
-module(erlbpf_port).

-export([open/1, compile/2, compile/3, go/1, consume/1, walk/1, stop/1, wait_end/2, close/1]).
-export([percentile/2]).

-export_type([handle/0, options/0, compile_options/0, reason/0, problem/0, reply/0, aggregation/0, entry/0, bucket/0]).

-opaque handle() :: {?MODULE, port()}.

-type options() :: #{command => [string()]}.
%% `command' is erlbpf, in the PATH or as a path, behind words that start it: `["sudo", "-n", "erlbpf"]'.
-type compile_options() :: #{pids => [pos_integer()], options => [{iodata(), iodata()}]}.
%% `pids': operating system processes, whose first is `$target' and without which all nodes are traced.
%% `options': those of `-x', such as `{"strsize", "512"}'.
-type problem() :: #{line := pos_integer() | undefined, tag := binary() | undefined, text := binary()}.
%% `tag' is DTrace's name of what is wrong, such as `<<"D_SYNTAX">>'.
-type reason() :: {compile | go, [problem()]} | not_compiled | already_started | badarg | enomem | closed | timeout.
-type reply() :: map().
%% A record, an error or the summary, as `erlbpf -j' prints it; keys are atoms, texts are binaries.
-type bucket() :: #{lo := integer() | undefined, hi := integer() | undefined, count := integer()}.
-type entry() :: #{key := [term()], value => integer(), buckets => [bucket()]}.
-type aggregation() :: #{name := binary(), function := binary(), entries := [entry()], atom() => term()}.

%% Compiling loads types of the kernel, and attaching to many nodes takes its time.
-define(LIMIT, 60000).
-define(MOST_REFERENCE, 16#7fffffff).

%% @doc Start erlbpf.
-spec open(options()) -> {ok, handle()} | {error, term()}.
open(Options) ->
    [Program | Arguments] = maps:get(command, Options, ["erlbpf"]),
    case os:find_executable(Program) of
        false -> {error, enoent};
        Path -> start(Path, Arguments ++ ["--etf"])
    end.

start(Path, Arguments) ->
    try open_port({spawn_executable, Path}, [{args, Arguments}, {packet, 4}, binary, exit_status, use_stdio]) of
        Port -> {ok, {?MODULE, Port}}
    catch
        error:Reason -> {error, Reason}
    end.

%% @equiv compile(Handle, Source, #{})
-spec compile(handle(), iodata()) -> {ok, non_neg_integer()} | {error, reason()}.
compile(Handle, Source) ->
    compile(Handle, Source, #{}).

%% @doc Compile a D program in place of the one before, which is ended, and find its probes: how many they are.
-spec compile(handle(), iodata(), compile_options()) -> {ok, non_neg_integer()} | {error, reason()}.
compile(Handle, Source, Options) ->
    Set = [{iolist_to_binary(Name), iolist_to_binary(Value)} || {Name, Value} <- maps:get(options, Options, [])],
    call(Handle, [compile, iolist_to_binary(Source), pids(maps:get(pids, Options, [])), Set]).

%% As a list of small integers has another format.
pids(Pids) ->
    [Pid || Pid <- Pids, is_integer(Pid)].

%% @doc Run what is compiled: probes are in place when it returns.
-spec go(handle()) -> ok | {error, reason()}.
go(Handle) ->
    call(Handle, [go]).

%% @doc What the program has printed since the last call, and how many records there was no room for: more than 10,000,
%% or more than 32 MiB as JSON, are not kept.
-spec consume(handle()) -> {ok, [reply()], non_neg_integer()} | {error, reason()}.
consume(Handle) ->
    call(Handle, [consume]).

%% @doc The aggregations as they are now; after the end, as they were then.
-spec walk(handle()) -> {ok, [aggregation()]} | {error, reason()}.
walk(Handle) ->
    call(Handle, [walk]).

%% @doc End the program, as Ctrl-C does. consume/1 and walk/1 then give the rest.
-spec stop(handle()) -> {ok, reply() | undefined} | {error, reason()}.
stop(Handle) ->
    call(Handle, [stop]).

%% @doc Wait for the program to end by itself, as with `exit()': its status.
-spec wait_end(handle(), timeout()) -> {ended, integer()} | {error, closed | timeout}.
wait_end({?MODULE, Port} = Handle, Timeout) ->
    receive
        {?MODULE, Handle, {ended, Status}} -> {ended, Status};
        {Port, {data, Data}} -> ended(Handle, Timeout, binary_to_term(Data));
        {Port, {exit_status, _}} -> {error, closed};
        {'EXIT', Port, _} -> {error, closed}
    after Timeout -> {error, timeout}
    end.

ended(_, _, {ended, Status}) -> {ended, Status};
ended(Handle, Timeout, _) -> wait_end(Handle, Timeout).

%% @doc End erlbpf.
-spec close(handle()) -> ok.
close({?MODULE, Port}) ->
    try port_close(Port) of
        true -> ok
    catch
        error:badarg -> ok
    end,
    flush(Port).

flush(Port) ->
    receive
        {Port, _} -> flush(Port);
        {'EXIT', Port, _} -> flush(Port);
        {?MODULE, {?MODULE, Port}, _} -> flush(Port)
    after 0 -> ok
    end.

%% @doc A percentile, from 0 to 100, of an entry of `quantize', `lquantize' or `llquantize': the upper limit of the bucket
%% that it is in, or `undefined'.
-spec percentile(number(), entry()) -> integer() | undefined.
percentile(Percent, #{buckets := Buckets}) when Percent >= 0, Percent =< 100 ->
    Total = lists:sum([Count || #{count := Count} <- Buckets]),
    reach(Total * Percent / 100, 0, Buckets).

reach(Wanted, Before, [#{count := Count, hi := High} | Buckets]) ->
    case Before + Count of
        Sum when Sum > 0, Sum >= Wanted -> High;
        Sum -> reach(Wanted, Sum, Buckets)
    end;
reach(_, _, []) ->
    undefined.

call({?MODULE, Port}, Command) ->
    Reference = erlang:unique_integer([positive]) band ?MOST_REFERENCE,
    try port_command(Port, term_to_binary(list_to_tuple([Reference | Command]))) of
        true -> wait(Port, Reference)
    catch
        error:badarg -> {error, closed}
    end.

wait(Port, Reference) ->
    receive
        {Port, {data, Data}} -> answer(Port, Reference, binary_to_term(Data));
        {Port, {exit_status, _}} -> {error, closed};
        {'EXIT', Port, _} -> {error, closed}
    after ?LIMIT -> {error, timeout}
    end.

%% Answers that nobody has waited for are passed over.
answer(_, Reference, {Reference, Reply}) ->
    Reply;
answer(Port, Reference, {ended, Status}) ->
    self() ! {?MODULE, {?MODULE, Port}, {ended, Status}},
    wait(Port, Reference);
answer(Port, Reference, _) ->
    wait(Port, Reference).
