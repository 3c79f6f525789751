"""The main job: sched-latency against what the node itself knows."""
import statistics

from lib import JIT_VMS, VMS, EMU, STOCK, USDT, Node, Trace, agree, of_type, over, probe_total

MESSAGES = 1000


def measure(vm, *options, pause=1, competitors=5, messages=MESSAGES, schedulers=1):
    """(the tool's JSON lines, receiver, the node's own count, median)"""
    with Node(vm, "+S", schedulers and str(schedulers), run=("waits", "main"),
              words=(messages, competitors, pause)) as node:
        receiver = node.ready.split()[1]
        trace = Trace("sched-latency", "-j", "-p", node.pid, *options)
        node.say("go")
        done = node.line().split()
        lines = trace.stop_json()
        node.say("end")
        return lines, receiver, int(done[1]), int(done[2])


medians = {}


@over(VMS)
def test_count_and_median_agree_with_the_nodes_own_clock(vm):
    medians[vm] = agree(lambda: waits(vm, "--by", "pid"))


def waits(vm, *options):
    lines, receiver, count, median = measure(vm, *options)
    mine = [h for h in of_type(lines, "hist") if h["key"] == receiver]
    assert len(mine) == 1, [h["key"] for h in of_type(lines, "hist")]
    assert abs(mine[0]["count"] - count) <= count / 100, (mine[0]["count"], count)
    assert lines[-1]["lost"] == 0
    if "symbol" in options:
        assert lines[-1]["targets"][0]["source"] == vm.functions
    return mine[0]["p50"], median


def test_the_vms_agree():
    assert {STOCK, USDT, EMU} <= set(medians), medians
    assert max(medians.values()) - min(medians.values()) <= 0.25, medians


@over(["%s,%s" % (vm, source) for vm in JIT_VMS for source in ("usdt", "symbol")])
def test_both_sources_can_be_forced(case):
    name, source = case.split(",")
    vm = [v for v in VMS if v.name == name][0]
    if source == "usdt":
        # Under the JIT the note of process-scheduled fires on dirty schedulers only.
        with Node(vm, "+S", "1", run=("waits", "main"), words=(10, 1, 1)) as node:
            trace = Trace("sched-latency", "-j", "-p", node.pid, "--source", source, wait=False)
            if not vm.notes:
                assert trace.child.wait(60) == 3
                return
            trace.wait_for("Tracing")
            node.say("go")
            node.line()
            lines = trace.stop_json()
            assert probe_total(lines, "message-send") >= 10
            assert lines[-1]["targets"][0]["source"] == "usdt"
        return
    agree(lambda: waits(vm, "--by", "pid", "--source", source))


def ring_sends(vm, sends):
    with Node(vm, run=("ring", "main"), words=(100, sends)) as node:
        trace = Trace("sched-latency", "-j", "-p", node.pid)
        node.say("go")
        assert node.line(120).strip() == "{done,%d}" % sends
        lines = trace.stop_json()
        node.kill()
        return lines


@over(VMS)
def test_a_ring_of_a_million_messages_is_accounted_to_the_last_one(vm):
    # What a run without a ring sends (its own input and output) is not the ring's.
    around = probe_total(ring_sends(vm, 0), "message-enqueued")
    lines = ring_sends(vm, 1000000)
    # Timers and ports of the node send a few, too, and not the same number each time.
    assert abs(probe_total(lines, "message-enqueued") - around - 1000000) <= 8, (lines[-1], around)
    total = sum(h["count"] for h in of_type(lines, "hist"))
    told = total + sum(lines[-1][account] for account in ("remote", "exited", "unseen"))
    # At most the last message to each of the processes still waits.
    assert 0 <= lines[-1]["probes"]["message-enqueued"]["events"] - told <= 102, lines[-1]


