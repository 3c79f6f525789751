"""The budget for what probes cost a node, on hits that take 5 us more than here: build/erlbpf-slow. How fast the node is then."""
import contextlib
import json
import os
import signal
import subprocess
import time

from lib import BUDGET, LIMIT, SLOW, STOCK, VMS, Fake, Node, Process, Trace, cpu_seconds, of_type, over, wait_line

RUN_MS = 3000


@contextlib.contextmanager
def slow(node, *words, env=BUDGET, program=SLOW):
    """It traces, and hits are dear; what it printed is in the list when it has ended."""
    trace, lines = Trace(*words, "-p", node.pid, "-j", env=env, program=program), []
    yield lines
    lines += trace.stop_json()


def trips_per_second(node):
    """Of processor time: what else the machine does is no matter then."""
    before = cpu_seconds(node.pid)
    trips = int(node.eval("pingpong:run(%d)" % RUN_MS, LIMIT))
    return trips / (cpu_seconds(node.pid) - before)


def share_left(node, *words):
    free = trips_per_second(node)
    with slow(node, *words) as lines:
        traced = trips_per_second(node)
    return traced / free, lines


FREE = []  # trips per second of a node that nobody traces, as it was measured last


@over(["sched-latency", "count", "mailbox", "slices", "run-queue", "top", "messages --by pair"])
def test_a_tool_leaves_most_of_a_busy_node(tool):
    left = []
    with Node(STOCK) as node:
        if FREE:
            with slow(node, *tool.split()):
                left.append(trips_per_second(node) / FREE[-1])
        # The machine may do other work just then.
        while len(left) < 3 and (not left or left[-1] < 0.8):
            FREE.append(trips_per_second(node))
            with slow(node, *tool.split()):
                left.append(trips_per_second(node) / FREE[-1])
    assert left[-1] > 0.8, left


def left_by_a_profile(node):
    free = trips_per_second(node)
    run = Process([SLOW, "profile", "--off-cpu", "-p", str(node.pid), "-j", "60"], stderr=subprocess.PIPE,
                  env=dict(os.environ, **BUDGET))
    assert "Ctrl-C ends it" in wait_line(run.child.stderr)
    traced = trips_per_second(node)
    run.child.send_signal(signal.SIGINT)
    out, err = run.child.communicate(timeout=LIMIT)
    run.close()
    assert b"probes were on for" in err and b"waiting for a scheduler" in out, (err, out)
    return traced / free


def test_a_profile_of_waits_leaves_most_of_a_busy_node():
    left = []
    with Node(STOCK) as node:
        while len(left) < 3 and (not left or left[-1] < 0.8):
            left.append(left_by_a_profile(node))
    assert left[-1] > 0.8, left


def profile_of_waits(node, seconds, *options):
    """Of a node that is so busy that not all is seen: (what is on stdout, on stderr)."""
    node.eval("spawn(pingpong, run, [60000])")
    done = subprocess.run([SLOW, "profile", "--off-cpu", *options, "-p", str(node.pid), str(seconds)],
                          env=dict(os.environ, **BUDGET), capture_output=True, text=True, timeout=LIMIT, check=True)
    assert "probes were on for" in done.stderr, done.stderr
    return done.stdout, done.stderr


def test_a_profile_of_waits_within_a_budget_has_long_and_short_ones_in_full():
    """Who waits nearly all the time has nearly all of it, also where each wait is longer than all windows."""
    seconds = 8
    with Node(STOCK) as node:
        waits = {ms: node.eval("spawn(shares, waits, [%d])" % ms) for ms in (5, 70, 400, 3000)}
        never = node.eval("spawn(fun() -> receive never -> ok end end)")
        out, err = profile_of_waits(node, seconds, "--by", "pid", "--folded")
    stacks = [line.rpartition(" ") for line in out.splitlines()]
    for ms, pid in waits.items():
        found = [(frames, int(ns) / 1e9) for frames, _, ns in stacks if frames.startswith(pid)]
        waited = sum(ns for frames, ns in found if "shares:waits/1;shares:wait/1;waiting for a message" in frames)
        everything = sum(ns for _, ns in found)
        assert 0.95 * seconds < everything < 1.1 * seconds and waited > 0.85 * seconds, (ms, found, err)
    # Who does not run at all is not in it.
    assert not any(frames.startswith(never) for frames, _, _ in stacks), stacks


def waited(node, seconds):
    """By the processes of shares:waits/1 together, within the budget; of the time that the profile took."""
    out, _ = profile_of_waits(node, seconds, "-j")
    *stacks, summary = map(json.loads, out.splitlines())
    ns = sum(stack["value"] for stack in stacks if stack["frames"][0]["name"] == "shares:waits/1")
    return ns / 1e9 / summary["duration_s"]


