"""run-queue, held against the VM's own statistics of its schedulers."""
import re

from lib import VMS, Node, Trace, agree, of_type, over, probe_ns


def numbers(text):
    """{1,2} as numbers."""
    return [int(word) for word in text.strip("{}").split(",")]


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


@over(VMS)
def test_picks_and_migrations_are_those_that_the_vm_counts(vm):
    with Node(vm, "+S", "2") as node:
        # Once before, so that all code is loaded: that takes dirty schedulers, to which the VM has processes
        # migrate.
        node.eval("rivals:statistics(start), rivals:pairs(50, 200), rivals:statistics(stop)")
        trace = Trace("run-queue", "-p", node.pid, "-j")
        node.eval("rivals:statistics(clear)")
        picks, moves = numbers(node.eval("rivals:pairs(50, 200), rivals:statistics(stop)"))
        lines = trace.stop_json()
    rows = rows_of(lines)
    assert [row["scheduler"] for row in rows][:2] == ["1", "2"], rows
    seen = sum(row["picks"] for row in rows)
    # The evaluator, standard input and their like run before the VM counts, and after.
    assert picks > 20000 and 0 <= seen - picks <= 100, (seen, picks)
    moved = sum(row["migrated"] for row in rows)
    # Where the few that were there before ran last, only the VM knows at first.
    assert moves > 20 and abs(moved - moves) <= 5, (moved, moves)
    assert lines[-1]["lost"] == 0 and lines[-1]["unqueued"] <= 20, lines[-1]
    # On dirty schedulers there may be some more.
    total = sum(hist["count"] for hist in of_type(lines, "hist"))
    assert 0 <= total + lines[-1]["unqueued"] - seen <= 20, (total, seen, lines[-1])


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
    rows = rows_of(lines)
    assert len(rows) == 1 and rows[0]["picks"] > 1000 and rows[0]["migrated"] == 0, rows
    assert own > 20 and rows[0]["longest"] >= 30, (own, rows)
    # An average has decimals, three at most.
    assert isinstance(rows[0]["length"], float) and round(rows[0]["length"], 3) == rows[0]["length"], rows
    return rows[0]["length"], own


@over(VMS[:1])
def test_the_length_of_a_short_queue_is_not_rounded_to_nothing(vm):
    with Node(vm, "+S", "1") as node:
        trace = Trace("run-queue", "-p", node.pid)
        node.eval("rivals:pairs(2, 2000)")
        text = trace.stop()
    row = [line.split() for line in text.splitlines() if re.match(r"1 +\d", line)][0]
    # SCHEDULER PICKS LENGTH LONGEST MIGRATED, on a node without a name.
    assert re.fullmatch(r"\d+\.\d", row[2]) and 0 < float(row[2]) < int(row[3]), text


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
def test_long_waits_are_printed_with_the_queue_that_was_left(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("H = rivals:hogs(20)")
        trace = Trace("run-queue", "-p", node.pid, "-j", "--min", "1us")
        node.eval("rivals:lengths(20), rivals:stop(H)")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert len(events) > 100 and not of_type(lines, "table"), len(events)
    assert all(e["waited"] >= 1000 and e["migrated"] == "no" for e in events)
    # Dirty schedulers have a queue in common, of which nothing is told.
    assert all((e["scheduler"] == "1") == (e["behind"] is not None) for e in events), events[0]
    assert max(e["behind"] or 0 for e in events) >= 19


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
