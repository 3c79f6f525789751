"""What is left of the throughput of a node while calls of an Erlang function are measured: erlbpf calls --via vm, and dbg."""
import contextlib
import os

import lib
from measure import Column, Row
from tracers import Nothing, Tool

NAME, TITLE, BUDGET = "functions", "Calls of an Erlang function", 150
COLUMNS = [Column("rate", "calls a second", better="more"), Column("cpu", "us of CPU per call", digits=2)]
ABOUT = """A process wants to call `load:leaf/1`, which does nothing, so often a second. `calls --via vm` measures each call by
breakpoints of the VM; `--exact` does so all the time, else its probes are on for a part of the time, within the budget.
dbg gets two messages of each call in a process that only counts them: what recon_trace and redbug are made of, without
what they do with a message. CPU time is that of the whole node, which is idle otherwise."""

RATES = (1000, 100000, 1000000)
LIMIT = 100000000


def erlbpf(*options):
    return lambda pid: Tool("calls", "load:leaf/1", "--via", "vm", "-p", pid, "--call-limit", LIMIT, *options)


# name, what starts beside it (of the pid), what is called
ROWS = [
    ("untraced", lambda pid: Nothing(), "load:paced(%d, %d)"),
    ("erlbpf calls --via vm", erlbpf(), "load:paced(%d, %d)"),
    ("erlbpf calls --via vm --exact", erlbpf("--exact"), "load:paced(%d, %d)"),
    ("dbg", lambda pid: Nothing(), "load:paced_by_dbg(%d, %d)"),
]


def take(node, rate, ms, start, call):
    traced = start(node.pid)
    before = lib.cpu_seconds(node.pid)
    got = float(node.eval(call % (rate, ms), 120))
    used = lib.cpu_seconds(node.pid) - before
    traced.stop()
    return {"rate": got, "cpu": used * 1e6 / (got * ms / 1000)}


@contextlib.contextmanager
def section(scale, rate):
    with lib.Node(lib.STOCK, "-sname", "bench%d" % os.getpid(), "-setcookie", "bench") as node:
        yield "%s, %d a second wanted" % (TITLE, rate), [
            Row(name, lambda s=start, c=call: take(node, rate, 2 * scale.ms, s, c)) for name, start, call in ROWS]


def sections(scale):
    return [lambda rate=rate: section(scale, rate) for rate in scale.sizes(RATES, RATES[1:2], RATES[:1])]