def test_a_short_profile_of_waits_loses_nothing_where_a_start_takes_long():
    """With many schedulers there is much to be read: that is no time of the profile, nor of its first window."""
    with Node(STOCK, "+S", "512:2") as node:
        node.eval("spawn(shares, waits, [70])")
        parts = [waited(node, 2) for _ in range(5)]
    assert all(0.985 < part < 1.05 for part in parts), parts


def test_the_waits_of_many_processes_are_found_though_they_are_seldom_looked_at():
    """To look at all takes long, and waits are longer than the windows of the probes."""
    count = 60000
    with Node(STOCK, "+P", "100000") as node:
        node.eval("[spawn(fun() -> shares:waits(1000 + rand:uniform(2000)) end) || _ <- lists:seq(1, %d)]" % count)
        part = waited(node, 4) / count
    assert 0.9 < part < 1.1, part


def test_exact_is_exact_and_dear():
    with Node(STOCK) as node:
        left, lines = share_left(node, "sched-latency", "--exact")
        hist, summary = of_type(lines, "hist")[0], lines[-1]
    assert left < 0.6 and "windows" not in hist, (left, hist)
    assert summary["watched_s"] == summary["duration_s"] and summary["cost_ns"] > 0.3 * RUN_MS * 1e6, summary


PAIRS = ("[begin E = spawn(fun F() -> receive {P, go} -> P ! done, F() end end), "
         "spawn(fun F() -> E ! {self(), go}, receive done -> F() end end) end || _ <- lists:seq(1, 4)], ok")


def waiting_of(lines):
    """How long the oldest message waits at the end, in seconds, and how many there are, by name."""
    return {h["key"]: (h["max"] / 1e9, h["count"]) for h in of_type(lines, "hist") if h.get("is_waiting")}


@over(VMS)
def test_within_a_budget_who_leaves_messages_is_found_and_who_receives_all_is_not(vm):
    """Between two windows nobody sees what comes and what is received."""
    with Node(vm) as node:
        node.eval("register(lazy, spawn(fun() -> receive never -> ok end end)), [lazy ! N || N <- lists:seq(1, 3)], ok")
        node.eval("register(picky, spawn(fun F() -> receive {this, _} -> F() end end)), [picky ! N || N <- lists:seq(1, 50)]")
        node.eval("register(late, spawn(fun F() -> receive _ -> timer:sleep(5), F() end end)), [late ! N || N <- lists:seq(1, 2000)]")
        # More than are looked at, of one that is collected now and then.
        node.eval("register(stuck, spawn(fun() -> receive never -> ok end end)), [stuck ! N || N <- lists:seq(1, 20000)], ok")
        # Always a message on its way, at the same address.
        node.eval("register(quick, spawn(fun F() -> receive {P, go} -> P ! done, F() end end)), ok")
        node.eval("[spawn(fun F() -> quick ! {self(), go}, receive done -> F() end end) || _ <- lists:seq(1, 4)], ok")
        with slow(node, "mailbox", "--by", "name") as lines:
            node.eval("[begin picky ! {this, N}, garbage_collect(whereis(stuck)), timer:sleep(40) end || N <- lists:seq(1, 100)], ok", LIMIT)
    assert lines[-1]["watched_s"] < 0.5 * lines[-1]["duration_s"], lines[-1]
    found, seconds = waiting_of(lines), lines[-1]["duration_s"]
    # Looks at the memory come once a second.
    for name, count in (("lazy", 3), ("picky", 50), ("stuck", 20000)):
        assert found[name][1] == count and seconds - 2 < found[name][0] <= seconds + 1, (name, found, seconds)
    assert found["late"][0] > 1 and found["late"][1] > 500, found
    assert all(h["p50"] / 1e9 > seconds - 2 for h in of_type(lines, "hist") if h.get("is_waiting") and h["key"] == "stuck"), lines
    assert set(found) == {"lazy", "picky", "late", "stuck"}, found


def test_the_limit_is_that_of_the_command_line_then_of_the_environment():
    with Node(STOCK) as node:
        with slow(node, "count", env={"ERLBPF_MAX_OVERHEAD": "1%"}) as small:
            node.eval("pingpong:run(%d)" % RUN_MS, LIMIT)
        with slow(node, "count", "--max-overhead", "0", env={"ERLBPF_MAX_OVERHEAD": "1%"}) as whole:
            node.eval("pingpong:run(%d)" % RUN_MS, LIMIT)
    assert small[-1]["watched_s"] < 0.5 * small[-1]["duration_s"], small[-1]
    assert whole[-1]["watched_s"] == whole[-1]["duration_s"], whole[-1]


