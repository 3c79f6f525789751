"""The bpftrace scripts of tools/bt: slices are as long as the process says."""
import re
import time

from lib import JIT_VMS, Node, over
from test_bt import Group, number_of


@over([vm for vm in JIT_VMS if not vm.hides])
def test_the_process_that_computes_has_most_of_the_cpu_and_a_long_slice_is_as_long_as_it_says(vm):
    with Node(vm) as node:
        node.eval("W = worker:start(self())")
        pid = node.eval("W")
        group = Group(node, "top", "slices")
        begin = time.monotonic()
        while time.monotonic() - begin < 2:
            node.eval("W ! {short, 200000}, receive {worked, _} -> ok end")
        took = int(node.eval("W ! stuck, receive {worked, Ns} -> Ns end")) / 1000
        group.stop()
    cpu = group.maps["top"]["us"]
    assert max(cpu, key=cpu.get) == number_of(pid) and cpu[number_of(pid)] > 200000, cpu
    # Others are long too when the machine takes the CPU away.
    printed = [int(us) for us in group.lines("slices", r"^%s (\d+) us on " % re.escape(pid))]
    assert any(took * 0.8 <= us <= took * 1.2 for us in printed), (printed, took)
