"""sched-latency: the median of its waits is that of the receiver's own clock."""
from lib import EMU, STOCK, USDT, VMS, JIT_VMS, Node, Trace, agree, of_type, over

MESSAGES = 1000


def waits(vm, *options):
    with Node(vm, "+S", "1", run=("waits", "main"), words=(MESSAGES, 5, 1)) as node:
        receiver = node.ready.split()[1]
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--by", "pid", *options)
        node.say("go")
        count, median = [int(word) for word in node.line().split()[1:3]]
        lines = trace.stop_json()
        node.say("end")
    mine = [h for h in of_type(lines, "hist") if h["key"] == receiver]
    assert [h["count"] for h in mine] == [count] and lines[-1]["lost"] == 0, (count, mine, lines[-1])
    return mine[0]["p50"], median


@over(VMS)
def test_the_median_agrees_with_the_nodes_own_clock(vm):
    agree(lambda: waits(vm))


@over(JIT_VMS)
def test_the_median_agrees_where_functions_are_probed(vm):
    agree(lambda: waits(vm, "--source", "symbol"))


def test_the_vms_agree():
    vms = [vm for vm in (STOCK, USDT, EMU) if vm.is_there()]
    medians = {str(vm): agree(lambda vm=vm: waits(vm)) for vm in vms}
    assert max(medians.values()) - min(medians.values()) <= 0.25, medians
