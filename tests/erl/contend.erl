%% Processes that wait for locks: of a table that another keeps locked, of a process, of the atom table.
-module(contend).
-export([table/2, looker/0, waits/3, signals/2, atoms/3]).

%% A table with so many objects of one key that to delete one that is not there takes milliseconds, with the
%% table locked.
table(Name, Objects) ->
    Name = ets:new(Name, [public, named_table, duplicate_bag]),
    ets:insert(Name, [{a, N} || N <- lists:seq(1, Objects)]),
    Name.

%% On a scheduler of its own, or it would wait for that instead.
looker() -> spawn_opt(fun looking/0, [{scheduler, 2}]).

looking() ->
    receive
        {look, Table, N, From} ->
            From ! {looked, [look(Table) || _ <- lists:seq(1, N)]},
            looking()
    end.

look(Table) ->
    timer:sleep(1),
    T0 = os:perf_counter(nanosecond),
    false = ets:member(Table, b),
    os:perf_counter(nanosecond) - T0.

%% How long, in nanoseconds, each of N looks at the table took while it was locked now and then.
waits(Pid, Table, N) ->
    Locker = spawn_opt(fun() -> lock(Table) end, [{scheduler, 1}, link]),
    Pid ! {look, Table, N, self()},
    Times = receive {looked, Looked} -> Looked end,
    unlink(Locker),
    exit(Locker, kill),
    Times.

lock(Table) ->
    ets:delete_object(Table, {a, 0}),
    %% Or whoever waits for the table may find it locked again each time that it wakes.
    timer:sleep(1),
    lock(Table).

%% N processes send to one, each so often.
signals(N, Messages) ->
    Self = self(),
    all(N, fun(_) -> [Self ! x || _ <- lists:seq(1, Messages)] end),
    flush(0).

flush(N) -> receive x -> flush(N + 1) after 0 -> N end.

%% N processes make new atoms, each so many.
atoms(Prefix, N, Atoms) ->
    all(N, fun(I) -> [list_to_atom(Prefix ++ integer_to_list(I * Atoms + A)) || A <- lists:seq(1, Atoms)] end).

%% All at once, each on the next scheduler.
all(N, Work) ->
    Schedulers = erlang:system_info(schedulers_online),
    Started = [spawn_opt(fun() -> receive go -> Work(I) end end, [monitor, {scheduler, 1 + I rem Schedulers}])
               || I <- lists:seq(1, N)],
    [P ! go || {P, _} <- Started],
    [receive {'DOWN', Ref, _, _, _} -> ok end || {_, Ref} <- Started],
    ok.
