"""How near the time of a call is to the node's own."""
from lib import VMS, Node, Trace, agree, of_type, over

WAIT = "lists:sort([element(1, timer:tc(fun() -> erts_debug:dirty_cpu(wait, 20) end)) || _ <- lists:seq(1, 9)])"


@over(VMS)
def test_a_call_takes_as_long_as_the_node_says(vm):
    with Node(vm) as node:
        def measure():
            trace = Trace("uprobe", "erts_debug_dirty_cpu_2", "--time", "-j", "-p", node.pid)
            own = float(node.eval("lists:nth(5, %s)" % WAIT)) * 1000
            hist, = of_type(trace.stop_json(), "hist")
            assert hist["count"] == 9
            return hist["p50"], own
        agree(measure)
