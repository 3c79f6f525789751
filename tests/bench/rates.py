"""A node that does 200,000 things a second, under tools as they are by default: it must get them done all the same."""
import contextlib
import os

import lib
from measure import Column, Row
from tracers import Nothing, Tool

NAME, TITLE, BUDGET = "rates", "200,000 operations a second under tools with their default budget", 420
COLUMNS = [Column("rate", "operations/s", "more"), Column("cpu", "% of a core", digits=1)]
ABOUT = """One process calls a BIF, sends to another, or inserts into an ETS table. What it cannot do in time it makes up for
later, so that less than 200,000 a second were too much for the node."""

RATE = 200000
LOADS = [("BIF calls", "bif"), ("messages", "message"), ("ETS operations", "ets")]
TOOLS = ["sched-latency", "mailbox", "count", "calls", "ets", "top"]
SPEND_MS = 1500  # the first window
LONGER = 10  # than other rows: with slow traps a window comes every few seconds


def take(node, what, ms, start):
    traced = start()
    node.eval("load:paced(%s, %d, %d)" % (what, RATE, SPEND_MS), 60)
    before = lib.cpu_seconds(node.pid)
    rate = float(node.eval("load:paced(%s, %d, %d)" % (what, RATE, ms), 60))
    used = lib.cpu_seconds(node.pid) - before
    traced.stop()
    return {"rate": rate, "cpu": 100000 * used / ms}


def tool(node, name):
    return Tool(name, *(["*"] if name == "calls" else []), "-p", node.pid, env=dict(os.environ, **lib.BUDGET))


@contextlib.contextmanager
def section(scale, name, what):
    with lib.Node(lib.STOCK) as node:
        starts = [("untraced", Nothing)]
        starts += [(one, lambda one=one: tool(node, one)) for one in scale.table(TOOLS, 3)]
        yield "200,000 %s a second" % name, [
            Row(one, lambda start=start: take(node, what, LONGER * scale.ms, start)) for one, start in starts]


def sections(scale):
    return [lambda name=name, what=what: section(scale, name, what) for name, what in scale.table(LOADS, 2)]
