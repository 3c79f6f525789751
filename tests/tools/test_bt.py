"""The bpftrace scripts of tools/bt, held against what the node knows and against erlbpf, in the same
workload. Scripts of a group are attached together, since each needs a while to detach."""
import re

from lib import Bpftrace, Node, STOCK, Trace, USDT, VMS, of_type, probe_total


def over(cases):
    def mark(function):
        function.cases = list(cases)
        return function
    return mark


JIT = [vm for vm in VMS if vm.name != "emu"]


def maps_of(text):
    """{map: {key: number}} of what bpftrace prints; the number of a histogram is that of its values.
    What is printed at each interval is summed."""
    maps, row = {}, None
    for line in text.splitlines():
        start = re.match(r"@(\w+)(?:\[(.*)\])?: ?(-?\d*)$", line)
        bar = re.match(r"[\[(].*?[\])]?\s+(\d+) \|", line)
        if start:
            row = maps.setdefault(start[1], {}), start[2] or ""
            row[0][row[1]] = row[0].get(row[1], 0) + int(start[3] or 0)
        elif bar and row:
            row[0][row[1]] += int(bar[1])
    return maps


class Group:
    """Scripts that run together."""

    def __init__(self, node, *names):
        self.traces = {name: Bpftrace(name, node.pid) for name in names}
        self.texts = {}

    def stop(self):
        for trace in self.traces.values():
            trace.child.terminate()
        self.texts = {name: trace.stop() for name, trace in self.traces.items()}
        self.maps = {name: maps_of(text) for name, text in self.texts.items()}

    def lines(self, name, pattern):
        return re.findall(pattern, self.texts[name], re.MULTILINE)


def number_of(pid):
    """The key that scripts without notes use: "N, S" of <0.N.S>."""
    return ", ".join(pid.strip("<>").split(".")[1:])
