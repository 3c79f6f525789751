"""The main job: sched-latency against what the node itself knows."""
import json
import statistics

from lib import JIT_VMS, STOCK, USDT, VMS, WITH_NEWEST, Node, Trace, of_type, over, probe_total, shared, unique, within

MESSAGES, NAP_MS = 21, 5


def held(vm, *options):
    """The lines, hist and events of a receiver whose messages had to wait, and how long each waited by its own clock."""
    with shared(vm, "+S", "1") as node:
        node.eval("sleeper:load(), R = waits:start(%d)" % MESSAGES)
        receiver = node.eval("R")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "--min", "1us", *options)
        own = [int(ns) for ns in node.eval("waits:held(R, %d, %d)" % (MESSAGES, NAP_MS)).strip("[]").split(",")]
        lines = trace.stop_json()
    hists = [h for h in of_type(lines, "hist") if h["key"] == receiver]
    assert len(hists) == 1 and lines[-1]["lost"] == lines[-1]["unprinted"] == 0, lines
    return lines, hists[0], [e for e in of_type(lines, "event") if e["receiver"] == receiver], own


def check_waits(hist, events, own):
    assert hist["count"] == len(events) == len(own) == MESSAGES, (hist, events)
    for event, most in zip(events, own):
        within(NAP_MS * 1000000, event["wait"], most)
    within(NAP_MS * 1000000 * MESSAGES, hist["sum"], sum(own))


@over(WITH_NEWEST)
def test_each_message_counts_and_waits_as_long_as_its_sender_keeps_the_scheduler(vm):
    _, hist, events, own = held(vm)
    check_waits(hist, events, own)


@over(["%s,%s" % (vm, source) for vm in JIT_VMS for source in ("usdt", "symbol")])
def test_both_sources_can_be_forced(case):
    name, source = case.split(",")
    vm = [v for v in VMS if v.name == name][0]
    if source == "symbol":
        lines, hist, events, own = held(vm, "--source", source)
        check_waits(hist, events, own)
        assert lines[-1]["targets"][0]["source"] == vm.functions
        return
    # Under the JIT the note of process-scheduled fires on dirty schedulers only.
    with shared(vm, "+S", "1") as node:
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--source", source, wait=False)
        if not vm.notes:
            assert trace.child.wait(60) == 3
            return
        trace.wait_for("Tracing")
        node.eval("[self() ! N || N <- lists:seq(1, 10)], ok")
        lines = trace.stop_json()
    assert probe_total(lines, "message-send") >= 10
    assert lines[-1]["targets"][0]["source"] == "usdt"


PROCESSES, SENDS = 100, 200000


@over(VMS)
def test_a_ring_of_many_messages_is_accounted_to_the_last_one(vm):
    with Node(vm, run=("ring", "main"), words=(PROCESSES, SENDS)) as node:
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid")
        node.say("go")
        assert node.line().strip() == "{done,%d}" % SENDS
        lines = trace.stop_json()
        node.kill()
    total = sum(h["count"] + h["already_running"] for h in of_type(lines, "hist"))
    told = total + sum(lines[-1][account] for account in ("remote", "exited", "unseen"))
    enqueued = lines[-1]["probes"]["message-enqueued"]["events"]
    # At most the last message to each of the processes still waits.
    assert 0 <= enqueued - told <= PROCESSES + 2 and lines[-1]["lost"] == 0, lines[-1]
    # Each process of the ring has its share, and what waits or was not seen is all that may be missing.
    in_ring = [n for n in (h["count"] + h["already_running"] for h in of_type(lines, "hist")) if n >= SENDS / PROCESSES / 2]
    missing = enqueued - told + lines[-1]["unseen"]
    assert len(in_ring) == PROCESSES and SENDS - missing <= sum(in_ring) <= SENDS + PROCESSES, (in_ring, lines[-1])


@over([STOCK, USDT])
def test_intervals_are_printed_and_cleared(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("R = spawn(fun F() -> receive _ -> F() end end)")
        receiver = node.eval("R")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "-i", "50ms")
        counts = []
        for messages in (30, 50, 20):
            node.eval("[R ! N || N <- lists:seq(1, %d)], ok" % messages)
            counts += next_counts(trace, receiver)
        lines = [json.loads(line) for line in trace.stop().splitlines()]
    # What came while they were sent may be in two intervals.
    counts += [h["count"] + h["already_running"] for h in of_type(lines, "hist") if h["key"] == receiver]
    assert sum(counts) == 100 and len(counts) >= 3, counts


def next_counts(trace, key):
    """Of the next interval in which there is something of the key."""
    while True:
        line = json.loads(trace.line())
        if line["type"] == "hist" and line["key"] == key:
            return [line["count"] + line["already_running"]]


