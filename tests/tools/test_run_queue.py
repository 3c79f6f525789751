"""run-queue, held against the VM's own statistics of its schedulers."""
import re

from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within


def numbers(text):
    """{1,2} as numbers."""
    return [int(word) for word in text.strip("{}").split(",")]


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


MOVES = 200


@over(WITH_NEWEST)
def test_picks_and_migrations_are_those_that_the_vm_counts(vm):
    with shared(vm, "+S", "2") as node:
        # Once before, so that all code is loaded: that takes dirty schedulers, to which the VM has processes
        # migrate.
        node.eval("rivals:statistics(start), rivals:pairs(2, 2), rivals:moves(2), rivals:statistics(stop)")
        old = int(node.eval("rivals:statistics(clear), length(processes())"))
        trace = Trace("run-queue", "-p", node.pid, "-j")
        first = numbers(node.eval("rivals:statistics(stop)"))
        last = numbers(node.eval("rivals:pairs(50, 200), rivals:moves(%d), rivals:statistics(stop)" % MOVES))
        lines = trace.stop_json()
        most = numbers(node.eval("rivals:statistics(stop)"))
    picks, moves = [after - before for before, after in zip(first, last)]
    rows = rows_of(lines)
    assert [row["scheduler"] for row in rows][:2] == ["1", "2"], rows
    seen = sum(row["picks"] for row in rows)
    # The trace begins before the one count and ends after it, and begins after the other and ends before it.
    assert MOVES <= picks <= seen <= most[0], (picks, seen, most)
    moved = sum(row["migrated"] for row in rows)
    # Where the few that were there before ran last, only the VM knows at first.
    assert MOVES - 1 <= moves and moves - old <= moved <= most[1], (moves, old, moved, most)
    assert lines[-1]["lost"] == 0, lines[-1]
    # On dirty schedulers there may be some more.
    total = sum(hist["count"] for hist in of_type(lines, "hist"))
    assert 0 <= total + lines[-1]["unqueued"] - seen <= most[0] - picks, (total, seen, lines[-1])


HOGS, TURNS = 30, 50


@over(VMS)
def test_the_length_of_a_queue_is_what_the_node_says(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("H = rivals:hogs(%d), rivals:turns(2)" % HOGS)
        trace = Trace("run-queue", "-p", node.pid, "-j")
        node.eval("rivals:turns(%d)" % TURNS)
        lines = trace.stop_json()
        processes = int(node.eval("rivals:stop(H), length(processes())"))
    row, = rows_of(lines)
    # All of them run before it is the turn of the same one again.
    assert row["picks"] >= HOGS * TURNS and row["migrated"] == 0, row
    # One runs, all others wait.
    assert HOGS - 1 <= row["length"] <= row["longest"] <= processes + HOGS and row["longest"] >= HOGS, (row, processes)
    # An average has decimals, three at most.
    assert isinstance(row["length"], float) and round(row["length"], 3) == row["length"], row


@over(VMS[:1])
def test_the_length_of_a_short_queue_is_not_rounded_to_nothing(vm):
    with shared(vm, "+S", "1") as node:
        trace = Trace("run-queue", "-p", node.pid)
        node.eval("rivals:pairs(2, 2000)")
        text = trace.stop()
    row = [line.split() for line in text.splitlines() if re.match(r"1 +\d", line)][0]
    # SCHEDULER PICKS LENGTH LONGEST MIGRATED, on a node without a name.
    assert re.fullmatch(r"\d+\.\d", row[2]) and 0 < float(row[2]) < int(row[3]), text


MESSAGES, NAP_MS = 20, 5


@over(VMS)
def test_a_process_that_is_woken_waits_as_long_as_its_message_does(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("sleeper:load(), R = waits:start(%d)" % MESSAGES)
        receiver = node.eval("R")
        trace = Trace("run-queue", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver, "--min", "1ns")
        own = [int(ns) for ns in node.eval("waits:held(R, %d, %d)" % (MESSAGES, NAP_MS)).strip("[]").split(",")]
        lines = trace.stop_json()
    hist, = of_type(lines, "hist")
    waits = [event["waited"] for event in of_type(lines, "event")]
    assert hist["key"] == receiver and hist["count"] == len(waits) == MESSAGES, lines
    for ours, most in zip(waits, own):
        within(NAP_MS * 1000000, ours, most)


@over(VMS)
def test_long_waits_are_printed_with_the_queue_that_was_left(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("H = rivals:hogs(20), rivals:turns(2)")
        trace = Trace("run-queue", "-p", node.pid, "-j", "--min", "1us")
        node.eval("rivals:turns(20)")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    # Each waits until 19 others have run.
    assert len(events) > 100 and not of_type(lines, "table"), len(events)
    assert all(e["waited"] >= 1000 and e["migrated"] == "no" for e in events)
    # Dirty schedulers have a queue in common, of which nothing is told.
    assert all((e["scheduler"] == "1") == (e["behind"] is not None) for e in events), events[0]
    assert max(e["behind"] or 0 for e in events) >= 19


CALLS = 20
SIGNALS = 3  # a call is a monitor(), a message and a demonitor(); its caller may be interrupted after each
CALL = ("T0 = os:perf_counter(nanosecond), M = monitor(process, sink), sink ! {self(), M}, receive {M, ok} -> ok end, "
        "demonitor(M, [flush]), erlang:yield(), Took = os:perf_counter(nanosecond) - T0, receive after 10 -> Took end")


@over(VMS)
def test_idle_time_between_calls_is_no_waiting(vm):
    """A call to a server ends with a signal, the demonitor, which it handles without running any code of its own: on one
    scheduler, before its caller goes on after erlang:yield()."""
    with shared(vm, "+S", "1") as node:
        node.eval("register(sink, spawn(fun F() -> receive {P, A} -> P ! {A, ok}, F(); _ -> F() end end))")
        node.eval("Call = fun() -> %s end, Call()" % CALL)
        for tool in "run-queue", "sched-latency":
            trace = Trace(tool, "-p", node.pid, "-j", "--by", "name")
            calling_ns = int(node.eval("lists:sum([Call() || _ <- lists:seq(1, %d)])" % CALLS))
            hist, = [h for h in of_type(trace.stop_json(), "hist") if h["key"] == "sink"]
            assert hist["count"] == CALLS or tool == "run-queue" and CALLS <= hist["count"] <= SIGNALS * CALLS, hist
            # All waits are within the calls, with the sleep after each of them left out.
            within(0, hist["sum"], calling_ns)


@over(VMS)
def test_a_server_waits_as_often_as_it_is_called(vm):
    with shared(vm, "+S", "1") as node:
        servers = node.eval("Servers = crowd:servers(5), H = rivals:hogs(5), crowd:callers(Servers, 1, 2), Servers")
        traces = [Trace(tool, "-p", node.pid, "-j", "--by", "pid") for tool in ("run-queue", "sched-latency")]
        node.eval("crowd:callers(Servers, 1, %d)" % CALLS)
        node.eval("rivals:stop(H)")
        found = [{hist["key"]: hist for hist in of_type(trace.stop_json(), "hist")} for trace in traces]
    for server in servers.strip("[]").split(","):
        queue, latency = [one[server] for one in found]
        assert latency["count"] == CALLS <= queue["count"] <= SIGNALS * CALLS, (queue, latency)
