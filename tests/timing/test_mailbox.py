"""mailbox: the median of its waits is that of the receiver's own clock."""
import re
import statistics

from lib import VMS, Node, Trace, agree, of_type, over

MESSAGES = 300


# In order, out of order, and after garbage collections that move what waits.
@over(["%s,%s" % (vm, what) for vm in VMS for what in ("fifo", "backwards", "collected")])
def test_each_message_waits_as_long_as_its_receiver_says(case):
    name, what = case.split(",")
    vm = [vm for vm in VMS if vm.name == name][0]
    agree(lambda: waits(vm, what))


def waits(vm, what):
    with Node(vm) as node:
        node.eval("P = mailbox:start()")
        trace = Trace("mailbox", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", node.eval("P"))
        own = [int(ns) for ns in re.findall(r"\d+", node.eval("mailbox:call(P, {%s, %d})" % (what, MESSAGES)))]
        hist, = of_type(trace.stop_json(), "hist")
    return hist["p50"], statistics.median_low(own)
