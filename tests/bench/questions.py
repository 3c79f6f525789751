"""The questions that are asked of a busy node, each as erlbpf's tool, the script of tools/bt that asks the same, and the flags of
Erlang's own tracing that come nearest."""
import os

import lib
from tracers import Bpftrace, Erlang, Nothing, Tool

UNTRACED = "untraced"
# erlbpf's tool and its arguments, script of tools/bt
TOOLS = [
    (["sched-latency"], "sched-latency"),
    (["gc"], "gc"),
    (["count"], None),
    (["sched-latency", "--by", "pid"], None),
    (["heap"], "heap"),
    (["copy"], "copy"),
    (["slices"], "slices"),
    (["slices", "--min", "1ms"], None),
    (["run-queue"], "run-queue"),
    (["migrate"], "migrate"),
    (["tasks"], "tasks"),
    (["timers"], None),
    (["ets"], "ets"),
    (["locks"], "locks"),
    (["spawn-exit"], "spawn-exit"),
    (["births"], "births"),
    (["calls", "*"], "calls"),
    (["mailbox"], "mailbox"),
    (["messages"], "messages"),
    (["dist"], "dist"),
    (["user-trace"], None),
    (["ports"], "ports"),
    (["drivers"], "drivers"),
    (["files"], "files"),
    (["aio"], "aio"),
    (["sockets"], "sockets"),
    (["trace"], None),
    (["top"], "top"),
]
ONLY_NOTES = "user-trace"
# name, flags of erlang:trace/3
FLAGS = [
    ("sched-latency: Erlang: trace send, running", "send, running"),
    ("messages: Erlang: trace send, receive", "send, 'receive'"),
    ("slices: Erlang: trace running", "running"),
    ("gc: Erlang: trace garbage_collection", "garbage_collection"),
    ("births: Erlang: trace procs", "procs"),
]


def erlang(node, flags):
    return Erlang(node, "load:trace_all([%s])" % flags, "load:trace_end()")


def msacc(node):
    return Erlang(node, "erlang:system_flag(microstate_accounting, true)",
                  "erlang:system_flag(microstate_accounting, false)")


def peer(vm, script):
    """The script of tools/bt for a VM, if there is one: some need notes, and one is there in two forms."""
    folder = os.path.join(lib.ROOT, "tools", "bt")
    if vm.notes and os.path.exists(os.path.join(folder, script + "-notes.bt")):
        return script + "-notes"
    with open(os.path.join(folder, script + ".bt")) as file:
        needs_notes = "needs a VM built --with-dynamic-trace" in file.read()
    return script if needs_notes == vm.notes else None


def starts(node, vm, tools):
    """(name, start) of each row. Erlang's tracing needs no notes and is asked once, of the VM without them."""
    yield UNTRACED, Nothing
    for args, script in tools:
        if args[0] == ONLY_NOTES and not vm.notes:
            continue
        name = " ".join(args)
        yield "%s: erlbpf" % name, lambda args=args: Tool(*args, "-p", node.pid)
        script = script and peer(vm, script)
        if script:
            yield "%s: bpftrace" % name, lambda script=script: Bpftrace(node.pid, script=script)
    if not vm.notes:
        for name, flags in FLAGS:
            yield name, lambda flags=flags: erlang(node, flags)
        yield "scheduler states: Erlang: msacc", lambda: msacc(node)
