"""Times of events are under who causes them, as large as they are."""
from lib import JIT_VMS, Node, over
from test_profile_events import events


@over(JIT_VMS)
def test_collections_take_longer_where_more_is_collected(vm):
    with Node(vm) as node:
        weights, _, stacks = events(node, "collections", 50, "--gc")
        assert weights["doings:collections_much/0"] > weights["doings:collections_little/0"] > 0, stacks
