"""RabbitMQ under full load while it is profiled, beside bpftrace and perf with the same question."""
import contextlib
import json
import os
import shutil
import subprocess
import time

import lib
import budget
from measure import Column, Row
from rabbit import loaded
from tracers import Bpftrace, Nothing, Perf, Tool

NAME, TITLE, BUDGET = "profiles", "RabbitMQ while it is profiled", 600
COLUMNS = budget.COLUMNS + [Column("programs", "% of a CPU by BPF programs", "less", 2), Column("own", "% of a CPU by the tracer", "less", 2)]
ABOUT = """The load is that of RabbitMQ under each question. What is left is told as there under tools. bpftrace does
not know Erlang functions: what its `ustack` takes are the frames of C that keep frame pointers. Its program runs for all processes of the
machine, as the clock of erlbpf does. The budget of probes is 5 % of the time that the node uses; --exact has none. perf sees Erlang functions
of a server that was started with `+JPperf true`, which is the second one: all its rows are held against itself. A cost of 1 % is less
than these figures scatter, so what the kernel says that programs take, without the interrupts that they run in, and what the tracer's process
uses stand beside."""
LONGER = 10  # than other rows: windows of probes come about once a second, and one must not decide

PROFILES = [("profile, 99 Hz", ["-F", "99"]), ("profile, 999 Hz", ["-F", "999"]), ("profile --off-cpu", ["--off-cpu"]),
            ("profile --off-cpu --exact", ["--off-cpu", "--exact"])]
BPFTRACE = "profile:hz:99 /pid == %d/ { @[ustack] = count(); }"
WITH_PERF = ["+JPperf", "true"]


def profile(server, options):
    return Tool("profile", "-p", server.pid, *options, env=dict(os.environ, **lib.BUDGET), word="Ctrl-C ends it")


STATS = "/proc/sys/kernel/bpf_stats_enabled"


def run_ns():
    """Of all BPF programs that there are."""
    programs = json.loads(subprocess.run(["bpftool", "prog", "show", "-j"], check=True, capture_output=True, timeout=lib.LIMIT).stdout)
    return sum(program.get("run_time_ns", 0) for program in programs)


def watch(traced):
    if traced.pid is None:
        return dict
    began, programs, own = time.monotonic(), run_ns(), lib.cpu_seconds(traced.pid)

    def shares():
        seconds = time.monotonic() - began
        return {"programs": (run_ns() - programs) / seconds / 1e7, "own": 100 * (lib.cpu_seconds(traced.pid) - own) / seconds}
    return shares


@contextlib.contextmanager
def measured():
    """The kernel measures programs."""
    with open(STATS, encoding="ascii") as file:
        before = file.read()
    with open(STATS, "w", encoding="ascii") as file:
        file.write("1")
    try:
        yield
    finally:
        with open(STATS, "w", encoding="ascii") as file:
            file.write(before)


def rows(server, clients, scale, starts):
    return [Row(name, lambda start=start: budget.take(server, clients, LONGER * scale.ms, start, watch), limit=60) for name, start in starts]


@contextlib.contextmanager
def plain(scale):
    with measured(), loaded("profiles") as (server, clients):
        starts = [("untraced", Nothing)]
        starts += [(name, lambda options=options: profile(server, options)) for name, options in scale.table(PROFILES, 3)]
        starts.append(("bpftrace: profile, 99 Hz", lambda: Bpftrace(server.pid, BPFTRACE % server.pid)))
        yield TITLE, rows(server, clients, scale, starts)


@contextlib.contextmanager
def with_perf(scale):
    with measured(), loaded("perf", args=WITH_PERF) as (server, clients):
        starts = [("untraced", Nothing), ("profile, 99 Hz", lambda: profile(server, ["-F", "99"])),
                  ("perf record -g, 99 Hz", lambda: Perf(server.pid, 99))]
        yield TITLE + ", with +JPperf true", rows(server, clients, scale, starts)


def sections(scale):
    made = [lambda: plain(scale)]
    return made + [lambda: with_perf(scale)] if shutil.which("perf") else made
