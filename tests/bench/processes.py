"""How much a node with many processes costs: `top`, which reads them all from the node's memory, and a tool with a key for
each process. Erlang's own way to make such a table is process_info/2 of each."""
import contextlib
import time

import lib
from lib import cpu_seconds, memlock_mib, peak_mib
from measure import Column, Row
from tracers import Tool

NAME, TITLE, BUDGET = "processes", "Cost by number of processes", 200
COLUMNS = [Column("ns", "ns per message and answer"), Column("table", "ms of CPU per table", digits=1),
           Column("start", "ms to start"), Column("stop", "ms to stop"), Column("rss", "MiB", digits=1),
           Column("memlock", "MiB of BPF", digits=1)]
ABOUT = """A message to each process in turn and its answer. `top` makes a table each second: "ms of CPU per table" is erlbpf's own
time, none of it the node's; Erlang's is the node's. The ratio is that of a message to the untraced node with as many processes."""

POWERS = ([3, 4, 5, 6], [3, 5], [3])
ARGS = ["+P", "2000000"]
# name, arguments of erlbpf
TOOLS = [("top", ["top", "1"]), ("top, without probes", ["top", "--probes", "never", "1"]),
         ("sched-latency --by pid", ["sched-latency", "--by", "pid"]), ("births --by pid", ["births", "--by", "pid"])]
SECONDS = {"full": 3.2, "quick": 1.2, "sample": 0.2}
MESSAGES = {"full": 500000, "quick": 50000, "sample": 1000}


def touch(node, scale, processes):
    """ns of a message and its answer."""
    rounds = max(1, MESSAGES[scale.name] // processes)
    return float(node.eval("load:touch(%d)" % rounds, 120))


def traced(node, scale, processes, args):
    begin = time.monotonic()
    tool = Tool(*args, "-p", node.pid)
    values = {"start": (time.monotonic() - begin) * 1000}
    if args[0] == "top":
        cpu, seconds = cpu_seconds(tool.pid), SECONDS[scale.name]
        time.sleep(seconds)
        values["table"] = (cpu_seconds(tool.pid) - cpu) * 1000 / max(1, int(seconds))
    values["ns"] = touch(node, scale, processes)
    values.update(rss=peak_mib(tool.pid), memlock=memlock_mib(tool.pid))
    begin = time.monotonic()
    tool.stop()
    return dict(values, stop=(time.monotonic() - begin) * 1000)


@contextlib.contextmanager
def section(scale, power):
    processes = 10 ** power
    with lib.Node(lib.STOCK, *ARGS) as node:
        node.eval("load:echoes(%d)" % processes, 120)
        rows = [Row("untraced", lambda: {"ns": touch(node, scale, processes)})]
        rows += [Row("erlbpf " + name, lambda args=args: traced(node, scale, processes, args))
                 for name, args in scale.table(TOOLS, 3)]
        rows.append(Row("Erlang: process_info of all", lambda: {"table": float(node.eval("load:looks()", 120))}))
        yield "Cost by number of processes: 10^%d" % power, rows


def sections(scale):
    return [lambda power=power: section(scale, power) for power in scale.sizes(*POWERS)]
