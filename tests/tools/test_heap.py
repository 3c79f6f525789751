"""heap, held against what the node says of the same process."""
from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared

GROW = "P ! {grow, 50000, self()}, receive {grown, Size} -> Size end"
SHRINK = "P ! {shrink, self()}, receive {shrunk, Less} -> Less end"


@over(WITH_NEWEST)
def test_a_heap_grows_and_shrinks_by_what_the_node_says(vm):
    with shared(vm) as node:
        pid = node.eval("P = heap:start()")
        first = node.eval("element(2, process_info(P, heap_size))")
        trace = Trace("heap", "-j", "-p", node.pid, "--erl-pid", pid)
        grown = int(node.eval(GROW))
        shrunk = int(node.eval(SHRINK))
        lines = trace.stop_json()
    events = of_type(lines, "event")
    sizes = [event["new"] for event in events]
    assert events[0]["old"] == int(first) and grown in sizes and sizes[-1] == shrunk < grown, (events, grown, shrunk)
    assert all(before["new"] == after["old"] for before, after in zip(events, events[1:])), events
    assert all((event["kind"] == "grow") == (event["new"] > event["old"]) for event in events), events
    assert lines[-1]["grown"] + lines[-1]["shrunk"] == len(events) and lines[-1]["lost"] == 0, lines[-1]
    hist = of_type(lines, "hist")[0]
    assert hist["unit"] == "words" and hist["max"] == max(sizes) and hist["sum"] == sum(sizes), hist


@over(VMS)
def test_by_kind_growing_and_shrinking_are_two_histograms(vm):
    with shared(vm) as node:
        pid = node.eval("P = heap:start()")
        trace = Trace("heap", "-j", "-p", node.pid, "--erl-pid", pid, "--by", "kind")
        node.eval(GROW)
        node.eval(SHRINK)
        lines = trace.stop_json()
    hists = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
    assert not of_type(lines, "event")
    assert hists == {"grow": lines[-1]["grown"], "shrink": lines[-1]["shrunk"]}, hists
