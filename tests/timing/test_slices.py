"""slices: as long as the node's own clock says."""
import statistics

from lib import VMS, Node, Trace, agree, of_type, over


def make_worker(node):
    node.eval("P = worker:start(self())")
    node.eval("P ! {short, 1}, receive {worked, _} -> ok end")
    return node.eval("P")


def work(node, what):
    """Nanoseconds that it took, by the worker's own clock."""
    return int(node.eval("(fun() -> P ! %s, receive {worked, T} -> T end end)()" % what))


@over(VMS)
def test_the_median_of_slices_is_that_of_the_process(vm):
    agree(lambda: short_slices(vm), tries=8)


def short_slices(vm):
    with Node(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid)
        taken = [work(node, "{short, 3000}") for _ in range(200)]
        lines = trace.stop_json()
    return of_type(lines, "hist")[0]["p50"], statistics.median(taken)


@over(VMS)
def test_a_slice_that_is_too_long_lasts_as_long_as_its_process_says(vm):
    agree(lambda: long_slice(vm))


def long_slice(vm):
    with Node(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "2ms", "--erl-pid", pid)
        for _ in range(20):
            work(node, "{short, 1000}")
        taken = work(node, "stuck")
        events = of_type(trace.stop_json(), "event")
    return max(event["ran"] for event in events), taken


@over(["%s,%s" % (vm, nif) for vm in VMS for nif in ("nap", "dirty_nap")])
def test_a_nif_that_sleeps_lasts_as_long_as_its_process_says(case):
    name, nif = case.split(",")
    agree(lambda: named_nif([vm for vm in VMS if vm.name == name][0], nif))


def named_nif(vm, nif):
    with Node(vm) as node:
        node.eval("sleeper:load(), P = sleeper:start()")
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "20ms")
        taken = int(node.eval("sleeper:run(P, {%s, [50]})" % nif))
        event, = of_type(trace.stop_json(), "event")
    return event["ran"], taken
