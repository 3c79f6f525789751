"""locks, held against waits that the node has timed itself."""
import itertools
import json
import time

from lib import LIMIT, VMS, WITH_NEWEST, Node, Trace, atom_lock, of_type, over, shared, within

LOOKS = 20


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
    return waits and ([e["waited"] for e in waits], told)


def intervals(node, trace, rounds, is_enough):
    """The lines of a trace with intervals, while rounds of work are done until they are enough."""
    lines, end = [], time.monotonic() + LIMIT
    for number in itertools.count():
        for work in rounds:
            node.eval(work % number if "%" in work else work)
        while True:
            lines.append(json.loads(trace.line()))
            if lines[-1]["type"] == "interval":
                break
        if is_enough(lines):
            return lines + [json.loads(line) for line in trace.stop().splitlines()]
        assert time.monotonic() < end, "processes never wait for these locks: %s" % lines


# So many that processes run at once, and no more: a machine that has other work to do needs a while to pass a lock on. A
# node has a million atoms.
SIGNALS, ATOMS = "contend:signals(8, 3000)", 'contend:atoms("a%d_", 4, 2000)'


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


@over(VMS)
def test_locks_are_told_apart_by_kind(vm):
    def is_enough(lines):
        rows = rows_of(lines)
        return any(row["of"] == "sink" for row in rows) and any(row["kind"] == "vm" for row in rows)

    with Node(vm, "+S", "4") as node:
        node.eval("register(sink, self())")
        sink = node.eval("self()")
        trace = Trace("locks", "-p", node.pid, "-j", "-i", "100ms")
        lines = intervals(node, trace, (SIGNALS, ATOMS), is_enough)
    rows = rows_of(lines)
    for row in rows:
        # Each lock of a process says whose it is; no other lock has an owner.
        assert (row["kind"] == "process") == (row["of"] is not None) == (row["of_pid"] is not None), row
        assert (row["of"] == "sink") == (row["of_pid"] == sink), row
    for table in of_type(lines, "table"):
        times = [row["time"] for row in table["rows"]]
        assert times == sorted(times, reverse=True), table
    counted = sum(hist["count"] for hist in of_type(lines, "hist"))
    assert counted == sum(row["waits"] for row in rows) and lines[-1]["lost"] == 0, (counted, rows, lines[-1])
    assert {row["lock"] for row in rows if row["of"] == "sink"} & {"main", "msgq", "status"}, rows
    assert any(row["lock"].startswith(atom_lock(vm)) for row in rows if row["kind"] == "vm"), rows


@over(VMS)
def test_by_kind_and_by_lock_have_a_histogram_each(vm):
    def of_atoms(lines):
        return sum(hist["count"] for hist in of_type(lines, "hist") if (hist["key"] or "").startswith(atom_lock(vm)))

    with Node(vm, "+S", "4") as node:
        by_kind = Trace("locks", "-p", node.pid, "-j", "--by", "kind")
        by_lock = Trace("locks", "-p", node.pid, "-j", "--by", "lock", "-i", "100ms")
        locks = intervals(node, by_lock, (ATOMS,), of_atoms)
        kinds = by_kind.stop_json()
    for lines in kinds, locks:
        counted = sum(hist["count"] for hist in of_type(lines, "hist"))
        assert counted == lines[-1]["probes"]["lock-wait"]["events"], (counted, lines[-1])
    counts = {hist["key"]: hist["count"] for hist in of_type(kinds, "hist")}
    # A kernel that has no memory at the moment has some of them counted as those of other kinds.
    assert counts["vm"] + counts.get("other", 0) >= of_atoms(locks) > 0, (counts, locks)


@over(VMS[:1])
def test_the_table_is_limited_as_others_are(vm):
    with Node(vm, "+S", "4") as node:
        trace = Trace("locks", "-p", node.pid, "-j", "--rows", "1", "-i", "100ms")
        lines = intervals(node, trace, (SIGNALS, ATOMS),
                          lambda lines: any(table["not_shown"] for table in of_type(lines, "table")))
    tables = of_type(lines, "table")
    assert all(len(table["rows"]) <= 1 for table in tables), tables
    assert sum(row["waits"] for row in rows_of(lines)) < sum(hist["count"] for hist in of_type(lines, "hist")), lines
