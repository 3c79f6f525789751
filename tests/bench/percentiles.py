"""Percentiles within the default budget beside those of --exact in turn, on RabbitMQ at loads that do not depend on what is measured."""
import contextlib
import math
import statistics

import lib
from measure import NOTHING, Column, Row
from rabbit import loaded

NAME, TITLE, BUDGET = "percentiles", "Percentiles of the default budget beside --exact", 1100
NAMES = ("p50", "p90", "p99", "count")
COLUMNS = [Column("p50", "p50", None, 2), Column("p90", "p90", None, 2), Column("p99", "p99", None, 2),
           Column("count", "number", None, 2), Column("apart", "p99s of --exact apart", None, 2),
           Column("load", "messages/s", None), Column("window", "% of the time watched", None, 1)]
ABOUT = """Four clients, 50 messages each, which are published again some time after they came, by chance: the same load whatever a tool does to the server. It is so small
that `--exact` leaves the server time to rest, since a server that is kept busy by probes has other percentiles than one that is not; and so large, where that can be had, that
the budget is not enough for all of it. The figures are those of the default divided by those of `--exact`, both of which are measured in turn: the middle of what each turn of
the default is beside the turns before and after it, 1.00 is no difference. The server itself changes meanwhile: how far two turns of `--exact` are apart that follow each other
so, the larger p99 divided by the smaller one, stands beside. "Slow traps" is the build of the tests, where each hit takes 5 us more."""

# After how many milliseconds a message comes again, on average.
TOOLS = [("sched-latency", 40), ("run-queue", 40), ("slices", 40), ("mailbox", 40), ("sockets", 40), ("gc", 40), ("ets", 40), ("calls", 100)]
ON_SLOW_TRAPS = [("sched-latency", 200), ("slices", 200), ("ets", 100), ("calls", 400)]
TURNS = 2    # of the default in each run
LONGER = 8   # than other rows: a p99 of what comes in bursts wants many windows


def hist(lines):
    """The one that has most, if a tool makes several."""
    return max((line for line in lines if line["type"] == "hist"), key=lambda line: line["count"])


def turn(server, clients, ms, tool, program, *options):
    """(histogram, messages a second, % of the time that was watched)"""
    running = lib.Trace(tool, *(["*"] if tool == "calls" else []), "-p", server.pid, "-j", *options, program=program, env=lib.BUDGET)
    messages = int(clients.eval("amqp_load:run(%d)" % ms))
    lines = running.stop_json()
    return hist(lines), 1000 * messages / ms, 100 * lines[-1]["watched_s"] / lines[-1]["duration_s"]


def beside(given, before, after):
    """Beside the middle of two."""
    return {name: given[name] / math.sqrt(before[name] * after[name]) for name in NAMES}


def apart(one, other):
    return max(one["p99"], other["p99"]) / min(one["p99"], other["p99"])


def take(server, clients, ms, tool, pause_ms, program):
    clients.eval("amqp_load:pause(%d)" % pause_ms)
    clients.eval("amqp_load:run(%d)" % ms)  # messages that are under way come as before
    exact, given = [turn(server, clients, ms, tool, program, "--exact")], []
    for _ in range(TURNS):
        given.append(turn(server, clients, ms, tool, program))
        exact.append(turn(server, clients, ms, tool, program, "--exact"))
    hists = [one[0] for one in exact]
    ratios = [beside(one[0], *around) for one, around in zip(given, zip(hists, hists[1:]))]
    middle = {name: statistics.median(ratio[name] for ratio in ratios) for name in NAMES}
    return dict(middle, apart=statistics.median(map(apart, hists, hists[1:])),
                load=statistics.median(one[1] for one in given), window=statistics.median(one[2] for one in given))


@contextlib.contextmanager
def section(scale):
    with loaded("percentiles", TOOLS[0][1]) as (server, clients):
        def row(tool, pause_ms, program, name):
            return Row(name, lambda: take(server, clients, LONGER * scale.ms, tool, pause_ms, program), NOTHING, limit=90)

        rows = [row(*tool, lib.ERLBPF, tool[0]) for tool in scale.table(TOOLS, 2)]
        rows += [row(*tool, lib.SLOW, tool[0] + ", slow traps") for tool in scale.table(ON_SLOW_TRAPS, 0)]
        yield TITLE, rows


def sections(scale):
    return [lambda: section(scale)]
