%% The watchdog, evaluated on the node by erl_eval: no module is loaded. Bound variables: Us (our node), Fs (functions as
%% {M,F,A}), Flags (of trace_pattern), Limit (calls per second).
%%
%% There are two processes. The watchdog sets the breakpoints. It removes them on request, when the connection to us ends,
%% when there are too many calls, or when it gets trace messages of another tracer's functions. The keeper removes them if
%% the watchdog is killed. From OTP 27, breakpoints are in a trace session of our own, which the VM destroys with its last
%% owner; before, trace flags belong to the watchdog and end with it. No process gets trace messages: Flags are call_count
%% and call_time, which send none, and functions have no other breakpoint from us.
%%
%% call_count stays on all the time and costs next to nothing. call_time is off between windows. It is removed from each
%% function, which takes some turns of all schedulers. For many functions, the trace flag of all processes in our session
%% is cleared instead, for which the VM stops for a moment; without sessions, that would clear the flags of others, too.
Caller = self(),
Ref = make_ref(),
Has = code:ensure_loaded(trace) =:= {module, trace},
Live = [F || F <- Fs, erlang:trace_info(F, traced) =/= {traced, undefined}],
Busy = [F || not Has, F <- Live, erlang:trace_info(F, all) =/= {all, false}],
Traced = [P || not Has, P <- [new | processes()],
               case catch erlang:trace_info(P, flags) of {flags, [_ | _]} -> true; _ -> false end],
Set = fun(S, F, On, What) when Has -> trace:function(S, F, On, What);
         (_, F, On, What) -> erlang:trace_pattern(F, On, What)
      end,
Switch = fun(S, On) when Has -> trace:process(S, all, On, [call]);
            (_, On) -> erlang:trace(all, On, [call])
         end,
AreFew = not Has orelse length(Live) =< 8,
Measures = lists:member(call_time, Flags),
Time = fun(_, _) when not Measures -> ok;
          (S, On) when AreFew -> [catch Set(S, F, On, [call_time]) || F <- Live];
          (S, On) -> Switch(S, On)
       end,
Info = fun(S, F) when Has -> trace:info(S, F, call_count);
          (_, F) -> erlang:trace_info(F, call_count)
       end,
Clean = fun(S) ->
            [catch Set(S, F, false, Flags) || F <- Live],
            case Has of
                true -> catch trace:session_destroy(S);
                false -> Measures andalso (catch Switch(S, false))
            end
        end,
%% Newly loaded code of a module has no breakpoint: sets it.
Count = fun(_, none, _) -> 0;
           (S, F, On) ->
            case Info(S, F) of
                {call_count, N} when is_integer(N) -> N;
                {call_count, false} when AreFew, not On -> catch Set(S, F, true, [call_count]), 0;
                {call_count, false} -> catch Set(S, F, true, Flags), 0;
                _ -> 0
            end
        end,
%% For each function, the VM's count and the sum, which continues when new code starts at 0.
Look = fun(S, Seen, On) ->
           [begin N = Count(S, F, On), {F, N, if N < Last -> Sum + N; true -> Sum + N - Last end} end || {F, Last, Sum} <- Seen]
       end,
%% Never blocks: a peer that does not read must not stop the watchdog.
Say = fun(What) -> catch erlang:send({erlbpf, Us}, What, [nosuspend, noconnect]) end,
Tell = fun(Tag, Seen) -> Say({counts, Tag, << <<Sum:64>> || {_, _, Sum} <- Seen >>}) end,
Period = 250 + length(Live),
Watchdog = fun() ->
    group_leader(whereis(init), self()),
    Me = self(),
    process_flag(priority, high),
    erlang:monitor_node(Us, true),
    S = case Has of true -> trace:session_create(erlbpf, Me, []); false -> none end,
    Keeper = spawn(fun() ->
        R = monitor(process, Me),
        Me ! {R, ready},
        receive {'DOWN', R, _, _, normal} -> ok; {'DOWN', R, _, _, _} -> Clean(S), {erlbpf, Us} ! killed end
    end),
    K = monitor(process, Keeper),
    receive {_, ready} -> ok end,
    Measures andalso Switch(S, true),
    Caller ! {Ref, {ok, lists:sum([Set(S, F, true, Flags) || F <- Live])}},
    Loop = fun Loop(Seen, Calls, At, On) ->
        receive
            {nodedown, Us} -> Clean(S);
            {'DOWN', K, _, _, _} -> Clean(S), Say(killed);
            {stop, Tag} -> Tell(Tag, Look(S, Seen, On)), Clean(S), Say(done);
            {look, Tag} -> Now = Look(S, Seen, On), Tell(Tag, Now), Loop(Now, Calls, At, On);
            {Wish, Tag} when Wish =:= on; Wish =:= off ->
                Time(S, Wish =:= on),
                Tell(Tag, Seen),
                Loop(Seen, Calls, At, Wish =:= on);
            %% Another tracer has set breakpoints without a tracing process; our flags made them send messages.
            T when element(1, T) =:= trace -> Clean(S), Say(traced)
        after max(0, Period - (erlang:monotonic_time(microsecond) - At) div 1000) ->
            Now = Look(S, Seen, On),
            Then = erlang:monotonic_time(microsecond),
            Sum = lists:sum([N || {_, _, N} <- Now]),
            Tell(0, Now),
            case (Sum - Calls) * 1000000 > Limit * (Then - At) of
                true -> Clean(S), Say(limit);
                false -> Loop(Now, Sum, Then, On)
            end
        end
    end,
    Loop([{case lists:member(F, Live) of true -> F; false -> none end, 0, 0} || F <- Fs], 0, erlang:monotonic_time(microsecond), true)
end,
if
    Live =:= [] -> gone;
    Busy =/= [] -> {traced, hd(Busy)};
    Traced =/= [] -> {traced, hd(Traced)};
    true ->
        Pid = spawn(Watchdog),
        receive {Ref, Result} -> {Pid, Result}
        after 10000 -> exit(Pid, kill), timeout
        end
end.
