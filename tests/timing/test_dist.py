"""How near the time for which a process is suspended is to its own."""
import time

from lib import VMS, Trace, agree, over
from test_dist import SECOND, Pair, busy_of


@over(VMS)
def test_a_process_is_blocked_for_as_long_as_its_peer_is_stopped(vm):
    agree(lambda: blocked(vm))


def blocked(vm):
    with Pair(vm) as pair:
        pid = pair.start_sender()
        trace = Trace("dist", "-p", pair.near.pid, "-j", "--min", "500ms")
        pair.stop()
        pair.eval("Sender ! go")
        time.sleep(3)
        pair.go_on()
        own = int(pair.eval("receive {took, Ns} -> Ns end"))
        lines = trace.stop_json()
        busy = busy_of(lines)
        assert len(busy) == 1, busy
        assert (busy[0]["pid"], busy[0]["name"], busy[0]["peer"], busy[0]["until"]) == \
            (pid, "flooder", pair.peer, "resumed"), busy
        assert lines[-1]["lost"] == 0 and own > 2.9 * SECOND, (own, lines[-1])
        return busy[0]["took"], own
