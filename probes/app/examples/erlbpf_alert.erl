%% SPDX-License-Identifier: BSD-2-Clause
%%
%% @doc An example: tell a human when the 99th percentile of a span passes a limit.
%%
%% ```
%% erlbpf_alert:start(checkout, 500, 10000, fun(Text) -> my_pager:send(Text) end).
%% '''
%%
%% looks every 10 seconds at the spans `checkout' of this node that have ended since the last look, and calls the fun if one in
%% a hundred took more than 500 ms: up to the resolution of quantize(), which is a power of two.
-module(erlbpf_alert).

-export([start/4, start/5, new_counts/2]).

-spec start(erlbpf:name(), pos_integer(), pos_integer(), fun((string()) -> term())) -> {ok, pid()} | {error, term()}.
start(Name, Limit, Interval, Notify) ->
    start(Name, Limit, Interval, Notify, #{}).

%% @doc With the options of erlbpf_port:open/1. It returns when the probes are in place.
-spec start(erlbpf:name(), pos_integer(), pos_integer(), fun((string()) -> term()), erlbpf_port:options()) ->
          {ok, pid()} | {error, term()}.
start(Name, Limit, Interval, Notify, Options) ->
    Starter = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> begin_watching(Starter, Name, Limit, Interval, Notify, Options) end),
    receive
        {Pid, started} -> true = demonitor(Monitor, [flush]), {ok, Pid};
        {'DOWN', Monitor, process, Pid, Reason} -> {error, Reason}
    end.

begin_watching(Starter, Name, Limit, Interval, Notify, Options) ->
    Program = io_lib:format("app$target:::~s /arg3/ { @took = quantize(arg6); }", [Name]),
    case erlbpf_port:open(Options) of
        {ok, Port} ->
            Pids = #{pids => [list_to_integer(os:getpid())]},
            run(erlbpf_port:compile(Port, Program, Pids), Port),
            run(erlbpf_port:go(Port), Port),
            Starter ! {self(), started},
            watch(Port, #{}, {Name, Limit, Interval, Notify});
        {error, Reason} -> exit(Reason)
    end.

run({error, Reason}, _) -> exit(Reason);
run(_, _) -> ok.

watch(Port, Before, {Name, Limit, Interval, Notify} = What) ->
    timer:sleep(Interval),
    {ok, Aggregations} = erlbpf_port:walk(Port),
    Now = maps:from_list([{Bucket, Count} || #{entries := Entries} <- Aggregations, #{buckets := Buckets} <- Entries,
                                             #{lo := _, hi := High, count := Count} <- Buckets, Bucket <- [High]]),
    case erlbpf_port:percentile(99, new_counts(Before, Now)) of
        Took when is_integer(Took), Took >= Limit * 1000000 ->
            Notify(lists:flatten(io_lib:format("~s: one in a hundred takes up to ~b ms", [Name, Took div 1000000])));
        _ -> ok
    end,
    watch(Port, Now, What).

%% @private What was counted in between.
-spec new_counts(#{integer() => integer()}, #{integer() => integer()}) -> erlbpf_port:entry().
new_counts(Before, Now) ->
    #{key => [], buckets => [#{lo => undefined, hi => High, count => Count - maps:get(High, Before, 0)}
                             || {High, Count} <- lists:sort(maps:to_list(Now))]}.
