"""Start, stop and memory: of tools on a node that works a little, and of D programs from their start to the first output."""
import contextlib
import os
import subprocess
import time

import lib
from lib import peak_mib
from measure import Column, Row
from questions import peer
from tracers import Bpftrace, Tool, timed, warm_up

NAME, TITLE, BUDGET = "startstop", "Start, stop and memory", 90
COLUMNS = [Column("start", "ms to start"), Column("stop", "ms to stop"), Column("rss", "MiB", digits=1),
           Column("memlock", "MiB of BPF", digits=2)]
ABOUT = """From the start of the program to the line that says it traces (or, for D, to its first output), and from the signal (or
exit()) to its end, with every probe gone."""

# name, VM, erlbpf's arguments, script of tools/bt
CASES = [
    ("sched-latency, functions", lib.STOCK, ["sched-latency"], "sched-latency"),
    ("sched-latency, notes", lib.USDT, ["sched-latency"], "sched-latency"),
    ("gc", lib.USDT, ["gc"], "gc"),
    ("top", lib.STOCK, ["top"], "top"),
    ("count of all 1,021 sites", lib.USDT, ["count", "--unsafe", "--source", "usdt"], None),
]
MARK = b"="  # what a D program prints that is alone with it


def once(argv):
    """From the start to the first mark, and from there to the end."""
    begin = time.monotonic()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0) as child:
        some = b""
        while MARK not in some:
            some = os.read(child.stdout.fileno(), 1 << 16)
            assert some, "%r printed no mark" % argv
        first, peak = time.monotonic(), peak_mib(child.pid)
        child.stdout.read()
        child.wait()
    return {"start": (first - begin) * 1000, "stop": (time.monotonic() - first) * 1000, "rss": peak}


@contextlib.contextmanager
def tools(scale, vm):
    with lib.Node(vm) as node:
        warm_up(node)
        rows = []
        for name, of, args, script in CASES:
            if of is not vm:
                continue
            rows.append(Row(name + ": erlbpf", lambda args=args: timed(lambda: Tool(*args, "-p", node.pid), 0.3)))
            script = script and peer(vm, script)
            if script:
                rows.append(Row(name + ": bpftrace", base=name + ": erlbpf", take=lambda script=script: timed(
                    lambda: Bpftrace(node.pid, script=script), 0.3)))
        yield "Start, stop and memory, a VM %s notes" % ("with" if vm.notes else "without"), rows


def clause(probe, end):
    return '%s { printf("%s\\n"); %s }' % (probe, MARK.decode(), end)


@contextlib.contextmanager
def programs(scale):
    """BEGIN alone, and the probes of ports on a VM without notes."""
    port1 = os.path.join(lib.ROOT, "tests", "d", "scripts", "otp", "port1.d")
    with lib.Node(lib.STOCK) as node:
        beam = os.readlink("/proc/%d/exe" % node.pid)
        begin = "BEGIN alone: "
        ports = "ports: "
        yield "Start, stop and memory, programs in D and in bpftrace's language", [
            Row(begin + "erlbpf D", lambda: once([lib.ERLBPF, "-qn", clause("BEGIN", "exit(0);")])),
            Row(begin + "bpftrace", lambda: once(["bpftrace", "-e", clause("BEGIN", "exit();")])),
            Row(ports + "erlbpf D, port1.d of OTP", base=ports + "erlbpf D, port1.d of OTP", take=lambda: once(
                [lib.ERLBPF, "-q", "-s", port1, "-p", str(node.pid), "-n", clause("tick-1ms", "exit(0);")])),
            Row(ports + "bpftrace, functions of the VM", base=ports + "erlbpf D, port1.d of OTP", take=lambda: once(
                ["bpftrace", "-p", str(node.pid), "-e", port_functions(beam) + clause("interval:ms:1", "exit();")])),
        ]


# They stand for the probes of port1.d.
PORT_FUNCTIONS = ["erts_port_output", "erts_port_exit", "erts_port_connect", "erts_port_control", "erts_deliver_port_exit",
                  "set_busy_port", "driver_async", "async_ready"]


def port_functions(beam):
    return "".join('uprobe:%s:%s { printf("%s %%lx %%lx %%lx\\n", arg0, arg1, arg2); }\n' % (beam, name, name)
                   for name in PORT_FUNCTIONS)


def sections(scale):
    made = [lambda: tools(scale, lib.STOCK), lambda: tools(scale, lib.USDT), lambda: programs(scale)]
    return made if scale.name != "sample" else made[2:]
