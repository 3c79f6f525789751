#!/usr/bin/python3
"""Runs every test: the unit tests (Criterion), then each test_* function of the folders of Python tests,
then the checks of the tree. `run.py [--build DIR] [--otp VM] [WORD...]` runs those whose names hold a
WORD. A VM is a release, a kind of it (29-stripped) or a suite, as probes/otp/ has them. Of the folders of SAMPLED it
runs a sample; `run.py --whole FOLDER` runs all of one of LONG, and nothing else but, of the threats of
docs/threats.md, the other tests that this page names.
A few that failed are run once more at the end, alone: what passes then is named as unsteady, and is to be mended, or what it found is.
The last lines name what failed; the very last is "N passed, N failed, N skipped"."""
import argparse
import concurrent.futures
import functools
import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

import threats

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FUZZ_SECONDS = 16  # each; thirteen have a minute, see fuzz.sh
FUZZ_LIMIT = "300"  # seconds of the wall clock for an input: others come first
AT_ONCE = 4  # of the tests that are marked: see lib.at_once
ONE_LIMIT = 900  # seconds
AGAIN = 12  # of those that failed, once more; more than these are not the machine's fault


class Results:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.unsteady = []

    def report(self, verdict, name, seconds, detail=""):
        print("%-7s %-88s %6.1f s" % (verdict, name, seconds), flush=True)
        for line in detail.rstrip().splitlines():
            print("        " + line, flush=True)
        self.count(verdict, name)

    def count(self, verdict, name):
        if verdict == "FAILED":
            self.failures.append(name)
        attribute = {"ok": "passed", "FAILED": "failed", "skipped": "skipped"}[verdict]
        setattr(self, attribute, getattr(self, attribute) + 1)

    def passed_later(self, name):
        self.failures.remove(name)
        self.unsteady.append(name)
        self.failed -= 1
        self.passed += 1


@functools.cache
def load(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases_of(module):
    """(name, call) of each test; one that is marked with lib.over() runs once for each of its cases."""
    for name, function in list(vars(module).items()):
        if not name.startswith("test_"):
            continue
        for case in getattr(function, "cases", [None]):
            label = name[5:] + ("" if case is None else "[%s]" % case)
            yield label, (function if case is None else functools.partial(function, case))


def run_case(results, lib, name, call):
    begin = time.monotonic()
    try:
        call()
        results.report("ok", name, time.monotonic() - begin)
    except lib.Skip as why:
        results.report("skipped", name, time.monotonic() - begin, str(why))
    except Exception:
        results.report("FAILED", name, time.monotonic() - begin, traceback.format_exc())
    finally:
        lib.close_all()


def is_at_once(call):
    """Its file may say so for all of its tests."""
    function = getattr(call, "func", call)
    return getattr(function, "is_at_once", function.__globals__.get("AT_ONCE", False))


def run_one(name):
    """What a process of its own prints that runs this test."""
    child = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--build", os.environ["ERLBPF_BUILD"], "--one", name],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said, _ = child.communicate(timeout=ONE_LIMIT)
    except subprocess.TimeoutExpired:
        # It ends what it has started.
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate()
    return said.decode("utf-8", "replace")


def verdict_in(said, name):
    """Of the test of that name; None: it did not end."""
    found = re.search(r"^(ok|FAILED|skipped) +%s +[0-9.]+ s$" % re.escape(name), said, re.M)
    return found and found[1]


def run_at_once(results, names):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name, said in zip(names, pool.map(run_one, names)):
            verdict = verdict_in(said, name)
            if verdict:
                sys.stdout.write(said)
                results.count(verdict, name)
            else:
                results.report("FAILED", name, 0, "it did not end:\n" + said)


def run_again(results):
    """A machine that stands still for a second fails a test that is right. One that is wrong fails here, too, alone."""
    names = [name for name in results.failures if not name.startswith(("unit: ", "tree: "))]
    if len(names) > AGAIN:
        return
    for name in names:
        said = run_one(name)
        print("once more: " + said, end="", flush=True)
        if verdict_in(said, name) == "ok":
            results.passed_later(name)


def environment(build):
    """Of what compiles: the tree is built several times, the tarball and the example like the tree itself, and each
    VM in two or three kinds."""
    folder = "/usr/lib/ccache"
    if not os.path.isdir(folder):
        return dict(os.environ)
    ours = {"PATH": "%s:%s" % (folder, os.environ["PATH"]), "CCACHE_NOHASHDIR": "1"}
    return {"CCACHE_DIR": os.path.join(build, "ccache"), "CCACHE_MAXSIZE": "3G", **os.environ, **ours}


def run_command(argv, limit=900, preexec=None):
    """(seconds, what it said if it failed)"""
    begin = time.monotonic()
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              timeout=limit, cwd=ROOT, preexec_fn=preexec, env=environment(os.environ["ERLBPF_BUILD"]))
        code, text = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        code, text = -1, "not done within %d s\n%s" % (limit, late.stdout)
    tail = "\n".join(text.splitlines()[-40:])
    return time.monotonic() - begin, (tail or "it failed with %d" % code) if code else ""


