#!/usr/bin/env python3
"""D programs, and what they must print: `run.py [--build DIR] [-v] [AREA | AREA/NAME]...`.

A case is AREA/NAME.d. Beside it is NAME.out, its exact standard output, or NAME.err, the tag of the error with which
the compiler must reject it. Comments in a case can contain:

  @options: -q -C    options of the command, before -s
  @args: 1 two       arguments after the script
  @status: 3         exit code of the command; the default is 0, or 1 with NAME.err
  @sort              lines can come in any order
  @prints:           at the end of a line; the rest of the comment is the output, instead of NAME.out, without
                     dtrace's empty last line

An address of the kernel is {ptr} in NAME.out. In OPTIONS, $BUILD is the folder of the command,
and $USDT_ERL a VM with notes (`make otp`).

It is run in its folder, as `erlbpf -xerrtags OPTIONS -s NAME.d ARGS`, with _DTRACE_TESTING=1. Expectations are
derived from what DTrace documents, never from what a run of ours printed."""
import argparse
import concurrent.futures
import difflib
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 60  # only a program that hangs reaches it
AT_A_TIME = 2
NOT_AREAS = {"scripts", "timing", "__pycache__"}  # timing: of tests/timing/test_d.py
CACHE = os.environ.get("ERLBPF_CACHE") or os.path.expanduser("~/.cache/erlbpf")
USDT_ERL = os.path.join(CACHE, "otp-25-usdt", "bin", "erl")


def read(path):
    with open(path, encoding="latin-1", newline="") as file:
        return file.read()


def said_of(text):
    """What the comments of a program say of how it is run."""
    return dict(re.findall(r"@(options|args|status):[ \t]*(.*?)[ \t]*(?:\*/)?$", text, re.M))


class Case:
    def __init__(self, name):
        self.name = name
        self.area, self.script = name.split("/", 1)
        base = os.path.join(HERE, name)
        text = read(base + ".d")
        said = said_of(text)
        self.options, self.args = shlex.split(said.get("options", "")), shlex.split(said.get("args", ""))
        self.is_sorted = "@sort" in text
        self.tag = read(base + ".err").strip() if os.path.exists(base + ".err") else None
        prints = re.search(r"@prints:\n(.*?)\*/", text, re.S)
        self.wanted = None if self.tag else prints.group(1) + "\n" if prints else read(base + ".out")
        self.status = int(said.get("status", 1 if self.tag else 0))

    def command(self, erlbpf):
        places = {"$BUILD": os.path.dirname(erlbpf), "$USDT_ERL": USDT_ERL}
        options = [re.sub(r"\$(BUILD|USDT_ERL)\b", lambda match: places[match.group()], word) for word in self.options]
        return [erlbpf, "-xerrtags"] + options + ["-s", self.script + ".d"] + self.args

    def run(self, erlbpf):
        """What is wrong, as text; None if nothing is."""
        env = dict(os.environ, _DTRACE_TESTING="1", TZ="UTC", LC_ALL="C")
        try:
            done = subprocess.run(self.command(erlbpf), cwd=os.path.join(HERE, self.area), env=env, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired as late:
            return "not done within %d s; so far: %r" % (LIMIT, (late.stdout or b"")[-200:])
        out, err = re.sub("0xffff[0-9a-f]{12}", "{ptr}", done.stdout.decode("latin-1")), done.stderr.decode("latin-1")
        wrong = []
        if done.returncode != self.status:
            wrong.append("status %d, not %d" % (done.returncode, self.status))
        if self.tag and "[%s]" % self.tag not in err:
            wrong.append("no [%s]" % self.tag)
        if self.wanted is not None and self.sort(out) != self.sort(self.wanted):
            wrong += [line.rstrip("\n") + "$" for line in difflib.unified_diff(
                self.wanted.splitlines(True), out.splitlines(True), "wanted", "printed", n=1)]
        return "\n".join(wrong + ["stderr: " + line for line in err.splitlines()[:4]]) if wrong else None

    def sort(self, text):
        return sorted(text.splitlines()) if self.is_sorted else text


def areas():
    return sorted(name for name in os.listdir(HERE)
                  if os.path.isdir(os.path.join(HERE, name)) and name not in NOT_AREAS)


def cases(words=()):
    """Cases of the areas and of the names that are asked for; all, if nothing is."""
    found = [Case("%s/%s" % (area, file[:-2])) for area in areas()
             for file in sorted(os.listdir(os.path.join(HERE, area))) if file.endswith(".d")]
    chosen = [case for case in found if not words or case.name in words or case.area in words]
    unknown = [word for word in words if not any(word in (case.name, case.area) for case in found)]
    assert not unknown, "there is no case or area %s" % ", ".join(unknown)
    return chosen


def run(chosen, erlbpf):
    """[(case, what is wrong or None)], some at a time."""
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(zip(chosen, pool.map(lambda case: case.run(erlbpf), chosen)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
    parser.add_argument("-v", action="store_true", help="also the command of what fails")
    parser.add_argument("words", nargs="*", metavar="AREA[/NAME]")
    options = parser.parse_args()
    erlbpf = os.path.join(os.path.abspath(options.build), "erlbpf")
    results = run(cases(options.words), erlbpf)
    bad = [(case, wrong) for case, wrong in results if wrong]
    for case, wrong in bad:
        print("--- %s" % case.name)
        if options.v:
            print("cd %s; _DTRACE_TESTING=1 %s" % (os.path.join(HERE, case.area), shlex.join(case.command(erlbpf))))
        print(wrong)
    print("%d of %d cases hold" % (len(results) - len(bad), len(results)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
