"""births: the rate is that of the node."""
from lib import VMS, Node, Trace, agree, of_type, over


@over(VMS)
def test_the_rate_is_that_of_the_node_in_every_interval(vm):
    def measure():
        trace = Trace("births", "-j", "-p", node.pid, "-i", "100ms", "--by", "mfa")
        seconds = float(node.eval("element(1, timer:tc(fun() -> %s end)) / 1.0e6"
                                  % ", ".join(["lives:storm(plain, 50000, x)"] * 4), limit=120))
        node.eval("timer:sleep(20)")
        rows = [row for table in of_type(trace.stop_json(), "table") for row in table["rows"] if row["key"] == "lives:run/1"]
        assert sum(row["spawned"] for row in rows) == sum(row["exited"] for row in rows) == 200000
        rates = sorted(row["spawned_s"] for row in rows[1:-1] or rows)
        return rates[len(rates) // 2], 200000 / seconds

    with Node(vm) as node:
        agree(measure)
