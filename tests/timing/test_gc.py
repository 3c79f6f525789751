"""gc: the median of its pauses is that of the node's own tracing."""
from lib import VMS, Node, Trace, agree, of_type, over

COLLECTIONS = 51


# A small heap is collected where the process runs, a large one on a dirty scheduler.
@over(["%s,%d" % (vm, elements) for vm in VMS for elements in (20000, 400000)])
def test_major_collections_last_as_long_as_the_node_says(case):
    name, elements = case.split(",")
    vm = [vm for vm in VMS if vm.name == name][0]
    agree(lambda: pauses(vm, int(elements)))


def pauses(vm, elements):
    with Node(vm) as node:
        node.eval("P = collector:start(%d)" % elements)
        pid = node.eval("P")
        node.eval("collector:collect(P, 1)")
        trace = Trace("gc", "-p", node.pid, "-j", "--erl-pid", pid, "--by", "pid")
        median = int(node.eval("collector:collect(P, %d)" % COLLECTIONS))
        lines = trace.stop_json()
    # Minor ones of so small a mailbox are rare, so they do not move the median.
    assert lines[-1]["major"] == COLLECTIONS and lines[-1]["minor"] <= 5, lines[-1]
    return of_type(lines, "hist")[0]["p50"], median
