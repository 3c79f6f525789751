"""D is as fast as what it traces, and ends at once."""
import subprocess
import time

from lib import ERLBPF
from test_d_limits import NUMBERED, burst, need_root, run


def test_nothing_is_lost_at_a_full_core_of_hits():
    lines, error = burst(300000, "-n", NUMBERED)
    assert not error, error
    assert lines == ["%d\n" % n for n in range(300000)], len(lines)


def test_the_end_comes_without_delay():
    begin = time.monotonic()
    run("-qn", "profile-999 { exit(0); }")
    assert time.monotonic() - begin < 1, time.monotonic() - begin


def test_an_interrupt_ends_it_without_delay():
    need_root()
    trace = subprocess.Popen([ERLBPF, "-n", 'BEGIN { trace("x"); }'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while b"x" not in trace.stdout.readline():
        pass
    begin = time.monotonic()
    trace.terminate()
    trace.communicate()
    assert time.monotonic() - begin < 0.5, time.monotonic() - begin
