%% SPDX-License-Identifier: BSD-2-Clause
%%
%% @doc A parse transform that makes the names of a module's probes known before they fire, to `erlbpf list'.
%%
%% It looks for calls of `erlbpf:probe' and `erlbpf:span' whose name is written in the code, and changes none of them.
%% With rebar3: `{erl_opts, [{parse_transform, erlbpf_transform}]}.' In a module of Erlang:
%% `-compile({parse_transform, erlbpf_transform}).' In Elixir, which has announced
%% the end of such transforms, {@link erlbpf:declare/1} does the same when the application starts.
-module(erlbpf_transform).

-export([parse_transform/2]).

%% The function that is added: nobody calls it, but its atoms are loaded with the module.
-define(FUNCTION, '$erlbpf_probes').

%% @private
-spec parse_transform([erl_parse:abstract_form() | erl_parse:form_info()], [term()]) ->
          [erl_parse:abstract_form() | erl_parse:form_info()].
parse_transform(Forms, _Options) ->
    Names = names(Forms, #{}),
    %% The compiler of Elixir comes twice.
    case map_size(Names) =:= 0 orelse lists:keymember(?FUNCTION, 3, Forms) of
        true -> Forms;
        false -> add(lists:sort(maps:keys(Names)), Forms)
    end.

%% All names in a term of whatever shape: the code, as the compiler has it.
names({call, _, {remote, _, {atom, _, erlbpf}, {atom, _, Function}}, [{atom, _, Name} | Arguments]}, Names)
  when Function =:= probe; Function =:= span ->
    names(Arguments, Names#{Name => true});
names([Head | Tail], Names) ->
    names(Tail, names(Head, Names));
names(Tuple, Names) when is_tuple(Tuple) ->
    names(tuple_to_list(Tuple), Names);
names(_, Names) ->
    Names.

add(Names, Forms) ->
    Line = erl_anno:set_generated(true, erl_anno:new(0)),
    Marks = [Mark || Name <- Names, Mark <- erlbpf:marks(Name)],
    List = lists:foldr(fun(Mark, Tail) -> {cons, Line, {atom, Line, Mark}, Tail} end, {nil, Line}, Marks),
    Export = {attribute, Line, export, [{?FUNCTION, 0}]},
    Function = {function, Line, ?FUNCTION, 0, [{clause, Line, [], [], [List]}]},
    insert(Export, Function, Forms).

insert(Export, Function, [{attribute, _, module, _} = Module | Forms]) ->
    [Module, Export | at_end(Function, Forms)];
insert(Export, Function, [Form | Forms]) ->
    [Form | insert(Export, Function, Forms)];
insert(_, _, []) ->
    [].

at_end(Function, [{eof, _} = End | Forms]) -> [Function, End | Forms];
at_end(Function, [Form | Forms]) -> [Form | at_end(Function, Forms)];
at_end(Function, []) -> [Function].
