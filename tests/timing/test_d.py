"""Clocks of D that are in time: the programs of tests/d/timing/."""
import os

from lib import ERLBPF, over
from test_d import need_root, runner


def programs():
    folder = os.path.join(runner.HERE, "timing")
    return sorted("timing/" + name[:-2] for name in os.listdir(folder) if name.endswith(".d"))


@over(programs())
def test_d_programs_are_in_time(name):
    need_root()
    wrong = runner.Case(name).run(ERLBPF)
    assert not wrong, wrong
