"""--by as text: one table, the worst first."""
import contextlib
import re

import examples
from lib import STOCK, Node, Trace, erlbpf, of_type, over, shared


def table(node, *words):
    trace = Trace(*words, "-p", node.pid)
    node.eval("calling:call(P, {30, reverse}), calling:call(P, {10, find}), calling:call(P, {20, insert}), calling:call(P, long)")
    out = trace.stop()
    head, *lines = out[out.index("KEY"):].splitlines()
    assert head.split() == ["KEY", "COUNT", "P50", "P90", "P99", "MAX", "TOTAL", "NAME"], head
    return [line.split()[0] for line in lines if ":" in line.split(" ")[0]], out


@contextlib.contextmanager
def prepared():
    with shared(STOCK) as node:
        node.eval("ets:new(calling, [named_table, public]), P = calling:start(), calling:call(P, {1, reverse})")
        yield node


UNITS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}


def in_ns(text):
    number, unit = re.fullmatch(r"([\d.]+)([num]?s)", text).groups()
    return float(number) * UNITS[unit]


def test_the_worst_key_is_first():
    with prepared() as node:
        keys, out = table(node, "calls", "*", "--by", "function", "--erl-pid", node.eval("P"))
    assert {"erts_debug:flat_size/1", "ets:insert/2", "lists:reverse/2", "lists:keyfind/3"} <= set(keys), out
    totals = [in_ns(line.split()[6]) for line in out.splitlines() if line.split(" ")[0] in keys]
    assert len(totals) == len(keys) and totals == sorted(totals, reverse=True), out
    assert "Distribution" not in out, out


def test_rows_are_sorted_limited_and_counted():
    with prepared() as node:
        of = ("calls", "*", "--by", "function", "--erl-pid", node.eval("P"))
        by_count, _ = table(node, *of, "--sort", "count")
        by_name, _ = table(node, *of, "--sort", "key")
        two, out = table(node, *of, "--sort", "count", "--rows", "2")
    assert by_count.index("lists:reverse/2") < by_count.index("ets:insert/2") < by_count.index("lists:keyfind/3"), by_count
    assert by_name == sorted(by_name), by_name
    assert len(two) == 2 and "and %d more; --rows=N shows more\n" % (len(by_name) - 2) in out, out


def test_histograms_of_the_rows_are_shown_if_asked_for():
    with prepared() as node:
        keys, out = table(node, "calls", "*", "--by", "function", "--erl-pid", node.eval("P"), "--rows", "1", "--hist")
    assert out.count("Distribution") == 1 and "\n  %s" % keys[0] in out, out


def test_a_column_that_is_none_is_refused():
    with shared(STOCK) as node:
        _, err = erlbpf("calls", "*", "--by", "function", "--sort", "size", "-p", node.pid, code=2)
    assert 'calls has no column "size"' in err, err


def test_keys_of_two_nodes_say_whose_they_are():
    with Node(STOCK) as one, Node(STOCK) as other:
        trace = Trace("gc", "--by", "name", "-p", "%d,%d" % (one.pid, other.pid))
        for node in (one, other):
            node.eval("erlang:garbage_collect()")
        out = trace.stop()
    assert "process %d)" % one.pid in out and "process %d)" % other.pid in out, out


BY = {"ports": "port", "dist": "peer", "user-trace": "kind", "sockets": "port", "aio": "node", "drivers": "node", "tasks": "node"}
SORTED = [tool for tool in examples.tools() if tool not in ("count", "trace", "spawn-exit", "top")]


def asked(tool):
    return [tool] + {"uprobe": ["ets_insert_2"], "calls": ["*"]}.get(tool, [])


@over(SORTED)
def test_a_column_that_no_table_has_is_refused_at_the_start(tool):
    with shared(STOCK) as node:
        for by in ([], ["--by", BY.get(tool, "kind" if tool == "app" else "node" if tool == "uprobe" else "pid")]):
            _, err = erlbpf(*asked(tool), *by, "--sort", "nosuch", "-p", node.pid, "-d", "100ms", code=2)
            assert re.search(r'%s has no column "nosuch"; it has \w+, |--sort is for tables' % tool, err), err


@over(["gc", "mailbox", "uprobe --time", "dist -f csv", "messages", "ports", "user-trace", "locks --min 1ms", "ets --by table -j"])
def test_options_of_tables_are_refused_where_there_is_none(command):
    words = command.split()
    with shared(STOCK) as node:
        for option in ["--sort=count"], ["--rows", "3"]:
            _, err = erlbpf(*asked(words[0]), *words[1:], *option, "-p", node.pid, "-d", "100ms", code=2)
            assert re.search(r"erlbpf: --(sort|rows) is for (tables, and %s prints none .*; add --by KEY|text; JSON)" % words[0],
                             err), err


@over(["births", "births --by mfa", "gc", "dist --by peer", "ports --by port", "gc --by pid -j"])
def test_histograms_of_rows_are_refused_where_there_are_none(command):
    with shared(STOCK) as node:
        _, err = erlbpf(*command.split(), "--hist", "-p", node.pid, "-d", "100ms", code=2)
    assert re.search("--hist (is for text|shows (the )?histograms)", err), err


def births(node, *words):
    trace = Trace("births", "--by", "mfa", "-p", node.pid, *words)
    node.eval("F = fun(M, N, A, K) -> [begin {_, R} = spawn_monitor(M, N, A), receive {'DOWN', R, _, _, _} -> ok end end "
              "|| _ <- lists:seq(1, K)] end, F(lists, seq, [1, 2], 30), F(lists, last, [[1]], 20), F(lists, max, [[1]], 10), ok")
    return trace


def test_rows_of_counts_are_sorted_and_limited_too():
    with shared(STOCK) as node:
        out = births(node, "--sort=-spawned", "--rows", "2").stop()
        data, = of_type(births(node, "-j", "--sort", "key", "--rows", "2").stop_json(), "table")
    rows = [line.split()[0] for line in out.splitlines() if "lists:" in line]
    assert rows[0] == "lists:max/1" and len(rows) <= 2 and re.search("[1-9][0-9]* more rows?; --rows=N shows more", out), out
    keys = [row["key"] for row in data["rows"]]
    assert len(keys) == 2 and keys == sorted(keys) and data["not_shown"] >= 1, data
