"""ets: an operation lasts as long as the node says."""
from lib import VMS, Node, Trace, agree, of_type, over


@over(VMS)
def test_an_operation_that_gives_way_lasts_until_it_is_done(vm):
    with Node(vm) as node:
        node.eval("T = ets:new(large, [named_table, public, ordered_set])")
        node.eval("ets:insert(T, [{N, N} || N <- lists:seq(1, 100000)])")
        node.eval("M = [{{'$1', '_'}, [{'>', '$1', 5}], [true]}]")
        agree(lambda: long_operation(node, "ets:select_count(T, M)"))
        agree(lambda: long_operation(node, "length(ets:tab2list(T))"))
        node.eval("L = [{N, 0} || N <- lists:seq(1, 30000)]")
        agree(lambda: long_operation(node, "ets:insert(T, L)"))


def long_operation(node, code):
    """(how long it took at most, how long the node says)"""
    trace = Trace("ets", "-j", "-p", node.pid, "--min", "1ns")
    node_us = int(node.eval("element(1, timer:tc(fun() -> %s end))" % code))
    event, = [e for e in of_type(trace.stop_json(), "event") if e["table"] == "large"]
    return event["took"], node_us * 1000
