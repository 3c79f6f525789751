%% Processes that are born and end in known ways, and what the node itself says of them.
-module(lives).
-behaviour(gen_server).
-export([ends/1, links/2, signals/2, funs/0, storm/3, run/0, run/1]).
-export([init/1, handle_call/3, handle_cast/2]).

%% A process for each reason, one after the other; "Pid Reason" of each as the node prints them.
ends(Reasons) ->
    show([begin
              {P, M} = spawn_monitor(erlang, exit, [Reason]),
              receive {'DOWN', M, process, P, Seen} -> {P, Seen} end
          end || Reason <- Reasons]).

%% In base 64, since reasons may hold anything.
show(Lines) ->
    Texts = [[pid_to_list(P), $\s, io_lib:format("~0p", [Reason]), $\n] || {P, Reason} <- Lines],
    binary_to_list(base64:encode(unicode:characters_to_binary(Texts))).

%% A process with N others linked to it, which all end with it; those others.
links(N, Reason) ->
    Me = self(),
    P = spawn(fun() ->
                  Linked = [spawn_link(fun() -> receive never -> ok end end) || _ <- lists:seq(1, N)],
                  Me ! {linked, Linked},
                  receive go -> exit(Reason) end
              end),
    Linked = receive {linked, Pids} -> Pids end,
    Monitors = [monitor(process, L) || L <- Linked],
    P ! go,
    [receive {'DOWN', M, _, _, _} -> ok end || M <- Monitors],
    {P, Linked}.

%% N exit signals to a process that takes them as messages; that process.
signals(N, Reason) ->
    P = spawn(fun() -> process_flag(trap_exit, true), trapping(N) end),
    M = monitor(process, P),
    %% It traps once it answers.
    P ! {self(), ready}, receive ready -> ok end,
    [exit(P, Reason) || _ <- lists:seq(1, N)],
    receive {'DOWN', M, _, _, _} -> P end.

trapping(0) -> ok;
trapping(N) ->
    receive
        {From, ready} -> From ! ready, trapping(N);
        {'EXIT', _, _} -> trapping(N - 1)
    end.

%% Funs with 0 to 20 free variables, the last ones with arguments of the spawn between.
funs() ->
    [fun() -> ok end] ++ [fun_of(N) || N <- [1, 2, 3, 5, 20]] ++ [fun ?MODULE:run/0, fun run/0].

fun_of(1) -> A = self(), fun() -> A end;
fun_of(2) -> A = self(), B = node(), fun() -> {A, B} end;
fun_of(3) -> A = self(), B = node(), C = {A, B}, fun() -> [A, B, C] end;
fun_of(5) -> [A, B, C, D, E] = numbers(5), fun() -> A + B * C - D + E end;
fun_of(20) ->
    [A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T] = numbers(20),
    fun() -> A + B * C - D + E - F * G + H - I + J * K - L + M * N + O - P + Q * R - S + T end.

numbers(N) -> [erlang:unique_integer() rem X || X <- lists:seq(1, N)].

run() -> ok.
run(_) -> ok.

%% N processes by this way of spawning, one after the other has ended; what the node has counted.
storm(How, N, Arg) ->
    [begin
         {P, M} = spawn_by(How, Arg),
         receive {'DOWN', M, process, P, _} -> ok end
     end || _ <- lists:seq(1, N)],
    N.

spawn_by(plain, Arg) -> spawn_monitor(?MODULE, run, [Arg]);
spawn_by('fun', _) -> spawn_monitor(fun() -> ok end);
spawn_by(proc_lib, Arg) -> monitored(proc_lib:spawn(?MODULE, run, [Arg]));
spawn_by(gen_server, Arg) ->
    {ok, P} = gen_server:start(?MODULE, Arg, []),
    M = monitor(process, P),
    gen_server:cast(P, stop),
    {P, M};
spawn_by(request, Arg) ->
    R = spawn_request(?MODULE, run, [Arg], [monitor]),
    receive {spawn_reply, R, ok, P} -> {P, R} end.

monitored(P) -> {P, monitor(process, P)}.

init(Arg) -> {ok, Arg}.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast(stop, S) -> {stop, normal, S}.
