"""A pair of processes that exchange messages as fast as they can (tests/erl/pingpong.erl), under each question: the worst case,
since a round trip is two messages and four context switches in half a microsecond."""
import contextlib

import lib
from measure import Column, Row
from questions import TOOLS, starts

NAME, TITLE, BUDGET = "pingpong", "Ping-pong under each question", 290
COLUMNS = [Column("trips", "round trips/s", "more")]
ABOUT = """The ratio is to the untraced node: 1.00 costs nothing. Questions whose probes such a pair does not hit cost nothing."""


def take(node, ms, start):
    traced = start()
    trips = int(node.eval("pingpong:run(%d)" % ms, 60)) * 1000 / ms
    traced.stop()
    return {"trips": trips}


@contextlib.contextmanager
def section(scale, vm):
    with lib.Node(vm) as node:
        yield "Ping-pong on a VM %s notes" % ("with" if vm.notes else "without"), [
            Row(name, lambda start=start: take(node, scale.ms, start))
            for name, start in starts(node, vm, scale.table(TOOLS, 2))]


def sections(scale):
    made = [lambda: section(scale, lib.STOCK)]
    return made + [lambda: section(scale, lib.USDT)] if scale.name == "full" else made
