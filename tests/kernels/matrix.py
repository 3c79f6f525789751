#!/usr/bin/env python3
"""erlbpf on other kernels than this machine's: kernels of Debian, each booted under qemu without KVM, with lanes of
lanes.sh. `matrix.py [--build DIR] [--lanes LANE,...] [WORD...]` runs the kernels whose architecture, series and suite
have each WORD. The last line is "N passed, N failed". `matrix.py --lanes kill --kills 200 amd64 6.1` takes longer.

A new kernel is a row of KERNELS. A new lane is a row of LANES, and a function lane_NAME in lanes.sh."""
import argparse
import concurrent.futures
import os
import resource
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

# (architecture, series, the suite of Debian that has it). The newest package of the series is taken; if there is
# none, that is a failure.
KERNELS = [
    ("amd64", "5.10", "bullseye-security"),
    ("amd64", "6.1", "bookworm-security"),
    ("amd64", "6.12", "trixie-security"),
    ("amd64", "6.16", "trixie-backports"),
    ("amd64", "6.17", "trixie-backports"),
    ("amd64", "6.18", "trixie-backports"),
    ("amd64", "6.19", "trixie-backports"),
    ("amd64", "7.0", "trixie-backports"),
    ("amd64", "7.1", "trixie-backports"),
    ("amd64", "7.2", "trixie-backports"),
    ("amd64", "7.3", "trixie-backports"),
    ("arm64", "6.1", "bookworm-security"),
    ("arm64", "6.12", "trixie-security"),
]
NEWEST = "7.3"
EVERY = ["6.1", "6.12", "6.16", "6.17", "6.18", "6.19", "7.0", "7.1", "7.2", "7.3"]
SOME = ["6.1", "6.12", NEWEST]
MULTI = [series for series in EVERY if series != "6.1"]

BOTH, AMD64, ARM64 = ("amd64", "arm64"), ("amd64",), ("arm64",)

# (lane, the series on which it runs, the architectures), in the order in which they run.
LANES = [
    ("refused", ["5.10"], AMD64),           # older than what erlbpf supports
    ("fake", EVERY, BOTH),                  # the fake BEAM: counts, arguments, D
    ("nop5", ["6.18", "7.0", "7.2", NEWEST], AMD64),  # sites with a nop5, of which some make a call
    ("all", MULTI, BOTH),                   # every probe of the catalogue
    ("perf", MULTI, BOTH),                  # one perf event for each site; on 6.1 `fake` has it
    ("inode", ["6.12", NEWEST], AMD64),     # uprobe_multi for all processes of a file
    ("nobtf", SOME, BOTH),                  # no /sys/kernel/btf
    ("capabilities", SOME, AMD64),          # another user with some capabilities, and without each of them
    ("memlock", SOME, AMD64),               # no locked memory
    ("hotplug", SOME, AMD64),               # a CPU that comes and goes
    ("debug_registers", SOME, AMD64),       # none of them is used
    ("preempt", SOME, AMD64),               # preempt=full
    ("kill", ["6.1", NEWEST], AMD64),       # SIGKILL while probes are attached and removed
    ("beam_stock", SOME, BOTH),             # Debian's BEAM
    ("beam_notes", SOME, AMD64),            # a BEAM with notes
    ("beam_hidden", ["6.12"], ARM64),       # Debian's newest BEAM, whose functions are found by comparison
    ("beam_hw", SOME, AMD64),               # Erlang functions by debug registers
    ("lockdown", ["6.1", "6.12", NEWEST], AMD64),  # the last, because it cannot be undone
]
# What a lane takes of a CPU, if it is much more than the others: so many of these.
WEIGHTS = {"kill": 4, "beam_stock": 8, "beam_notes": 6, "beam_hidden": 8, "beam_hw": 3}
# Too long for the others: they run where --lanes has them.
LONG_LANES = [
    ("beam_tools", SOME, AMD64),            # the programs of every tool
]

import guest  # noqa: E402
import lib  # noqa: E402
import packages  # noqa: E402


def lanes_of(arch, series, wanted=None):
    return [lane for lane, where, archs in (LANES if wanted is None else LANES + LONG_LANES)
            if series in where and arch in archs and (wanted is None or lane in wanted)]


