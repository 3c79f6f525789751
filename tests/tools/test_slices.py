"""slices, held against what the node knows of its own time on a scheduler."""
import statistics

from lib import VMS, Node, Trace, agree, of_type, probe_total


def over(cases):
    def mark(function):
        function.cases = list(cases)
        return function
    return mark


def make_worker(node):
    node.eval("P = worker:start(self())")
    node.eval("P ! {short, 1}, receive {worked, _} -> ok end")
    return node.eval("P")


def work(node, what):
    """Nanoseconds that it took, by the worker's own clock."""
    return int(node.eval("(fun() -> P ! %s, receive {worked, T} -> T end end)()" % what))


@over(VMS)
def test_a_process_has_one_slice_for_each_message_that_wakes_it(vm):
    agree(lambda: short_slices(vm))


def short_slices(vm):
    with Node(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid)
        taken = [work(node, "{short, 3000}") for _ in range(200)]
        lines = trace.stop_json()
    hist = of_type(lines, "hist")[0]
    assert hist["key"] == pid and abs(hist["count"] - 200) <= 2, hist
    assert probe_total(lines, "process-unscheduled") - lines[-1]["unseen"] == hist["count"]
    return hist["p50"], statistics.median(taken)


@over(VMS)
def test_a_slice_that_is_too_long_is_printed_with_its_process_and_duration(vm):
    agree(lambda: long_slice(vm))


def long_slice(vm):
    with Node(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "2ms", "--erl-pid", pid)
        for _ in range(20):
            work(node, "{short, 1000}")
        taken = work(node, "stuck")
        events = of_type(trace.stop_json(), "event")
    assert taken > 2000000
    assert all(event["pid"] == pid and event["ran"] >= 2000000 for event in events)
    return max(event["ran"] for event in events), taken
