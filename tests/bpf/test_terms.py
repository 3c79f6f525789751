"""What the kernel takes of terms that no VM would make: pointers into nowhere, cycles, absurd sizes."""
from lib import Fake, Trace, of_type


def test_the_walk_ends_whatever_it_finds_and_says_what_could_not_be_read():
    with Fake() as fake:
        trace = Trace("messages", "--show", "-j", "-p", fake.pid)
        assert fake.do("terms") == "ok"
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert {(event["from"], event["to"]) for event in events} == {("<0.80.0>", "<0.81.0>")}
    wild_list, wild_boxed, kernel, low, cycle, tree, wide, binary, empty_map, chain, behind, none, zero, last = [
        event["message"] for event in events]
    assert [wild_list, wild_boxed, kernel, low] == ["(unreadable)"] * 4, events
    assert cycle.startswith("[1,1,1,1,") and cycle.endswith("...")
    assert tree.startswith("{{{{{") and "..." in tree
    assert wide.startswith("{7,(unreadable),8,")
    assert binary == "<<(unreadable)>>"
    assert empty_map.startswith("#{")
    assert chain.startswith("[[[[[") and "..." in chain
    assert behind == "[5|(unreadable)]"
    assert zero == "(no term)" and none == "-1" and last == "42"
    assert lines[-1]["probes"]["message-send"] == {"events": 14, "lost": 0}
