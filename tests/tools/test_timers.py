"""timers, held against what a process that sets timers knows of them."""
from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within

MESSAGES, CANCELLED, RECEIVES = 200, 50, 30
DUE_MS, NAP_MS, SLACK_MS = 20, 150, 3


def kept(node, *options):
    """On a node of one scheduler, a process that sets timers, and a trace of these."""
    node.eval("sleeper:load(), P = alarms:start()")
    pid = node.eval("P")
    return pid, Trace("timers", "-p", node.pid, "-j", "--erl-pid", pid, *options)


@over(WITH_NEWEST)
def test_every_timer_that_fires_counts_once_and_none_that_is_cancelled(vm):
    with shared(vm, "+S", "1") as node:
        _, trace = kept(node, "--by", "kind")
        assert node.eval("alarms:run(P, %d, %d, %d)" % (MESSAGES, CANCELLED, RECEIVES)) == "ok"
        lines = trace.stop_json()
    assert {hist["key"]: hist["count"] for hist in of_type(lines, "hist")} == {
        "message": MESSAGES, "receive": RECEIVES}, lines
    summary = lines[-1]
    assert (summary["messages"], summary["receives"], summary["ports"]) == (MESSAGES, RECEIVES, 0)
    assert summary["lost"] == 0, summary


@over(VMS)
def test_a_timer_is_as_late_as_its_process_says_when_the_scheduler_was_kept(vm):
    with shared(vm, "+S", "1") as node:
        pid, trace = kept(node, "--min", "%dms" % DUE_MS)
        own = int(node.eval("alarms:late(P, %d, %d)" % (DUE_MS, NAP_MS)))
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert [event["kind"] for event in events] == ["message"] and events[0]["pid"] == pid, events
    assert events[0]["late"] == events[0]["fired"] - events[0]["due"]
    # In whole milliseconds of the VM's clock, rounded up, which may be a little fast or slow.
    within((NAP_MS - DUE_MS - SLACK_MS) * 1000000, events[0]["late"], own + SLACK_MS * 1000000)
