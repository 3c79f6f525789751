#!/usr/bin/env python3
"""Everything: `all.py [--build DIR] [--again] [--list] [ITEM...]` runs these items, or all, one after the other.

BUILD/test-all.json has a line for each item that has ended: {"item", "commit", "seconds", "result", "counts"}. An item that has
passed on this commit is not run again, so a run that was interrupted goes on where it was; --again runs it all the same. A
changed tree is a commit of its own ("0123456+CHANGES"). What an item prints is in BUILD/test-all/ITEM.log. The last line
is "N passed, N failed, N skipped", where an item without such a line of its own counts as one."""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "vms"))
import matrix  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
FUZZ_SECONDS = 60
MAKE = ["make", "--no-print-directory", "-s"]


def sanitized(build, *words):
    """Unit tests of a build with sanitizers."""
    where = "BUILD=" + build
    settings = [where, "SAN=address,undefined", "CFLAGS=-O1 -g", *words]
    return ["sh", "-c", '"$@" && exec "$0" -j2', os.path.join(build, "unit")] + MAKE + ["-j2"] + settings + ["all", "unit"]


def items(build):
    """{item: command}, the most telling first."""
    return {
        "test": MAKE + ["test"],
        "lint": MAKE + ["lint"],
        "sanitizers-gcc": sanitized(os.path.join(build, "san")),
        "sanitizers-clang": sanitized(os.path.join(build, "san-clang"), "CC=clang"),
        "dist": ["tests/dist.sh", build],
        "example": ["tests/docs-example.py", build],
        "hostile": MAKE + ["test-hostile"],
        "expressions": MAKE + ["test-expressions"],
        "truth": MAKE + ["test-truth"],
        "timing": MAKE + ["test-timing"],
        "kernels": MAKE + ["test-kernels"],
        **{"vm-" + row: ["tests/vms/matrix.py", "--build", build, row] for row in matrix.ROWS},
        "mutants": ["tests/mutants/run.py"],
        "fuzz": MAKE + ["fuzz", "FUZZ_SECONDS=%d" % FUZZ_SECONDS],
        "tidy": MAKE + ["-j2", "tidy"],
        "faults": MAKE + ["test-faults"],
    }


def commit():
    """What is tested. Files that git does not know count too."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout

    name = git("rev-parse", "--short=12", "HEAD").decode().strip()
    changes = git("diff", "HEAD") + git("ls-files", "-o", "--exclude-standard")
    return name + ("+" + hashlib.sha256(changes).hexdigest()[:8] if changes else "")


class Record:
    """BUILD/test-all.json."""

    def __init__(self, build):
        self.path = os.path.join(build, "test-all.json")
        self.rows = []
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.rows = [json.loads(line) for line in file]

    def has_passed(self, item, of):
        return any(row["item"] == item and row["commit"] == of and row["result"] == "passed" for row in self.rows)

    def add(self, row):
        self.rows.append(row)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())


def counts_of(text, code):
    found = COUNTS.findall(text)
    if found:
        return [int(count or 0) for count in found[-1]]
    return [0, 1, 0] if code else [1, 0, 0]


def run(item, command, build, of):
    log = os.path.join(build, "test-all", item.replace("/", "_") + ".log")
    os.makedirs(os.path.dirname(log), exist_ok=True)
    begin = time.time()
    with open(log, "w+", encoding="utf-8", errors="replace") as out:
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                              env=dict(os.environ, ERLBPF_BUILD=build)).returncode
        out.seek(0)
        counts = counts_of(out.read(), code)
    return {"item": item, "commit": of, "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(begin)),
            "seconds": round(time.time() - begin, 1), "result": "failed" if code or counts[1] else "passed", "counts": counts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--again", action="store_true", help="also run what has passed on this commit")
    parser.add_argument("--list", action="store_true", help="print the items")
    parser.add_argument("items", nargs="*", metavar="ITEM")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    known = items(build)
    unknown = set(options.items) - set(known)
    if unknown:
        parser.error("there is no item %s; --list prints them" % ", ".join(sorted(unknown)))
    if options.list:
        print("\n".join(known))
        return 0
    record, of, sums, failed = Record(build), commit(), [0, 0, 0], []
    for item in options.items or known:
        if not options.again and record.has_passed(item, of):
            row = [row for row in record.rows if row["item"] == item and row["commit"] == of][-1]
            print("%-24s passed before %s" % (item, row["counts"]), flush=True)
        else:
            print("%-24s " % item, end="", flush=True)
            row = run(item, known[item], build, of)
            record.add(row)
            print("%s in %.0f s %s" % (row["result"], row["seconds"], row["counts"]), flush=True)
        sums = [a + b for a, b in zip(sums, row["counts"])]
        if row["result"] == "failed":
            failed.append(item)
            sums[1] += not row["counts"][1]
    for item in failed:
        print("FAILED %s: see %s" % (item, os.path.join(build, "test-all", item + ".log")))
    print("%d passed, %d failed, %d skipped" % tuple(sums))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
