"""why, on nodes that are ill by how fast they do something, or how much of the time. What is ill on a machine that is busy with
other things, too, is in tests/tools/test_why.py."""
import os
import subprocess

from lib import ERLBPF, JIT_VMS, LIMIT, OLDEST_AND_NEWEST, Node, Skip, erlbpf, over, wait_until
from test_why import ILLS, LONG, LONG_STATES, STATES, group_with, ill_node, ills_of, move_to, names_first, run_ill, shares_of
import test_why


def findings(pid):
    return test_why.findings(pid, seconds=1)


@over(["%s,%s" % (vm, ill) for vm in JIT_VMS for ill in dict.fromkeys(ills_of(vm)) if ill not in STATES])
def test_the_process_and_the_cause_are_named_first_of(case):
    name, ill = case.split(",")
    with ill_node(name) as node:
        if ill in ("mnesia_lock", "restarted_transactions") and node.eval("code:which(mnesia)") == "non_existing":
            raise Skip("there is no mnesia")
        run_ill(node, ill)
        names_first(node, ill, *ILLS[ill], seconds=1)


@over(["%s,%s" % (vm, ill) for vm in OLDEST_AND_NEWEST for ill in LONG if ill not in LONG_STATES])
def test_the_process_and_the_cause_are_named_if_it_is_watched_for_long(case):
    name, ill = case.split(",")
    with ill_node(name) as node:
        node.eval(ill + "()")
        names_first(node, ill, *LONG[ill], seconds=6)


# Two ills at once: both are named, that first which comes first here.
PAIRS = [("ill:gc_storm", "ill:stuck_server")]


@over(["%s,%s,%s" % (vm, *pair) for vm in OLDEST_AND_NEWEST for pair in PAIRS])
def test_two_ills_at_once_are_both_named_the_worse_one_first(case):
    name, *ills = case.split(",")
    rules = [ILLS[ill.split(":")[1]][:2] for ill in ills]
    with ill_node(name) as node:
        for ill in ills:
            node.eval(ill + "()")

        def named():
            found = [(row["rule"], row["name"] or "") for row in findings(node.pid)]
            places = [[i for i, one in enumerate(found) if one[0] == rule and one[1].startswith(who)] for rule, who in rules]
            return all(places) and places[0][0] == 0 and places[0] < places[1]

        wait_until("both of %s are named, the first one first" % ills, named, limit=LIMIT)


@over(JIT_VMS)
def test_a_group_that_throttles_the_node_is_named(vm):
    with group_with({"cpu.cfs_quota_us": "20000", "cpu.max": "20000 100000"}, "cpu") as group:
        with Node(vm, "+S", "2") as node:
            move_to(group, node)
            node.eval("ill:spinning()")
            found = findings(node.pid)
            assert found and found[0]["rule"] == "cpu-throttled", found
            assert os.path.basename(group) in found[0]["evidence"] and "0.20 CPUs" in found[0]["finding"], found[0]
            assert "ill:work/2" in found[0]["evidence"], found[0]
            shares, _ = shares_of(node, seconds=2)
            assert shares["fault"] == "cgroup" and shares["throttled"] > 0.5, shares


@over(OLDEST_AND_NEWEST)
def test_the_time_of_schedulers_is_split_by_what_it_is_spent_on(vm):
    with Node(vm, "+S", "2") as node:
        shares, _ = shares_of(node, seconds=2)
        assert shares["asleep"] > 0.8 and shares["fault"] == "none", shares
        out, _ = erlbpf("why", "-d", "1", "-p", str(node.pid))
        line = out.splitlines()[2]
        assert line.startswith("their time: ") and " % asleep" in line and line.endswith("; they have time left"), out
        node.eval("ill:spinning()")
        shares, each = shares_of(node, seconds=2)
        works = shares["code"] + shares["cpu_wait"]
        assert works > 0.8 and shares["asleep"] < 0.1 and shares["collecting"] < 0.1, shares
        assert shares["fault"] == ("code" if shares["code"] > shares["cpu_wait"] else "machine"), shares
        out, _ = erlbpf("why", "-v", "-d", "1", "-p", str(node.pid))
        assert "messages are late because of the " in out.splitlines()[2], out
        assert [line.split(":")[0] for line in out.splitlines()[3:5]] == ["  scheduler 1", "  scheduler 2"], out


@over(OLDEST_AND_NEWEST)
def test_collections_and_long_calls_have_shares_of_their_own(vm):
    with Node(vm, "+S", "2") as node:
        node.eval("ill:short_lived()")
        shares, _ = shares_of(node, seconds=2)
        assert shares["collecting"] > 0.3 * (shares["code"] + shares["collecting"]), shares
    with Node(vm, "+S", "2") as node:
        node.eval("ill:hog()")
        shares, _ = shares_of(node, seconds=4)
        assert shares["long_calls"] > shares["code"], shares


def cpu_of(node, seconds):
    """Seconds of CPU time that a watch takes."""
    child = subprocess.Popen([ERLBPF, "why", "-j", "-d", str(seconds), "-p", str(node.pid)], stdout=subprocess.PIPE)
    with child.stdout:
        child.stdout.read()
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime


def least_cpu_of(node):
    """Of a watch of a second: others on the machine make it more, and nothing makes it less."""
    return min(cpu_of(node, 1) for _ in range(3))


@over(OLDEST_AND_NEWEST)
def test_a_hundred_thousand_processes_take_less_than_100_ms_at_each_reading(vm):
    with Node(vm, "+P", "262144", "+S", "2") as node:
        cpu_of(node, 0.1)  # a VM that hides its functions is compared with others once
        few = least_cpu_of(node)
        node.eval("Ps = [spawn(fun() -> receive x -> ok end end) || _ <- lists:seq(1, 100000)], ok", limit=120)
        many = least_cpu_of(node)
        assert 0.05 < many - few < 6 * 0.1, (few, many)


@over(OLDEST_AND_NEWEST)
def test_it_uses_less_than_a_twentieth_of_a_cpu(vm):
    """No probe is set: what it costs the node is the CPU time that it takes, if all are wanted."""
    with Node(vm, "+S", "2") as node:
        node.eval("ill:healthy()")
        cpu_of(node, 0.1)
        assert cpu_of(node, 5) - cpu_of(node, 1) < 4 * 0.05