def named(arch, series):
    return next(row for row in KERNELS if row[:2] == (arch, series))


class Matrix:
    """What the guests of some kernels share. One that cannot be had fails when it is run."""

    def __init__(self, kernels, wanted=None, kills=None):
        self.wanted, self.kills = wanted, kills
        self.images = {}
        self.making = {self.image_key(arch, lanes_of(arch, series, wanted)): threading.Lock() for arch, series, _ in kernels}

    @staticmethod
    def image_key(arch, lanes):
        return arch, tuple(lane for lane in lanes if lane.startswith("beam"))

    def image(self, key):
        """Made when the first guest needs it, beside guests that run already."""
        with self.making[key]:
            if key not in self.images:
                self.images[key] = guest.make_image(*key)
        return self.images[key]

    def run(self, arch, series, suite):
        """(version, what it said, lanes that were to run)"""
        version, kernel = packages.kernel(arch, series, suite)
        lanes = lanes_of(arch, series, self.wanted)
        return version, guest.boot(arch, kernel, self.image(self.image_key(arch, lanes)), lanes, self.kills), lanes

    def close(self):
        for image in self.images.values():
            os.unlink(image)


def wrong_with(said, lanes):
    """What a guest did not pass, as text; "" if it passed all."""
    wrong = ["%s: %s" % (lane.name, lane.text.strip() or "failed") for lane in said.lanes if lane.verdict != "ok"]
    missing = lanes[len(said.lanes):]
    if missing:
        wrong.append("%s: did not run to the end; the guest's last words:\n%s" % (
            missing[0], "\n".join(said.log.splitlines()[-30:])))
    return "\n".join(wrong)


def notes_of(said):
    return [lane.name + line[4:] for lane in said.lanes if lane.verdict == "ok"
            for line in lane.text.splitlines() if line.startswith("note: ")]


def verdict(matrix, row):
    """(passed, line, detail) of one kernel."""
    begin = time.monotonic()
    try:
        version, said, lanes = matrix.run(*row)
    except Exception as why:
        return False, "%s %s" % row[:2], str(why)
    wrong = wrong_with(said, lanes)
    line = "%s %s (%s), %.1f s:" % (row[0], row[1], version, time.monotonic() - begin)
    line += "".join(" %s %.1f" % (lane.name, lane.seconds) for lane in said.lanes)
    return not wrong, line, "\n".join(notes_of(said) + [wrong] if wrong else notes_of(said))


def unlisted():
    """Kernels that have come to the suites of KERNELS."""
    listed = {row[:2] for row in KERNELS}
    for arch, suite in sorted({(arch, suite) for arch, _, suite in KERNELS}):
        for series in sorted(packages.series_of(arch, suite)):
            if (arch, series) not in listed:
                yield "%s %s of %s" % (arch, series, suite)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build")
    parser.add_argument("--lanes", type=lambda text: text.split(","))
    parser.add_argument("--kills", type=int)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    if options.build:
        lib.BUILD = os.path.abspath(options.build)
    begin = time.monotonic()
    wanted = [row for row in KERNELS if all(word in row for word in options.words) and lanes_of(*row[:2], options.lanes)]
    matrix, count = Matrix(wanted, options.lanes, options.kills), {True: 0, False: 0}
    # Those with most to do first, so that all end at about the same time.
    wanted.sort(key=lambda row: -sum(WEIGHTS.get(lane, 1) for lane in lanes_of(*row[:2], options.lanes)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for passed, line, detail in pool.map(lambda row: verdict(matrix, row), wanted):
            print("%-7s %s" % ("ok" if passed else "FAILED", line), flush=True)
            if detail:
                print("        " + detail.replace("\n", "\n        "), flush=True)
            count[passed] += 1
    matrix.close()
    if not options.words:
        for name in unlisted():
            print("note: no row of KERNELS has %s" % name)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("kernels: %.0f s, of CPUs %.0f s" % (time.monotonic() - begin, used.ru_utime + used.ru_stime))
    print("%d passed, %d failed" % (count[True], count[False]))
    return 1 if count[False] or not count[True] else 0


if __name__ == "__main__":
    sys.exit(main())
