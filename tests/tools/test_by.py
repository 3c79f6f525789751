"""--by as text: one table, the worst first."""
from lib import STOCK, Node, Trace, erlbpf


def table(node, *words):
    trace = Trace(*words, "-p", node.pid)
    node.eval("calling:call(P, {30, reverse}), calling:call(P, {10, find}), calling:call(P, {20, insert}), calling:call(P, long)")
    out = trace.stop()
    head, *lines = out[out.index("KEY"):].splitlines()
    assert head.split() == ["KEY", "COUNT", "P50", "P90", "P99", "MAX", "TOTAL", "NAME"], head
    return [line.split()[0] for line in lines if ":" in line.split(" ")[0]], out


def prepared():
    node = Node(STOCK)
    node.eval("ets:new(calling, [named_table, public]), P = calling:start(), calling:call(P, {1, reverse})")
    return node


def test_the_worst_key_is_first():
    with prepared() as node:
        keys, out = table(node, "calls", "--by", "function", "--erl-pid", node.eval("P"))
    # Of two million elements; the others' arguments have two.
    assert keys[0] == "erts_debug:flat_size/1" and "ets:insert/2" in keys, out
    assert "Distribution" not in out, out


def test_rows_are_sorted_limited_and_counted():
    with prepared() as node:
        of = ("calls", "--by", "function", "--erl-pid", node.eval("P"))
        by_count, _ = table(node, *of, "--sort", "count")
        by_name, _ = table(node, *of, "--sort", "key")
        two, out = table(node, *of, "--sort", "count", "--rows", "2")
    assert by_count.index("lists:reverse/2") < by_count.index("ets:insert/2") < by_count.index("lists:keyfind/3"), by_count
    assert by_name == sorted(by_name), by_name
    assert len(two) == 2 and "and %d more; --rows=N shows more\n" % (len(by_name) - 2) in out, out


def test_histograms_of_the_rows_are_shown_if_asked_for():
    with prepared() as node:
        keys, out = table(node, "calls", "--by", "function", "--erl-pid", node.eval("P"), "--rows", "1", "--hist")
    assert out.count("Distribution") == 1 and "\n  %s" % keys[0] in out, out


def test_a_column_that_is_none_is_refused():
    with Node(STOCK) as node:
        _, err = erlbpf("calls", "--by", "function", "--sort", "size", "-p", node.pid, code=2)
    assert 'calls has no column "size"' in err, err


def test_keys_of_two_nodes_say_whose_they_are():
    with Node(STOCK) as one, Node(STOCK) as other:
        trace = Trace("gc", "--by", "name", "-p", "%d,%d" % (one.pid, other.pid))
        for node in (one, other):
            node.eval("erlang:garbage_collect()")
        out = trace.stop()
    assert "process %d)" % one.pid in out and "process %d)" % other.pid in out, out
