"""gc, held against what the node's own tracing tells of the same collections."""
import re

from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within

COLLECTIONS = 21
# A small heap is collected where the process runs, a large one on a dirty scheduler.
SMALL, LARGE = 20000, 400000


def collect(vm, elements, *options):
    """The lines of a trace of a process that collects; and of each collection the pause by the VM's own trace events, and how
    long it took to ask for it."""
    with shared(vm) as node:
        node.eval("P = collector:start(%d)" % elements)
        pid = node.eval("P")
        node.eval("collector:collect(P, 1)")
        trace = Trace("gc", "-p", node.pid, "-j", "--erl-pid", pid, *options)
        own = node.eval("collector:times(P, %d)" % COLLECTIONS)
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0 and lines[-1]["major"] == COLLECTIONS, lines[-1]
    return lines, pid, [(int(pause), int(asked)) for pause, asked in re.findall(r"{(\d+),(\d+)}", own)]


@over(["%s,%d" % (vm, elements) for vm in WITH_NEWEST for elements in (SMALL, LARGE)])
def test_major_collections_are_counted_exactly_and_last_as_long_as_the_node_says(case):
    name, elements = case.split(",")
    vm = [vm for vm in WITH_NEWEST if vm.name == name][0]
    lines, pid, own = collect(vm, int(elements), "--by", "pid", "--min", "1ns")
    hist, = of_type(lines, "hist")
    assert hist["key"] == pid and hist["count"] == COLLECTIONS + lines[-1]["minor"] - lines[-1]["unseen"]
    pauses = [event["pause"] for event in of_type(lines, "event") if event["kind"] == "major"]
    assert len(pauses) == len(own) == COLLECTIONS and hist["max"] >= max(pauses), (pauses, own, hist)
    # The events of the VM's tracing are within the function that collects, and around the notes.
    is_around = lines[-1]["targets"][0]["source"] != "usdt" and not vm.notes
    for ours, (traced, asked) in zip(pauses, own):
        within(traced if is_around else 0, ours, asked)


@over(VMS)
def test_long_pauses_are_printed_with_what_is_known_of_them(vm):
    # On no machine are 13 MB copied in less.
    lines, pid, _ = collect(vm, LARGE, "--min", "10us")
    events = [event for event in of_type(lines, "event") if event["kind"] == "major"]
    assert len(events) == COLLECTIONS, len(events)
    assert all(event["pid"] == pid and event["pause"] >= 10000 for event in of_type(lines, "event"))
    assert all(event["need"] is not None and event["reclaimed"] is not None for event in events)


@over(VMS)
def test_by_kind_minor_and_major_ones_have_a_histogram_each(vm):
    lines, _, _ = collect(vm, SMALL, "--by", "kind")
    hists = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
    assert hists.pop("major") == COLLECTIONS and hists.get("minor", 0) == lines[-1]["minor"], (hists, lines[-1])


# On a heap of this size, the collections run on a dirty scheduler.
@over(["%s,%d" % (vm, keep) for vm in VMS for keep in (1000, 400000)])
def test_words_are_those_that_the_node_tells_of_each_collection(case):
    name, keep = case.split(",")
    vm = [vm for vm in VMS if vm.name == name][0]
    with shared(vm) as node:
        pid = node.eval("P = garbage:start(%s)" % keep)
        trace = Trace("gc", "-p", node.pid, "-j", "--erl-pid", pid, "--min", "1ns")
        # Messages in the queue are not seen where a dirty scheduler collects and there are no notes.
        told = node.eval("garbage:make(P, 1500, %d)" % (20 if keep == "1000" or vm.notes else 0))
        events = of_type(trace.stop_json(), "event")
    told = [(kind, int(reclaimed), int(before), int(after)) for kind, reclaimed, before, after in
            re.findall(r"{(\w+),(-?\d+),(\d+),(\d+)}", told)]
    seen = [(e["kind"], e["reclaimed"], e["before"], e["after"]) for e in events]
    told, seen = without_vain(told), without_vain(seen)
    assert len(told) > 5 and [c[:2] + c[3:] for c in seen] == [c[:2] + c[3:] for c in told], (told, seen)
    # The VM counts the words before in two ways, one for the trace and one for what it reclaims.
    assert all(abs(ours[2] - own[2]) <= 16 for ours, own in zip(seen, told)), (told, seen)


def without_vain(collections):
    """Without minor ones that turned out too small and became major: without notes, they are not seen."""
    return [this for this, after in zip(collections, collections[1:] + [("minor", 0)])
            if not (this[:2] == ("minor", 0) and after[0] == "major")]
