"""Random expressions, distributions and structs of D beside what they are worth: a sample of `make test-expressions`."""
import importlib
import os
import sys

from lib import ERLBPF, ROOT, Skip

sys.path.append(os.path.join(ROOT, "tests", "d"))


def generator(name):
    if os.geteuid() != 0:
        raise Skip("needs root")
    return importlib.import_module(name)


def test_random_expressions_are_worth_what_the_rules_of_dtrace_say():
    bad = generator("differential").run(ERLBPF, 120, 1)
    assert not bad, "%d\n%s" % (len(bad), "\n".join(bad[:5]))


def test_random_distributions_count_in_the_buckets_of_dtrace():
    bad = generator("distributions").run(ERLBPF, 30, 1)
    assert not bad, "%d\n%s" % (len(bad), "\n".join(bad[:5]))


def test_random_structs_hold_what_they_hold_in_c():
    bad = generator("layouts").run(ERLBPF, 10, 1)
    assert not bad, "%d\n%s" % (len(bad), "\n".join(bad[:5]))
