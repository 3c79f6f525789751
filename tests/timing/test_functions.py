"""calls --via vm: how near the time of a call is to the node's own."""
from lib import SLOW, agree, of_type, over
from test_functions import STOCK_ONES, start, trace


@over(STOCK_ONES)
def test_a_call_lasts_as_long_as_the_node_says(vm):
    def slow():
        with start(vm) as node:
            running = trace(node, "called:slow/1", "-j", "--min", "1ms")
            own = int(node.eval("called:timed(P)"))
            events = of_type(running.stop_json(), "event")
            assert len(events) == 1 and events[0]["pid"] == node.eval("P") and events[0]["kind"] == "function", events
        assert events[0]["function"] == "called:slow/1", events
        return events[0]["took"], own
    ratio = agree(slow)
    assert 0.95 <= ratio <= 1.05, ratio


@over(STOCK_ONES)
def test_what_is_measured_within_a_call_makes_it_no_longer(vm):
    with start(vm) as node:
        running = trace(node, "called:loop/1", "-j", "--min", "1us", program=SLOW)
        # Short ones, the shortest of which nothing else interrupts.
        own = int(node.eval("lists:min([element(1, timer:tc(called, loop, [30])) || _ <- lists:seq(1, 200)])"))
        events = of_type(running.stop_json(), "event")
    took = min(event["took"] for event in events)
    # What stays are the breakpoints of the VM. Where a hit seemed dearer than it was, some are shorter than what is shown.
    assert 0 < len(events) <= 200 and took < own * 1000 / 3, (len(events), took, own)