def report_command(results, name, outcome):
    results.report("FAILED" if outcome[1] else "ok", "tree: " + name, *outcome)


class Beside:
    """Commands that want nothing but a CPU, those of a lane one after the other, when nobody else wants it: the other
    tests mostly wait, and do not notice."""

    def __init__(self, *lanes):
        self.names = [name for commands in lanes for name, _ in commands]
        self.outcomes = {}
        for commands in lanes:
            threading.Thread(target=self.run, args=(commands,), daemon=True).start()

    def run(self, commands):
        for name, argv in commands:
            self.outcomes[name] = run_command(argv, limit=3000, preexec=self.step_back)

    @staticmethod
    def step_back():
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    def outcome(self, name):
        while name not in self.outcomes:
            time.sleep(0.1)
        return self.outcomes[name]

    def report(self, results, but=()):
        for name in self.names:
            if name not in but:
                report_command(results, name, self.outcome(name))


def run_unit(results, build):
    """Each of Criterion's tests counts as one."""
    begin = time.monotonic()
    done = subprocess.run([os.path.join(build, "unit"), "-j1", "--tap"], capture_output=True, timeout=600)
    shown = 0
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        verdict = "ok" if line.startswith("ok ") else "FAILED" if line.startswith("not ok ") else None
        if not verdict:
            if shown and line.startswith("  "):
                print("        " + line)
            continue
        skipped = "# SKIP" in line
        results.report("skipped" if skipped else verdict, "unit: " + line.split(" - ", 1)[-1].strip(), 0)
        shown += 1
    if not shown or done.returncode < 0:
        results.report("FAILED", "unit tests run to their end", time.monotonic() - begin,
                       done.stderr.decode("utf-8", "replace")[-2000:])


def long_checks(build):
    """(name, command) of what the code is held to, whatever it runs on."""
    make = ["make", "--no-print-directory", "-s"]
    san = ["BUILD=" + os.path.join(build, "san"), "SAN=address,undefined", "CFLAGS=-O1 -g"]
    san_clang = ["BUILD=" + os.path.join(build, "san-clang"), "CC=clang", "SAN=address,undefined",
                 "CFLAGS=-O1 -g"]
    return [
        ("unit tests are clean under gcc's sanitizers",
         ["sh", "-c", "%s && %s -j1" % (" ".join(make + ["-j2"] + ["'%s'" % w for w in san] + ["unit"]),
                                os.path.join(build, "san", "unit"))]),
        ("everything builds with clang without a warning, and unit tests are clean under its sanitizers",
         ["sh", "-c", "%s && %s -j1" % (" ".join(make + ["-j2"] + ["'%s'" % w for w in san_clang] + ["all", "unit"]),
                                os.path.join(build, "san-clang", "unit"))]),
        ("cppcheck, shellcheck and the layering check are clean", make + ["lint"]),
        ("the worked example of docs/adding-a-tool.md builds and passes", ["tests/docs-example.py", build]),
        ("the source tarball builds and passes the quick checks without git", ["tests/dist.sh", build]),
    ]


def fuzzing(build):
    return [("fuzzing each reader for %d or 60 s finds nothing" % FUZZ_SECONDS,
             ["tests/fuzz.sh", build, str(FUZZ_SECONDS), FUZZ_LIMIT])]


def short_checks(build):
    """(name, command) of what holds the tree itself to its promises."""
    return [
        ("the generated references in docs/ are up to date", ["tests/docs-fresh.sh", build]),
        ("the tests that docs/threats.md names exist", ["tests/threats.py"]),
        ("commands, options, files and functions that pages name exist", ["tests/doc_names.py", build]),
        ("the check of rooms finds circles and forbidden includes", ["tests/arrows_check.py"]),
        ("the check of sizes finds what is too large", ["tests/sizes_check.py"]),
        ("the check of what is unused finds a function and a member", ["tests/unused_check.py"]),
        ("the check of errno finds who reads another call's", ["tests/stale_errno_check.py"]),
        ("the man pages are well-formed", ["mandoc", "-T", "lint", "-W", "error"] +
         [os.path.join(build, "man", page) for page in ("erlbpf.8", "erlbpf-export.8", "erlbpf-profile.8")]),
        ("make install puts everything below DESTDIR", ["tests/install.sh", build]),
    ]


