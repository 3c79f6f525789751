#!/usr/bin/env python3
"""erlbpf on VMs that others build: `matrix.py [--build DIR] [--no-build] [ROW...]` makes the VMs of these rows, or of all,
and runs their tests. The last line is "N passed, N failed, N skipped"; `matrix.py --list` prints the rows.

A new VM is a row of ROWS, a new kind of it a line of probes/otp/build-otp.sh."""
import argparse
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)

# What differs between VMs.
EXACT = ("beam", "births", "calls", "d_probes", "d_scripts", "d_stack", "dist", "entries", "ets", "functions", "gc", "mailbox", "messages",
         "names", "patterns", "ports", "profile", "profile_events", "run_queue", "sched_latency", "slices", "sockets", "spawn_exit", "terms",
         "top", "top_screen", "vms_node", "why")
MORE = ("aio", "copy", "drivers", "files", "heap", "layouts", "life", "locks", "migrate", "probes", "sites", "tasks", "timers", "uprobe")
# What must hold on a VM however it was built. `match` strips a copy of it and compares what is found with its symbols.
FEW = ("match", "messages", "sched_latency", "spawn_exit", "vms_node")
SYSTEMS = ("vms_erlang_functions", "vms_systems")

# (VM, its test files); an empty list stands for all files of `make test`
ROWS = {
    "emu": (),
    "trixie": EXACT + MORE + SYSTEMS,
    "sid": EXACT + MORE + SYSTEMS,
    "27-stock": EXACT + MORE,
    "27-usdt": EXACT + MORE,
    "29-stock": EXACT + MORE + ("match",),
    "29-usdt": EXACT + MORE + ("match",),
    "29-stripped": EXACT + MORE,
    "29-emu": FEW + ("calls", "migrate", "profile", "slices"),
    "29-musl": FEW,
    "29-static-nifs": FEW,
    "29-no-plt": FEW,
    "29-lto": FEW + ("calls", "copy", "gc", "heap", "tasks"),  # whose functions are inlined: they count too little
    "29-clang": FEW,
    "29-o3": FEW,
    "29-stock:+JPperf:true": FEW,
    "29-stock:+JMsingle:true": FEW,
}

# Rows whose tests may fail, because the VM cannot give the whole result yet. When none of a row fails any more, the row is
# to be taken from here.
AWAITED = {
    "29-lto",  # only an export keeps a function from being inlined, in whole or in part, and OTP 29 has none of its own
}


def make_vm(row):
    """Build or fetch it; False if that failed."""
    name = row.split(":")[0]
    release, _, kind = name.partition("-")
    command = (["chroot-otp.sh", name] if name in ("trixie", "sid") else
               ["build-otp.sh", "25", "emu"] if name == "emu" else ["build-otp.sh", release, kind])
    command[0] = os.path.join(ROOT, "probes", "otp", command[0])
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def path_of(area):
    return "vms/test_%s.py" % area[4:] if area.startswith("vms_") else "tools/test_%s.py" % area


def run_row(row, build):
    """[passed, failed, skipped] of its tests."""
    workers = str(4 * os.cpu_count())
    env = dict(os.environ, ERLBPF_VMS=row, ERLBPF_BUILD=build)
    if row in AWAITED:
        env["ERLBPF_AWAITED"] = "1"
    run = subprocess.Popen(["/usr/bin/python3", "-m", "pytest", "-n", workers, "--dist", "loadgroup"] +
                           [path_of(area) for area in ROWS[row]], cwd=TESTS, env=env, stdout=subprocess.PIPE, text=True)
    counts = None
    for line in run.stdout:
        print(line, end="", flush=True)
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped\n", line) or counts
    if run.wait() not in (0, 1) or not counts:
        print("%s: the tests did not run to their end" % row)
        return [0, 1, 0]
    return [int(count) for count in counts.groups()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--no-build", action="store_true", help="take the VMs that are there")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("rows", nargs="*", metavar="ROW", choices=[[], *ROWS])
    options = parser.parse_args()
    if options.list:
        print("\n".join(ROWS))
        return 0
    sums = [0, 0, 0]
    for row in options.rows or ROWS:
        print("--- %s" % row, flush=True)
        made = options.no_build or make_vm(row)
        counts = run_row(row, os.path.abspath(options.build)) if made else [0, 1, 0]
        sums = [a + b for a, b in zip(sums, counts)]
        print("%s: %d passed, %d failed, %d skipped" % (row, *counts) if made else "%s: there is no VM" % row, flush=True)
    print("%d passed, %d failed, %d skipped" % tuple(sums))
    return 1 if sums[1] or not sums[0] else 0


if __name__ == "__main__":
    sys.exit(main())
