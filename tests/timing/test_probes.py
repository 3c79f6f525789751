"""That a node costs no time once the probes are gone."""
import time

from lib import VMS, Node, Trace, cpu_seconds, over, unique, wait_until


@over(VMS)
def test_a_wildcard_over_all_probes_leaves_the_node_idle(vm):
    with Node(vm, "-sname", unique("wild"), "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none") as node:
        trace = Trace("count", "*", "-p", node.pid, "-j")
        node.eval("[lists:sum(lists:seq(1, 20000)) || _ <- lists:seq(1, 60)], ok")
        trace.stop_json()
        # Idle: over a second, next to no processor time.
        wait_until("the node is idle", lambda: idles(node.pid), 30)


def idles(pid):
    before = cpu_seconds(pid)
    time.sleep(1)
    return cpu_seconds(pid) - before <= 0.15
