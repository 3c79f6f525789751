%% SPDX-License-Identifier: BSD-2-Clause
%% What the package does in the node. What erlbpf sees of it is in tests/tools/test_app.py.
-module(erlbpf_tests).

-include_lib("eunit/include/eunit.hrl").

probe_takes_any_term_test() ->
    Deep = lists:foldl(fun(_, Term) -> [Term] end, [], lists:seq(1, 100000)),
    [?assertEqual(ok, erlbpf:probe(probe, Term))
     || Term <- [#{id => 1}, Deep, binary:copy(<<0>>, 1 bsl 24), fun() -> ok end, make_ref()]],
    ?assertEqual(ok, erlbpf:probe(probe)).

probe_wants_an_atom_as_name_test() ->
    ?assertError(function_clause, erlbpf:probe("probe", 1)).

p_takes_integers_then_texts_test() ->
    ?assert(erlbpf:p()),
    ?assert(erlbpf:p(1, -2, 1 bsl 62, -(1 bsl 62), "a", <<"b">>, ["c", <<"d">>], "")),
    ?assert(erlbpf:p("a text", binary:copy(<<"x">>, 5000))).

p_refuses_what_dyntrace_refuses_test() ->
    ?assertEqual(error, erlbpf:p("text", 1)),
    ?assertEqual(error, erlbpf:p(1, 2, 3, 4, 5)),
    ?assertEqual(error, erlbpf:p("1", "2", "3", "4", "5")),
    ?assertEqual(error, erlbpf:p(no_text)).

pn_has_the_numbers_of_dyntrace_test() ->
    ?assert(erlbpf:pn(0)),
    ?assert(erlbpf:pn(950, 1, "text")),
    [?assertEqual(error, erlbpf:pn(N)) || N <- [-1, 951, 1.0]].

tag_is_of_the_process_test() ->
    ?assertEqual(undefined, erlbpf:put_tag("first")),
    ?assertEqual(<<"first">>, erlbpf:put_tag(<<"second">>)),
    ?assertEqual(<<"second">>, erlbpf:get_tag()),
    ?assertEqual(<<"second">>, erlbpf:put_tag(undefined)),
    ?assertEqual(undefined, erlbpf:get_tag()).

span_returns_what_the_function_returns_test() ->
    ?assertEqual(result, erlbpf:span(outer, fun() -> erlbpf:span(inner, fun() -> result end) end)).

span_passes_exceptions_on_test() ->
    [?assertException(Class, reason, erlbpf:span(span, fun() -> erlang:Class(reason) end))
     || Class <- [error, exit, throw]].

span_leaves_nothing_behind_test() ->
    Before = get(),
    catch erlbpf:span(span, fun() -> throw(away) end),
    ?assertEqual(Before, get()).

telemetry_is_not_needed_test() ->
    ?assertEqual({error, no_telemetry}, erlbpf_telemetry:attach([[app, event]])),
    ?assertEqual({error, no_telemetry}, erlbpf_telemetry:detach()).

telemetry_names_are_joined_by_dots_test() ->
    ?assertEqual('phoenix.endpoint.stop', erlbpf_telemetry:name([phoenix, endpoint, stop])).

telemetry_handler_fires_the_probe_of_the_event_test() ->
    Stop = [app, event, stop],
    Failed = [app, event, exception],
    Names = erlbpf_telemetry:names([Stop, Failed]),
    ?assertEqual(#{Stop => {'app.event.stop', 1}, Failed => {'app.event.exception', 2}}, Names),
    [?assertEqual(ok, erlbpf_telemetry:handle(Event, Measurements, #{}, Names))
     || Event <- [Stop, Failed],
        Measurements <- [#{}, #{duration => 5}, #{total_time => 5}, #{duration => -1}, #{duration => 1 bsl 70},
                         #{duration => 1.0}]],
    ?assertError({badmatch, _}, erlbpf_telemetry:handle([other], #{}, #{}, Names)).

a_handler_of_telemetry_is_attached_and_detached_test_() ->
    {timeout, 60, fun a_handler_of_telemetry_is_attached_and_detached/0}.

a_handler_of_telemetry_is_attached_and_detached() ->
    %% As the application has it: no dependency is needed to see what it is called with.
    Telemetry = [{attribute, 1, module, telemetry},
                 {attribute, 1, export, [{attach_many, 4}, {detach, 1}]},
                 {function, 1, attach_many, 4,
                  [{clause, 1, [{var, 1, 'Id'}, {var, 1, 'Events'}, {var, 1, 'Handler'}, {var, 1, 'Config'}], [],
                    [{call, 1, {atom, 1, put},
                      [{atom, 1, telemetry},
                       {tuple, 1, [{var, 1, 'Id'}, {var, 1, 'Events'}, {var, 1, 'Handler'}, {var, 1, 'Config'}]}]},
                     {atom, 1, ok}]}]},
                 {function, 1, detach, 1,
                  [{clause, 1, [{var, 1, '_'}], [],
                    [{call, 1, {atom, 1, erase}, [{atom, 1, telemetry}]}, {atom, 1, ok}]}]}],
    {ok, telemetry, Binary} = compile:forms(Telemetry),
    {module, telemetry} = code:load_binary(telemetry, "telemetry.erl", Binary),
    Event = [repo, query],
    ?assertEqual(ok, erlbpf_telemetry:attach(ecto, [Event])),
    {ecto, [Event], Handler, Config} = get(telemetry),
    ?assertEqual(ok, Handler(Event, #{total_time => 1}, #{}, Config)),
    ?assertEqual(ok, erlbpf_telemetry:detach(ecto)),
    ?assertEqual(undefined, get(telemetry)),
    true = code:delete(telemetry),
    code:purge(telemetry).

trace_id_of_opentelemetry_is_taken_as_it_is_or_not_at_all_test() ->
    Context = fun(Value) -> put('$__current_otel_ctx', Value), erlbpf:span(span, fun() -> ok end) end,
    [?assertEqual(ok, Context(Value))
     || Value <- [#{}, not_a_map, #{{otel_tracer, span_ctx} => undefined},
                  #{{otel_tracer, span_ctx} => {span_ctx, 1 bsl 127, 5, 1}},
                  #{{otel_tracer, span_ctx} => {span_ctx}}, #{{otel_tracer, span_ctx} => {span_ctx, <<"text">>}}]],
    erase('$__current_otel_ctx').

declared_names_are_atoms_test() ->
    ?assertEqual(ok, erlbpf:declare([a_declared_probe, list_to_atom(lists:duplicate(255, $x))])),
    ?assertEqual(['$erlbpf:a_declared_probe'], erlbpf:marks(a_declared_probe)),
    ?assertEqual([], erlbpf:marks(list_to_atom(lists:duplicate(255, $x)))),
    ?assertError(function_clause, erlbpf:declare(["text"])).

transform_finds_names_and_changes_nothing_else_test_() ->
    {timeout, 60, fun transform_finds_names_and_changes_nothing_else/0}.

transform_finds_names_and_changes_nothing_else() ->
    Forms = [begin {ok, Tokens, _} = erl_scan:string(Text), {ok, Form} = erl_parse:parse_form(Tokens), Form end
             || Text <- ["-module(transformed).", "-export([f/1]).",
                         "f(X) -> erlbpf:probe(first, X), erlbpf:span(second, fun() -> erlbpf:probe(third), X end)."]],
    Transformed = erlbpf_transform:parse_transform(Forms, []),
    ?assertEqual(Transformed, erlbpf_transform:parse_transform(Transformed, [])),
    {ok, transformed, Binary} = compile:forms(Transformed, [warnings_as_errors]),
    {module, transformed} = code:load_binary(transformed, "transformed.erl", Binary),
    ?assertEqual(7, apply(transformed, f, [7])),
    ?assertEqual(lists:append([erlbpf:marks(Name) || Name <- [first, second, third]]),
                 apply(transformed, '$erlbpf_probes', [])),
    true = code:delete(transformed),
    code:purge(transformed),
    ?assertEqual(tl(Forms), erlbpf_transform:parse_transform(tl(Forms) -- [lists:last(Forms)], []) ++ [lists:last(Forms)]).

percentiles_are_limits_of_buckets_test() ->
    Entry = fun(Counts) -> #{key => [], buckets => [#{lo => High, hi => High, count => Count} || {High, Count} <- Counts]} end,
    ?assertEqual(20, erlbpf_port:percentile(99, Entry([{10, 98}, {20, 1}, {30, 1}]))),
    ?assertEqual(30, erlbpf_port:percentile(100, Entry([{10, 98}, {20, 1}, {30, 1}]))),
    ?assertEqual(20, erlbpf_port:percentile(0, Entry([{10, 0}, {20, 1}]))),
    ?assertEqual(undefined, erlbpf_port:percentile(50, Entry([{10, 0}]))),
    ?assertEqual(undefined, erlbpf_port:percentile(50, Entry([]))).

a_program_that_is_not_there_or_no_port_is_an_error_test_() ->
    {timeout, 60, fun a_program_that_is_not_there_or_no_port_is_an_error/0}.

a_program_that_is_not_there_or_no_port_is_an_error() ->
    ?assertEqual({error, enoent}, erlbpf_port:open(#{command => ["/no/such/erlbpf"]})),
    {ok, Handle} = erlbpf_port:open(#{command => ["false"]}),
    ?assertEqual({error, closed}, erlbpf_port:go(Handle)),
    ?assertEqual(ok, erlbpf_port:close(Handle)),
    ?assertEqual({error, closed}, erlbpf_port:go(Handle)).
