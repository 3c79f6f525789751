#!/usr/bin/python3
"""Plants faults in a copy of the tree, one at a time, and shows that the tests of `make test` catch each of them.

    tests/mutants/run.py [--build DIR] [--whole] [--list] [NAME...]

mutants.toml has the faults: what each breaks, the text of a file that is replaced (it must occur exactly once), and the
tests that must fail then (`caught_by`: node ids of pytest, among the folders that `make test` runs). NAME is the name of a
fault, or a glob; by default all are planted.

The tree and its build are copied into a temporary folder, where they are brought up to date. There, before any fault is
planted, all the named tests must pass, so that no fault counts as caught by a test that is broken. For each fault the
file is changed, what depends on it is built again, the named tests run, and each of them must fail. Then the file and
what was built are as before.

A fault is reported as failed if its text is not found once, if it does not compile, or if a named test passes, does not
exist, or fails without it. It is skipped if the tests cannot run here. --whole runs all tests of `make test` for each
fault (hours), reports those that fail, and demands one at least that passes without it.

The last line is "N passed, N failed, N skipped", of faults."""
import argparse
import collections
import contextlib
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FAULTS = os.path.join(HERE, "mutants.toml")
KEYS = {"name", "breaks", "file", "old", "new", "caught_by"}
FOLDERS = ("unit/", "tools/", "bpf/", "tree/")
# What nobody needs who builds the programs and runs the tests: other builds, results, caches of compilers.
NOT_COPIED = ("arm64", "san", "san-clang", "ccache", "test-all", "bench", "fuzz*", "*.deb", "*.tar*")
BUILD_S, TEST_S, WHOLE_S = 3600, 1800, 4 * 3600
PYTEST = ["/usr/bin/python3", "-m", "pytest"]
WORKERS = 2 * (os.cpu_count() or 1)
GROUP = re.compile(r"@test_\w+\.py:\S*$")  # that xdist adds to the name of a test


class Failed(Exception):
    """The text says why."""


class Skipped(Exception):
    """The text says why."""


def read_faults():
    with open(FAULTS, "rb") as file:
        faults = tomllib.load(file)["fault"]
    names = collections.Counter(fault.get("name") for fault in faults)
    for fault in faults:
        assert set(fault) == KEYS, "%s: the keys of a fault are %s" % (fault.get("name"), ", ".join(sorted(KEYS)))
        assert names[fault["name"]] == 1, "%s: there are two" % fault["name"]
        assert fault["caught_by"] and all(test.startswith(FOLDERS) for test in fault["caught_by"]), fault["name"]
    return faults


def run(argv, where, limit, **variables):
    """(exit code, output). What takes too long is ended with its children; its code is None."""
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        child = subprocess.Popen(argv, cwd=where, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 env=dict(os.environ, **variables), start_new_session=True)
        try:
            code = child.wait(limit)
        except BaseException as stopped:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if not isinstance(stopped, subprocess.TimeoutExpired):
                raise
            code = None
        out.seek(0)
        return code, out.read()


