"""mailbox, held against a receiver that knows how many messages it got and how long they waited."""
import json
import re
import subprocess
import time

from lib import ERLBPF, LIMIT, STOCK, VMS, WITH_NEWEST, Node, Trace, of_type, over, probe_total, shared, unique, within

MESSAGES = 300
LEAST_MS = 20  # that the receiver does something else first


def receive(vm, what, *options):
    """What is printed of a receiver that was told to receive, and how long each message waited by its own clock."""
    with shared(vm) as node:
        node.eval("P = mailbox:start()")
        pid = node.eval("P")
        trace = Trace("mailbox", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid, *options)
        own = [int(ns) for ns in re.findall(r"\d+", node.eval("mailbox:call(P, {%s, %d})" % (what, MESSAGES)))]
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0 and lines[-1]["unprinted"] == 0, lines[-1]
    return pid, own, lines


# In order, out of order, and after garbage collections that move what waits.
@over(["%s,%s" % (vm, what) for vm in WITH_NEWEST for what in ("fifo", "backwards", "collected")
       if vm in VMS or what == "fifo"])
def test_each_message_waits_as_long_as_its_receiver_says(case):
    name, what = case.split(",")
    pid, own, lines = receive([vm for vm in WITH_NEWEST if vm.name == name][0], what, "--min", "1ns")
    hist, = of_type(lines, "hist")
    # What it is told is one more; 'DOWN', which tells it that all are sent, is made of a signal.
    assert (hist["key"], hist["count"]) == (pid, MESSAGES + 1), hist
    assert lines[-1]["not_enqueued"] == 1, lines[-1]
    waits = [event["wait"] for event in of_type(lines, "event")]
    assert len(waits) == len(own) + 1 and sum(waits) == hist["sum"] and max(waits) == hist["max"], (waits, hist)
    for ours, most in zip(waits[1:], own):
        within(LEAST_MS * 1000000, ours, most)


@over(VMS)
def test_answers_to_an_alias_are_messages(vm):
    pid, _, lines = receive(vm, "echo")
    hist = of_type(lines, "hist")
    assert [(h["key"], h["count"]) for h in hist] == [(pid, MESSAGES + 1)], hist


@over(VMS)
def test_the_queue_gets_shorter_by_each_message(vm):
    _, _, lines = receive(vm, "backwards", "--min", "1ns")
    lengths = [event["length"] for event in of_type(lines, "event")]
    assert lengths == [1] + list(range(MESSAGES, 0, -1)), lengths


@over(VMS)
def test_the_histogram_is_of_the_lengths_if_they_are_asked_for(vm):
    _, _, lines = receive(vm, "fifo", "--length")
    hist = of_type(lines, "hist")[0]
    assert hist["unit"] == "messages" and (hist["min"], hist["max"]) == (1, MESSAGES), hist
    assert hist["count"] == MESSAGES + 1 and hist["sum"] == 1 + MESSAGES * (MESSAGES + 1) // 2, hist


@over(VMS)
def test_messages_from_other_nodes_wait_too(vm):
    names = [unique("mailbox_" + side) for side in ("here", "there")]
    with Node(vm, "-sname", names[0]) as here, Node(vm, "-sname", names[1]) as there:
        here.eval("register(sink, spawn(fun F() -> receive {last, P} -> P ! ok; _ -> F() end end))")
        pid, node = here.eval("whereis(sink)"), here.eval("node()")
        there.eval("pong = net_adm:ping(%s)" % node)
        trace = Trace("mailbox", "-p", here.pid, "-j", "--by", "name", "--erl-pid", pid)
        there.eval("[{sink, %s} ! K || K <- lists:seq(1, %d)], {sink, %s} ! {last, self()}, "
                   "receive ok -> ok end" % (node, MESSAGES, node))
        lines = trace.stop_json()
    assert [(h["key"], h["count"]) for h in of_type(lines, "hist")] == [("sink", MESSAGES + 1)], lines


@over(VMS)
def test_messages_that_nobody_receives_are_no_waits(vm):
    with shared(vm) as node:
        node.eval("P = mailbox:start()")
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval("mailbox:call(P, {dropped, %d})" % MESSAGES)
        lines = trace.stop_json()
    enqueued, hist = probe_total(lines, "message-enqueued"), of_type(lines, "hist")[0]
    assert lines[-1]["lost"] == 0 and enqueued - MESSAGES - 2 <= hist["count"] <= enqueued - MESSAGES, lines[-1]


STUCK = "register(stuck, spawn(fun() -> receive never -> ok end end)), [stuck ! K || K <- lists:seq(1, %d)], ok" % MESSAGES


# A message that is younger than 100 ms is on its way to be received.
STUCK_MS = 150


