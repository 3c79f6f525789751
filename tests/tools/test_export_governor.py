"""--max-overhead: a busy node costs the agent its names, then its tools; they come back when the node is quiet."""
from lib import Node, STOCK, erlbpf, wait_until
from pods import Agent

# A pair that sends messages to and fro as fast as it can.
BUSY = ("P = spawn(fun F() -> receive {Q, N} -> Q ! N, F() end end), "
        "B = spawn(fun G() -> receive stop -> ok after 0 -> P ! {self(), 1}, receive 1 -> G() end end end), ok")
OFF, PLAIN, FULL = 0, 1, 2
FOUR = ["setpriv", "--bounding-set=-all,+bpf,+perfmon,+sys_ptrace,+dac_read_search", "--inh-caps=-all", "--"]


def level(agent, tool):
    series = agent.series("erlbpf_governor_level", tool=tool)
    assert len(series) == 1, series
    assert series[0][0].get("why") == (None if series[0][1] == FULL else "overhead"), series
    return series[0][1]


def hits(agent, tool):
    return agent.value("erlbpf_probe_hits_total", tool=tool)


def test_tools_go_under_load_and_come_back_without_it():
    with Node(STOCK, "-sname", "governed") as node, \
            Agent("--node", "governed", "--tools", "sched-latency,dist", "--max-overhead", "2%") as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it is off", lambda: level(agent, "sched-latency") == OFF)
        before = hits(agent, "sched-latency")
        assert before > 1000
        assert level(agent, "dist") == FULL
        assert agent.value("erlbpf_governor_limit_ratio") == 0.02
        assert agent.value("erlbpf_overhead_is_measured") == 1
        assert agent.value("erlbpf_bpf_run_seconds_total", tool="sched-latency") > 0.01
        assert agent.value("erlbpf_governor_changes_total", tool="sched-latency", to="off") == 1
        assert not [t for t in agent.targets() if t["tool"] == "sched-latency"]

        node.eval("B ! stop, ok")
        wait_until("it is back", lambda: level(agent, "sched-latency") == PLAIN)
        node.eval("lists:foreach(fun(X) -> P ! {self(), X}, receive X -> ok end end, lists:seq(1, 500)), ok")
        wait_until("it counts on", lambda: hits(agent, "sched-latency") >= before + 500)
        log = agent.stop()
    assert "sched-latency is off: the tools cost a node" in log, log
    assert "sched-latency runs without names again" in log, log


def test_with_the_daemonsets_capabilities_the_cost_is_estimated():
    with Node(STOCK, "-sname", "governed") as node, \
            Agent("--node", "governed", "--tools", "sched-latency", "--max-overhead", "2%", prefix=FOUR) as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it is off", lambda: level(agent, "sched-latency") == OFF)
        if agent.value("erlbpf_overhead_is_measured") == 0:
            assert not agent.series("erlbpf_bpf_run_seconds_total")
        node.eval("B ! stop, ok")
        agent.stop()


def test_without_a_limit_nothing_is_shed_and_what_it_costs_is_told():
    with Node(STOCK, "-sname", "governed") as node, Agent("--node", "governed", "--tools", "sched-latency") as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it costs something",
                   lambda: agent.value("erlbpf_overhead_ratio", tool="sched-latency") > 0.02)
        assert not agent.series("erlbpf_governor_level")
        assert agent.value("erlbpf_targets", source="symbol") == 1 and agent.value("erlbpf_targets", source="usdt") == 0
        node.eval("B ! stop, ok")
        agent.stop()


def test_a_limit_is_a_part_of_a_processor():
    for text in ("", "x", "-1%", "2%%", "2 %", "nan", "inf", "1e9"):
        _, err = erlbpf("export", "--max-overhead", text, code=2)
        assert "such as 2%" in err, err