def test_the_time_that_slow_traps_take_counts_once():
    """It is in what a hit of an empty program is measured to cost, so it is not in what programs take as well."""
    with Fake() as fake, Trace("count", "-v", "-v", "-p", fake.pid, program=SLOW) as trace:
        # Some hundred hits between two looks, some dozens of times.
        for _ in range(150):
            fake.do("fire message-send 300")
        taken = trace.wait_for("programs take")
    assert int(taken.split("programs take ")[1].split()[0]) < 5000, taken


@over(["stock", "slow"])
def test_durations_are_without_what_measuring_adds(which):
    """An empty BIF call takes some tens of nanoseconds, a hit a hundred times as much."""
    with Node(STOCK) as node:
        node.eval("P = calling:start()")
        pid = node.eval("P")
        words = ["calls", "lists:keyfind/3", "--exact", "--erl-pid", pid]
        if which == "slow":
            with slow(node, *words) as lines:
                # On a busy machine, what a hit costs is known some time after the start.
                time.sleep(1)
                node.eval("calling:call(P, {1000, find})")
        else:
            trace = Trace(*words, "-p", node.pid, "-j")
            time.sleep(1)
            node.eval("calling:call(P, {1000, find})")
            lines = trace.stop_json()
    hist = of_type(lines, "hist")[0]
    assert hist["count"] == 1000 and hist["p50"] < 2000, hist


@over(["sched-latency", "mailbox"])
def test_messages_do_not_wait_because_their_way_is_measured(tool):
    """On one scheduler all that a hit takes is between the send and the receiver's turn, which come some hundred
    nanoseconds after each other."""
    with Node(STOCK, "+S", "1") as node:
        with slow(node, tool, "--exact") as lines:
            node.eval("pingpong:run(1000)", LIMIT)
    hist = of_type(lines, "hist")[0]
    assert hist["count"] > 1000 and hist["p50"] < 5000, hist


def prefer(pid):
    """A slice is long as well while others have its CPU."""
    for thread in os.listdir("/proc/%d/task" % pid):
        os.setpriority(os.PRIO_PROCESS, int(thread), -20)


def test_a_slice_is_not_long_because_its_calls_are_timed():
    """A thousand calls take some tenths of a millisecond, and their hits twenty. On a busy machine hits take longer than
    was measured, and others have the CPU within a slice: then the shortest slice tells."""
    with Node(STOCK) as node:
        prefer(node.pid)
        node.eval("P = calling:start(), calling:call(P, {1, reverse})")
        words = ("slices", "--min", "3ms", "--exact", "--erl-pid", node.eval("P"))
        # The first hits show how long the programs take; and the machine may do other work just then.
        for _ in range(3):
            with slow(node, *words) as lines:
                for _ in range(6):
                    node.eval("calling:call(P, {1000, reverse})")
            assert lines[-1]["cost_ns"] > 6 * 3e6, lines[-1]
            found = of_type(lines, "event")
            if len(found) <= 3 or min(e["ran"] for e in found) < lines[-1]["cost_ns"] / 6 / 2:
                return
    raise AssertionError(found)


def test_long_slices_are_all_found_where_timing_their_calls_costs_too_much():
    """What calls a lot has few slices: it is the hits of calls that cost half of the limit, and only they go."""
    with Node(STOCK) as node:
        prefer(node.pid)
        node.eval("sleeper:load(), P = sleeper:start()")
        with slow(node, "slices", "--min", "20ms", "--max-overhead", "60") as lines:
            for i in range(100):
                if i == 10:
                    node.eval("C = calling:start(), spawn(fun F() -> calling:call(C, {500, reverse}), F() end)")
                node.eval("sleeper:run(P, {nap, [30]}), timer:sleep(20)")
        naps = [e for e in of_type(lines, "event") if e["pid"] == node.eval("P")]
    assert lines[-1]["watched_s"] == lines[-1]["duration_s"] and len(naps) == 100, (len(naps), lines[-1])
    named = [e["call"] for e in naps if e["call"]]
    assert 0 < len(named) < len(naps) and set(named) == {"sleeper:nap/1"}, naps


COUNT_SENDS = "erlang*:::message-send { @ = count(); } tick-3s { exit(0); }"


def run_d(node, *options):
    run = subprocess.Popen([SLOW, "-q", *options, "-n", COUNT_SENDS, "-p", str(node.pid)], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env=dict(os.environ, **BUDGET))
    node.eval("pingpong:run(2500)", LIMIT)
    out, err = run.communicate(timeout=LIMIT)
    assert run.returncode == 0, err
    return out.decode(), err.decode()


def test_a_d_program_that_samples_says_what_it_missed():
    with Node(STOCK) as node:
        out, err = run_d(node, "-x", "sample")
        assert "probes of nodes were attached for " in err, err
        whole, err = run_d(node, "-x", "maxoverhead=0")
        assert not err and int(whole) > int(out), (whole, out, err)
