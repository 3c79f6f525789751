"""copy, held against the sizes that erts_debug:flat_size/1 tells of the same terms."""
from lib import VMS, Node, Trace, of_type

TIMES = 57


def on_all_vms(function):
    function.cases = VMS
    return function


def do(node, kind):
    node.eval("P ! {copy, %s, L, %d, self()}, receive copied -> ok end" % (kind, TIMES))


def start(vm):
    node = Node(vm)
    pid = node.eval("P = copier:start()")
    node.eval("L = lists:seq(1, 300)")
    return node, pid


@on_all_vms
def test_copies_and_words_of_each_kind_are_exact(vm):
    node, pid = start(vm)
    with node:
        size = dict((kind, int(node.eval("erts_debug:flat_size(%s)" % term))) for kind, term in
                    [("message", "L"), ("spawn", "[[ok | L]]"), ("signal", "L"), ("insert", "{key, L}"),
                     ("lookup", "{key, L}")])
        for kind, words in size.items():
            trace = Trace("copy", "-j", "-p", node.pid, "--erl-pid", pid)
            do(node, kind)
            lines = trace.stop_json()
            rows = {row["kind"]: row for row in of_type(lines, "table")[0]["rows"]}
            row = rows["ets" if kind in ("insert", "lookup") else kind]
            if vm.otp >= 27 and kind == "insert":
                # ETS copies the tuple and the beginnings of its elements itself.
                words -= 3 + 2
            assert row["copies"] == TIMES and row["words"] == TIMES * words and row["max"] == words, (kind, rows)
            # What is left are the environments of the functions that are spawned.
            others = sum(row["copies"] for row in rows.values()) - TIMES
            assert others == 0 or kind == "signal" and others == TIMES, rows
            assert of_type(lines, "hist")[0]["count"] == TIMES + others and lines[-1]["lost"] == 0


@on_all_vms
def test_by_pid_and_by_kind_every_copy_is_in_one_histogram(vm):
    node, pid = start(vm)
    with node:
        for by, key in (("pid", pid), ("kind", "spawn")):
            trace = Trace("copy", "-j", "-p", node.pid, "--by", by)
            do(node, "spawn")
            lines = trace.stop_json()
            hists = {hist["key"]: hist for hist in of_type(lines, "hist")}
            assert hists[key]["count"] == TIMES and hists[key]["sum"] == TIMES * 604, hists
            copies = sum(hist["count"] for hist in hists.values())
            assert lines[-1]["probes"]["term-copy"] == {"events": copies, "lost": 0}, lines[-1]
