"""copy, held against the sizes that erts_debug:flat_size/1 tells of the same terms."""
from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared

TIMES = 57


def do(node, kind):
    node.eval("P ! {copy, %s, L, %d, self()}, receive copied -> ok end" % (kind, TIMES))


def trace_of(node, *args):
    """A trace that begins while the process waits, so that it is known from its next message on."""
    node.eval("(fun Wait() -> process_info(P, status) =:= {status, waiting} orelse Wait() end)()")
    return Trace("copy", "-j", "-p", node.pid, *args)


def start(node):
    node.eval("L = lists:seq(1, 300)")
    return node.eval("P = copier:start()")


@over(WITH_NEWEST)
def test_copies_and_words_of_each_kind_are_exact(vm):
    with shared(vm) as node:
        pid = start(node)
        size = dict((kind, int(node.eval("erts_debug:flat_size(%s)" % term))) for kind, term in
                    [("message", "L"), ("spawn", "[[ok | L]]"), ("signal", "L"), ("insert", "{key, L}"),
                     ("lookup", "{key, L}")])
        for kind, words in size.items():
            trace = trace_of(node, "--erl-pid", pid)
            do(node, kind)
            lines = trace.stop_json()
            rows = {row["kind"]: row for row in of_type(lines, "table")[0]["rows"]}
            row = rows["ets" if kind in ("insert", "lookup") else kind]
            assert row["copies"] == TIMES and row["words"] == TIMES * words and row["max"] == words, (kind, rows)
            # What is left are the environments of the functions that are spawned.
            others = sum(row["copies"] for row in rows.values()) - TIMES
            assert others == 0 or kind == "signal" and others == TIMES, rows
            assert of_type(lines, "hist")[0]["count"] == TIMES + others and lines[-1]["lost"] == 0


@over(VMS)
def test_by_pid_and_by_kind_every_copy_is_in_one_histogram(vm):
    with shared(vm) as node:
        pid = start(node)
        for by, key in (("pid", pid), ("kind", "spawn")):
            trace = trace_of(node, "--by", by)
            do(node, "spawn")
            lines = trace.stop_json()
            hists = {hist["key"]: hist for hist in of_type(lines, "hist")}
            assert hists[key]["count"] == TIMES and hists[key]["sum"] == TIMES * 604, hists
            copies = sum(hist["count"] for hist in hists.values())
            assert lines[-1]["probes"]["term-copy"] == {"events": copies, "lost": 0}, lines[-1]