# Tests run while VMs that they do not need may still be built. What these test works on the stock VM; those look, when
# they are loaded, for the VMs that there are.
ON_STOCK = ("cli", "deploy", "d", "d_limits", "export", "package", "screen")
ON_ALL = ("bare", "layouts", "match")


def release_of(area, name):
    """Of the VM that a test needs besides Debian's: "25" of OTP 25 with notes, None for none, "" for all."""
    case = re.search(r"\[([^],]*)", name)
    newer = case and re.match(r"otp(\d+)", case[1])
    if case and case[1] in ("usdt", "emu"):
        return "25"
    if area in ON_STOCK or area.startswith("export_") or (case and case[1] == "stock"):
        return None
    if area in ON_ALL or area.startswith(tuple(folder + "_" for folder in SAMPLED)):
        return ""
    return newer[1] if newer else "25"


def vms(words):
    """(release, name, command) of the VMs to work against that Debian does not have, for words of ERLBPF_OTP."""
    kinds, commands = {"25": ["usdt"]}, []
    for word in words:
        name = word.split(":")[0]
        release, _, kind = name.partition("-")
        if not kind:
            commands.append(("", "the chroot of %s can be had" % name, ["probes/otp/chroot-otp.sh", name]))
        elif kind not in kinds.setdefault(release, []):
            kinds[release].append(kind)
    return [(release, "the VMs of OTP %s can be had: %s" % (release, ", ".join(kinds[release])),
             ["probes/otp/build-otp.sh", release] + kinds[release]) for release in kinds] + commands


def words_of(otp):
    """Of an option --otp: a release stands for two kinds."""
    return [otp + "-usdt", otp + "-stock"] if otp.isdigit() else [otp]


# Without --otp, tests that run on each VM run on these too, those of these files: what is different in them.
EXACT = ("beam", "births", "calls", "d_probes", "d_scripts", "d_stack", "dist", "entries", "ets", "functions", "gc", "mailbox", "messages", "names", "patterns", "ports",
         "profile", "profile_events", "run_queue", "sched_latency", "slices", "sockets", "spawn_exit", "terms", "top", "top_screen", "vms_node", "why")
SOME = ("calls", "entries", "ets", "functions", "gc", "mailbox", "messages", "profile", "sched_latency", "slices", "spawn_exit", "top_screen",
        "vms_node", "why")
NEWER = {
    "27-stock": SOME,
    "29-stock": ("match", "vms_node", "why"),
    "29-stripped": EXACT,
    "29-usdt": ("gc", "match", "sched_latency", "spawn_exit", "vms_node"),
    "29-stock:+JMsingle:true": ("vms_node",),
    "29-stock:+JPperf:true": ("vms_node",),
}
# Of these, not on the interpreter: they look at what it does not change.
NOT_ON_EMU = ("births", "bt", "d_scripts", "dist", "locks", "names", "run_queue", "top", "top_screen", "uprobe", "user_trace")
LONG = ("faults", "hostile")
SAMPLED = LONG + ("kernels", "vms")  # the names of their tests begin with that of the folder
FOLDERS = ("bpf", "tools") + SAMPLED


def files(folders=FOLDERS):
    for folder in folders:
        for file in sorted(os.listdir(os.path.join(HERE, folder))):
            name = (folder + "_" if folder in SAMPLED else "") + file[5:-3]
            if file.startswith("test_") and file.endswith(".py"):
                yield name, os.path.join(HERE, folder, file)


def cases(area, path):
    """(name, call) of each test of a file, with all its words."""
    for name, call in cases_of(load(path)):
        yield "%s: %s" % (area, name.replace("_", " ")), call


def vm_of(name):
    """The VM of ERLBPF_OTP of a test's name, or none."""
    case = re.search(r"\[(?:otp)?([^],]*)", name)
    return case[1] if case and case[1] in os.environ["ERLBPF_OTP"].split() else None


