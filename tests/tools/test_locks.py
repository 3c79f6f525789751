"""locks, held against waits that the node has timed itself."""
import time

from lib import LIMIT, VMS, WITH_NEWEST, Node, Trace, atom_lock, of_type, over, shared, within

LOOKS = 20
ROUNDS = 10


def until_it_happens(what, measure):
    """Whether two meet at a lock is up to the machine: what `measure` gives once it has seen that they did."""
    end = time.monotonic() + LIMIT
    while True:
        found = measure()
        if found:
            return found
        assert time.monotonic() < end, "not within %d s: %s" % (LIMIT, what)


@over(WITH_NEWEST)
def test_waits_for_a_table_are_as_long_as_the_waiting_process_says(vm):
    with shared(vm, "+S", "2") as node:
        pid = node.eval("P = contend:looker()")
        node.eval("T = contend:table(bag, 300000)")
        waits, told = until_it_happens("the table is locked when it is looked at", lambda: waits_for_table(node, pid))
    within(0, max(waits), max(told))
    within(0, sum(waits), sum(told))
    # There is no other reason to wait, so each long one is in one of the process's own.
    for limit in (1000000, max(waits)):
        assert sum(ns >= limit for ns in waits) <= sum(ns >= limit for ns in told), (waits, told)


def waits_for_table(node, pid):
    trace = Trace("locks", "-p", node.pid, "-j", "--min", "1us", "--erl-pid", pid)
    told = [int(ns) for ns in node.eval("contend:waits(P, T, %d)" % LOOKS).strip("[]").split(",")]
    waits = [e for e in of_type(trace.stop_json(), "event") if e["lock"] == "bag"]
    assert all(e["kind"] == "table" and e["pid"] == pid and e["waited"] >= 1000 for e in waits), waits
    assert len(waits) <= len(told), (waits, told)
    return waits and ([e["waited"] for e in waits], told)


def contended(vm):
    """Rows of a trace in which processes send to one, `sink`, and make atoms: {(kind, lock): waits}."""
    with Node(vm, "+S", "4") as node:
        node.eval("register(sink, self())")
        sink = node.eval("self()")
        trace = Trace("locks", "-p", node.pid, "-j")
        for n in range(ROUNDS):
            assert node.eval("contend:signals(8, 500)") == "4000"
            node.eval('contend:atoms("a%d", 4, 500)' % n)
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
    seen = {}

    def both():
        seen.update(contended(vm))
        return "sink" in seen and any(kind == "vm" for kind, _ in seen.keys() - {"sink"})

    until_it_happens("processes wait for locks of a process and of the VM", both)
    of_process = {key[1] for key in seen if key[0] == "process"}
    of_vm = {key[1] for key in seen if key[0] == "vm"}
    assert of_process & {"main", "msgq", "status"} and seen["sink"] > 0, seen
    assert any(lock.startswith(atom_lock(vm)) for lock in of_vm), seen


@over(VMS)
def test_by_kind_and_by_lock_have_a_histogram_each(vm):
    for by in ("kind", "lock"):
        until_it_happens("processes wait for the table of atoms", lambda by=by: has_atoms(vm, by))


def has_atoms(vm, by):
    """Is there a histogram of what the table of atoms is by?"""
    with Node(vm, "+S", "4") as node:
        trace = Trace("locks", "-p", node.pid, "-j", "--by", by)
        for number in range(ROUNDS):
            node.eval('contend:atoms("%s%d", 4, 500)' % (by, number))
        lines = trace.stop_json()
    hists = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
    waits = lines[-1]["probes"].get("lock-wait", {"events": 0})["events"]
    assert sum(hists.values()) == waits, (hists, lines[-1])
    key = "vm" if by == "kind" else atom_lock(vm)
    return any(name.startswith(key) for name in hists)


@over(VMS[:1])
def test_the_table_is_limited_as_others_are(vm):
    table, lines = until_it_happens("there are two locks", lambda: limited(vm))
    assert len(table["rows"]) == 1 and table["not_shown"] > 0, table
    assert table["rows"][0]["waits"] < of_type(lines, "hist")[0]["count"], lines


def limited(vm):
    with Node(vm, "+S", "4") as node:
        trace = Trace("locks", "-p", node.pid, "-j", "--rows", "1")
        for n in range(ROUNDS):
            node.eval("contend:signals(8, 500)")
            node.eval('contend:atoms("r%d", 4, 500)' % n)
        lines = trace.stop_json()
    table, = of_type(lines, "table")
    assert len(table["rows"]) <= 1, table
    return table["not_shown"] and (table, lines)