@over([STOCK])
def test_the_slow_cases_are_printed_one_by_one_and_match_the_histogram(vm):
    lines, hist, events, _ = held(vm)
    waits = [event["wait"] for event in events]
    assert sum(e["messages"] for e in events) == hist["count"] and sum(waits) == hist["sum"], (events, hist)
    shortest = min(waits) if min(waits) >= hist["below"]["ns"] else None
    assert (shortest, max(waits)) == (hist["min"], hist["max"]), (waits, hist)
    assert all(e["wait"] == e["scheduled"] - e["sent"] and e["wait"] >= 1000 for e in of_type(lines, "event"))
    senders = {e["sender"] for e in events}
    assert len(senders) == 1 and senders != {hist["key"]}, senders
    assert abs(statistics.median(waits) - hist["p50"]) <= hist["p50"] * 0.0625 + 1


@over([STOCK])
def test_only_the_wanted_receiver_is_measured(vm):
    lines, hist, _, _ = held(vm)
    assert len(of_type(lines, "hist")) > 1
    with shared(vm, "+S", "1") as node:
        receiver = node.eval("spawn(fun() -> register(wanted, self()), (fun F() -> receive _ -> F() end end)() end)")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver)
        node.eval("[wanted ! N || N <- lists:seq(1, 50)], ok")
        lines = trace.stop_json()
    assert [(h["key"], h["count"]) for h in of_type(lines, "hist")] == [(receiver, 50)]
    assert probe_total(lines, "message-enqueued") == 50


def test_by_node_gives_one_histogram_per_node():
    names = unique("one"), unique("two")
    with Node(STOCK, "-sname", names[0], "+S", "1") as one, Node(USDT, "-sname", names[1], "+S", "1") as two:
        trace = Trace("sched-latency", "-j", "--by", "node", "-p", "%d,%d" % (one.pid, two.pid))
        for node, messages in ((one, 60), (two, 90)):
            node.eval("P = spawn(fun F() -> receive {From, last} -> From ! done; _ -> F() end end), "
                      "[P ! N || N <- lists:seq(1, %d)], P ! {self(), last}, receive done -> ok end" % messages)
        lines = trace.stop_json()
    counts = {h["key"].split("@")[0]: h["count"] for h in of_type(lines, "hist")}
    assert set(counts) == set(names) and counts[names[0]] >= 60 and counts[names[1]] >= 90, counts


@over([STOCK])
def test_a_burst_beyond_the_slots_of_a_receiver_is_counted_in_full(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("R = spawn(fun F() -> receive stop -> ok; _ -> F() end end)")
        receiver = node.eval("R")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver)
        for burst in (5, 16, 17, 100, 5000):
            node.eval("[R ! {x, N} || N <- lists:seq(1, %d)], ok" % burst)
        lines = trace.stop_json()
    assert of_type(lines, "hist")[0]["count"] == 5 + 16 + 17 + 100 + 5000, of_type(lines, "hist")


@over([STOCK])
def test_a_text_histogram_is_dtraces_to_the_column(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("sleeper:load(), R = waits:start(50)")
        trace = Trace("sched-latency", "-p", node.pid)
        node.eval("waits:held(R, 50, 1)")
        text = trace.stop()
    rows = text.splitlines()
    head = rows.index("%16s %41s %-9s" % ("value", "------------- Distribution -------------", "count"))
    buckets = [row for row in rows[head + 1:] if "|" in row]
    assert all(len(row) == 16 + 2 + 40 + 1 + 9 and row[17] == "|" for row in buckets), text
    values = [int(row[:16]) for row in buckets]
    # The first begins where what the probes cost ends.
    assert all(b == 2 * a or (a, b) == (0, 1) for a, b in zip(values[1:], values[2:])), values
    counts = [int(row[59:]) for row in buckets]
    assert counts[-1] == 0 and sum(counts) >= 50


@over(VMS)
def test_messages_to_a_running_receiver_are_counted_apart(vm):
    with shared(vm) as node:
        node.eval("R = spawn(fun() -> receive go -> [self() ! N || N <- lists:seq(1, 100)], receive stop -> ok end end end)")
        receiver = node.eval("R")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver)
        node.eval("R ! go, R ! stop, M = monitor(process, R), receive {'DOWN', M, _, _, _} -> ok end")
        lines = trace.stop_json()
    hist, = of_type(lines, "hist")
    assert hist["already_running"] >= 100 and hist["already_running"] + hist["count"] + lines[-1]["unseen"] == 102, lines
    assert all(bucket["lo"] > 0 for bucket in hist["buckets"]), hist
