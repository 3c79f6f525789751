"""How nodes are, which `erlbpf export` reads from their memory: it is what they say themselves, and /history has what /metrics said."""
import json
import math

from lib import STOCK, VMS, Node, over, unique, wait_until
from test_export import PREFIX, Agent, node_name, samples

SOME = [vm for vm in VMS if vm.name in ("stock", "usdt", "otp27-stock", "otp29-stripped")]
# Of what /history has, what /metrics says the same of at that moment.
GAUGES = ["erlbpf_node_schedulers_busy_ratio", "erlbpf_node_run_queue_length", "erlbpf_node_processes", "erlbpf_node_resident_memory_bytes",
          "erlbpf_mailbox_most_waiting_messages"]
ALL = GAUGES + ["erlbpf_node_reductions"]
SPIN = "[spawn(fun S() -> lists:seq(1, 100), S() end) || _ <- lists:seq(1, %d)]"


def resident(pid):
    with open("/proc/%d/status" % pid) as status:
        return [int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS")][0]


@over(SOME)
def test_a_node_is_as_it_says_itself(vm):
    own = unique(PREFIX + "vitals")
    name = node_name(own)
    with Node(vm, "+S", "2", "+sbwt", "none", "-sname", own) as node, Agent("--tools", "sched-latency") as agent:
        agent.wait_for_node(name)
        value = lambda metric: agent.value(metric, node=name)
        ratio = lambda: value("erlbpf_node_schedulers_busy_ratio")
        wait_until("its processes", lambda: value("erlbpf_node_processes") == int(node.eval("erlang:system_info(process_count)")))
        node.eval("crowd:idle(500), ok")
        wait_until("500 more", lambda: value("erlbpf_node_processes") == int(node.eval("erlang:system_info(process_count)")) > 500)
        wait_until("an idle one", lambda: value("erlbpf_node_processes") and ratio() < .2)
        # Whether or not its thread has a processor, a scheduler that has a process is busy.
        node.eval("Spinners = " + SPIN % 1 + ", ok")
        wait_until("one of two is busy", lambda: .48 < ratio() < .75)
        before = value("erlbpf_node_reductions_total")
        node.eval("More = " + SPIN % 9 + ", ok")
        wait_until("both are", lambda: ratio() > .97)
        # Ten are ready to run, two run; others of the node, as the one that says this, may be among them.
        wait_until("eight wait", lambda: 8 <= value("erlbpf_node_run_queue_length") <= 9)
        assert value("erlbpf_node_reductions_total") > before
        node.eval("[exit(P, kill) || P <- Spinners ++ More], Large = binary:copy(<<1>>, 200 bsl 20), ok", 60)
        wait_until("its memory", lambda: abs(value("erlbpf_node_resident_memory_bytes") - resident(node.pid)) < 20 << 20 < 200 << 20 < resident(node.pid))
        wait_until("nothing waits", lambda: value("erlbpf_node_run_queue_length") == 0 and ratio() < .2)
        assert value("erlbpf_nodes_without_vitals") == 0
        # Its reductions are those that its statistics say, over some time.
        said = "element(1, statistics(exact_reductions))"
        first = int(node.eval(said)), value("erlbpf_node_reductions_total")
        node.eval("[begin lists:seq(1, 1000), ok end || _ <- lists:seq(1, 20000)], ok", 60)
        last = int(node.eval(said))
        wait_until("as many reductions", lambda: value("erlbpf_node_reductions_total") - first[1] > .9 * (last - first[0]))
        agent.stop()


def newest(agent, name):
    """What /history has of its newest reading, and what /metrics said of the same one; None while they are of two."""
    text, kept = agent.metrics(), json.loads(agent.get("/history"))
    read = [v for _, v in samples(text, "erlbpf_agent_last_read_timestamp_seconds")][0]
    if not kept["times"] or abs(kept["times"][-1] - read) > .001:
        return None
    said = {metric: [v for l, v in samples(text, metric) if l.get("node") == name] for metric in GAUGES}
    return {n["metric"]: n["values"] for n in kept["numbers"] if n["node"] == name}, {m: v[0] if v else None for m, v in said.items()}


def test_the_history_has_what_the_metrics_said():
    own = unique(PREFIX + "hour")
    name = node_name(own)
    with Node(STOCK, "+S", "1", "-sname", own) as node, Agent("--tools", "sched-latency,mailbox") as agent:
        agent.wait_for_node(name, "mailbox")
        node.eval("Full = spawn(fun() -> receive never -> ok end end), [Full ! x || _ <- lists:seq(1, 7)], " + SPIN % 3 + ", ok")
        wait_until("the mailbox is seen", lambda: agent.value("erlbpf_mailbox_most_waiting_messages", node=name) == 7, 60)
        found = []
        wait_until("a point of what /metrics shows", lambda: found.append(newest(agent, name)) or found[-1], 60)
        kept, said = found[-1]
        assert sorted(kept) == sorted(ALL), kept
        for metric in GAUGES:
            assert said[metric] is not None and math.isclose(kept[metric][-1], said[metric], rel_tol=1e-6), (metric, kept[metric], said[metric])
        assert said["erlbpf_mailbox_most_waiting_messages"] == 7 and said["erlbpf_node_processes"] > 30, said
        # By how much a counter grew is known from the second point on.
        wait_until("another point", lambda: [n for n in json.loads(agent.get("/history"))["numbers"] if n["node"] == name and
                                             n["metric"] == "erlbpf_node_reductions" and (n["values"][-1] or 0) > 1000], 60)
        agent.stop()
