"""tasks: their median is that of the driver's own clock."""
from lib import VMS, Node, Trace, agree, of_type, over

COMMANDS = 101


@over(VMS)
def test_each_command_waits_as_long_as_the_driver_says(vm):
    agree(lambda: waits(vm))


def waits(vm):
    with Node(vm) as node:
        node.eval("sleeper:load(), D = sleeper:open()")
        port = node.eval("D")
        trace = Trace("tasks", "-p", node.pid, "-j", "--by", "port")
        median = int(node.eval("lists:nth(%d, lists:sort([Most || {_, Most} <- sleeper:waits(D, %d)]))"
                               % (COMMANDS // 2 + 1, COMMANDS)))
        lines = trace.stop_json()
    hist, = [hist for hist in of_type(lines, "hist") if hist["key"] == port]
    assert median > 10000000, median
    return hist["p50"], median
