%% A process that has terms copied when it is told to.
-module(copier).
-export([start/0, copy/4]).

start() ->
    Sink = spawn(fun sink/0),
    spawn(fun() -> loop(Sink, ets:new(copies, [public])) end).

sink() -> receive _ -> sink() end.

loop(Sink, Table) ->
    receive
        {copy, Kind, Term, Times, From} ->
            [copy(Kind, Term, Sink, Table) || _ <- lists:seq(1, Times)],
            From ! copied,
            loop(Sink, Table)
    end.

copy(message, Term, Sink, _) -> Sink ! Term;
copy(spawn, Term, _, _) -> spawn(erlang, hd, [[ok | Term]]);
copy(signal, Term, _, _) -> exit(spawn(fun sink/0), Term);
copy(insert, Term, _, Table) -> ets:insert(Table, {key, Term});
copy(lookup, _, _, Table) -> ets:lookup(Table, key);
copy(nothing, _, _, _) -> ok.
