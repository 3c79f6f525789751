%% What a node does for us, evaluated there by erl_eval: no module is loaded. Bound are Us (our node), Fs (functions, as
%% {M,F,A}), Flags (of trace_pattern), Limit (calls a second).
%%
%% Two processes: the guard sets the breakpoints, and removes them when we are gone, however that comes about, when it is
%% told to, when there are too many calls, or when it gets messages of tracing that somebody else has prepared; the keeper removes them when somebody kills the guard. Under OTP 27 and
%% later they are in a trace session of our own, which the VM destroys with its last owner; before, trace flags belong to
%% the guard and end with it. No process gets a message of tracing: Flags are call_count and call_time, which send none, and functions
%% have no other breakpoint from us.
Caller = self(),
Ref = make_ref(),
Has = code:ensure_loaded(trace) =:= {module, trace},
Live = [F || F <- Fs, erlang:trace_info(F, traced) =/= {traced, undefined}],
Busy = [F || not Has, F <- Live, erlang:trace_info(F, all) =/= {all, false}],
Traced = [P || not Has, P <- [new | processes()],
               case catch erlang:trace_info(P, flags) of {flags, [_ | _]} -> true; _ -> false end],
Set = fun(S, F, On) when Has -> trace:function(S, F, On, Flags);
         (_, F, On) -> erlang:trace_pattern(F, On, Flags)
      end,
Info = fun(S, F) when Has -> trace:info(S, F, call_count);
          (_, F) -> erlang:trace_info(F, call_count)
       end,
Clean = fun(S) ->
            [catch Set(S, F, false) || F <- Live],
            case Has of
                true -> catch trace:session_destroy(S);
                false -> catch erlang:trace(all, false, [call])
            end
        end,
%% New code of a module has no breakpoint: it gets one here.
Count = fun(S, F) ->
            case Info(S, F) of
                {call_count, N} when is_integer(N) -> N;
                {call_count, false} -> catch Set(S, F, true), 0;
                _ -> 0
            end
        end,
Guard = fun() ->
    group_leader(whereis(init), self()),
    Me = self(),
    erlang:monitor_node(Us, true),
    S = case Has of true -> trace:session_create(erlbpf, Me, []); false -> none end,
    Keeper = spawn(fun() ->
        R = monitor(process, Me),
        Me ! {R, ready},
        receive {'DOWN', R, _, _, normal} -> ok; {'DOWN', R, _, _, _} -> Clean(S), {erlbpf, Us} ! killed end
    end),
    K = monitor(process, Keeper),
    receive {_, ready} -> ok end,
    case Has of
        true -> trace:process(S, all, true, [call]);
        false -> erlang:trace(all, true, [call])
    end,
    Caller ! {Ref, {ok, lists:sum([Set(S, F, true) || F <- Live])}},
    Loop = fun Loop(Last, At) ->
        receive
            {nodedown, Us} -> Clean(S);
            {'DOWN', K, _, _, _} -> Clean(S), {erlbpf, Us} ! killed;
            stop -> Clean(S), {erlbpf, Us} ! done;
            %% Of a function that somebody else has set to be traced, but not by whom: until now, nobody was.
            T when element(1, T) =:= trace -> Clean(S), {erlbpf, Us} ! traced
        after 250 + length(Live) ->
            Now = erlang:monotonic_time(microsecond),
            Sum = lists:sum([Count(S, F) || F <- Live]),
            case (Sum - Last) * 1000000 > Limit * (Now - At) of
                true -> Clean(S), {erlbpf, Us} ! limit;
                false -> Loop(Sum, Now)
            end
        end
    end,
    Loop(0, erlang:monotonic_time(microsecond))
end,
if
    Live =:= [] -> gone;
    Busy =/= [] -> {traced, hd(Busy)};
    Traced =/= [] -> {traced, hd(Traced)};
    true ->
        Pid = spawn(Guard),
        receive {Ref, Result} -> {Pid, Result}
        after 10000 -> exit(Pid, kill), timeout
        end
end.
