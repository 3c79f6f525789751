"""How near the time of a job of the async pool is to the node's own."""
import time

from lib import VMS, Trace, agree, of_type, over, wait_until
from test_aio import PIPE_SIZE, Writer, table_of


def blocked(vm):
    with Writer(vm) as node:
        node.eval("Pipe = Open(7), Files = [Open(Fd) || Fd <- [8, 9]]")
        trace = Trace("aio", "-p", node.pid, "-j", "--by", "port", "--erl-pid", node.eval("self()"))
        pipe = node.eval("Pipe")
        node.say("begin Begin = erlang:monotonic_time(), port_command(Pipe, binary:copy(<<0>>, %d)), "
                 "[port_command(F, <<\"x\">>) || F <- [P | Files]], Wait(Pipe), "
                 "erlang:monotonic_time() - Begin end." % (PIPE_SIZE + 1))
        time.sleep(0.3)
        wait_until("the pipe was written", lambda: node.drain() > 0)
        own = int(node.line()[2:])
        node.eval("Wait(hd(Files)), Wait(P)")
        lines = trace.stop_json()
    # One is worked on and three wait.
    assert [row["largest_queue"] for row in table_of(lines)] == [4], table_of(lines)
    hist = [hist for hist in of_type(lines, "hist") if hist["key"] == pipe]
    return hist[0]["max"], own


@over(VMS)
def test_a_job_that_blocks_takes_as_long_as_the_node_says(vm):
    agree(lambda: blocked(vm))
