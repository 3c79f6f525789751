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
    Event = [app, event],
    ?assertEqual(ok, erlbpf_telemetry:handle(Event, #{}, #{}, #{Event => 'app.event'})),
    ?assertError({badmatch, _}, erlbpf_telemetry:handle([other], #{}, #{}, #{Event => 'app.event'})).
