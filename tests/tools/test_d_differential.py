"""Random expressions of D beside what they are worth by DTrace's rules: a sample of `make test-expressions`."""
import importlib.util
import os

from lib import ERLBPF, ROOT, Skip


def test_random_expressions_are_worth_what_the_rules_of_dtrace_say():
    if os.geteuid() != 0:
        raise Skip("needs root")
    spec = importlib.util.spec_from_file_location("differential", os.path.join(ROOT, "tests/d/differential.py"))
    differential = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(differential)
    bad = differential.run(ERLBPF, 300, 1)
    assert not bad, "%d\n%s" % (len(bad), "\n".join(bad[:5]))
