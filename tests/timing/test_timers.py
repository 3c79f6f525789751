"""timers: as late as the process says."""
from lib import VMS, Node, Trace, agree, of_type, over

DUE_MS, NAP_MS = 20, 150


@over(VMS)
def test_a_timer_is_as_late_as_its_process_says_when_the_scheduler_was_kept(vm):
    agree(lambda: lateness(vm))


def lateness(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("sleeper:load(), P = alarms:start()")
        trace = Trace("timers", "-p", node.pid, "-j", "--erl-pid", node.eval("P"), "--min", "%dms" % DUE_MS)
        own = int(node.eval("alarms:late(P, %d, %d)" % (DUE_MS, NAP_MS)))
        event, = of_type(trace.stop_json(), "event")
    return event["late"], own