class Tree:
    """A copy in which faults are planted, beside a clean one by which it is restored."""

    def __init__(self, folder, build):
        self.clean, self.root = os.path.join(folder, "clean"), os.path.join(folder, "tree")
        # Dependencies have paths from the tree on: one that is built elsewhere is built anew.
        self.build = os.path.relpath(build, ROOT)
        if self.build.startswith(".."):
            self.build = "build"
        copy_tree(ROOT, self.clean, self.build)
        self.make(self.clean, ["all", "test-programs"])
        subprocess.run(["cp", "-a", "--reflink=auto", self.clean, self.root], check=True)

    def make(self, root, targets):
        code, out = run(["make", "--no-print-directory", "-s", "-j%d" % (os.cpu_count() or 1), "BUILD=" + self.build, *targets],
                        root, BUILD_S)
        if code:
            raise Failed("it does not compile:\n" + "\n".join(out.splitlines()[-12:]))

    def plant(self, fault):
        path = os.path.join(self.root, fault["file"])
        if not os.path.isfile(path):
            raise Failed("there is no file %s" % fault["file"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        count = text.count(fault["old"])
        if count != 1:
            raise Failed("its text occurs %d times in %s" % (count, fault["file"]))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(fault["old"], fault["new"]))

    def restore(self, fault):
        """As it was, with its times, so that nothing need be built again."""
        restore_file(os.path.join(self.clean, fault["file"]), os.path.join(self.root, fault["file"]))
        clean, build = os.path.join(self.clean, self.build), os.path.join(self.root, self.build)
        for folder, _, names in os.walk(build):
            for name in names:
                path = os.path.join(folder, name)
                restore_file(os.path.join(clean, os.path.relpath(path, build)), path)

    def known_tests(self, files):
        """The node ids in files of tests: pytest runs nothing if one of those that it is to run does not exist."""
        tests = os.path.join(self.root, "tests")
        files = [file for file in files if os.path.exists(os.path.join(tests, file))]
        _, out = run([*PYTEST, "--collect-only", *files], tests, TEST_S, **self.variables())
        return set(out.splitlines())

    def variables(self):
        return {"ERLBPF_BUILD": os.path.join(self.root, self.build)}

    def test(self, tests, limit):
        """{node id: (outcome, why)} of the tests, or of all if there are none."""
        results = os.path.join(self.root, "results.xml")
        argv = [*PYTEST, "--junit-xml=" + results]
        if len(tests) != 1:
            argv += ["-n", str(WORKERS), "--dist", "loadgroup"]
        if os.path.exists(results):
            os.unlink(results)
        code, out = run(argv + list(tests), os.path.join(self.root, "tests"), limit, **self.variables())
        self.end_leftovers()
        if code is None:
            raise Failed("the tests do not end within %d s" % limit)
        if code == 2:
            raise Failed("the tests were interrupted:\n" + "\n".join(out.splitlines()[-12:]))
        if not os.path.exists(results):
            raise Failed("the tests cannot run:\n" + "\n".join(out.splitlines()[-12:]))
        return read_results(results)

    def test_clean(self, tests):
        """The same without a fault. A test that fails beside others is run again, alone."""
        found = self.test(tests, TEST_S)
        for test in [test for test, (outcome, _) in found.items() if outcome == "failed"]:
            found.update(self.test([test], TEST_S))
        return found

    def end_leftovers(self):
        """A faulty program may not end; those of this tree are ended."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink("/proc/%s/exe" % pid).startswith(self.root + os.sep):
                    os.kill(int(pid), signal.SIGKILL)


def copy_tree(source, to, build):
    def ignored(folder, names):
        if os.path.abspath(folder) != os.path.join(source, build):
            return []
        return [name for name in names if any(fnmatch.fnmatch(name, glob) for glob in NOT_COPIED)]

    shutil.copytree(source, to, symlinks=True, ignore=ignored)


def restore_file(clean, path):
    if not os.path.lexists(clean):
        if os.path.lexists(path):
            os.unlink(path)
    elif os.lstat(clean).st_mtime_ns != os.lstat(path).st_mtime_ns:
        # As a file of its own: a program that runs yet cannot be written to.
        shutil.copy2(clean, path + ".clean")
        os.rename(path + ".clean", path)


def read_results(path):
    found = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        test = "%s.py::%s" % (case.get("classname", "").replace(".", "/"), GROUP.sub("", case.get("name", "")))
        for outcome in "error", "failure", "skipped":
            part = case.find(outcome)
            if part is not None:
                lines = (part.get("message") or outcome).splitlines() or [outcome]
                found[test] = ("skipped" if outcome == "skipped" else "failed", lines[0])
        found.setdefault(test, ("passed", ""))
    return found


def targets_of(tests, build):
    """What is built again for them."""
    wanted = {name for test in tests for name in (["unit"] if test.startswith("unit/") else ["erlbpf", "erlbpf-slow"])}
    return sorted(os.path.join(build, name) for name in wanted)


def check_clean(fault, clean):
    """All its tests must pass without it."""
    for test in fault["caught_by"]:
        outcome, why = clean.get(test, ("missing", ""))
        if outcome == "missing":
            raise Failed("there is no test %s" % test)
        if outcome == "skipped":
            raise Skipped("%s: %s" % (test, why))
        if outcome == "failed":
            raise Failed("%s fails without it: %s" % (test, why))


def check(tree, fault, clean, is_whole):
    """What caught it."""
    check_clean(fault, clean)
    tree.plant(fault)
    tests = [] if is_whole else fault["caught_by"]
    tree.make(tree.root, ["all", "test-programs"] if is_whole else targets_of(tests, tree.build))
    found = tree.test(tests, WHOLE_S if is_whole else TEST_S)
    if is_whole:
        caught = [(test, why) for test, (outcome, why) in sorted(found.items())
                  if outcome == "failed" and clean.get(test, ("",))[0] == "passed"]
        if not caught:
            raise Failed("no test of `make test` fails")
        return caught
    for test in tests:
        outcome = found.get(test, ("missing",))[0]
        if outcome != "failed":
            raise Failed("%s %s" % (test, {"passed": "passes all the same", "skipped": "is skipped"}.get(outcome, "was not run")))
    return [(test, found[test][1]) for test in tests]


def chosen(faults, names):
    if not names:
        return faults
    unknown = [name for name in names if not fnmatch.filter([fault["name"] for fault in faults], name)]
    if unknown:
        sys.exit("there is no fault %s; --list prints them" % ", ".join(unknown))
    return [fault for fault in faults if any(fnmatch.fnmatch(fault["name"], name) for name in names)]


def plant_all(tree, faults, is_whole):
    counts = collections.Counter()
    begin = time.monotonic()
    named = {test for fault in faults for test in fault["caught_by"]}
    named = sorted(named & tree.known_tests(sorted({test.split("::")[0] for test in named})))
    clean = tree.test([], WHOLE_S) if is_whole else tree.test_clean(named)
    passed = sum(outcome == "passed" for outcome, _ in clean.values())
    print("without a fault %d of %d tests pass, in %.0f s" % (passed, len(clean), time.monotonic() - begin), flush=True)
    for fault in faults:
        begin = time.monotonic()
        try:
            caught = check(tree, fault, clean, is_whole)
            verdict, text = "caught", "".join("\n    %s: %s" % (test, why[:160]) for test, why in caught)
        except Failed as why:
            verdict, text = "FAILED", "\n    %s" % why
        except Skipped as why:
            verdict, text = "skipped", "\n    %s" % why
        finally:
            tree.restore(fault)
        counts[verdict] += 1
        print("%-8s%s (%.0f s)%s" % (verdict, fault["name"], time.monotonic() - begin, text), flush=True)
    print("%d passed, %d failed, %d skipped" % (counts["caught"], counts["FAILED"], counts["skipped"]), flush=True)
    return 1 if counts["FAILED"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("ERLBPF_BUILD", os.path.join(ROOT, "build")),
                        help="the build that is copied (build)")
    parser.add_argument("--whole", action="store_true", help="run all tests of `make test` for each fault")
    parser.add_argument("--list", action="store_true", help="print the faults")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a fault, or a glob")
    options = parser.parse_args()
    faults = chosen(read_faults(), options.names)
    if options.list:
        for fault in faults:
            print("%-56s %s" % (fault["name"], fault["breaks"]))
        return 0
    with tempfile.TemporaryDirectory(prefix="erlbpf-mutants-") as folder:
        os.chmod(folder, 0o755)  # nodes of other users read what is in it
        try:
            return plant_all(Tree(folder, os.path.abspath(options.build)), faults, options.whole)
        except Failed as why:
            print("without a fault: %s\n0 passed, 1 failed, 0 skipped" % why)
            return 1


if __name__ == "__main__":
    sys.exit(main())
