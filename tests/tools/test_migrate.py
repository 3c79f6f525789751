"""migrate, held against where the test puts the node's threads, and against what the VM counts."""
import os
import tempfile
import time

from lib import VMS, WITH_NEWEST, Skip, Trace, of_type, over, shared, wait_until, within

READ = ("0", "63")      # on x86-64 and arm64
BYTES = 47              # by which the call is known among those of other threads


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


def reads(node, tid):
    with open("/proc/%d/task/%d/syscall" % (node.pid, tid)) as syscall:
        words = syscall.read().split()
    return words[0] in READ and int(words[3], 16) == BYTES


def crossing(vm, *options):
    """A process calls a NIF on one CPU, and is woken from it on another; and how long the NIF slept at least, and at
    most."""
    first, second = cpus()
    with shared(vm) as node, tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        node.eval("sleeper:load(), P = sleeper:start(), sleeper:run(P, {nap, [1]})")
        pid = node.eval("P")
        put(node, first)
        trace = Trace("migrate", "-p", node.pid, "-j", *options)
        begin = time.monotonic_ns()
        node.say('sleeper:run(P, {reads, ["%s", %d]}).' % (pipe, BYTES))
        with open(pipe, "wb", buffering=0) as writer:
            wait_until("the NIF sleeps", lambda: any(reads(node, tid) for tid in threads(node)))
            asleep = time.monotonic_ns()
            put(node, second)
            least = time.monotonic_ns() - asleep
            writer.write(bytes(BYTES))
        assert node.line().startswith("= ")
        # It has answered from within its slice, whose thread may wait for the CPU behind that of the answer.
        wait_until("its slice is over", lambda: "waiting" in node.eval("process_info(P, status)"))
        most = time.monotonic_ns() - begin
        lines = trace.stop_json()
        for tid in threads(node):
            os.sched_setaffinity(tid, os.sched_getaffinity(0))
    assert lines[-1]["lost"] == 0, lines[-1]
    return pid, lines, (first, second), (least, most)


def row_of(lines, key):
    rows = [row for table in of_type(lines, "table") for row in table["rows"] if row["key"] == key]
    assert len(rows) == 1, rows
    return rows[0]


@over(WITH_NEWEST)
def test_a_slice_and_a_call_that_end_on_another_cpu_are_counted(vm):
    pid, lines, _, (least, most) = crossing(vm, "--by", "pid")
    row = row_of(lines, pid)
    assert (row["crossed"], row["calls_crossed"]) == (1, 1) and row["slices"] >= 1, row
    assert row["name"] == "sleeper:loop/0", row
    mine = [hist for hist in of_type(lines, "hist") if hist["key"] == pid]
    assert len(mine) == 1 and mine[0]["count"] == 2, mine
    within(least, mine[0]["min"], most)
    within(least, mine[0]["max"], most)


@over(VMS)
def test_calls_are_told_apart_by_function(vm):
    _, lines, _, _ = crossing(vm, "--by", "function")
    row = row_of(lines, "sleeper:reads/2")
    assert (row["slices"], row["moved"], row["calls"], row["calls_crossed"]) == (0, 0, 1, 1), row


@over(VMS)
def test_they_are_printed_with_both_cpus(vm):
    pid, lines, (first, second), _ = crossing(vm, "--min", "1us")
    events = [event for event in of_type(lines, "event") if event["pid"] == pid]
    assert sorted(event["kind"] for event in events) == ["call", "slice"], events
    assert all((event["from"], event["to"]) == (first, second) for event in events), events
    assert [e["call"] for e in events if e["kind"] == "call"] == ["sleeper:reads/2"], events
    assert not of_type(lines, "table")


MOVES = 200


@over(VMS)
def test_the_vm_moves_processes_though_no_thread_moves(vm):
    with shared(vm, "+S", "2") as node:
        node.eval("rivals:statistics(start), rivals:pairs(2, 2), rivals:moves(2), rivals:statistics(stop)")
        put(node, cpus()[0])
        old = int(node.eval("rivals:statistics(clear), length(processes())"))
        trace = Trace("migrate", "-p", node.pid, "-j")
        first = numbers(node.eval("rivals:statistics(stop)"))
        last = numbers(node.eval("rivals:pairs(50, 200), rivals:moves(%d), rivals:statistics(stop)" % MOVES))
        lines = trace.stop_json()
        most = numbers(node.eval("rivals:statistics(stop)"))
    picks, moves = [after - before for before, after in zip(first, last)]
    row = row_of(lines, "all")
    # The trace begins before the one count and ends after it, and begins after the other and ends before it; where the
    # few that were there before ran last, only the VM knows at first.
    assert MOVES - 1 <= moves and moves - old <= row["moved"] <= most[1], (row, moves, old, most)
    assert picks <= row["slices"] <= most[0] and row["crossed"] == row["calls_crossed"] == 0, (row, picks, most)


def numbers(text):
    """{1,2} as numbers."""
    return [int(word) for word in text.strip("{}").split(",")]
