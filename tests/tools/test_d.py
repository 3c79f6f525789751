"""D programs against what DTrace documents, an area of tests/d/ at a time; and the examples of
docs/d-language.md."""
import importlib.util
import os
import re
import shlex
import subprocess
import tempfile

from lib import BUILD, ERLBPF, LIMIT, ROOT, Skip, over

PAGE = os.path.join(ROOT, "docs", "d-language.md")


def load_runner():
    spec = importlib.util.spec_from_file_location("d_run", os.path.join(ROOT, "tests", "d", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


runner = load_runner()


# Those of the guide are run one by one by test_d_guide.py.
@over(area for area in runner.areas() if area != "guide")
def test_d_programs_print_what_dtrace_documents(area):
    need_root()
    results = runner.run(runner.cases([area]), ERLBPF)
    bad = [(case.name, wrong) for case, wrong in results if wrong]
    assert not bad, "%d of %d fail: %s\n%s" % (
        len(bad), len(results), " ".join(name for name, _ in bad),
        "\n".join("--- %s\n%s" % (name, "\n".join(wrong.splitlines()[:8])) for name, wrong in bad[:5]))


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


def test_every_example_of_the_language_page_prints_what_it_says():
    need_root()
    with open(PAGE) as file:
        all_of_them = examples(file.read())
    bad = [(example.program, wrong) for example, wrong in ((e, e.wrong()) for e in all_of_them) if wrong]
    assert len(all_of_them) > 60
    assert not bad, "%d of %d fail\n%s" % (len(bad), len(all_of_them),
                                            "\n".join("%s-> %s" % pair for pair in bad[:5]))


def test_the_language_page_has_an_example_of_every_function():
    with open(PAGE) as file:
        page = file.read()
    with open(os.path.join(ROOT, "user", "d", "functions.c")) as file:
        names = [name or named for kind, name, named in re.findall(
            r'^\t(?:\{ )?(?:([A-Z]+)\((\w+),|\.name = "([a-z]\w*)")', file.read(), re.M) if kind != "REFUSED"]
    shown = {name for example in examples(page) for name in re.findall(r"\b([a-z_0-9]+)\s*\(", example.program)}
    assert names and not set(names) - shown, sorted(set(names) - shown)


PROGRAMS = 60


def test_random_programs_run_or_are_refused_with_a_reason():
    need_root()
    bad = []
    for seed in range(1, PROGRAMS + 1):
        program = subprocess.run([os.path.join(BUILD, "d-grammar"), str(seed)], capture_output=True, check=True).stdout
        with tempfile.NamedTemporaryFile(suffix=".d") as script:
            script.write(program)
            script.flush()
            done = subprocess.run([ERLBPF, "-xerrtags", "-xdefaultargs", "-q", "-s", script.name], timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        err = done.stderr.decode("latin-1")
        # 1 can also be what it says to exit().
        refused = done.returncode == 1 and "failed to compile" in err
        if done.returncode < 0 or (refused and "[D_" not in err) or "verifier" in err or "Invalid argument" in err:
            bad.append("seed %d: %d %s" % (seed, done.returncode, err[:300]))
    assert not bad, "%d of %d\n%s" % (len(bad), PROGRAMS, "\n".join(bad[:5]))
