"""locks, held against waits that the node has timed itself."""
from lib import VMS, Node, Trace, agree, atom_lock, of_type, over

LONG = 1000000
ROUNDS = 6
TRIES = 5


@over(VMS)
def test_waits_for_a_table_are_as_long_as_the_waiting_process_says(vm):
    with Node(vm, "+S", "2") as node:
        pid = node.eval("P = contend:looker()")
        node.eval("T = contend:table(bag, 300000)")
        agree(lambda: longest_wait(node, pid), tries=5)


def longest_wait(node, pid):
    trace = Trace("locks", "-p", node.pid, "-j", "--min", "1us", "--erl-pid", pid)
    told = [int(ns) for ns in node.eval("contend:waits(P, T, 60)").strip("[]").split(",")]
    lines = trace.stop_json()
    waits = [e for e in of_type(lines, "event") if e["lock"] == "bag"]
    assert all(e["kind"] == "table" and e["pid"] == pid for e in waits), waits
    assert sum(e["waited"] > LONG for e in waits) <= sum(ns > LONG for ns in told)
    return max([e["waited"] for e in waits], default=0), max(told)


def contended(vm):
    """Rows of a trace in which processes send to one, `sink`, and make atoms: {(kind, lock): waits}."""
    with Node(vm, "+S", "4") as node:
        node.eval("register(sink, self())")
        sink = node.eval("self()")
        trace = Trace("locks", "-p", node.pid, "-j")
        for n in range(ROUNDS):
            assert node.eval("contend:signals(8, 20000)") == "160000"
            node.eval('contend:atoms("a%d", 4, 10000)' % n)
        lines = trace.stop_json()
    rows, waits = of_type(lines, "table")[0]["rows"], {}
    for row in rows:
        # Each lock of a process says whose it is; no other lock has an owner.
        assert (row["kind"] == "process") == (row["of"] is not None) == (row["of_pid"] is not None), row
        assert (row["of"] == "sink") == (row["of_pid"] == sink), row
        name = (row["kind"], row["lock"])
        waits[name] = waits.get(name, 0) + row["waits"]
        if row["of"] == "sink":
            waits["sink"] = waits.get("sink", 0) + row["waits"]
    times = [row["time"] for row in rows]
    assert times == sorted(times, reverse=True), rows
    hist = of_type(lines, "hist")[0]
    assert hist["count"] == sum(count for key, count in waits.items() if key != "sink") and lines[-1]["lost"] == 0, (hist["count"], lines[-1])
    return waits


@over(VMS)
def test_locks_are_told_apart_by_kind(vm):
    # Two must meet at a lock, on a machine that may do other work.
    seen = {}
    for _ in range(TRIES):
        seen.update(contended(vm))
        of_process = [key[1] for key in seen if key[0] == "process"]
        of_vm = [key[1] for key in seen if key[0] == "vm"]
        if "sink" in seen and of_vm:
            break
    assert set(of_process) & {"main", "msgq", "status"} and seen["sink"] > 0, seen
    assert any(lock.startswith(atom_lock(vm)) for lock in of_vm), seen


@over(VMS)
def test_by_kind_and_by_lock_have_a_histogram_each(vm):
    with Node(vm, "+S", "4") as node:
        for by in ("kind", "lock"):
            trace = Trace("locks", "-p", node.pid, "-j", "--by", by)
            for number in range(ROUNDS):
                node.eval('contend:atoms("%s%d", 4, 10000)' % (by, number))
            lines = trace.stop_json()
            hists = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
            key = "vm" if by == "kind" else atom_lock(vm)
            assert any(name.startswith(key) for name in hists), hists
            assert sum(hists.values()) == lines[-1]["probes"]["lock-wait"]["events"], (hists, lines[-1])


@over(VMS[:1])
def test_the_table_is_limited_as_others_are(vm):
    with Node(vm, "+S", "4") as node:
        trace = Trace("locks", "-p", node.pid, "-j", "--rows", "1")
        for n in range(ROUNDS):
            node.eval("contend:signals(8, 20000)")
            node.eval('contend:atoms("r%d", 4, 10000)' % n)
        lines = trace.stop_json()
    table = of_type(lines, "table")[0]
    assert len(table["rows"]) == 1 and table["not_shown"] > 0, table
    assert table["rows"][0]["waits"] < of_type(lines, "hist")[0]["count"], lines
