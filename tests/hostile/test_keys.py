"""More keys than there is room for (T7; G7): every sum is exact, memory is bounded, and metrics stay small."""
import json
import signal
import subprocess

from hostile import times
from lib import ERLBPF, LIMIT, STOCK, Fake, Node, Trace, children_of, memlock_mib, of_type, peak_mib, probe_total, wait_until
from pods import Agent

KEYS = times(100000, 10000000)
MOST_RESIDENT = 32  # MiB
MOST_LOCKED = 16    # MiB, of a tool; an agent runs several
AGENT_TOOLS = 5     # without --tools
LONG = times(LIMIT, 900)


def check_bounds(pid, tools=1):
    """Of the process, and of those that it started."""
    every = [pid] + children_of(pid)
    assert sum(map(peak_mib, every)) < tools * MOST_RESIDENT, list(map(peak_mib, every))
    assert sum(map(memlock_mib, every)) < tools * MOST_LOCKED, list(map(memlock_mib, every))


def test_an_aggregation_of_millions_of_keys_counts_each_hit_or_says_that_it_did_not():
    with Fake() as fake:
        trace = subprocess.Popen([ERLBPF, "-q", "-j", "-p", str(fake.pid), "-n",
                                  'BEGIN { printf("live"); } erlang$target:::copy-struct { @[n++] = count(); @all = count(); }'],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "live" in trace.stdout.readline()
        wait_until("it is attached", lambda: int(fake.do("semaphores")) > 0)
        fake.say("fire copy-struct %d" % KEYS)
        assert fake.line(LONG) == "ok"
        check_bounds(trace.pid)
        trace.send_signal(signal.SIGTERM)
        out, err = trace.communicate(timeout=LONG)
    assert trace.returncode == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    values = {line["name"]: [entry["value"] for entry in line["entries"]] for line in lines if line["type"] == "aggregation"}
    lost = lines[-1]["drops"]["aggregation"]
    assert values["@all"] == [KEYS] and len(values["@_"]) >= 1000, len(values["@_"])
    assert sum(values["@_"]) + lost == KEYS, (sum(values["@_"]), lost, err[-500:])


SPAWN = ("begin F = fun F(0) -> ok; F(N) -> {_, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> ok end, F(N - 1) end, "
         "F(%d) end")


def test_tools_of_more_processes_than_there_are_keys_account_for_each():
    processes = times(20000, 1000000)
    with Node(STOCK) as node:
        traces = {tool: Trace(tool, "--by", "pid", "-p", node.pid, "-j", "-o", "/dev/stdout") for tool in ("slices", "births")}
        assert node.eval(SPAWN % processes, LONG) == "ok"
        for trace in traces.values():
            check_bounds(trace.pid)
        lines = {tool: trace.stop_json() for tool, trace in traces.items()}
    hists = of_type(lines["slices"], "hist")
    total = sum(hist["count"] for hist in hists)
    assert len(hists) <= 16384 + 1 and any(hist["key"] == "other" for hist in hists), len(hists)
    assert total >= processes
    assert probe_total(lines["births"], "process-spawn") >= processes


def test_metrics_of_a_node_with_any_number_of_names_stay_below_a_mebibyte():
    names = times(3000, 200000)
    with Node(STOCK, "+t", "2000000", "+P", "1000000", "-sname", "keys") as node, Agent("--node", "keys") as agent:
        wait_until("it is traced", lambda: agent.targets())
        node.eval("S = fun S(0) -> ok; S(N) -> spawn(fun() -> register(list_to_atom(\"name_\" ++ integer_to_list(N)), self()), "
                  "receive {P, X} -> P ! X end, garbage_collect() end), S(N - 1) end, ok")
        assert node.eval("begin S(%d), timer:sleep(500), ok end" % names, LONG) == "ok"
        node.eval("[begin catch (list_to_existing_atom(\"name_\" ++ integer_to_list(N)) ! {self(), N}) end || N <- lists:seq(1, %d)], ok"
                  % names, LONG)
        wait_until("they are counted", lambda: agent.value("erlbpf_mailbox_wait_seconds_count") >= names * 0.9, LONG)
        text = agent.get("/metrics")
        assert len(text.encode()) < 1 << 20, len(text)
        print("    the agent has locked %.1f MiB" % memlock_mib(agent.pid))
        check_bounds(agent.pid, AGENT_TOOLS)
        agent.stop()
