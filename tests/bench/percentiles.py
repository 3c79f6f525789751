"""Percentiles within the default budget beside those of --exact, on RabbitMQ at a load that does not depend on what is measured."""
import contextlib
import math

import lib
from measure import NOTHING, Column, Row
from rabbit import loaded

NAME, TITLE, BUDGET = "percentiles", "Percentiles of the default budget beside --exact", 700
COLUMNS = [Column("p50", "p50", None, 2), Column("p90", "p90", None, 2), Column("p99", "p99", None, 2),
           Column("count", "number", None, 2), Column("apart", "p99s of --exact apart", None, 2), Column("window", "% of the time watched", None, 1)]
ABOUT = """Four clients, 50 messages each, which are published again some time after they came, 20 ms on average, by chance: the same load whatever a tool does to the
server. The figures are those of the default divided by those of `--exact`: 1.00 is no difference. Where what is measured takes much longer than a hit, both are at work
at once, so that they see the same messages (while a window is open these meet the hits of both, which is a part of the difference). What takes less than some hits would be
longer by the other's, so that it is held against the middle of `--exact` just before and just after; how far these two are apart themselves, the larger p99 divided by
the smaller one, stands beside. "Slow traps" is the build of the tests, where each hit takes 5 us more, which `--exact` has in what it measures, and pays for each."""

PAUSE_MS = 20
AT_ONCE = ["sched-latency", "run-queue", "slices", "mailbox", "sockets"]
IN_TURN = ["gc", "calls", "ets"]
ON_SLOW_TRAPS = ["sched-latency", "slices", "calls", "ets"]
LONGER = 10  # than other rows: a p99 of what comes in bursts wants many windows


def hist(lines):
    """The one that has most, if a tool makes several."""
    return max((line for line in lines if line["type"] == "hist"), key=lambda line: line["count"])


def trace(server, tool, *options, program=lib.ERLBPF):
    return lib.Trace(tool, "-p", server.pid, "-j", *options, program=program, env=lib.BUDGET)


def ratios(given, exact):
    return {name: given[name] / exact[name] for name in ("p50", "p90", "p99", "count")}


def watched(summary):
    return 100 * summary["window_s"] / summary["duration_s"]


def at_once(server, clients, ms, tool):
    exact, given = trace(server, tool, "--exact"), trace(server, tool)
    clients.eval("amqp_load:run(%d)" % ms)
    lines = given.stop_json()
    return dict(ratios(hist(lines), hist(exact.stop_json())), window=watched(lines[-1]))


def turn(server, clients, ms, tool, program, *options):
    running = trace(server, tool, *options, program=program)
    clients.eval("amqp_load:run(%d)" % ms)
    lines = running.stop_json()
    return hist(lines), lines[-1]


def middle(before, after):
    return {name: math.sqrt(before[name] * after[name]) for name in ("p50", "p90", "p99", "count")}


def in_turn(server, clients, ms, tool, program=lib.ERLBPF):
    before, _ = turn(server, clients, ms, tool, program, "--exact")
    given, summary = turn(server, clients, ms, tool, program)
    after, _ = turn(server, clients, ms, tool, program, "--exact")
    apart = max(before["p99"], after["p99"]) / min(before["p99"], after["p99"])
    return dict(ratios(given, middle(before, after)), apart=apart, window=watched(summary))


@contextlib.contextmanager
def section(scale):
    with loaded("percentiles", PAUSE_MS) as (server, clients):
        def row(name, take, *args):
            return Row(name, lambda: take(server, clients, LONGER * scale.ms, *args), NOTHING)

        rows = [row(tool, at_once, tool) for tool in scale.table(AT_ONCE, 1)]
        rows += [row(tool, in_turn, tool) for tool in scale.table(IN_TURN, 1)]
        rows += [row(tool + ", slow traps", in_turn, tool, lib.SLOW) for tool in scale.table(ON_SLOW_TRAPS, 0)]
        yield TITLE, rows


def sections(scale):
    return [lambda: section(scale)]
