"""How near the time for which a port is busy is to that for which its owner is suspended."""
from lib import VMS, Node, Trace, agree, of_type, over

NOBODY_READS = "open_port({spawn, \"sh -c 'sleep 0.5; cat > /dev/null'\"}, [binary])"


def busy(vm):
    with Node(vm) as node:
        trace = Trace("ports", "-p", node.pid, "-j", "--min", "100ms")
        node.eval("P = " + NOBODY_READS)
        port = node.eval("P")
        node.eval("port_command(P, binary:copy(<<0>>, 1000000))")
        suspended = int(node.eval("element(1, timer:tc(fun() -> port_command(P, <<0>>) end))")) * 1000
        events = of_type(trace.stop_json(), "event")
        pid = node.eval("self()")
    assert [(event["kind"], event["port"], event["pid"]) for event in events] == [("not_busy", port, pid)]
    return events[0]["busy"], suspended


@over(VMS)
def test_a_port_is_busy_for_as_long_as_its_owner_is_suspended(vm):
    agree(lambda: busy(vm))
