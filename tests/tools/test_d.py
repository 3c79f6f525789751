"""The D programs of tests/d/ against what DTrace documents, and the examples of docs/d-language.md: one test each."""
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tempfile

from lib import ERLBPF, LIMIT, ROOT, Skip, in_group, over

PAGE = os.path.join(ROOT, "docs", "d-language.md")


sys.path.append(os.path.join(ROOT, "tests", "d"))
import programs  # noqa: E402


def load_runner():
    spec = importlib.util.spec_from_file_location("d_run", os.path.join(ROOT, "tests", "d", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


runner = load_runner()


# Those of the guide are run by test_d_guide.py.
@over(in_group(case.name, "test_d.py:" + case.area) for case in runner.cases() if case.area != "guide")
def test_d_programs_print_what_dtrace_documents(name):
    need_root()
    wrong = runner.Case(name).run(ERLBPF)
    assert not wrong, wrong


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


class Example:
    """A block of the page that begins with ```d, and the block without a language behind it, if there is one:
    what the program prints."""

    def __init__(self, words, program, prints):
        self.options, self.program, self.prints = shlex.split(words), program, prints

    def run(self):
        with tempfile.NamedTemporaryFile("w", suffix=".d") as script:
            script.write(self.program)
            script.flush()
            # One that prints what nobody can know is only compiled.
            only = [] if self.prints is not None else ["-e", "-Z"]
            target = ["-p", str(os.getpid())] if "$target" in self.program else []
            return subprocess.run([ERLBPF, "-xerrtags"] + only + target + self.options + ["-s", script.name],
                                  capture_output=True, timeout=LIMIT, text=True, stdin=subprocess.DEVNULL,
                                  env=dict(os.environ, TZ="UTC", LC_ALL="C"))

    def wrong(self):
        done = self.run()
        if self.prints is None:
            return done.returncode and done.stderr
        if bare(done.stdout) != bare(self.prints):
            return "wanted:\n%sprinted:\n%s%s" % (self.prints, done.stdout, done.stderr)
        return None


def bare(text):
    """Without blanks at the ends of lines, and without empty lines at the end."""
    return [line.rstrip() for line in text.rstrip().split("\n")]


def examples(page):
    pattern = r"^```d(?: ([^\n]*))?\n(.*?)^```\n(?:\n?```\n(.*?)^```\n)?"
    return [Example(words or "", program, prints)
            for words, program, prints in ((m.group(1), m.group(2), m.group(3))
                                           for m in re.finditer(pattern, page, re.M | re.S))]


def examples_of_page():
    with open(PAGE) as file:
        return examples(file.read())


AT_A_TIME = 30  # examples in a group


@over(in_group(number, "test_d.py:examples-%d" % (number // AT_A_TIME)) for number in range(len(examples_of_page())))
def test_every_example_of_the_language_page_prints_what_it_says(number):
    need_root()
    example = examples_of_page()[number]
    wrong = example.wrong()
    assert not wrong, "%s-> %s" % (example.program, wrong)


def test_the_language_page_has_examples():
    assert len(examples_of_page()) > 60


def test_the_language_page_has_an_example_of_every_function():
    with open(os.path.join(ROOT, "user", "d", "functions.c")) as file:
        names = [name or named for kind, name, named in re.findall(
            r'^\t(?:\{ )?(?:([A-Z]+)\((\w+),|\.name = "([a-z]\w*)")', file.read(), re.M) if kind != "REFUSED"]
    shown = {name for example in examples_of_page() for name in re.findall(r"\b([a-z_0-9]+)\s*\(", example.program)}
    assert names and not set(names) - shown, sorted(set(names) - shown)


def test_random_programs_run_or_are_refused_with_a_reason():
    """A sample of those of `make test-expressions`."""
    need_root()
    bad = programs.run(ERLBPF, 10, 1)
    assert not bad, "\n".join(bad)
