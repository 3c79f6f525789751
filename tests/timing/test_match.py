"""How long it takes to find the functions of a VM that hides them."""
import tempfile

from lib import Trace, cpu_seconds
from test_match import stripped_node, with_descendants

MOST_CPU_S = 3  # to attach to a VM that was never seen; the processor's time, since others may have it


def test_a_vm_that_was_never_seen_takes_less_than_three_seconds():
    with stripped_node() as node, tempfile.TemporaryDirectory() as folder:
        trace = Trace("count", "message-send", "-p", node.pid, env={"ERLBPF_MATCHED": folder})
        assert any("compared with known builds" in line for line in trace.stderr), trace.stderr
        took = sum(map(cpu_seconds, with_descendants(trace.pid)))
        trace.stop()
    print("%.1f s of CPU" % took)
    assert took < MOST_CPU_S, took
