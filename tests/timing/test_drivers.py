"""How near the time of a callback is to the node's own."""
from lib import VMS, Node, Trace, agree, of_type, over


def compress(vm):
    with Node(vm) as node:
        node.eval("{ok, F} = file:open(binary:copy(<<0>>, 100000000), [ram, read, write, binary])")
        trace = Trace("drivers", "-p", node.pid, "-j", "--by", "function")
        own = int(node.eval("element(1, timer:tc(fun() -> {ok, _} = ram_file:get_file(F) end))")) * 1000
        lines = trace.stop_json()
    hist = [hist for hist in of_type(lines, "hist") if hist["key"] == "ram_file_drv:output"]
    assert len(hist) == 1 and hist[0]["count"] == 1, hist
    return hist[0]["max"], own


@over(VMS)
def test_a_slow_callback_takes_as_long_as_the_node_says(vm):
    agree(lambda: compress(vm))
