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


def one_run(argv):
    """(ms to the first output, ms to the end)"""
    begin = time.monotonic()
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
    while True:
        byte = child.stdout.read(1)
        if byte in (b"x", b""):
            break
    first = time.monotonic()
    child.stdout.read()
    child.wait()
    end = time.monotonic()
    child.stdout.close()
    return (first - begin) * 1000, (end - begin) * 1000


def peak_of(argv):
    """MiB until the first output: of a program that does not end, since wait4() tells no less than what we have."""
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
    child.stdout.read(1)
    peak = peak_kib(child.pid)
    child.terminate()
    child.communicate()
    return peak / 1024


def d_start(lib, runs):
    """D from start to output, beside bpftrace."""
    port1 = os.path.join(lib.ROOT, "tests", "d", "scripts", "otp", "port1.d")
    cases = [("erlbpf -qn 'BEGIN { trace(\"x\"); exit(0); }'",
              [lib.ERLBPF, "-qn"], 'BEGIN { trace("x"); %s }', "exit(0);"),
             ("bpftrace -e 'BEGIN { printf(\"x\"); exit(); }'",
              ["bpftrace", "-e"], 'BEGIN { printf("x\\n"); %s }', "exit();")]
    print("\n%-44s %10s %10s %10s" % ("D: start", "output ms", "end ms", "peak MiB"))
    for name, argv, program, end in cases:
        figures = [one_run(argv + [program % end]) + (peak_of(argv + [program % ""]),) for _ in range(runs)]
        print("%-44s %10.0f %10.0f %10.1f" % ((name,) + tuple(median(column) for column in zip(*figures))))
    for vm in (lib.STOCK, lib.USDT):
        with lib.Node(vm) as node:
            figures = [timed(lambda: Live(lib, "-s", port1, "-p", node.pid)) for _ in range(runs)]
            print("%-44s %10.0f %10.0f %10.1f" % ("%s: port1.d, compiled and attached" % vm,
                                                  median([f[0] for f in figures]), median([f[1] for f in figures]),
                                                  median([f[2] for f in figures]) / 1024))


D_HITS = [
    ("nothing (a predicate that is false)", "/arg0 == -1/ { }"),
    ("an aggregation: @ = count()", "{ @ = count(); }"),
    ("an aggregation: @[arg0] = quantize(arg0)", "{ @[arg0] = quantize(arg0); }"),
    ("a printf of a number", '{ printf("%d\\n", arg0); }'),
    ("a printf of a number and a string", '{ printf("%d %s\\n", arg0, probename); }'),
    ("an associative array", "{ last[arg0] = timestamp; }"),
]


def d_hit_cost(lib, runs, times):
    """What a clause costs the traced thread, in time on a CPU, what printing costs us, and how many records are lost
    at one full core of hits."""
    print("\n%-44s %10s %10s %10s %10s" % ("one hit, a clause of D with", "ns", "more", "printing", "dropped"))
    with lib.Fake() as fake:
        first = None
        for name, clause in D_HITS:
            costs, printing, dropped = [], [], []
            for _ in range(runs):
                trace = Live(lib, "-p", fake.pid, "-n", "erlang*:::copy-struct %s" % clause)
                drain = threading.Thread(target=trace.drain)
                drain.start()
                begin, begin_ours = cpu_ns(fake.pid), cpu_ns(trace.pid)
                fake.do("fire copy-struct %d" % times)
                costs.append((cpu_ns(fake.pid) - begin) / times)
                time.sleep(0.3)
                printing.append((cpu_ns(trace.pid) - begin_ours) / times)
                trace.stop(close=False)
                drain.join()
                trace.trace.close()
                dropped.append(sum(int(n) for n in re.findall(r"(\d+) (?:\w+ )*drops?", trace.err.decode())))
            first = first or median(costs)
            print("%-44s %10.0f %+10.0f %10.0f %10.0f" % (name, median(costs), median(costs) - first, median(printing),
                                                          median(dropped)))


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
