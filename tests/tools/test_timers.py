"""timers, held against what a process that sets timers knows of them."""
from lib import VMS, Node, Trace, agree, of_type, over

MESSAGES, CANCELLED, RECEIVES = 200, 50, 30
DUE_MS, NAP_MS = 20, 150


def kept(vm, *options):
    """A node of one scheduler with a process that sets timers, and a trace of these."""
    node = Node(vm, "+S", "1")
    node.eval("sleeper:load(), P = alarms:start()")
    pid = node.eval("P")
    return node, pid, Trace("timers", "-p", node.pid, "-j", "--erl-pid", pid, *options)


@over(VMS)
def test_every_timer_that_fires_counts_once_and_none_that_is_cancelled(vm):
    node, _, trace = kept(vm, "--by", "kind")
    with node:
        assert node.eval("alarms:run(P, %d, %d, %d)" % (MESSAGES, CANCELLED, RECEIVES)) == "ok"
        lines = trace.stop_json()
    assert {hist["key"]: hist["count"] for hist in of_type(lines, "hist")} == {
        "message": MESSAGES, "receive": RECEIVES}, lines
    summary = lines[-1]
    assert (summary["messages"], summary["receives"], summary["ports"]) == (MESSAGES, RECEIVES, 0)
    assert summary["lost"] == 0, summary


@over(VMS)
def test_a_timer_is_as_late_as_its_process_says_when_the_scheduler_was_kept(vm):
    agree(lambda: lateness(vm))


def lateness(vm):
    node, pid, trace = kept(vm, "--min", "%dms" % DUE_MS)
    with node:
        own = int(node.eval("alarms:late(P, %d, %d)" % (DUE_MS, NAP_MS)))
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert [event["kind"] for event in events] == ["message"] and events[0]["pid"] == pid, events
    # In whole milliseconds of the VM's clock, rounded up.
    assert own > (NAP_MS - DUE_MS) * 1000000 * 0.9, own
    assert events[0]["late"] == events[0]["fired"] - events[0]["due"]
    return events[0]["late"], own
