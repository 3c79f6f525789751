#!/usr/bin/env python3
"""Random programs of D by its grammar (tests/fuzz/d_grammar.c): each runs, or is refused with a reason.

`programs.py [--build DIR] [--count N] [--seed N]`"""
import os
import subprocess
import sys
import tempfile

import random_run

LIMIT = 120  # only a program that hangs reaches it


def wrong_of(erlbpf, seed):
    """What is wrong with the program of a seed, or None."""
    grammar = os.path.join(os.path.dirname(erlbpf), "d-grammar")
    program = subprocess.run([grammar, str(seed)], capture_output=True, check=True).stdout
    with tempfile.NamedTemporaryFile(suffix=".d") as script:
        script.write(program)
        script.flush()
        done = subprocess.run([erlbpf, "-xerrtags", "-xdefaultargs", "-q", "-s", script.name], timeout=LIMIT,
                              stdin=subprocess.DEVNULL, capture_output=True)
    err = done.stderr.decode("latin-1")
    # 1 can also be what it says to exit().
    refused = done.returncode == 1 and "failed to compile" in err
    if done.returncode < 0 or (refused and "[D_" not in err) or "verifier" in err or "Invalid argument" in err:
        return "seed %d: %d %s" % (seed, done.returncode, err[:300])
    return None


def run(erlbpf, count, seed):
    wrong = [wrong_of(erlbpf, first) for first in range(seed, seed + count)]
    return [each for each in wrong if each]


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, "programs", 600, run, keeps=False))
