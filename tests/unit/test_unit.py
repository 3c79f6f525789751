"""The unit tests, in C with Criterion: a suite at a time. `make check` runs the same without root."""
import re
import subprocess

from lib import UNIT, Skip, over


def suites():
    """Names of the suites of build/unit, which lists them as `name: 4 tests` with the tests below."""
    done = subprocess.run([UNIT, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split(":")[0] for line in done.stdout.splitlines() if ":" in line and line[0].isalnum()]


@over(suites())
def test_suite_passes(suite):
    done = subprocess.run([UNIT, "-j1", "--tap", "--filter=%s/*" % suite], capture_output=True, text=True, errors="replace")
    # All others are listed as skipped.
    tests = re.findall(r"^(?:not )?ok - %s::.*$" % suite, done.stdout, re.M)
    assert done.returncode == 0 and tests, done.stdout + done.stderr
    if all("# SKIP" in test for test in tests):
        raise Skip(tests[0].partition("# SKIP")[2].strip())
