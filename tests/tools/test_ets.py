"""ets, held against operations that the node counts and times itself."""
from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within

TABLES = ("T = ets:new(rates, [named_table, public]), U = ets:new(cache, [public]),"
          "V = ets:new(cache, [public, ordered_set])")

# Operation, its calls for each N, and the table.
OPERATIONS = [
    ("ets:insert/2", "ets:insert(T, {N, N})", "rates"),
    ("ets:insert_new/2", "ets:insert_new(U, {N, N})", "U"),
    ("ets:insert/2", "ets:insert(V, {N, 0})", "V"),
    ("ets:lookup/2", "ets:lookup(V, N)", "V"),
    ("ets:lookup_element/3", "ets:lookup_element(T, N, 2)", "rates"),
    ("ets:member/2", "ets:member(U, N)", "U"),
    ("ets:update_counter/3", "ets:update_counter(V, N, 1)", "V"),
    ("ets:update_counter/4", "ets:update_counter(V, -N, 1, {-N, 0})", "V"),
    ("ets:update_element/3", "ets:update_element(T, N, {2, x})", "rates"),
    ("ets:next/2", "ets:next(V, N)", "V"),
    ("ets:prev/2", "ets:prev(V, N)", "V"),
    ("ets:select_count/2", "ets:select_count(T, [{{N, '_'}, [], [true]}])", "rates"),
    ("ets:select/2", "ets:select(U, [{{N, '_'}, [], [true]}])", "U"),
    ("ets:select_delete/2", "ets:select_delete(V, [{{-N, '_'}, [], [true]}])", "V"),
    ("ets:match/2", "ets:match(T, {N, '$1'})", "rates"),
    ("ets:match_object/2", "ets:match_object(T, {N, '_'})", "rates"),
    ("ets:delete/2", "ets:delete(V, N)", "V"),
    ("ets:take/2", "ets:take(U, N)", "U"),
    ("ets:delete_object/2", "ets:delete_object(T, {N, x})", "rates"),
    ("ets:new/2", "W = ets:new(own, [named_table])", "own"),
    ("ets:info/2", "ets:info(W, size)", "own"),
    ("ets:rename/2", "ets:rename(W, other)", "own"),
    ("ets:delete/1", "ets:delete(other)", "other"),
]
NEW_OPERATIONS = [
    ("ets:lookup_element/4", "ets:lookup_element(T, N, 2, none)", "rates"),
    ("ets:update_element/4", "ets:update_element(U, N, {2, y}, {N, 0})", "U"),
    ("ets:first_lookup/1", "ets:first_lookup(U)", "U"),
    ("ets:next_lookup/2", "ets:next_lookup(V, N)", "V"),
]


def names_of(node):
    references = dict((name, node.eval(name).strip('"')) for name in "UV")
    return {name: "cache " + reference for name, reference in references.items()}


@over(WITH_NEWEST)
def test_every_operation_is_counted_exactly_with_its_table(vm):
    operations = OPERATIONS + (NEW_OPERATIONS if vm.otp >= 27 else [])
    body = "fun F(0) -> ok; F(N) -> %s, F(N - 1) end" % ", ".join(code for _, code, _ in operations)
    with shared(vm) as node:
        node.eval("%s, F = %s" % (TABLES, body))
        names = names_of(node)
        trace = Trace("ets", "-j", "-p", node.pid)
        node.eval("F(137)")
        lines = trace.stop_json()
    rows = of_type(lines, "table")[0]["rows"]
    seen = {(row["operation"], row["table"]): row for row in rows}
    for operation, _, table in operations:
        row = seen[operation, names.get(table, table)]
        assert row["calls"] == 137 and 0 < row["max"] <= row["time"], (operation, row)
    calls = sum(row["calls"] for row in rows)
    assert of_type(lines, "hist")[0]["count"] == calls and lines[-1]["lost"] == 0, lines[-1]


NAP_MS = 5


@over(VMS)
def test_an_operation_that_gives_way_is_one_and_lasts_until_it_is_done(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("T = ets:new(large, [named_table, public, ordered_set])")
        node.eval("ets:insert(T, [{N, N} || N <- lists:seq(1, 30000)]), L = [{N, 0} || N <- lists:seq(1, 20000)]")
        node.eval("M = [{{'$1', '_'}, [{'>', '$1', 5}], [true]}]")
        # Whenever the operation gives way, another process keeps the only scheduler.
        node.eval("sleeper:load(), spawn(fun F() -> sleeper:nap(%d), erlang:yield(), F() end)" % NAP_MS)
        for code, operation in (("ets:select_count(T, M)", "ets:select_count/2"),
                                ("length(ets:tab2list(T))", "ets:match_object/2"), ("ets:insert(T, L)", "ets:insert/2")):
            trace = Trace("ets", "-j", "-p", node.pid, "--min", "1ns")
            own = int(node.eval("(fun() -> T0 = os:perf_counter(nanosecond), %s, os:perf_counter(nanosecond) - T0 end)()" % code))
            lines = trace.stop_json()
            event, = [e for e in of_type(lines, "event") if e["table"] == "large"]
            assert event["operation"] == operation and lines[-1]["unfinished"] == 0, (event, lines[-1])
            assert lines[-1]["yielded"] >= 1, lines[-1]
            within(NAP_MS * 1000000, event["took"], own)


@over(VMS)
def test_by_table_and_by_function_have_a_histogram_each(vm):
    with shared(vm) as node:
        node.eval(TABLES)
        names = names_of(node)
        for by, keys in (("table", ["rates", names["U"]]), ("function", ["ets:insert/2", "ets:member/2"])):
            # Code that is loaded meanwhile is inserted into a table too, by another process.
            trace = Trace("ets", "-j", "-p", node.pid, "--by", by, "--erl-pid", node.eval("self()"))
            node.eval("[begin ets:insert(T, {N, N}), ets:member(U, N) end || N <- lists:seq(1, 50)]")
            hists = {hist["key"]: hist["count"] for hist in of_type(trace.stop_json(), "hist")}
            assert hists == {keys[0]: 50, keys[1]: 50}, (by, hists)


@over(VMS[:1])
def test_csv_is_the_table_alone(vm):
    with shared(vm) as node:
        node.eval("T = ets:new(rates, [named_table, public])")
        trace = Trace("ets", "-f", "csv", "-p", node.pid)
        node.eval("ets:insert(T, {a, 1})")
        lines = trace.stop().splitlines()
    assert lines[0] == "table,operation,calls,time,max,watched_s,windows,rate,rate_low,rate_high"
    assert any(line.startswith("rates,ets:insert/2,1,") for line in lines[1:]), lines


@over(VMS)
def test_only_the_operations_of_one_process_are_shown(vm):
    with shared(vm) as node:
        node.eval("T = ets:new(rates, [named_table, public])")
        me = node.eval("self()")
        trace = Trace("ets", "-j", "-p", node.pid, "--erl-pid", me)
        node.eval("{P, R} = spawn_monitor(fun() -> ets:insert(T, {a, 1}) end), ets:insert(T, {b, 2}),"
                  "receive {'DOWN', R, _, P, _} -> ok end")
        rows = of_type(trace.stop_json(), "table")[0]["rows"]
    assert [row["calls"] for row in rows if row["operation"] == "ets:insert/2" and row["table"] == "rates"] == [1]
