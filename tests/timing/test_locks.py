"""locks: the longest wait is as long as the process that waits says."""
from lib import VMS, Node, Trace, agree, of_type, over


@over(VMS)
def test_waits_for_a_table_are_as_long_as_the_waiting_process_says(vm):
    with Node(vm, "+S", "2") as node:
        pid = node.eval("P = contend:looker()")
        node.eval("T = contend:table(bag, 300000)")
        agree(lambda: longest_wait(node, pid), tries=5)


def longest_wait(node, pid):
    trace = Trace("locks", "-p", node.pid, "-j", "--min", "1us", "--erl-pid", pid)
    told = [int(ns) for ns in node.eval("contend:waits(P, T, 60)").strip("[]").split(",")]
    waits = [e for e in of_type(trace.stop_json(), "event") if e["lock"] == "bag"]
    return max([e["waited"] for e in waits], default=0), max(told)
