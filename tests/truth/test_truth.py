"""Live workloads that know their own numbers (tests/erl/truth.erl), traced as a user does by default: an answer is exact, or a
rate whose interval contains the truth, or there is no rate. `make test-truth`."""
from lib import STOCK, Node, Trace, of_type, over

SECONDS = 6
ROUNDS = 2
# Buckets are of a millisecond.
EDGE = 0.02
LEAST_CONTAINED = 0.9

WORKLOADS = {
    "steady": ("ets", "steady", [2000, "ets"]),
    "fast": ("ets", "steady", [100000, "ets"]),
    "beside a busy process": ("ets", "busy", ["steady", 50000, "ets"]),
    "collections": ("gc", "steady", [3000, "gc"]),
    "many collections": ("gc", "steady", [50000, "gc"]),
    "bursts of 5 ms": ("ets", "bursts", [5, 200]),
    "bursts of 100 ms": ("ets", "bursts", [100, 1000]),
    "bursts of 100 ms beside a busy process": ("ets", "busy", ["bursts", 100, 1000]),
    "bursts of 500 ms": ("ets", "bursts", [500, 1500]),
    "locked to 10 ms": ("ets", "bursts", [3, 10]),
    "locked to 20 ms": ("ets", "bursts", [5, 20]),
    "locked to 50 ms": ("ets", "bursts", [10, 50]),
    "locked to 100 ms": ("ets", "bursts", [20, 100]),
    "starts midway": ("ets", "midway", [3000, 600000, 100000]),
    "stops midway": ("ets", "midway", [0, 3000, 100000]),
    "starts midway beside a busy process": ("ets", "busy", ["midway", 3000, 600000, 100000]),
    "heavy tail": ("ets", "tail", [20000]),
    "processes that live for one event": ("ets", "short", [20000]),
}


def term(value):
    return "[%s]" % ", ".join(map(term, value)) if isinstance(value, list) else str(value)


def ask(kind, tool, args):
    """(record that counts, events in the time that was traced, how long that was)"""
    with Node(STOCK, "+S", "2") as node:
        node.eval("truth:start(%s, %s)" % (kind, term(args)))
        trace = Trace(tool, "-p", node.pid, "-j", "-d", SECONDS)
        lines = trace.stop_json(sig=None)
        begin_ms, seconds = lines[-1]["began"] // 10**6, lines[-1]["duration_s"]
        events = int(node.eval("truth:events(%d, %d)" % (begin_ms, begin_ms + seconds * 1000)))
    return (of_type(lines, "hist") or of_type(lines, "table"))[0], events, seconds


def test_an_interval_contains_the_truth():
    rates, contained, wrong = 0, 0, []
    for name, (tool, kind, args) in WORKLOADS.items():
        for _ in range(ROUNDS):
            record, events, seconds = ask(kind, tool, args)
            if "windows" not in record:
                if abs(record["count"] - events) > EDGE * max(events, 10000):
                    wrong.append((name, "exact", record["count"], events))
                continue
            if record["rate"] is None:
                continue
            rates, truth = rates + 1, events / seconds
            low, high = record["rate_low"], record["rate_high"]
            contained += low <= truth <= high
            if truth < low / 2 or truth > high * 2:
                wrong.append((name, "far off", record, truth))
            print("%s: %.0f/s (%.0f-%.0f), truth %.0f" % (name, record["rate"], low, high, truth))
    assert not wrong, wrong
    assert contained >= LEAST_CONTAINED * rates, (contained, rates)


@over(["gc", "ets"])
def test_an_interval_without_a_window_is_not_measured(tool):
    """Beyond the limit, intervals are shorter than windows can be apart."""
    with Node(STOCK) as node:
        node.eval("truth:start(steady, [50000, %s])" % tool)
        trace = Trace(tool, "-p", node.pid, "-j", "-i", "50ms", "-d", 3, "--max-overhead", "0.1")
        lines = trace.stop_json(sig=None)
    records = of_type(lines, "hist") or of_type(lines, "table")
    unwatched = [r for r in records if r.get("watched_s") == 0]
    assert unwatched and all(r["rate"] is None for r in unwatched), records[-5:]
