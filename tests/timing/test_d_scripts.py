"""The scripts of OTP's runtime_tools: how long a process waits for a peer that is stopped."""
import time

from lib import VMS, over
from test_d_scripts import PID, Script, lines_with
from test_dist import Pair

STOPPED_S = 2
TRIES = 3  # a process that is suspended again before it sends more has no note of that


@over(VMS)
def test_a_wait_for_a_peer_lasts_as_long_as_it_is_stopped(vm):
    longest = [waits(vm) for _ in range(TRIES)]
    assert any(abs(us - STOPPED_S * 1000000) <= STOPPED_S * 200000 for us in longest), longest


def waits(vm):
    with Pair(vm) as pair:
        trace = Script("otp/dist.d", "-p", pair.near.pid)
        pid = pair.start_sender()
        pair.stop()
        pair.eval("Sender ! go")
        time.sleep(STOPPED_S)
        pair.go_on()
        pair.eval("receive {took, _} -> ok end")
        out = trace.stop()
    return max(int(m.group(2)) for m in lines_with(
        out, "blocked pid (", PID, ") scheduled now, waited (\\d+) microseconds") if m.group(1) == pid)
