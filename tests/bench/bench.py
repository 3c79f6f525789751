#!/usr/bin/env python3
"""Speed and cost of erlbpf, beside bpftrace with the same question and Erlang's own tracing, in one
run. Each figure is the median of several runs, taken in turn; ratios are to the untraced node."""
import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))


def peak_kib(pid):
    with open("/proc/%d/status" % pid) as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    return 0


def median(values):
    return statistics.median(values)


class Peer:
    def __init__(self, lib, script, pid):
        self.trace = lib.Bpftrace(script, pid)
        self.pid = self.trace.pid

    def stop(self):
        self.trace.ask_to_stop()
        self.trace.output()


class Ours:
    def __init__(self, lib, *args):
        self.trace = lib.Trace("sched-latency", *args)
        self.pid = self.trace.pid

    def stop(self):
        self.trace.stop()


def timed(start):
    """(ms to live, ms from the signal to the end, peak KiB)"""
    begin = time.monotonic()
    traced = start()
    live = time.monotonic()
    time.sleep(1)
    peak = peak_kib(traced.pid)
    stopping = time.monotonic()
    traced.stop()
    return (live - begin) * 1000, (time.monotonic() - stopping) * 1000, peak


def start_and_stop(lib, runs):
    """Start, end and memory of both, on a node that works a little."""
    print("%-44s %10s %10s %10s" % ("", "start ms", "end ms", "peak MiB"))
    with lib.Node(lib.STOCK) as stock, lib.Node(lib.USDT) as usdt:
        cases = [
            ("erlbpf sched-latency, functions", lambda: Ours(lib, "-p", stock.pid)),
            ("bpftrace, the same question", lambda: Peer(lib, "sched-latency", stock.pid)),
            ("erlbpf sched-latency, notes", lambda: Ours(lib, "-p", usdt.pid)),
            ("bpftrace, the same question", lambda: Peer(lib, "sched-latency-notes", usdt.pid)),
            ("erlbpf count, all 1,021 sites", lambda: All(lib, usdt.pid)),
        ]
        for name, start in cases:
            figures = [timed(start) for _ in range(runs)]
            print("%-44s %10.0f %10.0f %10.1f" % (name, median([f[0] for f in figures]),
                                                  median([f[1] for f in figures]),
                                                  median([f[2] for f in figures]) / 1024))


class All(Ours):
    def __init__(self, lib, pid):
        self.trace = lib.Trace("count", "--source", "usdt", "--unsafe", "-p", pid)
        self.pid = self.trace.pid


def round_trips(lib, node, call, ms, start):
    traced = start() if start else None
    trips = int(node.eval("pingpong:%s(%d)" % (call, ms), 60)) * 1000 / ms
    if traced:
        traced.stop()
    return trips


def throughput(lib, runs, ms):
    print("\n%-44s %14s %8s" % ("ping-pong pair, round trips/s", "median", "share"))
    for vm, script in ((lib.STOCK, "sched-latency"), (lib.USDT, "sched-latency-notes")):
        with lib.Node(vm) as node:
            cases = [
                ("%s: untraced" % vm, "run", None),
                ("%s: erlbpf" % vm, "run", lambda: Ours(lib, "-p", node.pid)),
                ("%s: erlbpf --by pid" % vm, "run", lambda: Ours(lib, "-p", node.pid, "--by", "pid")),
                ("%s: erlbpf --source symbol" % vm, "run",
                 lambda: Ours(lib, "-p", node.pid, "--source", "symbol")),
                ("%s: bpftrace, the same question" % vm, "run",
                 lambda: Peer(lib, script, node.pid)),
                ("%s: Erlang's tracing (send, running)" % vm, "traced", None),
            ]
            results = {case[0]: [] for case in cases}
            for _ in range(runs):
                for name, call, start in cases:
                    results[name].append(round_trips(lib, node, call, ms, start))
            untraced = median(results[cases[0][0]])
            for name, _, _ in cases:
                print("%-44s %14.0f %7.1f%%" % (name, median(results[name]),
                                                100 * median(results[name]) / untraced))


