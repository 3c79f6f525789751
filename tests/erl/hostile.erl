%% Gives hostile names to all that a node can give a name to, and uses it.
-module(hostile).
-export([quiet/0, use/2, marks/1]).

quiet() ->
    logger:set_primary_config(level, none),
    ok.

%% Texts are lists of code points.
use(Folder, Texts) ->
    [use_one(Folder, Text) || Text <- Texts],
    ok.

use_one(Folder, Text) ->
    Atom = list_to_atom(lists:sublist(Text, 255)),
    [try Use(Folder, Text, Atom) catch _:_ -> failed end || Use <- uses()].

uses() ->
    [fun exits/3, fun registered/3, fun tables/3, fun files/3, fun commands/3, fun programs/3, fun calls/3, fun remote/3,
     fun tags/3].

exits(_, Text, Atom) ->
    [await(spawn_monitor(fun() -> exit(Reason) end)) || Reason <- [Atom, Text, {Atom, Text}, list_to_binary(utf8(Text))]].

registered(_, Text, Atom) ->
    Loop = fun Loop() -> receive stop -> ok; {From, What} -> garbage_collect(), From ! What, Loop() end end,
    {Pid, _} = Monitor = spawn_monitor(fun() -> put(Text, Atom), Loop() end),
    catch register(Atom, Pid),
    [begin Pid ! {self(), Text}, receive Text -> ok end end || _ <- [1, 2, 3]],
    {ok, Timer} = timer:send_after(0, Pid, stop),
    timer:cancel(Timer),
    Pid ! stop,
    await(Monitor).

tables(_, Text, Atom) ->
    Table = ets:new(Atom, [public, named_table]),
    ets:insert(Table, {Text, Atom}),
    ets:lookup(Table, Text),
    ets:delete(Table).

files(Folder, Text, _) ->
    Name = path(Folder, Text),
    file:write_file(Name, <<"x">>),
    file:read_file(Name),
    file:rename(Name, <<Name/binary, ".b">>),
    file:delete(<<Name/binary, ".b">>),
    file:make_dir(Name),
    file:del_dir(Name).

commands(_, Text, _) ->
    Port = open_port({spawn, "true '" ++ [C || C <- Text, C =/= $'] ++ "'"}, [exit_status]),
    receive {Port, {exit_status, _}} -> ok end.

programs(Folder, Text, _) ->
    Name = path(Folder, Text),
    ok = file:make_symlink(<<"/bin/true">>, Name),
    Port = open_port({spawn_executable, Name}, [exit_status, {args, [utf8(Text)]}]),
    receive {Port, {exit_status, _}} -> ok end,
    file:delete(Name).

%% A function of that name; and a module, if the release allows it.
calls(_, _, Atom) ->
    call(hostile_code, Atom),
    call(Atom, Atom).

call(Name, Atom) ->
    Forms = [{attribute, 1, module, Name}, {attribute, 1, export, [{Atom, 1}]},
             {function, 1, Atom, 1, [{clause, 1, [{var, 1, '_'}], [], [{atom, 1, ok}]}]}],
    {ok, Module, Code} = compile:forms(Forms, []),
    {module, Module} = code:load_binary(Module, "nofile", Code),
    await(spawn_monitor(Module, Atom, [Atom])),
    await(spawn_monitor(erlang, apply, [Module, Atom, [Atom]])),
    catch Module:nothing(Atom),
    code:purge(Module),
    code:delete(Module).

remote(_, Text, Atom) ->
    Node = list_to_atom(lists:sublist(atom_to_list(Atom), 200) ++ "@nowhere"),
    {Atom, Node} ! Text,
    monitor_node(Node, true),
    receive {nodedown, Node} -> ok end.

tags(_, Text, _) ->
    dyntrace:put_tag(iolist_to_binary(utf8(Text))),
    dyntrace:p(1, utf8(Text)),
    dyntrace:pn(1, 2, utf8(Text), utf8(Text)),
    dyntrace:put_tag(<<>>).

%% Bytes that are what they are.
marks(Texts) ->
    [dyntrace:p(N, Text) || {N, Text} <- Texts],
    ok.

await({Pid, Monitor}) ->
    receive {'DOWN', Monitor, process, Pid, _} -> ok end.

utf8(Text) ->
    unicode:characters_to_binary(Text).

path(Folder, Text) ->
    Name = utf8([C || C <- lists:sublist(Text, 50), C =/= $/]),
    iolist_to_binary([Folder, "/x", Name]).
