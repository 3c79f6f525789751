%% A node that does what it is told: one Erlang expression a line on standard input, its value on
%% standard output as one line, "= Value", or "! Reason". Bindings are kept, until the line is `f().`: it forgets
%% them, and ends whatever came of earlier lines.
-module(ctl).
-export([main/0]).

main() ->
    io:setopts([{encoding, latin1}]),
    put(at_first, processes()),
    io:format("ready~n"),
    loop(erl_eval:new_bindings()).

loop(Bindings) ->
    case io:get_line("") of
        eof -> halt(0);
        "f().\n" -> forget(), io:format("= ok~n"), loop(erl_eval:new_bindings());
        Line -> loop(answer(Line, Bindings))
    end.

answer(Line, Bindings) ->
    try
        {ok, Tokens, _} = erl_scan:string(Line),
        {ok, Expressions} = erl_parse:parse_exprs(Tokens),
        {value, Value, Next} = erl_eval:exprs(Expressions, Bindings),
        io:format("= ~0p~n", [Value]),
        Next
    catch
        Class:Reason -> io:format("! ~0p~n", [{Class, Reason}]), Bindings
    end.

%% Processes of the system have another group leader.
forget() ->
    Mine = [P || P <- processes() -- get(at_first), process_info(P, group_leader) =:= {group_leader, group_leader()}],
    [begin
         Ref = monitor(process, P),
         unlink(P),
         exit(P, kill),
         receive {'DOWN', Ref, _, _, _} -> ok end
     end || P <- Mine],
    [catch port_close(Port) || Port <- erlang:ports(), erlang:port_info(Port, connected) =:= {connected, self()}],
    [ets:delete(Table) || Table <- ets:all(), ets:info(Table, owner) =:= self()],
    case process_info(self(), registered_name) of {registered_name, Name} -> unregister(Name); _ -> ok end,
    process_flag(trap_exit, false),
    flush().

flush() -> receive _ -> flush() after 0 -> ok end.
