"""migrate, held against where the test puts the node's threads, and against what the VM counts."""
import os

from lib import VMS, Node, Skip, Trace, of_type, over, wait_until

NANOSLEEP = ("230", "115")      # clock_nanosleep on x86-64 and arm64


def cpus():
    found = sorted(os.sched_getaffinity(0))
    if len(found) < 2:
        raise Skip("there is one CPU only")
    return found[:2]


def threads(node):
    return [int(tid) for tid in os.listdir("/proc/%d/task" % node.pid)]


def put(node, cpu):
    for tid in threads(node):
        os.sched_setaffinity(tid, {cpu})


def syscall_of(node, tid):
    with open("/proc/%d/task/%d/syscall" % (node.pid, tid)) as syscall:
        return syscall.read().split()[0]


def crossing(vm, *options):
    """A process calls a NIF on one CPU, and is woken from it on another."""
    first, second = cpus()
    with Node(vm) as node:
        node.eval("sleeper:load(), P = sleeper:start(), sleeper:run(P, {nap, [1]})")
        pid = node.eval("P")
        put(node, first)
        trace = Trace("migrate", "-p", node.pid, "-j", *options)
        node.say("sleeper:run(P, {nap, [500]}).")
        wait_until("the NIF sleeps", lambda: any(syscall_of(node, tid) in NANOSLEEP for tid in threads(node)))
        put(node, second)
        assert node.line().startswith("= ")
        # It has answered from within its slice, whose thread may wait for the CPU behind that of the answer.
        wait_until("its slice is over", lambda: "waiting" in node.eval("process_info(P, status)"))
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return pid, lines, (first, second)


def row_of(lines, key):
    rows = [row for table in of_type(lines, "table") for row in table["rows"] if row["key"] == key]
    assert len(rows) == 1, rows
    return rows[0]


@over(VMS)
def test_a_slice_and_a_call_that_end_on_another_cpu_are_counted(vm):
    pid, lines, _ = crossing(vm, "--by", "pid")
    row = row_of(lines, pid)
    assert (row["crossed"], row["calls_crossed"]) == (1, 1) and row["slices"] >= 1, row
    assert row["name"] == "sleeper:loop/0", row
    mine = [hist for hist in of_type(lines, "hist") if hist["key"] == pid]
    assert len(mine) == 1 and mine[0]["count"] == 2 and mine[0]["min"] >= 400000000, mine


@over(VMS)
def test_calls_are_told_apart_by_function(vm):
    _, lines, _ = crossing(vm, "--by", "function")
    row = row_of(lines, "sleeper:nap/1")
    assert (row["slices"], row["moved"], row["calls"], row["calls_crossed"]) == (0, 0, 1, 1), row


@over(VMS)
def test_they_are_printed_with_both_cpus(vm):
    pid, lines, (first, second) = crossing(vm, "--min", "300ms")
    events = [event for event in of_type(lines, "event") if event["pid"] == pid]
    assert sorted(event["kind"] for event in events) == ["call", "slice"], events
    assert all((event["from"], event["to"]) == (first, second) for event in events), events
    assert [e["call"] for e in events if e["kind"] == "call"] == ["sleeper:nap/1"], events
    assert not of_type(lines, "table")


@over(VMS)
def test_the_vm_moves_processes_though_no_thread_moves(vm):
    with Node(vm, "+S", "2") as node:
        node.eval("rivals:statistics(start), rivals:pairs(50, 200), rivals:statistics(stop)")
        put(node, cpus()[0])
        trace = Trace("migrate", "-p", node.pid, "-j")
        node.eval("rivals:statistics(clear)")
        picks, moves = [int(word) for word in
                        node.eval("rivals:pairs(50, 200), rivals:statistics(stop)").strip("{}").split(",")]
        lines = trace.stop_json()
    row = row_of(lines, "all")
    assert moves > 0 and abs(row["moved"] - moves) <= 5, (row, moves)
    assert abs(row["slices"] - picks) <= 100 and row["crossed"] == row["calls_crossed"] == 0, (row, picks)
