%% A node that does what it is told: one Erlang expression a line on standard input, its value on
%% standard output as one line, "= Value", or "! Reason". Bindings are kept.
-module(ctl).
-export([main/0]).

main() ->
    io:setopts([{encoding, latin1}]),
    io:format("ready~n"),
    loop(erl_eval:new_bindings()).

loop(Bindings) ->
    case io:get_line("") of
        eof -> halt(0);
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
