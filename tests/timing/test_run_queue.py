"""run-queue: lengths and waits are those that the node itself measures."""
from lib import VMS, Node, Trace, agree, of_type, over, probe_ns


@over(VMS)
def test_the_length_of_a_queue_is_what_the_node_says(vm):
    agree(lambda: lengths(vm))


def lengths(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("H = rivals:hogs(30)")
        trace = Trace("run-queue", "-p", node.pid, "-j")
        own = int(node.eval("rivals:lengths(300)")) / 10
        lines = trace.stop_json()
        node.eval("rivals:stop(H)")
    row, = [row for table in of_type(lines, "table") for row in table["rows"]]
    return row["length"], own


@over(VMS)
def test_a_process_that_is_woken_waits_as_long_as_its_message_does(vm):
    """On a busy machine some waits are a hundred times as long as others, and none may be near the median: ours is between
    the node's own 40th and 60th percentile, and what probes and slots of histograms add."""
    with Node(vm, "+S", "1", run=("waits", "main"), words=(500, 5, 1)) as node:
        receiver = node.ready.split()[1]
        trace = Trace("run-queue", "-j", "-p", node.pid, "--by", "pid", "--erl-pid", receiver)
        node.say("go")
        count, _, _, _, low, high = [int(word) for word in node.line().split()[1:]]
        lines = trace.stop_json()
        node.say("end")
    hist = of_type(lines, "hist")[0]
    assert hist["key"] == receiver and 0 <= hist["count"] - count <= 5, (hist["count"], count)
    assert low * 0.8 - probe_ns() <= hist["p50"] <= high * 1.2 + probe_ns(), (low, hist["p50"], high)


@over(VMS)
def test_idle_time_between_calls_is_no_waiting(vm):
    """A call to a server ends with a signal, the demonitor, which it handles without running any code of its own."""
    with Node(vm) as node:
        node.eval("register(sink, spawn(fun F() -> receive {P, A} -> P ! {A, ok}, F(); _ -> F() end end))")
        calls = ("[begin M = monitor(process, sink), sink ! {self(), M}, receive {M, ok} -> ok end, demonitor(M, [flush]), "
                 "timer:sleep(100) end || _ <- lists:seq(1, 20)], ok")
        node.eval(calls)
        found = {}
        for tool in "run-queue", "sched-latency":
            trace = Trace(tool, "-p", node.pid, "-j", "--by", "name")
            node.eval(calls)
            found[tool] = [h for h in of_type(trace.stop_json(), "hist") if h["key"] == "sink"][0]
    queue, latency = found["run-queue"], found["sched-latency"]
    assert queue["count"] >= latency["count"] == 20, found
    assert queue["p90"] < 20e6 and queue["p50"] < 5 * latency["p90"] + 1e5, found


SERVERS, CALLS = 5, 200


def waits_of_calls(node, hogs):
    """Of servers that are called at a fixed rate, how long each waits to run and its messages for it, by both tools at once."""
    servers = node.eval("Servers = crowd:servers(%d), H = rivals:hogs(%d), crowd:callers(Servers, 1, 10), Servers" % (SERVERS, hogs))
    traces = [Trace(tool, "-p", node.pid, "-j", "--by", "pid") for tool in ("run-queue", "sched-latency")]
    node.eval("crowd:callers(Servers, 5, %d)" % CALLS)
    node.eval("rivals:stop(H)")
    found = [{hist["key"]: hist for hist in of_type(trace.stop_json(), "hist")} for trace in traces]
    return [[one[server] for one in found] for server in servers.strip("[]").split(",")]


@over(VMS)
def test_a_server_waits_as_long_as_calls_for_it(vm):
    """Percentiles of both tools are in the same power of two, or in the next one."""
    for hogs in 0, 5:
        with Node(vm, "+S", "1") as node:
            pairs = waits_of_calls(node, hogs)
        for queue, latency in pairs:
            assert latency["count"] == CALLS <= queue["count"] <= 2 * CALLS, (queue, latency)
            for q in "p50", "p90":
                assert abs(queue[q].bit_length() - latency[q].bit_length()) <= 1, (hogs, q, queue[q], latency[q])
