"""calls: a long call lasts as long as the node says."""
from lib import VMS, Node, Trace, agree, of_type, over


@over(VMS)
def test_a_long_call_lasts_as_long_as_the_node_says(vm):
    agree(lambda: long_call(vm))


def long_call(vm):
    with Node(vm) as node:
        node.eval("P = calling:start(), calling:call(P, {1, reverse})")
        trace = Trace("calls", "erts_debug:*", "-p", node.pid, "-j", "--min", "1ms", "--erl-pid", node.eval("P"))
        own = int(node.eval("calling:call(P, long)"))
        events = of_type(trace.stop_json(), "event")
    return max(event["took"] for event in events), own
