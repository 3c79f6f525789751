#!/usr/bin/env python3
"""erlbpf on VMs that others build: `matrix.py [--build DIR] [WORD...]` makes the VMs of the rows whose names hold a WORD and
runs their tests. The last line is "N passed, N failed, N awaited, N skipped".

A new VM is a row of ROWS, a new kind of it a line of probes/otp/build-otp.sh."""
import argparse
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)] + [os.path.join(os.path.dirname(HERE), folder) for folder in ("tools", "vms")]

import run  # noqa: E402

# What must hold on a VM however it was built. `match` strips a copy of it and compares what is found with its symbols.
FEW = ("match", "messages", "sched_latency", "spawn_exit", "vms_node")
SYSTEMS = ("vms_erlang_functions", "vms_systems")
MORE = ("aio", "copy", "drivers", "files", "heap", "life", "locks", "migrate", "probes", "sites", "tasks", "timers", "uprobe")

# (VM, the test files that run on it)
ROWS = [
    ("trixie", run.EXACT + MORE + SYSTEMS),
    ("sid", run.EXACT + MORE + SYSTEMS),
    ("27-stock", run.EXACT + MORE),
    ("27-usdt", run.EXACT + MORE),
    ("29-stock", run.EXACT + MORE + ("match",)),
    ("29-usdt", run.EXACT + MORE + ("match",)),
    ("29-stripped", run.EXACT + MORE),
    ("29-emu", FEW + ("calls", "migrate", "profile", "slices")),
    ("29-musl", FEW),
    ("29-static-nifs", FEW),
    ("29-no-plt", FEW),
    ("29-lto", FEW + ("calls", "copy", "gc", "heap", "tasks")),  # whose functions are inlined: they count too little
    ("29-clang", FEW),
    ("29-o3", FEW),
    ("29-stock:+JPperf:true", FEW),
    ("29-stock:+JMsingle:true", FEW),
]

# Tests whose whole result cannot be had yet on a VM, by their names. One that fails there is awaited. When none of a row
# does any more, the row is to be taken from here.
AWAITED = {
    # Only an export keeps a function from being inlined, in whole or in part, and OTP 29 has none of its own.
    "29-lto": ".",
}
# What erlbpf says when it cannot find a function. Of a VM that hides them, a test that fails without a word like
# these got nothing, and was not told why.
WHY = re.compile(r"exports no functions of its own|does not export|inlines calls|a stripped VM has the names of exported ones only")


class Results(run.Results):
    """Of what is awaited, a failure is none."""

    def __init__(self):
        super().__init__()
        self.awaited = 0
        self.vm = None

    def report(self, verdict, name, seconds, detail=""):
        names = AWAITED.get(self.vm)
        if verdict == "FAILED" and names and re.match(names, name):
            self.awaited += 1
            print("awaited %-88s %6.1f s%s" % (name, seconds, "" if WHY.search(detail) else " (and nothing says so)"), flush=True)
        else:
            super().report(verdict, name, seconds, detail)


def run_row(results, lib, vm, areas):
    begin, before = time.monotonic(), (results.passed, results.failed, results.awaited)
    results.vm = vm
    for area, path in run.files():
        if area in areas:
            for name, call in run.cases(area, path):
                if run.vm_of(name) == vm:
                    run.run_case(results, lib, name, call)
    passed, failed, awaited = (now - then for now, then in zip((results.passed, results.failed, results.awaited), before))
    print("%s: %d passed, %d failed, %d awaited, %.0f s" % (vm, passed, failed, awaited, time.monotonic() - begin), flush=True)
    if vm in AWAITED and not awaited:
        print("note: %s is not to be awaited any more: see AWAITED" % vm)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(run.ROOT, "build"))
    parser.add_argument("--no-build", action="store_true", help="take the VMs that are there")
    parser.add_argument("--area", action="append", help="only tests of this file, by its name here; may be given several times")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.words or any(word in row[0] for word in options.words)]
    os.environ["ERLBPF_BUILD"] = os.path.abspath(options.build)
    os.environ["ERLBPF_OTP"] = " ".join(vm for vm, _ in rows)
    import lib
    results = Results()
    if not options.no_build:
        for _, name, argv in run.vms([vm for vm, _ in rows]):
            run.report_command(results, name, run.run_command(argv, limit=6000))
    for vm, areas in rows:
        run_row(results, lib, vm, [area for area in areas if not options.area or area in options.area])
    print("%(passed)d passed, %(failed)d failed, %(awaited)d awaited, %(skipped)d skipped" % vars(results))
    return 1 if results.failed or not results.passed else 0


if __name__ == "__main__":
    sys.exit(main())