def run_files(results, lib, wanted, folders=FOLDERS, is_due=lambda release: True):
    """Those whose VM's release is due."""
    for area, path in files(folders):
        if area in ON_ALL and not is_due(""):
            continue
        due = [(name, call) for name, call in cases(area, path) if wanted(name) and is_due(release_of(area, name))]
        for name, call in due:
            if not is_at_once(call):
                run_case(results, lib, name, call)
        run_at_once(results, [name for name, call in due if is_at_once(call)])


def run_by_name(results, lib, name):
    for area, path in files():
        # Two folders may have a file of this name.
        call = dict(cases(area, path)).get(name) if name.startswith(area + ": ") else None
        if call:
            run_case(results, lib, name, call)


def is_sampled(name):
    vm, area = vm_of(name), name.partition(":")[0]
    return area in NEWER[vm] if vm else not (area in NOT_ON_EMU and name.endswith("[emu]"))


def run_whole(results, lib, build, folder, wanted, vms):
    for _, name, argv in vms:
        report_command(results, name, run_command(argv, limit=3000))
    run_files(results, lib, wanted, folders=[folder])
    if folder == "hostile":
        run_elsewhere(results, lib, build, threats.named("Threats"), wanted)


def run_elsewhere(results, lib, build, names, wanted):
    """Tests of other folders that are named; of unit tests, suites."""
    def is_named(label):
        return wanted(label) and any(label.startswith(name) for name in names)

    run_files(results, lib, is_named, folders=("bpf", "tools"))
    for suite in (name[6:-2] for name in names if name.startswith("unit: ")):
        if wanted("unit: " + suite):
            report_command(results, "unit tests of " + suite,
                           run_command([os.path.join(build, "unit"), "-j1", "--filter=%s/*" % suite]))


def run_all(results, lib, build, wanted, vms):
    beside = Beside([(name, argv) for _, name, argv in vms] +
                    [(name, argv) for name, argv in long_checks(build) if wanted(name)],
                    [(name, argv) for name, argv in fuzzing(build) if wanted(name)])
    if wanted("unit: "):
        run_unit(results, build)
    run_files(results, lib, wanted, is_due=lambda release: release is None)
    done = {None}
    for release, name, _ in vms:
        report_command(results, name, beside.outcome(name))
        if release:
            run_files(results, lib, wanted, is_due=lambda needed, built=release: needed == built)
            done.add(release)
    run_files(results, lib, wanted, is_due=lambda release: release not in done)
    for name, argv in short_checks(build):
        if wanted(name):
            report_command(results, name, run_command(argv))
    beside.report(results, but=[name for _, name, _ in vms])
    run_again(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--otp", action="append", default=[], metavar="VM", type=words_of,
                        help="tests that run on each VM run on this one too: 27, 29, 29-stripped, sid; may be given several times")
    parser.add_argument("--no-build", action="store_true", help="take what is built")
    parser.add_argument("--one", metavar="TEST", help=argparse.SUPPRESS)
    parser.add_argument("--whole", choices=LONG, help="only tests/FOLDER/, all of it")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    os.environ["ERLBPF_BUILD"] = build
    words = [word for otp in options.otp for word in otp]
    if not options.one:
        os.environ["ERLBPF_OTP"] = " ".join(words or NEWER)
    if options.whole:
        os.environ["ERLBPF_WHOLE"] = options.whole
    sys.path[:0] = [HERE] + [os.path.join(HERE, folder) for folder in FOLDERS[1:]]
    import lib
    results = Results()

    if options.one:
        # A shell's job in the background ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        run_by_name(results, lib, options.one)
        return 0

    needed_vms = [] if options.no_build else vms(words if words or options.whole else NEWER)

    def wanted(name):
        return (not options.words or any(word in name for word in options.words)) and (bool(words) or is_sampled(name))

    if not options.no_build and subprocess.run(["make", "--no-print-directory", "-s", "-j2", "BUILD=" + options.build, "all",
                       "test-programs"], cwd=ROOT, env=environment(build)).returncode:
        results.report("FAILED", "everything builds", 0)
    elif options.whole:
        run_whole(results, lib, build, options.whole, wanted, needed_vms)
    else:
        run_all(results, lib, build, wanted, needed_vms)
    for name in results.unsteady:
        print("unsteady: it failed and, alone, passed: %s" % name)
    for name in results.failures:
        print("FAILED  %s" % name)
    print("%d passed, %d failed, %d skipped" % (results.passed, results.failed, results.skipped))
    return 1 if results.failed or not results.passed else 0


if __name__ == "__main__":
    sys.exit(main())
