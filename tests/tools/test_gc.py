"""gc, held against what the node's own tracing tells of the same collections."""
from lib import VMS, Node, Trace, agree, of_type


def over(cases):
    def mark(function):
        function.cases = list(cases)
        return function
    return mark


COLLECTIONS = 51


def collect(vm, elements, *options):
    with Node(vm) as node:
        node.eval("P = collector:start(%d)" % elements)
        pid = node.eval("P")
        node.eval("collector:collect(P, 1)")
        trace = Trace("gc", "-p", node.pid, "-j", "--erl-pid", pid, *options)
        median = int(node.eval("collector:collect(P, %d)" % COLLECTIONS))
        return trace.stop_json(), pid, median


# A small heap is collected where the process runs, a large one on a dirty scheduler.
@over(["%s,%d" % (vm, elements) for vm in VMS for elements in (20000, 400000)])
def test_major_collections_are_counted_exactly_and_last_as_long_as_the_node_says(case):
    name, elements = case.split(",")
    vm = [vm for vm in VMS if vm.name == name][0]
    agree(lambda: pauses(vm, int(elements)))


def pauses(vm, elements):
    lines, pid, median = collect(vm, elements, "--by", "pid")
    assert lines[-1]["major"] == COLLECTIONS and lines[-1]["lost"] == 0, lines[-1]
    hist = of_type(lines, "hist")[0]
    assert hist["key"] == pid and hist["count"] == COLLECTIONS + lines[-1]["minor"] - lines[-1]["unseen"]
    # Minor ones of so small a mailbox are rare, so they do not move the median.
    assert lines[-1]["minor"] <= 5
    return hist["p50"], median


@over(VMS)
def test_long_pauses_are_printed_with_what_is_known_of_them(vm):
    lines, pid, median = collect(vm, 400000, "--min", "100us")
    events = [event for event in of_type(lines, "event") if event["kind"] == "major"]
    assert len(events) == COLLECTIONS, len(events)
    assert all(event["pid"] == pid and event["pause"] >= 100000 for event in events)
    assert all((event["reclaimed"] is not None) == vm.notes for event in events)
