"""How the cost of a hit, start, stop and memory grow with the number of nodes that are traced at once."""
import contextlib
import time

import lib
from lib import cpu_ns, cpu_seconds, memlock_mib, peak_mib
from measure import Column, Row
from tracers import Tool

NAME, TITLE, BUDGET = "nodes", "Cost by number of nodes", 130
COLUMNS = [Column("ns", "ns per hit"), Column("start", "ms to start"), Column("stop", "ms to stop"),
           Column("rss", "MiB", digits=1), Column("memlock", "MiB of BPF", digits=2), Column("idle", "% of a core", digits=2)]
ABOUT = """Idle nodes, and one process that fires a probe; all are traced at once. ns per hit must be flat from 1 to 50 nodes. "% of a
core" is what erlbpf itself takes while nothing happens."""

NODES = ([1, 2, 5, 10, 20, 50], [1, 5], [1, 3])
SMALL = ["+S", "1:1", "+A", "0", "+SDio", "1"]
# erlbpf's tool, the probe that is fired
TOOLS = [(["count", "copy-struct", "--source", "usdt"], "copy-struct"), (["sched-latency", "--by", "pid"], "message-send")]
IDLE_S = {"full": 3, "quick": 0.5, "sample": 0.1}


class Crowd:
    """Nodes that are started when they are wanted: each row has some more."""

    def __init__(self, stack):
        self.stack, self.nodes = stack, []

    def pids(self, number):
        while len(self.nodes) < number:
            self.nodes.append(self.stack.enter_context(lib.Node(lib.STOCK, *SMALL)))
        return [node.pid for node in self.nodes[:number]]


def take(crowd, fake, number, scale, tool, probe):
    pids = ",".join(str(pid) for pid in [fake.pid] + crowd.pids(number))
    begin = time.monotonic()
    traced = Tool(*tool, "-p", pids)
    values = {"start": (time.monotonic() - begin) * 1000}
    before = cpu_ns(fake.pid)
    fake.do("fire %s %d" % (probe, scale.hits))
    values["ns"] = (cpu_ns(fake.pid) - before) / scale.hits
    begin, cpu = time.monotonic(), cpu_seconds(traced.pid)
    time.sleep(IDLE_S[scale.name])
    values["idle"] = 100 * (cpu_seconds(traced.pid) - cpu) / (time.monotonic() - begin)
    values.update(rss=peak_mib(traced.pid), memlock=memlock_mib(traced.pid))
    begin = time.monotonic()
    traced.stop()
    return dict(values, stop=(time.monotonic() - begin) * 1000)


@contextlib.contextmanager
def section(scale, tool, probe):
    with contextlib.ExitStack() as stack:
        crowd, fake = Crowd(stack), stack.enter_context(lib.Fake())
        yield "Cost by number of nodes, erlbpf " + " ".join(tool), [
            Row("%d node%s" % (number, "s" if number > 1 else ""), lambda n=number: take(crowd, fake, n, scale, tool, probe))
            for number in scale.sizes(*NODES)]


def sections(scale):
    return [lambda tool=tool, probe=probe: section(scale, tool, probe) for tool, probe in scale.table(TOOLS, 1)]
