"""--max-overhead: with a busy node the agent leaves out names, or samples; all comes back when the node is
quiet. Here by a program in which a hit takes 5 us more, and a limit that a node passes which gets a hundredth of a processor:
unit/serve_governor.c has the rules, timing/test_export_governor.py the limit that is shipped."""
from lib import SLOW, STOCK, Node, erlbpf, unique, wait_until
from pods import Agent

# A pair that sends messages to and fro as fast as it can, and counts them.
BUSY = ("P = spawn(fun F() -> receive {Q, N} -> Q ! N, F() end end), C = counters:new(1, []), "
        "B = spawn(fun G() -> receive stop -> ok after 0 -> P ! {self(), 1}, counters:add(C, 1, 2), receive 1 -> G() end end end), ok")
LIMITED = ["--max-overhead", "0.5%"]
OFF, WINDOWS, PLAIN, FULL = 0, 1, 2, 3
FOUR = ["setpriv", "--bounding-set=-all,+bpf,+perfmon,+sys_ptrace,+dac_read_search", "--inh-caps=-all", "--"]


def level(agent, tool):
    series = agent.series("erlbpf_governor_level", tool=tool)
    assert len(series) == 1, series
    assert series[0][0].get("why") == (None if series[0][1] == FULL else "overhead"), series
    return series[0][1]


def hits(agent, tool):
    return agent.value("erlbpf_probe_hits_total", tool=tool)


def test_tools_run_part_of_the_time_under_load_and_come_back_without_it():
    """Which part is in timing/test_export_governor.py."""
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, \
            Agent("--node", name, "--tools", "sched-latency,dist", *LIMITED, program=SLOW) as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: level(agent, "sched-latency") == WINDOWS)
        before = hits(agent, "sched-latency")
        assert before > 0
        assert level(agent, "dist") == FULL
        assert agent.value("erlbpf_governor_limit_ratio") == 0.005
        assert agent.value("erlbpf_overhead_is_measured") == 1
        assert agent.value("erlbpf_bpf_run_seconds_total", tool="sched-latency") > 0
        assert agent.value("erlbpf_governor_changes_total", tool="sched-latency", to="windows") == 1
        assert [t for t in agent.targets() if t["tool"] == "sched-latency"]
        watched = agent.value("erlbpf_watched_seconds_total", tool="dist")
        wait_until("dist is watched all the time", lambda: agent.value("erlbpf_watched_seconds_total", tool="dist") > watched)
        assert agent.value("erlbpf_watched_seconds_total", tool="sched-latency") > 0
        node.eval("B ! stop, ok")
        wait_until("it is back", lambda: level(agent, "sched-latency") == PLAIN)
        before = hits(agent, "sched-latency")
        node.eval("lists:foreach(fun(X) -> P ! {self(), X}, receive X -> ok end end, lists:seq(1, 500)), ok")
        wait_until("it counts on", lambda: hits(agent, "sched-latency") >= before + 500)
        log = agent.stop()
    assert "sched-latency runs part of the time: the tools cost a node" in log, log
    assert "sched-latency runs without names again" in log, log


def test_with_the_daemonsets_capabilities_the_cost_is_derived_from_hits():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, \
            Agent("--node", name, "--tools", "sched-latency", *LIMITED, prefix=FOUR, program=SLOW) as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: level(agent, "sched-latency") == WINDOWS)
        if agent.value("erlbpf_overhead_is_measured") == 0:
            assert not agent.series("erlbpf_bpf_run_seconds_total")
        node.eval("B ! stop, ok")
        agent.stop()


def test_without_a_limit_nothing_is_shed_and_what_it_costs_is_told():
    name = unique("governed")
    with Node(STOCK, "-sname", name) as node, Agent("--node", name, "--tools", "sched-latency") as agent:
        wait_until("it is traced", agent.targets)
        node.eval(BUSY)
        wait_until("it costs something", lambda: agent.value("erlbpf_overhead_ratio", tool="sched-latency") > 0)
        assert not agent.series("erlbpf_governor_level")
        assert agent.value("erlbpf_targets", source="symbol") == 1 and agent.value("erlbpf_targets", source="usdt") == 0
        node.eval("B ! stop, ok")
        agent.stop()


def test_a_limit_is_a_part_of_a_processor():
    for text in ("", "x", "-1%", "2%%", "2 %", "nan", "inf", "1e9"):
        _, err = erlbpf("export", "--max-overhead", text, code=2)
        assert "such as 2%" in err, err
