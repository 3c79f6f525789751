"""D's provider beam: how near the time of a call is to the node's own."""
from lib import SLOW, over
from test_beam import run
from test_functions import STOCK_ONES, start

SHORTEST = ('beam*:called:loop/1:return { @took = min(arg2); @times = count(); } '
            'END { printa("%@d %@d\\n", @took, @times); trunc(@took); trunc(@times); exit(0); }')


@over(STOCK_ONES)
def test_what_probes_add_to_calls_within_a_call_is_not_in_its_time(vm):
    with start(vm) as node:
        for budget in ((), ("-x", "maxoverhead=0")):
            trace = run(node, SHORTEST, *budget, program=SLOW)
            # Short ones, the shortest of which nothing else interrupts.
            own = int(node.eval("lists:min([element(1, timer:tc(called, loop, [30])) || _ <- lists:seq(1, 200)])"))
            took, times = map(int, trace.stop().split()[:2])
            # What stays are the breakpoints of the VM.
            assert times == 200 and took < own * 1000 / 3, (budget, took, times, own)