class Top(Ours):
    """top into nothing, as often as it is meant to be."""

    def __init__(self, lib, *args):
        self.trace = lib.Trace("top", "-j", "-o", "/dev/null", *args)
        self.pid = self.trace.pid
        self.begin, self.cpu = time.monotonic(), cpu_seconds(self.pid)

    def stop(self):
        Top.share = (cpu_seconds(self.pid) - self.cpu) / (time.monotonic() - self.begin) * 100
        Top.peak = peak_kib(self.pid)
        self.trace.stop()


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_ns(pid):
    with open("/proc/%d/schedstat" % pid) as stat:
        return int(stat.read().split()[0])


def top_cost(lib, runs, ms, crowd):
    """A busy pair among many processes, with and without top."""
    print("\n%-44s %14s %8s %7s %8s" % ("round trips/s among %d processes" % crowd, "median", "share", "core %",
                                        "peak MiB"))
    for vm in (lib.STOCK, lib.USDT):
        with lib.Node(vm, "+P", "400000") as node:
            node.eval("I = crowd:servers(%d), length(I)" % crowd, 120)
            cases = [
                ("%s: without" % vm, None),
                ("%s: top" % vm, lambda: Top(lib, "-p", node.pid)),
                ("%s: top --probes never" % vm, lambda: Top(lib, "-p", node.pid, "--probes", "never")),
                ("%s: top --probes always" % vm, lambda: Top(lib, "-p", node.pid, "--probes", "always")),
                ("%s: without, again" % vm, None),
            ]
            results = {name: [] for name, _ in cases}
            for _ in range(runs):
                for name, start in cases:
                    Top.share = Top.peak = 0
                    results[name].append((round_trips(lib, node, "run", ms, start), Top.share, Top.peak / 1024))
            untraced = median([trips for trips, _, _ in results[cases[0][0]]])
            for name, _ in cases:
                trips, share, peak = (median(column) for column in zip(*results[name]))
                print("%-44s %14.0f %7.1f%% %7.1f %8.1f" % (name, trips, 100 * trips / untraced, share, peak))


def hit_cost(lib, runs, times):
    print("\n%-44s %10s" % ("one hit, a program that counts", "ns"))
    for program in ("fake-beam", "fake-beam-nop5"):
        with lib.Fake(program) as fake:
            costs = []
            for _ in range(runs):
                trace = lib.Trace("count", "copy-struct", "-p", fake.pid)
                begin = time.monotonic()
                fake.do("fire copy-struct %d" % times)
                costs.append((time.monotonic() - begin) / times * 1e9)
                trace.stop()
            print("%-44s %10.0f" % ("site is nop, nop5" if "nop5" in program else "site is a nop",
                                    median(costs)))


class Live(Ours):
    """A D program that tells on standard output when it is live."""

    LIVE = 'tick-1ms /!bench_is_live/ { bench_is_live = 1; printf("live\\n"); }'

    def __init__(self, lib, *args):
        self.trace = lib.Process([lib.ERLBPF, "-qZ"] + [str(arg) for arg in args] + ["-n", self.LIVE],
                                 stderr=subprocess.PIPE)
        self.pid = self.trace.pid
        line = self.trace.line()
        while "live" not in line:
            assert line or self.trace.is_alive(), self.trace.child.stderr.read()
            line = self.trace.line()

    def drain(self):
        """Read what it prints, and throw it away: nobody waits for the reader."""
        while os.read(self.trace.child.stdout.fileno(), 1 << 20):
            pass

    def stop(self, close=True):
        self.trace.child.send_signal(signal.SIGINT)
        self.trace.child.wait(60)
        self.err = self.trace.child.stderr.read()
        if close:
            self.trace.close()


MARK = b"="		# what a program prints that is alone with it


def one_run(argv):
    """(ms to the first mark, ms from there to the end)"""
    begin = time.monotonic()
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
    while True:
        some = os.read(child.stdout.fileno(), 1 << 16)
        assert some, "%r printed no mark" % argv
        if MARK in some:
            break
    first = time.monotonic()
    child.stdout.read()
    child.wait()
    end = time.monotonic()
    child.stdout.close()
    return (first - begin) * 1000, (end - first) * 1000


