%% Processes as a node with Elixir has them: modules whose names begin with "Elixir.", funs, children of supervisors, tasks.
-module('Elixir.Shop.Cart').
-export([total/1, start/0, send/1, init/1, loop/1, add/2]).

%% [{What, Pid}]; all of them wait.
start() ->
    Pids = processes_of(self()),
    [receive {ready, Pid} -> ok end || {_, Pid} <- Pids],
    Pids.

processes_of(Me) ->
    Repo = spawn(?MODULE, loop, [Me]),
    register('Elixir.Shop.Repo', Repo),
    Tasks = proc_lib:spawn(fun() -> register('Elixir.Shop.Tasks', self()), parent(Me) end),
    [{repo, Repo},
     {tasks, Tasks},
     {call, spawn(?MODULE, loop, [Me])},
     {tail, spawn(fun() -> loop(Me) end)},
     {deep, spawn(fun() -> wait(Me), Me ! done end)},
     {deeper, spawn(fun() -> lists:foreach(fun(_) -> wait(Me), ok end, [x]) end)},
     {server, child(Tasks, {?MODULE, init, [Me]})},
     {'fun', child(Tasks, fun() -> wait(Me), ok end)},
     {task, child(Tasks, fun() -> put('$callers', [Me, Repo]), wait(Me), ok end)},
     {nameless, child(Tasks, fun() -> put('$callers', [Me]), wait(Me), ok end)},
     {bare, child(Tasks, {spawn, fun() -> wait(Me), Me ! done end})}].

%% As a supervisor: it has children.
parent(Me) ->
    Me ! {ready, self()},
    children().

children() ->
    receive
        {child, From, What} -> From ! {child, child_of(What)}, children();
        _ -> children()
    end.

child_of({spawn, Fun}) -> spawn(Fun);
child_of({Module, Function, Arguments}) -> proc_lib:spawn(Module, Function, Arguments);
child_of(Fun) -> proc_lib:spawn(Fun).

child(Parent, What) ->
    Parent ! {child, self(), What},
    receive {child, Pid} -> Pid end.

init(Me) -> loop(Me).

loop(Me) ->
    Me ! {ready, self()},
    idle().

idle() -> receive stop -> ok; _ -> idle() end.

%% Not a tail call, so that the caller stays on the stack.
wait(Me) -> loop(Me).

%% So that a trace sees them.
send(Pids) -> [Pid ! go || Pid <- Pids], ok.

add(A, B) -> A + B.

%% Adds up for ever, for a profile; as Elixir compiles `Enum.each(items, fn item -> ... end)`, and a function with a "!".
total(Items) ->
    _ = lists:map(fun(Item) -> ['price!'(Item)] end, Items),
    total(Items).

'price!'(Item) -> [sum(Item, 0)].

sum(0, Sum) -> Sum;
sum(N, Sum) -> sum(N - 1, Sum bxor N).
