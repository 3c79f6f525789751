"""Percentiles within the default budget between two turns of --exact, on RabbitMQ at a load that does not depend on what is measured."""
import contextlib
import math

import lib
from measure import NOTHING, Column, Row
from rabbit import loaded

NAME, TITLE, BUDGET = "percentiles", "Percentiles of the default budget beside --exact", 900
COLUMNS = [Column("p50", "p50", None, 2), Column("p90", "p90", None, 2), Column("p99", "p99", None, 2),
           Column("count", "number", None, 2), Column("apart", "p99s of --exact apart", None, 2), Column("window", "% of the time watched", None, 1)]
ABOUT = """Four clients, 50 messages each, which are published again some time after they came, 20 ms on average, by chance: the same load whatever a tool does to the
server. The figures are those of the default divided by the middle of those of `--exact` just before and just after: 1.00 is no difference.
How far the two of `--exact` are apart themselves, the larger p99 divided by the smaller one, stands beside. "Slow traps" is the build
of the tests, where each hit takes 5 us more, which `--exact` has in what it measures, and pays for each."""

PAUSE_MS = 20
TOOLS = ["sched-latency", "run-queue", "slices", "mailbox", "gc", "sockets", "calls", "ets"]
ON_SLOW_TRAPS = ["sched-latency", "slices", "calls", "ets"]
LONGER = 10  # than other rows: a p99 of what comes in bursts wants many windows


def hist(lines):
    """The one that has most, if a tool makes several."""
    return max((line for line in lines if line["type"] == "hist"), key=lambda line: line["count"])


def measure(server, clients, ms, tool, program, *options):
    trace = lib.Trace(tool, "-p", server.pid, "-j", *options, program=program, env=lib.BUDGET)
    clients.eval("amqp_load:run(%d)" % ms)
    lines = trace.stop_json()
    return hist(lines), lines[-1]


def take(server, clients, ms, tool, program):
    before, _ = measure(server, clients, ms, tool, program, "--exact")
    given, summary = measure(server, clients, ms, tool, program)
    after, _ = measure(server, clients, ms, tool, program, "--exact")
    ratios = {name: given[name] / math.sqrt(before[name] * after[name]) for name in ("p50", "p90", "p99", "count")}
    apart = max(before["p99"], after["p99"]) / min(before["p99"], after["p99"])
    return dict(ratios, apart=apart, window=100 * summary["window_s"] / summary["duration_s"])


@contextlib.contextmanager
def section(scale):
    with loaded("percentiles", PAUSE_MS) as (server, clients):
        rows = [(tool, tool, lib.ERLBPF) for tool in scale.table(TOOLS, 2)]
        rows += [(tool + ", slow traps", tool, lib.SLOW) for tool in scale.table(ON_SLOW_TRAPS, 0)]
        yield TITLE, [Row(name, lambda tool=tool, program=program: take(server, clients, LONGER * scale.ms, tool, program), NOTHING)
                      for name, tool, program in rows]


def sections(scale):
    return [lambda: section(scale)]