@over([STOCK, USDT])
def test_intervals_are_printed_and_cleared(vm):
    with Node(vm, "+S", "1", run=("waits", "main"), words=(300, 2, 5)) as node:
        receiver = node.ready.split()[1]
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "-i", "200ms")
        node.say("go")
        node.line()
        lines = trace.stop_json()
        node.say("end")
    counts = [h["count"] for h in of_type(lines, "hist") if h["key"] == receiver]
    assert sum(counts) == 300 and len(counts) >= 4 and max(counts) < 300, counts
    assert len(of_type(lines, "interval")) >= 5


def test_the_slow_cases_are_printed_one_by_one_and_match_the_histogram():
    lines, receiver, count, median = measure(STOCK, "--min", "1us", "--by", "pid")
    events = [e for e in of_type(lines, "event") if e["receiver"] == receiver]
    mine = [h for h in of_type(lines, "hist") if h["key"] == receiver][0]
    assert sum(e["messages"] for e in events) + lines[-1]["lost"] >= mine["count"] * 0.99
    assert all(e["wait"] == e["scheduled"] - e["sent"] and e["wait"] >= 1000 for e in events)
    senders = {e["sender"] for e in events}
    assert len(senders) == 1 and senders != {receiver}, senders
    assert abs(statistics.median(e["wait"] for e in events) - mine["p50"]) <= mine["p50"] * 0.0625 + 1


def test_only_the_wanted_receiver_is_measured():
    with Node(STOCK, "+S", "1", run=("waits", "main"), words=(50, 2, 1)) as node:
        receiver = node.ready.split()[1]
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver)
        node.say("go")
        node.line()
        lines = trace.stop_json()
        node.say("end")
    hists = of_type(lines, "hist")
    assert [h["key"] for h in hists] == [receiver] and hists[0]["count"] == 50
    assert probe_total(lines, "message-enqueued") == 50


def test_by_node_gives_one_histogram_per_node():
    with Node(STOCK, "-sname", "one", "+S", "1", run=("waits", "main"), words=(60, 2, 1)) as one, \
         Node(USDT, "-sname", "two", "+S", "1", run=("waits", "main"), words=(90, 2, 1)) as two:
        trace = Trace("sched-latency", "-j", "--by", "node", "-p", "%d,%d" % (one.pid, two.pid))
        for node in (one, two):
            node.say("go")
        for node in (one, two):
            node.line()
        lines = trace.stop_json()
        for node in (one, two):
            node.say("end")
    counts = {h["key"].split("@")[0]: h["count"] for h in of_type(lines, "hist")}
    assert set(counts) == {"one", "two"} and counts["one"] >= 60 and counts["two"] >= 90, counts


def test_a_burst_beyond_the_slots_of_a_receiver_is_counted_in_full():
    with Node(STOCK, "+S", "1") as node:
        node.eval("R = spawn(fun F() -> receive stop -> ok; _ -> F() end end)")
        receiver = node.eval("R")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver)
        for burst in (5, 16, 17, 100, 5000):
            node.eval("[R ! {x, N} || N <- lists:seq(1, %d)], ok" % burst)
        lines = trace.stop_json()
    assert of_type(lines, "hist")[0]["count"] == 5 + 16 + 17 + 100 + 5000, of_type(lines, "hist")


def test_a_text_histogram_is_dtraces_to_the_column():
    with Node(EMU, "+S", "1", run=("waits", "main"), words=(50, 2, 1)) as node:
        trace = Trace("sched-latency", "-p", node.pid)
        node.say("go")
        node.line()
        text = trace.stop()
        node.say("end")
    rows = text.splitlines()
    head = rows.index("%16s %41s %-9s" % ("value", "------------- Distribution -------------", "count"))
    buckets = [row for row in rows[head + 1:] if "|" in row]
    assert all(len(row) == 16 + 2 + 40 + 1 + 9 and row[17] == "|" for row in buckets), text
    values = [int(row[:16]) for row in buckets]
    assert all(b == 2 * a or (a, b) == (0, 1) for a, b in zip(values, values[1:])), values
    counts = [int(row[59:]) for row in buckets]
    assert counts[-1] == 0 and sum(counts) >= 50
