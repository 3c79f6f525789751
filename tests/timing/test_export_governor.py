"""--max-overhead 2%, as the manifests have it: a busy node has a tool sample, and what it saw per watched second is the true rate."""
import time

from lib import STOCK, Node, unique, wait_until
from pods import Agent
from test_export_governor import BUSY, FOUR, WINDOWS, level


def reading(agent):
    """What was seen, and for how many seconds the node was watched."""
    return (agent.value("erlbpf_sched_latency_seconds_count"),
            agent.value("erlbpf_watched_seconds_total", tool="sched-latency"))


def rates(agent, node, seconds):
    """Messages per second: seen per watched second, and as the node counts them. Each reading of the agent is one or two
    seconds old."""
    (seen, watched), own = reading(agent), int(node.eval("counters:get(C, 1)"))
    time.sleep(seconds)
    (seen_after, watched_after), own_after = reading(agent), int(node.eval("counters:get(C, 1)"))
    assert 0 < watched_after - watched < 0.8 * seconds, (watched, watched_after)
    return (seen_after - seen) / (watched_after - watched), (own_after - own) / seconds


def test_what_is_seen_per_watched_second_is_the_rate():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, \
            Agent("--node", name, "--tools", "sched-latency,dist", "--max-overhead", "2%") as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: level(agent, "sched-latency") == WINDOWS)
        time.sleep(4)
        seen, own = rates(agent, node, 20)
        # The node is slower while it is watched.
        assert 0.2 < seen / own < 1.5, (seen, own)
        assert level(agent, "sched-latency") == WINDOWS
        node.eval("B ! stop, ok")
        agent.stop()


def test_with_the_daemonsets_capabilities_the_cost_is_derived_from_hits():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, \
            Agent("--node", name, "--tools", "sched-latency", "--max-overhead", "2%", prefix=FOUR) as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: level(agent, "sched-latency") == WINDOWS)
        if agent.value("erlbpf_overhead_is_measured") == 0:
            assert not agent.series("erlbpf_bpf_run_seconds_total")
        node.eval("B ! stop, ok")
        agent.stop()


def test_without_a_limit_what_it_costs_is_told():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, Agent("--node", name, "--tools", "sched-latency") as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it costs something", lambda: agent.value("erlbpf_overhead_ratio", tool="sched-latency") > 0.02)
        node.eval("B ! stop, ok")
        agent.stop()