def peak_of(argv):
    """MiB until the first output: of a program that does not end, since wait4() tells no less than what we have."""
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
    child.stdout.read(1)
    peak = peak_kib(child.pid)
    child.terminate()
    child.communicate()
    return peak / 1024


def port1_of_bpftrace(beam):
    """The same of the notes for bpftrace, but for the names of the commands of drivers, and numbers of threads."""
    texts = {
        "port__open": ("port open pid %s port name %s port %s", "sss"),
        "port__command": ("port command pid %s port %s port name %s command type %s", "ssss"),
        "port__control": ("port control pid %s port %s port name %s command %d", "sssd"),
        "port__exit": ("port exit pid %s port %s port name %s reason %s", "ssss"),
        "port__connect": ("port connect pid %s port %s port name %s new pid %s", "ssss"),
        "port__busy": ("port busy %s", "s"),
        "port__not_busy": ("port not busy %s", "s"),
        "aio_pool__add": ("async I/O pool add", ""),	# bpftrace does not understand their arguments
        "aio_pool__get": ("async I/O pool get", ""),
    }
    clauses = []
    for probe, (text, kinds) in texts.items():
        args = "".join(", str(arg%d)" % i if kind == "s" else ", arg%d" % i for i, kind in enumerate(kinds))
        clauses.append('usdt:%s:erlang:%s { printf("%s\\n"%s); }' % (beam, probe, text, args))
    return "\n".join(clauses)


def ports_of_bpftrace(beam):
    """Without notes: the functions that stand for the probes, and what they are called with."""
    functions = ["erts_port_output", "erts_port_exit", "erts_port_connect", "erts_port_control",
                 "erts_deliver_port_exit", "set_busy_port", "driver_async", "async_ready"]
    clauses = ['uprobe:%s:%s { printf("%s %%lx %%lx %%lx\\n", arg0, arg1, arg2); }' % (beam, f, f) for f in functions]
    return "\n".join(clauses + ['uretprobe:%s:erts_open_driver { printf("open %%lx\\n", retval); }' % beam])


def beside(runs, cases):
    """Of each: the medians, and how many times as much the others take as the first."""
    figures = {name: [] for name, _, _, _ in cases}
    for _ in range(runs):
        for name, ends, stays, _ in cases:
            figures[name].append(one_run(ends) + (peak_of(stays),))
    ours = None
    for name, _, _, is_ours in cases:
        medians = [median(column) for column in zip(*figures[name])]
        ours = medians if is_ours else ours
        print("%-44s %9.0f %9.0f %9.1f %s" % (
            (name,) + tuple(medians) + (
                "" if is_ours else "   %.0f, %.0f, %.0f times" % tuple(t / o for t, o in zip(medians, ours)),)))


def d_start(lib, runs):
    """D from start to output and from exit() to the end, beside bpftrace."""
    port1 = os.path.join(lib.ROOT, "tests", "d", "scripts", "otp", "port1.d")
    print("\n%-44s %9s %9s %9s" % ("D: start, and end after exit()", "output ms", "end ms", "peak MiB"))

    def begin(program, end):
        return program + [('BEGIN { printf("%s\\n"); %s }' % (MARK.decode(), end))]

    beside(runs, [("erlbpf, BEGIN alone", begin([lib.ERLBPF, "-qn"], "exit(0);"), begin([lib.ERLBPF, "-qn"], ""), True),
                  ("bpftrace, the same", begin(["bpftrace", "-e"], "exit();"), begin(["bpftrace", "-e"], ""), False)])
    for vm in (lib.STOCK, lib.USDT):
        with lib.Node(vm) as node:
            node.eval("spawn(fun() -> pingpong:run(3600000) end)")
            ours = [lib.ERLBPF, "-q", "-s", port1, "-p", str(node.pid), "-n"]
            beam = os.readlink("/proc/%d/exe" % node.pid)
            theirs = port1_of_bpftrace(beam) if vm.notes else ports_of_bpftrace(beam)

            def tick(end):
                return 'tick-1ms { printf("%s\\n"); %s }' % (MARK.decode(), end)

            def interval(end):
                script = theirs + '\ninterval:ms:1 { printf("%s\\n"); %s }' % (MARK.decode(), end)
                return ["bpftrace", "-p", str(node.pid), "-e", script]

            beside(runs, [("%s: erlbpf, port1.d" % vm, ours + [tick("exit(0);")], ours + [tick("")], True),
                          ("%s: bpftrace, ports" % vm, interval("exit();"), interval(""), False)])


