"""What is measured, each with start and stop(): erlbpf's tools, D, bpftrace, and Erlang's own tracing. Each is live when its
constructor returns."""
import os
import re
import signal
import socket
import subprocess
import threading
import time

import lib
from lib import memlock_mib, peak_mib


class Nothing:
    """The untraced node."""
    pid = None

    def stop(self):
        pass


class Tool:
    """A tool of erlbpf; what it prints goes nowhere. It is live when it has printed a line with the word."""

    def __init__(self, *args, env=None, word="Tracing", program=lib.ERLBPF, output=("-o", "/dev/null")):
        self.trace = lib.Process([program, *(str(arg) for arg in args), *output], stderr=subprocess.PIPE, env=env)
        self.pid = self.trace.pid
        line = " "
        while word not in line:
            line = lib.wait_line(self.trace.child.stderr)
            assert line, "erlbpf %s ended before it traced" % " ".join(map(str, args))

    def stop(self):
        self.trace.child.terminate()
        self.trace.child.communicate(timeout=lib.LIMIT)
        assert self.trace.child.returncode == 0, "exit code %d" % self.trace.child.returncode
        self.trace.close()


class Output:
    """Reads what a process prints and keeps only the number of its lines: the traced one waits for nobody."""

    def __init__(self, stream):
        self.stream, self.lines, self.last = stream, 0, time.monotonic()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while True:
            some = os.read(self.stream.fileno(), 1 << 20)
            if not some:
                return
            self.lines += some.count(b"\n")
            self.last = time.monotonic()

    def settle(self, quiet=0.3):
        """Until nothing has come for a while."""
        while time.monotonic() < self.last + quiet:
            time.sleep(0.05)


class Program:
    """A program that prints: D, or bpftrace's language. `lines` are those that it printed, `drops` the losses it reported."""
    lines = drops = 0

    def begin(self, argv, env=None):
        self.trace = lib.Process(argv, stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})))
        self.pid = self.trace.pid

    def listen(self):
        self.output, self.errors = Output(self.trace.child.stdout), []
        self.error_reader = threading.Thread(target=self.read_errors, daemon=True)
        self.error_reader.start()

    def read_errors(self):
        for line in self.trace.child.stderr:
            self.errors.append(line.decode("utf-8", "replace"))

    def wait_end(self):
        self.trace.child.wait(lib.LIMIT)
        self.output.thread.join(lib.LIMIT)
        self.error_reader.join(lib.LIMIT)
        self.lines = self.output.lines
        self.drops = sum(int(n) for line in self.errors
                         for n in re.findall(r"(\d+) (?:\w+ )*drops?|[Ll]ost (\d+) events", line) for n in n if n)
        self.trace.close()


class D(Program):
    LIVE = 'tick-1ms /!bench_is_live/ { bench_is_live = 1; printf("live\\n"); }'

    def __init__(self, pid, clauses, *options, env=None):
        self.begin([lib.ERLBPF, "-qZ", "-p", str(pid)] + list(options) + ["-n", clauses, "-n", self.LIVE], env)
        line = self.trace.line()
        while "live" not in line:
            assert line or self.trace.is_alive(), self.trace.child.stderr.read().decode("utf-8", "replace")
            line = self.trace.line()
        self.listen()

    def stop(self):
        self.trace.child.terminate()
        self.wait_end()
        assert self.trace.child.returncode == 0, "".join(self.errors)[-200:]


class Bpftrace(Program):
    """A text in its language, or with `script`, one of tools/bt."""

    def __init__(self, pid, text=None, script=None, env=None, words=()):
        run = os.path.join(lib.ROOT, "tools", "bt", "run")
        self.begin([run, script, str(pid)] + list(words) if script else ["bpftrace", "-p", str(pid), "-e", text], env)
        self.listen()
        lib.wait_until("bpftrace attaches", self.is_attached)

    def is_polling(self):
        with open("/proc/%d/syscall" % self.pid) as syscall:
            return syscall.read().split()[0] in ("232", "281", "22")

    def is_attached(self):
        if not self.trace.is_alive():
            self.error_reader.join(lib.LIMIT)
            raise AssertionError("bpftrace: " + (self.errors or ["it ended"])[-1].strip())
        return self.is_polling()

    def stop(self):
        """It heeds a signal only when that interrupts its wait, so the signal is repeated."""
        while self.trace.is_alive():
            if self.is_polling():
                self.trace.child.terminate()
            try:
                self.trace.child.wait(1)
            except subprocess.TimeoutExpired:
                pass
        self.wait_end()


class Perf:
    """perf record, which writes to nowhere. It is live when it has all its events."""

    def __init__(self, pid, hz):
        self.control, perf_side = socket.socketpair()
        with perf_side:
            end = perf_side.fileno()
            self.trace = lib.Process(["perf", "record", "-q", "-F", str(hz), "-g", "-p", str(pid), "-o", "/dev/null", "-D", "-1",
                                      "--control", "fd:%d,%d" % (end, end)], stderr=subprocess.DEVNULL, pass_fds=[end])
        self.pid = self.trace.pid
        self.control.settimeout(lib.LIMIT)
        self.control.sendall(b"enable\n")
        assert self.control.recv(16).startswith(b"ack"), "perf does not record"

    def stop(self):
        self.trace.child.send_signal(signal.SIGINT)
        self.trace.child.wait(lib.LIMIT)
        self.trace.close()
        self.control.close()


class Erlang:
    """Erlang's own tracing, by expressions that begin and end it."""
    pid = None

    def __init__(self, node, begin, end):
        self.node, self.end = node, end
        node.eval(begin)

    def stop(self):
        self.node.eval(self.end, 120)


def timed(start, seconds=1.0):
    """Start something, let it be for a while, and stop it: ms to live, ms to the end, MiB, MiB of BPF."""
    begin = time.monotonic()
    traced = start()
    live = time.monotonic()
    time.sleep(seconds)
    peak, memlock = peak_mib(traced.pid), memlock_mib(traced.pid)
    stopping = time.monotonic()
    traced.stop()
    return {"start": (live - begin) * 1000, "stop": (time.monotonic() - stopping) * 1000, "rss": peak, "memlock": memlock}


def warm_up(node):
    """The first start reads files that are not yet in memory."""
    Tool("count", "gc_*", "-p", node.pid).stop()
