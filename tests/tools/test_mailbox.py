"""mailbox, held against a receiver that knows how many messages it got and how long they waited."""
import os
import re
import subprocess

from lib import ERLBPF, LIMIT, STOCK, VMS, Node, Trace, agree, of_type, over, probe_total

MESSAGES = 300


def receive(vm, what, *options):
    """What is printed of a receiver that was told to receive, and the median of its own times."""
    with Node(vm) as node:
        node.eval("P = mailbox:start()")
        pid = node.eval("P")
        trace = Trace("mailbox", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid, *options)
        own = int(node.eval("mailbox:call(P, {%s, %d})" % (what, MESSAGES)))
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0 and lines[-1]["unprinted"] == 0, lines[-1]
    return pid, own, lines


# In order, out of order, and after garbage collections that move what waits.
@over(["%s,%s" % (vm, what) for vm in VMS for what in ("fifo", "backwards", "collected")])
def test_each_message_waits_as_long_as_its_receiver_says(case):
    name, what = case.split(",")
    vm = [vm for vm in VMS if vm.name == name][0]
    agree(lambda: waits(vm, what))


def waits(vm, what):
    pid, own, lines = receive(vm, what)
    hist = of_type(lines, "hist")
    # What it is told is one more; 'DOWN', which tells it that all are sent, is made of a signal.
    assert [(h["key"], h["count"]) for h in hist] == [(pid, MESSAGES + 1)], hist
    assert lines[-1]["not_enqueued"] == 1, lines[-1]
    return hist[0]["p50"], own


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
    names = ["mailbox_%s_%d" % (side, os.getpid()) for side in ("here", "there")]
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
    with Node(vm) as node:
        node.eval("P = mailbox:start()")
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval("mailbox:call(P, {dropped, %d})" % MESSAGES)
        lines = trace.stop_json()
    enqueued, hist = probe_total(lines, "message-enqueued"), of_type(lines, "hist")[0]
    assert lines[-1]["lost"] == 0 and enqueued - MESSAGES - 2 <= hist["count"] <= enqueued - MESSAGES, lines[-1]


STUCK = "register(stuck, spawn(fun() -> receive never -> ok end end)), [stuck ! K || K <- lists:seq(1, %d)], ok" % MESSAGES


def stuck(vm, *options):
    """What is printed of a process that receives nothing, and has as many messages from before the trace as in it."""
    with Node(vm) as node:
        node.eval(STUCK)
        trace = Trace("mailbox", "-p", node.pid, "-j", *options)
        node.eval("[stuck ! K || K <- lists:seq(1, %d)], timer:sleep(300), ok" % MESSAGES)
        return trace.stop_json()


def waiting(lines):
    return [h for h in of_type(lines, "hist") if h.get("is_waiting")]


@over(VMS)
def test_messages_that_still_wait_are_shown(vm):
    hists = waiting(stuck(vm, "--by", "name"))
    assert [(h["key"], h["count"]) for h in hists] == [("stuck", 2 * MESSAGES)], hists
    # In the trace it waits for 300 ms; what came before it for a little longer.
    assert 300e6 <= hists[0]["min"] <= hists[0]["max"] < 3e9, hists
    hists = waiting(stuck(vm, "--by", "name", "--length"))
    assert [(h["key"], h["count"], h["max"]) for h in hists] == [("stuck", 1, 2 * MESSAGES)], hists
    events = of_type(stuck(vm, "--min", "100ms"), "event")
    assert [(e["name"], e["length"], e["enqueued"], e["received"]) for e in events] == [("stuck", 2 * MESSAGES, None, None)]
    assert events[0]["wait"] >= 300e6, events


@over(VMS)
def test_a_slow_server_is_shown_before_it_has_received_all(vm):
    with Node(vm) as node:
        node.eval("register(slow, spawn(fun F() -> receive _ -> timer:sleep(5), F() end end)), ok")
        trace = Trace("mailbox", "-p", node.pid, "-j", "--by", "name", "-i", "300ms", "--count", "2")
        node.eval("[slow ! K || K <- lists:seq(1, 3000)], ok")
        lines = trace.stop_json(None)
    still = [h for h in waiting(lines) if h["key"] == "slow"]
    assert len(still) == 2 and 3000 > still[0]["count"] > still[1]["count"] > 2000, still
    # Each was seen to come: all are of one moment.
    assert 0.5 * still[1]["max"] <= still[1]["min"], still


@over(VMS)
def test_young_messages_are_not_said_to_wait(vm):
    with Node(vm) as node:
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval(STUCK)
        lines = trace.stop_json()
    hists = waiting(lines)
    assert not hists or hists[0]["min"] >= 100e6, hists


@over(VMS)
def test_what_the_vm_made_of_a_signal_has_not_waited_since_the_trace_began(vm):
    """No probe sees a 'DOWN' come."""
    with Node(vm) as node:
        node.eval("spawn(fun() -> {Mate, _} = spawn_monitor(fun() -> receive stop -> ok end end), register(mate, Mate), "
                  "receive never -> ok end end), timer:sleep(50)")
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval("timer:sleep(700), mate ! stop, timer:sleep(20)")
        hists = waiting(trace.stop_json())
    assert not hists or hists[0]["max"] < 600e6, hists


def test_by_a_key_what_still_waits_is_one_table_with_the_oldest_first():
    with Node(STOCK) as node:
        node.eval("Stuck = fun() -> receive never -> ok end end, [spawn(Stuck) ! N || N <- lists:seq(1, 60)]")
        node.eval("P = spawn(fun() -> register(stuck, self()), Stuck() end), [P ! N || N <- lists:seq(1, 9)]")
        out = subprocess.run([ERLBPF, "mailbox", "-p", str(node.pid), "--by", "pid", "--sort", "count", "--rows", "5", "-d", "1"],
                             capture_output=True, text=True, timeout=LIMIT).stdout
        pid = node.eval("P")
    table = out[out.index("still waiting in the mailbox, at least so long"):].splitlines()
    assert table[1].split() == ["KEY", "COUNT", "P50", "P90", "P99", "MAX", "TOTAL", "NAME"], out
    first = table[2].split()
    assert first[:2] == [pid, "9"] and first[-1] == "stuck", out
    assert "Distribution" not in out and re.search("^and 5[0-9] more; --rows=N shows more$", out, re.MULTILINE), out
