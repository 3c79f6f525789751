"""What it costs to count or to time the calls of one BIF on a real node: erlbpf, bpftrace, and Erlang's call_count and
call_time, which answer the same question."""
import contextlib

import lib
from measure import Column, Row
from tracers import Bpftrace, Nothing, Tool

NAME, TITLE, BUDGET = "calls", "Cost of one call of a BIF", 40
COLUMNS = [Column("ns", "ns per call")]
ABOUT = """A process calls `erlang:phash2/1` in a loop, by the node's own clock. Counting takes one probe on the function's entry;
timing takes one on its return too. Erlang's tracing counts in the code itself, without the kernel, but only functions of
Erlang and BIFs."""

UNTRACED = "load:calls(%d)"
UPROBE = 'uprobe:"/proc/%d/exe":phash2_1 /pid == %d/ { %s }'
UPROBES = UPROBE + ' uretprobe:"/proc/%d/exe":phash2_1 /@began[tid]/ { @ns = hist(nsecs - @began[tid]); delete(@began[tid]); }'
# name, what starts beside it (of the pid), what is called
ROWS = [
    ("untraced", lambda pid: Nothing(), UNTRACED),
    ("count: erlbpf uprobe", lambda pid: Tool("uprobe", "phash2_1", "-p", pid), UNTRACED),
    ("count: bpftrace", lambda pid: Bpftrace(pid, UPROBE % (pid, pid, "@ = count();")), UNTRACED),
    ("count: Erlang's call_count", lambda pid: Nothing(), "load:traced_calls(%d, call_count)"),
    ("time: erlbpf calls", lambda pid: Tool("calls", "erlang:phash2/1", "-p", pid), UNTRACED),
    ("time: bpftrace", lambda pid: Bpftrace(pid, UPROBES % (pid, pid, "@began[tid] = nsecs;", pid)), UNTRACED),
    ("time: Erlang's call_time", lambda pid: Nothing(), "load:traced_calls(%d, call_time)"),
]


def take(node, times, start, call):
    traced = start(node.pid)
    cost = float(node.eval(call % times, 120))
    traced.stop()
    return {"ns": cost}


@contextlib.contextmanager
def section(scale):
    with lib.Node(lib.STOCK) as node:
        yield TITLE, [Row(name, lambda s=start, c=call: take(node, scale.hits, s, c)) for name, start, call in ROWS]


def sections(scale):
    return [lambda: section(scale)]
