"""All tools at once on one busy node: it lives and answers, every tool accounts for every hit, none takes
much memory. The tools are those that `erlbpf help` lists."""
import json
import os
import re
import shlex
import signal
import tempfile

import examples
from lib import JIT_VMS, Node, Trace, erlbpf, let_finish, over, peak_mib

SPAWNS = 1000
MESSAGES = 4000
# Each of the tools keeps a budget of its own, so all together may take most of the node, and more where traps are slow.
WORK_LIMIT = 600
# Of one tool, with all that it keeps for its output; the maps are the kernel's, and have fixed sizes.
MAX_RESIDENT_MIB = 64
NO_TARGET, USAGE = 3, 2


def tools():
    listed = erlbpf("help")[0].split("\nTools:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([\w-]+) ", listed, re.M)


def words_of_recipe(tool):
    """What its example is called with, but for the process of the example's node."""
    return shlex.split(re.sub(r"--erl-pid \S+", "", examples.recipe_of(tool)["command"]))[1:]


class Tool:
    def __init__(self, folder, pid, name, *words):
        self.name, self.pid, self.words = name, pid, words
        self.path = os.path.join(folder, "%s%d" % (name, len(words)))
        self.begin()

    def begin(self):
        self.trace = Trace(self.name, *self.words, "-p", self.pid, "-j", "-o", self.path, wait=False)

    def has_begun(self):
        """Once it traces; or is there nothing on this node for it?"""
        self.wait()
        if self.code == USAGE and not self.words:
            self.words = words_of_recipe(self.name)
            self.begin()
            self.wait()
        assert self.code in (None, NO_TARGET), (self.name, self.trace.stderr)
        return self.code is None

    def wait(self):
        try:
            self.trace.wait_for("Tracing", WORK_LIMIT)
            self.code = None
        except AssertionError:
            self.code = self.trace.child.wait(WORK_LIMIT)

    def ask_to_stop(self):
        self.trace.child.send_signal(signal.SIGINT)

    def summary(self):
        self.trace.stop(sig=None)
        with open(self.path, "rb") as file:
            file.seek(max(0, os.path.getsize(self.path) - (1 << 20)))
            summary = json.loads(file.read().splitlines()[-1])
        assert summary["type"] == "summary" and summary["tool"] == self.name, summary
        return summary


def total(summary, probe):
    counts = summary["probes"].get(probe)
    return counts and counts["events"] + counts["lost"]


def do_known_work(node, sink):
    for work in ("[begin {_, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> ok end end "
                 "|| _ <- lists:seq(1, %d)], ok" % SPAWNS,
                 "lists:foreach(fun(N) -> %s ! {message, N} end, lists:seq(1, %d))" % (sink, MESSAGES),
                 "begin %s ! {stop, self()}, receive {got, N} -> %d = N end end" % (sink, MESSAGES)):
        node.eval(work, WORK_LIMIT)


@over(JIT_VMS)
def test_a_busy_node_lives_with_all_tools_at_once_and_no_hit_is_unaccounted_for(vm):
    with tempfile.TemporaryDirectory() as folder, Node(vm) as node:
        processes = int(node.eval("begin demo:start(), length(processes()) end"))
        node.eval("Count = fun(F, N) -> receive {stop, P} -> P ! {got, N}; _ -> F(F, N + 1) end end")
        node.eval("Sink = spawn(fun() -> Count(Count, 0) end)")
        pid = node.eval("Sink")
        every = [Tool(folder, node.pid, name) for name in tools()]
        sends = Tool(folder, node.pid, "trace", "message-send", "--erl-pid", pid)
        running = [tool for tool in every if tool.has_begun()]
        refused = [tool.name for tool in every if tool not in running]
        assert sends.has_begun()
        do_known_work(node, "Sink")
        resident = {tool.name: peak_mib(tool.trace.pid) for tool in running}
        let_finish()
        for tool in running + [sends]:
            tool.ask_to_stop()
        summaries = {tool.name: tool.summary() for tool in running}
        # And two of the end: it is told to stop, and answers.
        assert total(sends.summary(), "message-send") == MESSAGES + 2
        assert node.is_alive() and node.eval("length(processes())") == str(processes)
        doctor = erlbpf("doctor", "-p", node.pid)[0]
    works = re.search(r"^  works +(.*)", doctor, re.M).group(1).split(", ")
    assert set(works) == set(summaries) and not set(refused) & set(works), (works, refused)
    assert max(resident.values()) < MAX_RESIDENT_MIB, resident
    # The demo spawns nobody, so all births and deaths are those of the known work; the sink has ended too.
    for name, summary in summaries.items():
        assert total(summary, "process-spawn") in (None, SPAWNS), (name, summary["probes"])
        assert total(summary, "process-exit") in (None, SPAWNS + 1), (name, summary["probes"])
    assert total(summaries["count"], "process-spawn") and total(summaries["count"], "process-exit")
