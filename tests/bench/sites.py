"""How long attaching and detaching take by the number of probe sites: `erlbpf count` on a VM with notes, from its start to the
line that says it traces, and from the signal to its end."""
import contextlib
import os
import statistics

import lib
from measure import Column, Row
from tracers import Bpftrace, Tool, timed, warm_up

NAME, TITLE, BUDGET = "sites", "Start and stop by number of sites", 50
COLUMNS = [Column("start", "ms to start"), Column("stop", "ms to stop"), Column("rss", "MiB", digits=1),
           Column("memlock", "MiB of BPF", digits=2), Column("each", "us more per site", digits=1)]
ABOUT = """All 1,021 sites must attach in less than 100 ms. "us more per site" is what starting takes beyond the first row, for each
site more: it must not grow. bpftrace has one perf event per site, so that it needs up to 0.1 s for each to detach."""

# number of sites, arguments of erlbpf count
SITES = [(1, ["user_trace-n0"]), (10, ["user_trace-n?"]), (90, ["user_trace-n??"]), (851, ["user_trace-n???"]),
         (1021, ["--unsafe", "--source", "usdt"])]
QUICK = [0, 1, 4]


class Starts:
    """Remembers how long each row took, to tell what a site more takes than the row with the fewest."""

    def __init__(self):
        self.taken = {}

    def take(self, sites, start):
        values = timed(start, 0.2)
        self.taken.setdefault(sites, []).append(values["start"])
        few = min(self.taken)
        more = values["start"] - statistics.median(self.taken[few])
        return dict(values, each=more * 1000 / (sites - few) if sites > few else 0)


def name(sites):
    return "%d site%s" % (sites, "s" if sites > 1 else "")


@contextlib.contextmanager
def ours(scale):
    starts = Starts()
    with lib.Node(lib.USDT) as node:
        warm_up(node)
        yield "Start and stop by number of sites, erlbpf count", [
            Row(name(sites), lambda s=sites, w=words: starts.take(s, lambda: Tool("count", *w, "-p", node.pid)))
            for sites, words in ([SITES[i] for i in QUICK] if scale.name != "full" else SITES)]


@contextlib.contextmanager
def theirs(scale):
    starts = Starts()
    with lib.Node(lib.USDT) as node:
        beam = os.readlink("/proc/%d/exe" % node.pid)

        def clauses(sites):
            return "usdt:%s:erlang:user_trace__n0 { @ = count(); }" % beam if sites == 1 else "\n".join(
                "usdt:%s:erlang:user_trace__n%d { @ = count(); }" % (beam, i) for i in range(sites))

        yield "Start and stop by number of sites, bpftrace", [
            Row(name(sites), lambda s=sites: starts.take(s, lambda: Bpftrace(node.pid, clauses(s))))
            for sites in scale.sizes([1, 10, 100], [1, 10], [1])]


def sections(scale):
    return [lambda: ours(scale), lambda: theirs(scale)]
