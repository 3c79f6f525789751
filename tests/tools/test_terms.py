"""Terms that the kernel takes, held against what ~0p of the node itself makes of them."""
import json
import os
import re
import tempfile

from lib import VMS, Node, Trace, of_type, over


def sent(vm, *words):
    """[(name, what the node prints, what erlbpf shows)] of tests/erl/terms.erl."""
    with tempfile.TemporaryDirectory() as directory:
        printed_file, shown_file = os.path.join(directory, "printed"), os.path.join(directory, "shown")
        with Node(vm, run=("terms", "main"), words=(printed_file,) + words) as node:
            _, sender, receiver = node.ready.split()
            trace = Trace("messages", "--show", "-j", "-o", shown_file, "-p", node.pid, "--erl-pid", receiver)
            node.say("go")
            assert node.line() == "end"
            trace.stop()
        with open(printed_file) as printed:
            printed = [line.rstrip("\n").split(" ") for line in printed]
        with open(shown_file) as shown:
            lines = [json.loads(line) for line in shown]
    shown = [e["message"] for e in of_type(lines, "event") if e["from"] == sender and e["to"] == receiver]
    assert lines[-1]["lost"] == 0
    assert len(shown) == len(printed), (len(shown), len(printed))
    return [(name, bytes.fromhex(text).decode(), seen) for (name, text), seen in zip(printed, shown)]


def matches(text, seen):
    """Is `seen` the text with parts left out where it has dots?"""
    parts = re.split(r'["|]?\.\.\.', seen)
    if not text.startswith(parts[0]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return text[at:].endswith(parts[-1])


@over(VMS)
def test_terms_are_shown_as_the_node_prints_them(vm):
    all_terms = sent(vm)
    assert len(all_terms) > 100
    wrong = [(name, text[:200], seen[:200]) for name, text, seen in all_terms
             if not name.startswith("cut_") and text != seen]
    assert not wrong, "%d wrong: %s" % (len(wrong), wrong)
    for name, text, seen in all_terms:
        if name.startswith("cut_"):
            assert "..." in seen and matches(text, seen), (name, text[:300], seen)


@over(VMS)
def test_random_terms_are_shown_as_the_node_prints_them(vm):
    seed = os.getpid()
    whole = 0
    for _, text, seen in sent(vm, seed, 500):
        if "..." in seen:
            assert matches(text, seen), (seed, text, seen)
        else:
            assert text == seen, (seed, text, seen)
            whole += 1
    assert whole > 150, whole
