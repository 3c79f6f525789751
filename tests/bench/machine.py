"""Which machine this is: its CPU, kernel and the cost of an empty probe. Times of different machines say nothing about each
other, so results are compared only if their machines agree."""
import hashlib
import os
import platform
import re
import statistics
import subprocess
import time

import lib
from lib import cpu_ns
from trap import EmptyProbe

SAME = ("cpu", "cores", "arch", "kernel", "build")
# The cost of an empty probe of two runs on one machine differs by less than this.
TRAP_FACTOR = 1.3
PROGRAM = "fake-beam"


def first(pattern, path):
    try:
        with open(path) as file:
            found = re.search(pattern, file.read(), re.M)
    except OSError:
        return ""
    return found.group(1).strip() if found else ""


def version(*argv):
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "none"
    return (done.stdout.splitlines() or ["none"])[0].strip()


def cpu_model():
    return first(r"^model name\s*: (.*)$", "/proc/cpuinfo") or first(r"^CPU part\s*: (.*)$", "/proc/cpuinfo")


def package(name):
    return version("dpkg-query", "-W", "-f", "${Version}\n", name)


def hit_ns(fake, times):
    before = cpu_ns(fake.pid)
    fake.do("fire copy-struct %d" % times)
    return (cpu_ns(fake.pid) - before) / times


def trap_cost(times, runs):
    """ns of a hit of an empty probe."""
    with lib.Fake(PROGRAM) as fake:
        probe = EmptyProbe(os.path.join(lib.BUILD, PROGRAM), fake.pid, "copy__struct")
        try:
            hit_ns(fake, times // 10)
            return statistics.median(hit_ns(fake, times) for _ in range(runs))
        finally:
            probe.stop()


def identity(scale):
    """What is said of the machine, first of all."""
    machine = {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "arch": platform.machine(),
        "kernel": re.match(r"[\d.]*\d", platform.release()).group(),
        "build": hashlib.sha256((platform.release() + platform.version()).encode()).hexdigest()[:8],
        "hypervisor": "yes" if re.search(r"^flags.*\bhypervisor\b", open("/proc/cpuinfo").read(), re.M) else "no",
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "load": os.getloadavg()[0],
        "erlbpf": version(lib.ERLBPF, "--version"),
        "bpftrace": version("bpftrace", "--version"),
        "erlang": package("erlang-base"),
        "rabbitmq": package("rabbitmq-server"),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    machine["trap_ns"] = trap_cost(scale.hits, max(scale.runs, 3))
    return machine


def differences(one, other):
    """Why results of these two machines do not compare; empty if they do."""
    reasons = ["%s: %s and %s" % (what, one.get(what), other.get(what))
               for what in SAME if one.get(what) != other.get(what)]
    low, high = sorted(machine.get("trap_ns") or 0 for machine in (one, other))
    if high > low * TRAP_FACTOR:
        reasons.append("trap_ns: %.0f and %.0f ns" % (one.get("trap_ns") or 0, other.get("trap_ns") or 0))
    return reasons


def describe(machine):
    return [
        "%s, %d cores, %s, Linux %s%s" % (machine["cpu"], machine["cores"], machine["arch"], machine["kernel"],
                                          ", virtual" if machine["hypervisor"] == "yes" else ""),
        "a hit of an empty probe: %.0f ns" % machine["trap_ns"],
        "%s; %s; Erlang %s; load average at the start %.1f; %s" % (
            machine["erlbpf"], machine["bpftrace"], machine["erlang"], machine["load"], machine["date"]),
    ]