def stuck(vm, *options):
    """What is printed of a process that receives nothing, and has as many messages from before the trace as in it; and for how
    long it is traced, in ns."""
    with shared(vm) as node:
        node.eval(STUCK)
        begin = time.monotonic_ns()
        trace = Trace("mailbox", "-p", node.pid, "-j", *options)
        node.eval("[stuck ! K || K <- lists:seq(1, %d)], timer:sleep(%d), ok" % (MESSAGES, STUCK_MS))
        lines = trace.stop_json()
        return lines, time.monotonic_ns() - begin


def waiting(lines):
    return [h for h in of_type(lines, "hist") if h.get("is_waiting")]


@over(VMS)
def test_messages_that_still_wait_are_shown(vm):
    lines, most = stuck(vm, "--by", "name")
    hist, = [h for h in waiting(lines) if h["key"] == "stuck"]
    assert hist["count"] == 2 * MESSAGES, hist
    # What came before the trace waits since it began.
    within(STUCK_MS * 1000000, hist["min"], hist["max"])
    within(hist["min"], hist["max"], most)
    lines, _ = stuck(vm, "--by", "name", "--length")
    hist, = [h for h in waiting(lines) if h["key"] == "stuck"]
    assert (hist["count"], hist["max"]) == (1, 2 * MESSAGES), hist
    lines, most = stuck(vm, "--min", "100ms")
    event, = [e for e in of_type(lines, "event") if e["name"] == "stuck"]
    assert (event["length"], event["enqueued"], event["received"]) == (2 * MESSAGES, None, None), event
    assert event["wait"] >= 100000000, event
    within(STUCK_MS * 1000000, event["wait"], most)


SLOW = "receive {take, N, From} -> [receive {message, _} -> ok end || _ <- lists:seq(1, N)], From ! taken, F() end"


@over(VMS)
def test_a_slow_server_is_shown_before_it_has_received_all(vm):
    with shared(vm) as node:
        node.eval("S = spawn(fun F() -> %s end), register(slow, S), ok" % SLOW)
        trace = Trace("mailbox", "-p", node.pid, "-j", "--by", "name", "-i", "100ms")
        sending_ns = int(node.eval("T0 = os:perf_counter(nanosecond), [slow ! {message, K} || K <- lists:seq(1, 1000)], "
                                   "os:perf_counter(nanosecond) - T0"))
        for left in 1000, 900:
            hist = when_so_many_wait(trace, left)
            # Each was seen to come: the oldest waits longer by no more than it took to send all.
            assert hist["max"] - hist["min"] <= sending_ns, (hist, sending_ns)
            node.eval("slow ! {take, 100, self()}, receive taken -> ok end")
        trace.stop()


def when_so_many_wait(trace, count):
    """The histogram of what waits, of the interval in which it is so much."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        line = json.loads(trace.line())
        if line["type"] == "hist" and line.get("is_waiting") and (line["key"], line["count"]) == ("slow", count):
            return line
    raise AssertionError("never do %d messages wait" % count)


@over(VMS)
def test_young_messages_are_not_said_to_wait(vm):
    with shared(vm) as node:
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval(STUCK)
        lines = trace.stop_json()
    hists = waiting(lines)
    assert not hists or hists[0]["min"] >= 100e6, hists


@over(VMS)
def test_what_the_vm_made_of_a_signal_has_not_waited_since_the_trace_began(vm):
    """No probe sees a 'DOWN' come."""
    with shared(vm) as node:
        node.eval("Self = self(), spawn(fun() -> {Mate, _} = spawn_monitor(fun() -> receive stop -> ok end end), "
                  "register(mate, Mate), Self ! monitored, receive never -> ok end end), receive monitored -> ok end")
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval("timer:sleep(300)")
        begin = time.monotonic_ns()
        node.eval("R = monitor(process, mate), mate ! stop, receive {'DOWN', R, _, _, _} -> ok end")
        hists = waiting(trace.stop_json())
        most = time.monotonic_ns() - begin
    for hist in hists:
        within(0, hist["max"], most)


@over([STOCK])
def test_by_a_key_what_still_waits_is_one_table_with_the_oldest_first(vm):
    with shared(vm) as node:
        node.eval("Stuck = fun() -> receive never -> ok end end, [spawn(Stuck) ! N || N <- lists:seq(1, 60)]")
        node.eval("P = spawn(fun() -> register(stuck, self()), Stuck() end), [P ! N || N <- lists:seq(1, 9)]")
        out = subprocess.run([ERLBPF, "mailbox", "-p", str(node.pid), "--by", "pid", "--sort", "count", "--rows", "5", "-d", "200ms"],
                             capture_output=True, text=True, timeout=LIMIT).stdout
        pid = node.eval("P")
    table = out[out.index("still waiting in the mailbox, at least so long"):].splitlines()
    assert table[1].split() == ["KEY", "COUNT", "P50", "P90", "P99", "MAX", "TOTAL", "NAME"], out
    first = table[2].split()
    assert first[:2] == [pid, "9"] and first[-1] == "stuck", out
    assert "Distribution" not in out and re.search("^and 5[0-9] more; --rows=N shows more$", out, re.MULTILINE), out
