"""uprobe, held against what the node calls and prints itself."""
import json

from lib import EMU, LIMIT, STOCK, USDT, VMS, WITH_NEWEST, Node, Trace, erlbpf, of_type, over, probe_total, shared, within

TABLE = "T = ets:new(rates, [named_table, public, {write_concurrency, true}]), ok"

# Writers that work at once.
WRITE = ("[receive {'DOWN', _, _, _, _} -> ok end || _ <- [spawn_monitor(fun() -> "
         "[ets:insert(T, {N, N}) || N <- lists:seq(1, %d)] end) || _ <- lists:seq(1, 4)]], ok")


def counts(lines):
    return {row["function"]: row["calls"] for table in of_type(lines, "table") for row in table["rows"]}


def shown(lines):
    return [(event["call"], event["result"]) for event in of_type(lines, "event")]


@over(VMS)
def test_every_call_is_counted(vm):
    with shared(vm, "+S", "4") as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets_insert_2", "-j", "-p", node.pid)
        node.eval(WRITE % 5000)
        lines = trace.stop_json()
    assert counts(lines) == {"ets_insert_2": 20000}
    assert lines[-1]["probes"]["uprobe-entry"] == {"events": 20000, "lost": 0}


@over(WITH_NEWEST)
def test_names_of_erlang_find_the_functions_of_bifs(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets:[il]*", "-j", "-p", node.pid)
        node.eval("ets:insert(T, {1, a}), ets:insert(T, {2, b}), ets:insert_new(T, {1, c}), ets:lookup(T, 1)")
        lines = trace.stop_json()
    found = counts(lines)
    # Its own tables are looked into by the node, too.
    found.pop("ets_lookup_element_4", None)
    assert found == {"ets_insert_2": 2, "ets_insert_new_2": 1, "ets_lookup_2": 1}


@over(VMS)
def test_an_interval_has_its_own_counts(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets_insert_2", "-j", "-p", node.pid, "-i", "100ms")
        node.eval(WRITE % 500)
        lines = []
        while not counts(lines):
            lines.append(json.loads(trace.line()))
        node.eval(WRITE % 500)
        lines += map(json.loads, trace.stop().splitlines())
    tables = [table["rows"] for table in of_type(lines, "table") if table["rows"]]
    assert sum(row["calls"] for rows in tables for row in rows) == 4000 and len(tables) > 1, tables


@over([STOCK])
def test_counts_are_rows_of_csv_too(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets_insert_2", "-f", "csv", "-p", node.pid)
        node.eval("[ets:insert(T, {N, N}) || N <- lists:seq(1, 7)], ok")
        assert trace.stop().splitlines() == ["function,calls,watched_s,windows,rate,rate_low,rate_high", "ets_insert_2,7,,,,,"]


TERMS = ["a", "'a b'", "{1,[2,3|x],#{k => \"text\"}}", "<<1,2,300:16>>", "1.5", "-123456789012345678901234567890",
         "self()", "[{a,b}]", "\"\\e[31mred\"", "{make_ref()}", "fun lists:map/2", "lists:duplicate(20, {x,1})"]


@over(VMS)
def test_arguments_and_results_of_bifs_are_what_the_node_prints(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        caller = node.eval("self()")
        for n, term in enumerate(TERMS):
            node.eval("X%d = %s" % (n, term))
        printed = [node.eval("X%d" % n) for n in range(len(TERMS))]
        trace = Trace("uprobe", "ets:[il]*/2", "--show", "-j", "-p", node.pid, "--erl-pid", caller)
        for n in range(len(TERMS)):
            node.eval("ets:insert(T, {%d, X%d}), ets:lookup(rates, %d), ok" % (n, n, n))
        lines = trace.stop_json()
    expected = []
    for n, text in enumerate(printed):
        expected += [("ets:insert(rates,{%d,%s})" % (n, text), "true"),
                     ("ets:lookup(rates,%d)" % n, "[{%d,%s}]" % (n, text))]
    assert shown(lines) == expected, [pair for pair in zip(shown(lines), expected) if pair[0] != pair[1]]
    assert {event["pid"] for event in of_type(lines, "event")} == {caller}
    assert {event["function"] for event in of_type(lines, "event")} == {"ets_insert_2", "ets_lookup_2"}
    assert lines[-1]["probes"] == {"uprobe-return": {"events": len(expected), "lost": 0}}


@over(VMS)
def test_a_result_is_not_taken_for_what_lay_there_when_the_call_began(vm):
    """Results are made behind the arguments, on the same heap: in memory that was looked at already."""
    with shared(vm) as node:
        caller = node.eval("self()")
        trace = Trace("uprobe", "lists:reverse/2", "--show", "-j", "-p", node.pid, "--erl-pid", caller)
        node.eval("[lists:reverse([{N, a}], [b]) || N <- lists:seq(1, 200)], ok")
        lines = trace.stop_json()
    mine = [pair for pair in shown(lines) if ",a}]" in pair[0]]
    assert mine == [("lists:reverse([{%d,a}],[b])" % n, "[{%d,a},b]" % n) for n in range(1, 201)], mine[:5]


@over(VMS)
def test_what_is_too_large_is_cut_at_its_end(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        node.eval("ets:insert(T, {11, lists:duplicate(200, {x, 1})})")
        trace = Trace("uprobe", "ets_lookup_2", "--show", "-j", "-p", node.pid)
        node.eval("[ets:lookup(T, 11) || _ <- lists:seq(1, 50)], ok")
        results = [result for _, result in shown(trace.stop_json())]
    assert len(results) == 50
    for result in results:
        assert result.startswith("[{11,[{x,1},{x,1},") and "..." in result, result


@over(VMS)
def test_exceptions_and_traps_are_no_results(vm):
    with shared(vm) as node:
        node.eval("B = binary:copy(<<1>>, 1000000), ok")
        trace = Trace("uprobe", "*_[12]", "--show", "-j", "-p", node.pid, "--erl-pid", node.eval("self()"))
        node.eval("catch ets:lookup(nosuch, 1), catch erlang:throw(ball), catch erlang:exit({a, b}), "
                  "catch erlang:error(mine), erlang:md5(B), ok", limit=120)
        found = dict(shown(trace.stop_json()))
    assert found["ets:lookup(nosuch,1)"] == "error:badarg"
    assert found["erlang:throw(ball)"] == "throw:ball"
    assert found["erlang:exit({a,b})"] == "exit:{a,b}"
    assert found["erlang:error(mine)"] == "error:mine"
    assert "(trap)" in [result for call, result in found.items() if call.startswith("erlang:md5(")], found


@over(VMS)
def test_arguments_of_other_functions_are_known_or_said(vm):
    with shared(vm) as node:
        receiver = node.eval("P = spawn(fun F() -> receive stop -> ok; _ -> F() end end)")
        sender = node.eval("self()")
        seen = []
        for function in ("erts_send_message", "erts_send_message(process,_,hex,term)",
                         "erts_send_message( _ , process )"):
            trace = Trace("uprobe", function, "--show", "-j", "-p", node.pid)
            node.eval("P ! {hello, \"you\"}")
            seen.append([call for call, _ in shown(trace.stop_json()) if receiver in call or '"you"' in call])
    known, said, part = [calls[0] for calls in seen]
    assert known.startswith("erts_send_message(%s,%s,0x" % (sender, receiver)), known
    assert known.endswith(',{hello,"you"})'), known
    assert said.startswith("erts_send_message(%s,_,0x" % sender) and said.endswith(',{hello,"you"})'), said
    assert part == "erts_send_message(_,%s)" % receiver, part


@over(VMS)
def test_texts_bytes_and_functions_of_erlang_are_shown(vm):
    with shared(vm) as node:
        seen = []
        for function, what in (("erts_open_driver(_,term,str)->port", "os:cmd(\"true\")"),
                               ("erts_open_driver(_,_,bytes(7),...)", "os:cmd(\"true\")"),
                               ("erts_open_driver -> hex", "os:cmd(\"true\")"),
                               ("handle_error(process,_,_,mfa)", "catch ets:lookup(nosuch, 1)")):
            trace = Trace("uprobe", function, "--show", "-j", "-p", node.pid)
            node.eval(what)
            seen.append(shown(trace.stop_json())[0])
        caller = node.eval("self()")
    shell = '"/bin/sh -s unix:cmd"'
    assert seen[0][0] == "erts_open_driver(_,%s,%s)" % (caller, shell) and "#Port<0." in seen[0][1], seen
    assert seen[1][0] == "erts_open_driver(_,_,%s,...)" % b"/bin/sh".hex(), seen
    assert seen[2][0] == "erts_open_driver(...)" and seen[2][1].startswith("0x"), seen
    assert seen[3][0] == "handle_error(%s,_,_,ets:lookup/2)" % caller, seen


@over(VMS)
def test_numbers_texts_and_functions_that_do_not_return_are_shown(vm):
    with Node(vm) as node:
        trace = Trace("uprobe", "erts_exit(int,str)", "--show", "-j", "-p", node.pid)
        node.say("erlang:halt(3, [{flush, false}]).")
        node.child.wait(LIMIT)
        lines = trace.stop_json(sig=None)
    assert shown(lines) == [('erts_exit(3,"")', None)], shown(lines)
    assert of_type(lines, "event")[0]["took"] is None
    assert lines[-1]["probes"] == {"uprobe-entry": {"events": 1, "lost": 0}}


@over(VMS)
def test_only_calls_of_the_wanted_process_count(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets_insert_2", "-j", "-p", node.pid, "--erl-pid", node.eval("self()"))
        node.eval("[ets:insert(T, {N, N}) || N <- lists:seq(1, 30)], " + WRITE % 100)
        lines = trace.stop_json()
    assert counts(lines) == {"ets_insert_2": 30}


NAP_MS = 20
WAITS = ("(fun(Times) -> {lists:max(Times), lists:sum(Times)} end)([begin Begin = os:perf_counter(nanosecond), "
         "erts_debug:dirty_cpu(wait, %d), os:perf_counter(nanosecond) - Begin end || _ <- lists:seq(1, 9)])" % NAP_MS)


@over(VMS)
def test_a_call_takes_as_long_as_the_node_says(vm):
    with shared(vm) as node:
        trace = Trace("uprobe", "erts_debug_dirty_cpu_2", "--time", "-j", "-p", node.pid)
        longest, total = map(int, node.eval(WAITS).strip("{}").split(","))
        hist, = of_type(trace.stop_json(), "hist")
    assert hist["count"] == 9, hist
    within(NAP_MS * 10**6, hist["min"], longest)
    within(NAP_MS * 10**6, hist["max"], longest)
    within(9 * NAP_MS * 10**6, hist["sum"], total)


@over(VMS)
def test_each_function_has_its_own_time(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets_*_2", "--by", "function", "-j", "-p", node.pid)
        node.eval("[ets:insert(T, {N, N}) || N <- lists:seq(1, 40)], [ets:lookup(T, N) || N <- [1,2,3]], ok")
        lines = trace.stop_json()
    by_function = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
    assert by_function == {"ets_insert_2": 40, "ets_lookup_2": 3}, by_function


@over(VMS)
def test_slow_calls_are_printed_one_by_one(vm):
    with shared(vm) as node:
        for show in ([], ["--show"]):
            trace = Trace("uprobe", "erts_debug_dirty_cpu_2", "--min", "10ms", "-j", "-p", node.pid, *show)
            node.eval("[erts_debug:dirty_cpu(wait, 1) || _ <- lists:seq(1, 50)], erts_debug:dirty_cpu(wait, 40)")
            events = of_type(trace.stop_json(), "event")
            # On a busy machine some of the short ones are slow, too.
            assert 0 < len(events) <= 51 and all(event["took"] >= 10e6 for event in events), events
            assert events[-1]["function"] == "erts_debug_dirty_cpu_2" and events[-1]["took"] >= 20e6, events
        assert events[-1]["call"] == "erts_debug:dirty_cpu(wait,40)" and events[-1]["result"] == "ok", events
        trace = Trace("uprobe", "erts_debug_dirty_cpu_2", "--min", "1h", "-j", "-p", node.pid)
        node.eval("erts_debug:dirty_cpu(wait, 1)")
        assert not of_type(trace.stop_json(), "event")


@over(VMS)
def test_calls_that_come_too_fast_are_counted_as_lost(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        trace = Trace("uprobe", "ets_insert_2", "--show", "-j", "-p", node.pid)
        # Its output is read when it has ended, so it has to wait with it.
        node.eval(WRITE % 10000, limit=120)
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert lines[-1]["probes"]["uprobe-return"]["events"] == len(events)
    assert probe_total(lines, "uprobe-entry") + probe_total(lines, "uprobe-return") == 40000
    for event in events:
        number = event["call"].split(",")[-1].strip("})")
        assert event["call"] == "ets:insert(rates,{%s,%s})" % (number, number), event


@over([STOCK])
def test_what_nodes_name_is_safe_to_print(vm):
    with shared(vm) as node:
        node.eval("ets:new('\\e[31m\\n', [named_table, public])")
        trace = Trace("uprobe", "ets_insert_2", "--show", "-p", node.pid)
        node.eval("ets:insert('\\e[31m\\n', {\"\\e]0;x\\a\", '\\x{202e}'})")
        out = trace.stop()
    assert len(out.splitlines()) == 2 and "\x1b" not in out and "\u202e" not in out, out


REFUSED = [
    (["nosuch*"], 3, "no function of this VM is named nosuch*"),
    (["*"], 3, "name fewer functions, or use --unsafe"),
    (["process_main", "--time"], 3, "never leaves it while the node runs"),
    (["ethr_*", "--erl-pid", "<0.9.0>"], 3, "the calling process is unknown"),
    (["ets_insert_2", "--source", "usdt"], 3, "a function is not a note"),
    (["ets_insert_2(foo)"], 2, "a type is not one of"),
    (["ets_insert_2", "--show", "--time"], 2, "--show prints calls"),
    ([], 2, "expected a function"),
]


@over([STOCK])
def test_what_cannot_be_had_is_refused_with_the_reason(vm):
    with shared(vm) as node:
        for args, code, why in REFUSED:
            _, err = erlbpf("uprobe", *args, "-p", node.pid, code=code)
            assert why in err, (args, err)


@over([STOCK])
def test_functions_that_end_the_node_are_left_out_of_a_glob(vm):
    with shared(vm) as node:
        trace = Trace("uprobe", "erts_e*", "--time", "-j", "-p", node.pid)
        missing = trace.stop_json()[-1]["targets"][0]["missing"]
    assert any("erts_exit" in entry["why"] for entry in missing), missing


ALL_SORTS = ("[begin ets:insert(T, {N, lists:seq(1, N)}), Q = spawn(fun() -> receive X -> X end end), Q ! N, "
             "erlang:garbage_collect(), binary_to_term(term_to_binary({N, [a]})) end || N <- lists:seq(1, 50)], "
             "file:read_file(\"/proc/self/status\"), os:cmd(\"echo hi\"), catch nosuch:function(), ok")


@over([STOCK, USDT, EMU])
def test_a_node_survives_probes_at_all_its_functions_and_their_returns(vm):
    with shared(vm) as node:
        node.eval(TABLE)
        for mode in ([], ["--time"], ["--show"]):
            trace = Trace("uprobe", "*", "--unsafe", "-j", "-p", node.pid, *mode)
            assert node.eval(ALL_SORTS) == "ok"
            lines = trace.stop_json()
            assert probe_total(lines, "uprobe-entry") + probe_total(lines, "uprobe-return") > 10000
        assert node.eval("1 + 1") == "2"
