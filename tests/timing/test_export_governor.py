"""--max-overhead 2%, as the manifests have it: a busy node has a tool measure part of the time, which estimates what it would count."""
import time

from lib import STOCK, Node, unique, wait_until
from pods import Agent
from test_export_governor import BUSY, FOUR, WINDOWS, level


def counted(agent):
    return agent.value("erlbpf_sched_latency_seconds_count")


def estimate_and_truth(agent, node, seconds):
    """What has come to both in that time: each reading of the agent is one or two seconds old."""
    ours, own = counted(agent), int(node.eval("counters:get(C, 1)"))
    time.sleep(seconds)
    return counted(agent) - ours, int(node.eval("counters:get(C, 1)")) - own


def test_what_is_measured_part_of_the_time_is_an_estimate_of_all():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, \
            Agent("--node", name, "--tools", "sched-latency,dist", "--max-overhead", "2%") as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: level(agent, "sched-latency") == WINDOWS)
        wait_until("probes have been away", lambda: agent.value("erlbpf_window_ratio", tool="sched-latency") < 0.5)
        # A busy machine gives the node, and windows, their processors when it likes.
        ratios = []
        while not any(0.6 < ratio < 1.6 for ratio in ratios):
            assert len(ratios) < 4, ratios
            ours, own = estimate_and_truth(agent, node, 8)
            ratios.append(ours / own)
        assert level(agent, "sched-latency") == WINDOWS
        node.eval("B ! stop, ok")
        agent.stop()


def test_with_the_daemonsets_capabilities_the_cost_is_estimated():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, \
            Agent("--node", name, "--tools", "sched-latency", "--max-overhead", "2%", prefix=FOUR) as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: level(agent, "sched-latency") == WINDOWS)
        wait_until("probes have been away", lambda: agent.value("erlbpf_window_ratio", tool="sched-latency") < 0.5)
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
