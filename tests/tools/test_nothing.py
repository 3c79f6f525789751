"""An answer that is empty is one sentence to people, and data without numbers that nobody measured to programs."""
import re

import examples
from lib import STOCK, Node, Trace, erlbpf, of_type, over, shared, unique

IDLE = "<0.1.0>"  # erts_code_purger
# Those that count what there is of each: a row of zeros is an answer. user-trace needs notes, and top is never empty.
COUNTING = ("births", "aio", "user-trace", "top")
WITHOUT_PID = ("count",)
NAME = unique("quiet_one")
SENTENCE = re.compile(r"In [\d.]+(ms|s), (no|none) .* on (%s@\S+|2 nodes)( \(of \S+\))?[;,] [^;]*\.\n" % NAME)


def quiet(tool):
    more = {"count": ["dist-port_busy"], "uprobe": ["ets_insert_2"], "calls": ["*"]}.get(tool, [])
    return [tool] + more + ([] if tool in WITHOUT_PID else ["--erl-pid", IDLE])


@over([tool for tool in examples.tools() if tool not in COUNTING])
def test_a_tool_that_sees_nothing_says_so_in_one_sentence(tool):
    with shared(STOCK, "-sname", NAME) as node:
        out, _ = erlbpf(*quiet(tool), "-p", node.pid, "-d", "10ms")
        assert SENTENCE.fullmatch(out), out
        lines = Trace(*quiet(tool), "-p", node.pid, "-j").stop_json()
        for hist in of_type(lines, "hist"):
            assert hist["count"] == 0 and hist["sum"] == 0 and not hist["buckets"], hist
            assert all(hist[key] is None for key in ("min", "max", "p50", "p90", "p99", "p999")), hist
        assert all(table["rows"] == [] for table in of_type(lines, "table")), lines


def test_each_interval_without_an_answer_is_one_sentence_and_the_rest_is_none():
    with shared(STOCK, "-sname", NAME) as node:
        for by in ([], ["--by", "name"]):
            out, _ = erlbpf(*quiet("ets"), *by, "-p", node.pid, "-i", "50ms", "--count", "4")
            sentences = out.splitlines(keepends=True)
            assert len(sentences) == 4 and all(SENTENCE.fullmatch(line) for line in sentences), out


def test_an_answer_is_followed_by_no_sentence():
    with shared(STOCK, "-sname", NAME) as node:
        trace = Trace("spawn-exit", "-p", node.pid)
        node.eval("spawn(fun() -> ok end)")
        assert "In " not in trace.stop()
        trace = Trace("gc", "-p", node.pid, "--min", "1ns")
        node.eval("erlang:garbage_collect()")
        out = trace.stop()
        assert "in all, p50" in out and "In " not in out, out


@over(["", "--by name"])
def test_where_none_is_as_long_as_asked_for_a_sentence_says_what_the_longest_took(by):
    with shared(STOCK, "-sname", NAME) as node:
        trace = Trace("gc", "-p", node.pid, "--min", "1h", *by.split())
        node.eval("erlang:garbage_collect()")
        out = trace.stop()
        assert "in all, p50" in out or by, out
        assert re.search(r"^In [\d.]+m?s, nothing took 1h or more on %s@\S+ \(garbage collection pause\); "
                         r"the longest took [\d.]+[num]?s\.$" % NAME, out, re.M), out
        trace = Trace("gc", "-j", "-p", node.pid, "--min", "1h")
        node.eval("erlang:garbage_collect()")
        assert {line["type"] for line in trace.stop_json()} <= {"schema", "hist", "summary"}


def test_the_sentence_names_what_was_looked_for():
    with shared(STOCK, "-sname", NAME) as node, Node(STOCK) as other:
        out, _ = erlbpf("calls", "ets:delete/1", "-p", "%d,%d" % (node.pid, other.pid), "-d", "10ms")
        assert " on 2 nodes (of ets:delete/1); " in out, out
        out, _ = erlbpf("calls", "ets:delete/1", "-p", other.pid, "-d", "10ms")
        assert " on the node of process %d (of ets:delete/1); " % other.pid in out, out
        out, _ = erlbpf("ports", "--min", "1h", "-p", node.pid, "-d", "10ms")
        assert " (of 1h or more); leave out --min" in out, out
