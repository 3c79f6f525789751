"""What an interval shows is of that interval alone."""
import json

from lib import STOCK, Trace, of_type, over, shared


@over([STOCK])
def test_the_histogram_of_all_begins_anew_in_each_interval(vm):
    """test_sched_latency.py has the same of histograms by key, which are cleared in another way."""
    with shared(vm, "+S", "1") as node:
        node.eval("R = spawn(fun F() -> receive _ -> F() end end)")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--erl-pid", node.eval("R"), "-i", "50ms")
        counts = []
        # Four: the kernel's programs count in one of two places, in turns.
        for messages in (30, 50, 20, 40):
            node.eval("[R ! N || N <- lists:seq(1, %d)], ok" % messages)
            counts.append(next_count(trace))
        lines = [json.loads(line) for line in trace.stop().splitlines()]
    # What came while they were sent may be in two intervals.
    counts += [hist["count"] for hist in of_type(lines, "hist")]
    assert sum(counts) == 140, counts


def next_count(trace):
    """Of the next interval in which there is something."""
    while True:
        line = json.loads(trace.line())
        if line["type"] == "hist" and line["count"]:
            return line["count"]