# The first of each probe is what the others of it cost more than.
D_HITS = [
    ("nothing (a predicate that is false)", "copy-struct", "/arg0 == -1/ { }"),
    ("an aggregation: @ = count()", "copy-struct", "{ @ = count(); }"),
    ("an aggregation: @[arg0] = quantize(arg0)", "copy-struct", "{ @[arg0] = quantize(arg0); }"),
    ("a printf of a number", "copy-struct", '{ printf("%d\\n", arg0); }'),
    ("a printf of a number and the probe's name", "copy-struct", '{ printf("%d %s\\n", arg0, probename); }'),
    ("an associative array", "copy-struct", "{ last[arg0] = timestamp; }"),
    ("nothing, of message-send", "message-send", "/arg2 == -1/ { }"),
    ("a printf of a number", "message-send", '{ printf("%d\\n", arg2); }'),
    ("a printf of a number and a text", "message-send", '{ printf("%d %s\\n", arg2, copyinstr(arg0)); }'),
    ("a printf of a number and two texts", "message-send",
     '{ printf("%s %s %d\\n", copyinstr(arg0), copyinstr(arg1), arg2); }'),
    ("a printf of three numbers and two texts", "message-send",
     '{ printf("%s %s %d %d %d\\n", copyinstr(arg0), copyinstr(arg1), arg2, arg3, arg4); }'),
    ("an aggregation by two texts", "message-send", "{ @[copyinstr(arg0), copyinstr(arg1)] = count(); }"),
]


def d_hits(lib, fake, probe, clause, times):
    """(ns of a hit, ns of printing it, records lost)"""
    trace = Live(lib, "-p", fake.pid, "-n", "erlang*:::%s %s" % (probe, clause))
    drain = threading.Thread(target=trace.drain)
    drain.start()
    begin, begin_ours = cpu_ns(fake.pid), cpu_ns(trace.pid)
    fake.do("fire %s %d" % (probe, times))
    cost = (cpu_ns(fake.pid) - begin) / times
    time.sleep(0.3)
    printing = (cpu_ns(trace.pid) - begin_ours) / times
    trace.stop(close=False)
    drain.join()
    trace.trace.close()
    return cost, printing, sum(int(n) for n in re.findall(r"(\d+) (?:\w+ )*drops?", trace.err.decode()))


def d_hit_cost(lib, runs, times):
    """What a clause costs the traced thread, in time on a CPU, what printing costs us, and how many records are lost
    at one full core of hits."""
    print("\n%-44s %10s %10s %10s %10s" % ("one hit, a clause of D with", "ns", "more", "printing", "dropped"))
    figures = {}
    with lib.Fake() as fake:
        for _ in range(runs):
            for row in D_HITS:
                figures.setdefault(row, []).append(d_hits(lib, fake, *row[1:], times))
    first = {}
    for row, taken in figures.items():
        cost, printing, dropped = (median(column) for column in zip(*taken))
        more = cost - first.setdefault(row[1], cost)
        print("%-44s %10.0f %+10.0f %10.0f %10.0f" % (row[0], cost, more, printing, dropped))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ms", type=int, default=1500)
    options = parser.parse_args()
    os.environ["ERLBPF_BUILD"] = os.path.abspath(options.build)
    import lib
    try:
        d_start(lib, options.runs)
        d_hit_cost(lib, options.runs, 1000000)
        start_and_stop(lib, options.runs)
        hit_cost(lib, options.runs, 1000000)
        throughput(lib, options.runs, options.ms)
        top_cost(lib, options.runs, 4 * options.ms, 100000)
    finally:
        lib.close_all()


if __name__ == "__main__":
    main()
