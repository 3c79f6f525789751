"""What must hold on every VM, however it was built: doctor, list, and counts against what the node did."""
import json

from lib import VMS, Node, Trace, erlbpf, over

PROCESSES, MESSAGES, COLLECTIONS = 500, 10000, 200
# What the node and we say to each other.
AROUND = 100


@over(VMS)
def test_every_tool_works(vm):
    with Node(vm) as node:
        target = json.loads(erlbpf("doctor", "-p", node.pid, "-j")[0])["targets"][0]
    assert target["fails"] == [], target["fails"]
    assert target["flavor"] == ("jit" if vm.has_jit else "emu") and target["otp"] == str(vm.otp), target


@over(VMS)
def test_list_shows_each_probe_with_its_place_or_why_it_is_missing(vm):
    with Node(vm) as node:
        rows = [row for line in erlbpf("list", "-p", node.pid, "-j")[0].splitlines() for row in json.loads(line)["rows"]]
        text = erlbpf("list", "-v", "-p", node.pid)[0]
    assert all(row["from"] and row["sites"] if row["source"] else row["note"] for row in rows), rows
    probes = {row["probe"]: row["source"] for row in rows}
    for name in "message-send", "process-spawn", "process-exit", "process-scheduled", "gc_major-start", "gc_minor-start":
        assert probes[name] in ("usdt", vm.functions), (name, rows)
    assert "message-send " in text and "A local process sends a message" in text, text[:2000]


def counted(node, glob, work):
    """What `count` has of each of these probes after the work."""
    trace = Trace("count", glob, "-j", "-p", node.pid)
    node.eval(work)
    lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return {probe: counts["events"] for probe, counts in lines[-1]["probes"].items()}


@over(VMS)
def test_count_has_what_the_node_did(vm):
    with Node(vm) as node:
        seen = counted(node, "process-*", "Ps = [spawn_monitor(fun() -> ok end) || _ <- lists:seq(1, %d)], "
                       "[receive {'DOWN', R, _, _, _} -> ok end || {_, R} <- Ps], ok" % PROCESSES)
        assert seen["process-spawn"] == seen["process-exit"] == PROCESSES, seen
        assert seen["process-scheduled"] >= PROCESSES, seen
        seen = counted(node, "message-*", "[self() ! M || M <- lists:seq(1, %d)], "
                       "[receive M -> M end || M <- lists:seq(1, %d)], ok" % (MESSAGES, MESSAGES))
        assert all(MESSAGES <= seen[probe] <= MESSAGES + AROUND for probe in ("message-send", "message-receive")), seen
        seen = counted(node, "gc_major-*", "{_, R1} = spawn_monitor(fun() -> [erlang:garbage_collect() || "
                       "_ <- lists:seq(1, %d)] end), receive {'DOWN', R1, _, _, _} -> ok end" % COLLECTIONS)
        assert all(COLLECTIONS <= seen[probe] <= COLLECTIONS + AROUND for probe in ("gc_major-start", "gc_major-end")), seen
