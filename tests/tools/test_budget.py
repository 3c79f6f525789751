"""The limit of what probes cost a node. A hit takes 5 us more in build/erlbpf-slow, and a budget of a hundredth of a percent is
spent after some hits on any machine; then a tool samples, or ends. tests/unit/pace.c has the rules on a simulated clock,
tests/timing/test_budget.py how much a node loses."""
import contextlib
import fcntl
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import examples
import lib
from lib import LIMIT, SLOW, STOCK, VMS, Fake, Node, Process, Trace, of_type, over, shared, wait_line, wait_until

TINY = {"ERLBPF_MAX_OVERHEAD": "0.01%"}
MOST_HITS = 2500
SAMPLES = "Sampling, because probes would use more than"
STOPPED = "stopped after"
SUITE = "[begin E = spawn(fun F() -> receive {P, go} -> P ! done, F() end end), %s end || _ <- lists:seq(1, 4)]"
# Pairs that exchange messages as long as there are any; and so many times.
PAIRS = "put(pairs, " + SUITE % ("[E, spawn(fun F() -> E ! {self(), go}, receive done -> F() end end)]") + "), ok"
END_PAIRS = "[exit(P, kill) || Pair <- get(pairs), P <- Pair], ok"
TRIPS = ("(fun() -> E = spawn(fun F() -> receive {P, go} -> P ! done, F() end end), "
         "[begin E ! {self(), go}, receive done -> ok end end || _ <- lists:seq(1, %d)], exit(E, kill), ok end)()")


@contextlib.contextmanager
def firing(fake):
    """One whose probes are hit until it ends."""
    fake.say("threads 1 message-send 1000000000")
    yield
    fake.kill()


@contextlib.contextmanager
def pairs(node):
    node.eval(PAIRS)
    try:
        yield
    finally:
        node.eval(END_PAIRS)


def slow(node, *words, env=TINY, **more):
    """Hits are dear, and there is next to nothing for them."""
    return Trace(*words, "-p", node.pid, env=env, program=SLOW, **more)


def code_of(node):
    """What is in memory of the executable's code: with probes, it is another."""
    with open("/proc/%d/maps" % node.pid) as maps, open("/proc/%d/mem" % node.pid, "rb", buffering=0) as mem:
        begin, end = next((int(x, 16) for x in line.split()[0].split("-")) for line in maps if "r-xp" in line and "beam" in line)
        mem.seek(begin)
        return mem.read(end - begin)


@over(["sched-latency", "count", "mailbox", "slices", "run-queue", "top", "messages --by pair"])
def test_a_tool_that_costs_more_than_its_budget_takes_its_probes_away(tool):
    with shared(STOCK) as node:
        clean = code_of(node)
        trace = slow(node, *tool.split(), "-j")
        assert code_of(node) != clean
        with pairs(node):
            trace.wait_for(SAMPLES)
            wait_until("the node is as it was", lambda: code_of(node) == clean)
            summary = trace.stop_json()[-1]
        assert code_of(node) == clean
    # top has no windows in its summary: its rows say for how long each number was counted.
    assert tool == "top" or 0 < summary["watched_s"] < summary["duration_s"], summary
    assert tool == "top" or summary["cost_ns"] > 0, summary


def test_a_profile_of_waits_takes_its_probes_away_and_says_for_how_long_they_were_on():
    with shared(STOCK) as node:
        clean = code_of(node)
        run = Process([SLOW, "profile", "--off-cpu", "-p", str(node.pid), "-j", "3600"], stderr=subprocess.PIPE,
                      env=dict(os.environ, **TINY))
        assert "Ctrl-C ends it" in wait_line(run.child.stderr)
        assert code_of(node) != clean
        with pairs(node):
            wait_until("the node is as it was", lambda: code_of(node) == clean)
            run.child.send_signal(signal.SIGINT)
            out, err = run.child.communicate(timeout=LIMIT)
        run.close()
    assert b"probes were on for" in err and b"waiting for a scheduler" in out, (err, out)


def test_exact_keeps_the_probes_on_whatever_they_cost():
    with shared(STOCK) as node:
        trace = slow(node, "sched-latency", "-j", "--exact")
        node.eval(TRIPS % MOST_HITS, LIMIT)
        lines = trace.stop_json()
    hist, summary = of_type(lines, "hist")[0], lines[-1]
    assert "windows" not in hist and hist["count"] >= 2 * MOST_HITS, hist
    assert summary["watched_s"] == summary["duration_s"], summary
    # Each hit waits for 5 us.
    assert summary["cost_ns"] > hist["count"] * 5000, summary
    assert not any(SAMPLES in line for line in trace.stderr), trace.stderr


@over(VMS)
def test_below_the_budget_every_count_is_exact(vm):
    """A hundred messages cost less than a node has that hardly gets a processor."""
    with Node(vm) as node:
        trace = slow(node, "messages", "--by", "pair", "-j", env={"ERLBPF_MAX_OVERHEAD": "100%"})
        pid = node.eval("Self = self(), P = spawn(fun() -> Self ! go, receive stop -> ok end end), receive go -> P end")
        node.eval("[P ! {number, N} || N <- lists:seq(1, 100)]")
        lines = trace.stop_json()
    rows = [row for table in of_type(lines, "table") for row in table["rows"] if row["to"] == pid]
    assert [row["messages"] for row in rows] == [100], rows
    assert lines[-1]["watched_s"] == lines[-1]["duration_s"], lines[-1]


@over(VMS)
def test_a_sample_says_how_much_was_watched(vm):
    with Node(vm) as node:
        trace = slow(node, "sched-latency", "-j")
        with pairs(node):
            trace.wait_for(SAMPLES)
            lines = trace.stop_json()
    hist, summary = of_type(lines, "hist")[0], lines[-1]
    assert 0 < hist["watched_s"] < hist["of_s"] and hist["windows"] >= 0, hist
    # Nothing is scaled: what is in the histogram was seen.
    in_buckets = sum(bucket["count"] for bucket in hist["buckets"]) + hist["below"]["count"]
    assert hist["count"] == in_buckets <= hist["seen"], hist
    assert 0 < summary["watched_s"] < summary["duration_s"], summary


def test_text_says_what_was_seen_first():
    with shared(STOCK) as node:
        trace = slow(node, "sched-latency")
        with pairs(node):
            said = trace.wait_for(SAMPLES)
            out = trace.stop()
    assert "--exact keeps them attached" in said, said
    lines = out.splitlines()
    seen = lines[1 if lines[0].startswith("while watched") else 0]
    assert re.match(r"[0-9,]+ seen in [0-9.]+ of [0-9.]+ s", seen) and "max seen" in out and "~" not in out, out


@over(["json", "strict"])
def test_a_sample_is_incomplete(how):
    with shared(STOCK) as node:
        trace = slow(node, "sched-latency", "-j", *(["--strict"] if how == "strict" else []))
        with pairs(node):
            trace.wait_for(SAMPLES)
            trace.stop_json(code=5 if how == "strict" else 0)


EVENTS = {
    "each case": ["sched-latency", "--min", "1ns"],
    "events": ["trace", "message-*"],
    "messages": ["messages"],
}


@over(EVENTS)
def test_a_tool_that_lists_events_ends_at_the_limit_and_is_complete_up_to_then(what):
    with shared(STOCK) as node, tempfile.NamedTemporaryFile() as file:
        clean = code_of(node)
        trace = slow(node, *EVENTS[what], "-j", "-o", file.name)
        with pairs(node):
            said = trace.wait_for(STOPPED)
            trace.stop(sig=None, code=5)
            assert code_of(node) == clean
        lines = [json.loads(line) for line in file]
    events, summary = of_type(lines, "event"), lines[-1]
    assert re.search(r"probes used [0-9.e+]+% of a CPU, limit [0-9.]+% on (the )?node ", said), said
    assert len(events) > 100 and summary["watched_s"] == summary["duration_s"], summary
    assert "--sample" in " ".join(trace.stderr), trace.stderr


@over(EVENTS)
def test_a_tool_that_lists_events_samples_if_it_is_told_to(what):
    with shared(STOCK) as node, tempfile.NamedTemporaryFile() as file:
        trace = slow(node, *EVENTS[what], "--sample", "-j", "-o", file.name)
        with pairs(node):
            trace.wait_for(SAMPLES)
            trace.stop()
        lines = [json.loads(line) for line in file]
    assert of_type(lines, "event") and 0 < lines[-1]["watched_s"] < lines[-1]["duration_s"], lines[-1]


# Room for some hundred hits, also of a node that hardly gets a processor.
SMALL = {"ERLBPF_MAX_OVERHEAD": "5%"}
TOOL = ["sched-latency", "--min", "1ns"]
PROGRAM = ["-q", "-n", 'BEGIN { printf("begun\\n"); } erlang$target:::message-send { printf("%200d\\n", arg2); }']


def unread(node, *words, env=SMALL):
    """Nobody reads what is printed but how it begins, as who looks at the first page of less."""
    trace = slow(node, *words, env=env, wait=False)
    fcntl.fcntl(trace.child.stdout, fcntl.F_SETPIPE_SZ, 4096)
    if words[0] == "-q":
        assert trace.line() == "begun"
    else:
        trace.wait_for("Tracing")
    return trace


def waits_to_write(pid):
    """It is in write(1, ...), of x86-64 or of arm64."""
    with open("/proc/%d/syscall" % pid, encoding="ascii") as syscall:
        return syscall.read().split()[:2] in (["1", "0x1"], ["64", "0x1"])


def fill(trace, node):
    """What some messages have it print is more than there is room for."""
    def is_full():
        node.eval(TRIPS % 5)
        return waits_to_write(trace.pid)

    wait_until("nothing more can be written", is_full)


@over(["a tool", "a program"])
def test_probes_go_away_though_nobody_reads_on(what):
    with shared(STOCK) as node:
        clean = code_of(node)
        trace = unread(node, *(TOOL + ["-j"] if what == "a tool" else PROGRAM))
        fill(trace, node)
        with pairs(node):
            wait_until("the node is as it was", lambda: code_of(node) == clean)
        assert trace.is_alive()
        out = trace.stop(sig=None, code=5)
    assert STOPPED in " ".join(trace.stderr), trace.stderr
    if what == "a tool":
        summary = json.loads(out.splitlines()[-1])
        assert summary["watched_s"] == summary["duration_s"], summary


OVER = {
    "the duration of a tool": TOOL + ["-d", 1],
    "the duration of a tool, exact": TOOL + ["-d", 1, "--exact"],
    "a tool": TOOL,
    "a program": PROGRAM,
}


@over(OVER)
def test_probes_are_gone_for_good_when_it_is_over_though_nobody_reads_on(what):
    words = OVER[what]
    with shared(STOCK) as node:
        clean = code_of(node)
        with pairs(node) if "-d" in words else contextlib.nullcontext():
            trace = unread(node, *words)
            if "-d" not in words:
                fill(trace, node)
                trace.child.send_signal(signal.SIGINT)
            wait_until("the node is as it was", lambda: code_of(node) == clean)
        assert trace.is_alive()
        # As who leaves less.
        trace.child.stdout.close()
        assert trace.child.wait(LIMIT) in (0, 5)
        assert code_of(node) == clean
        trace.close()


def waiting_of(lines):
    """How long the oldest message waits at the end, in seconds, and how many there are, by name."""
    return {h["key"]: (h["max"] / 1e9, h["count"]) for h in of_type(lines, "hist") if h.get("is_waiting")}


@over(VMS)
def test_within_a_budget_who_leaves_messages_is_found(vm):
    """Between two windows nobody sees what comes and what is received: the node's memory is looked at."""
    with Node(vm) as node:
        node.eval("register(lazy, spawn(fun() -> receive never -> ok end end)), [lazy ! N || N <- lists:seq(1, 3)], ok")
        node.eval("register(picky, spawn(fun F() -> receive {this, _} -> F() end end)), [picky ! N || N <- lists:seq(1, 50)]")
        # More than are looked at, of one that is collected now and then.
        node.eval("register(stuck, spawn(fun() -> receive never -> ok end end)), [stuck ! N || N <- lists:seq(1, 20000)], ok")
        trace = slow(node, "mailbox", "--by", "name", "-j")
        began = time.monotonic()
        with pairs(node):
            trace.wait_for(SAMPLES)
            node.eval("[begin picky ! {this, N}, garbage_collect(whereis(stuck)) end || N <- lists:seq(1, 100)], ok", LIMIT)
            lines = trace.stop_json()
        took = time.monotonic() - began
    found = waiting_of(lines)
    # From when erlbpf has seen them; it was told that it traces before we looked at the clock.
    assert {name: found[name][1] for name in ("lazy", "picky", "stuck")} == {"lazy": 3, "picky": 50, "stuck": 20000}, found
    assert all(0 < age for age, _ in found.values()), (found, took)


@over(["the command line", "the environment"])
def test_the_limit_is_that_of_the_command_line_then_of_the_environment(whose):
    with shared(STOCK) as node:
        if whose == "the environment":
            trace = slow(node, "count", "-j")
        else:
            trace = slow(node, "count", "-j", "--max-overhead", "0.01", env={"ERLBPF_MAX_OVERHEAD": "0"})
        with pairs(node):
            trace.wait_for(SAMPLES)
            summary = trace.stop_json()[-1]
        assert summary["watched_s"] < summary["duration_s"], summary
        trace = slow(node, "count", "-j", *(["--max-overhead", "0"] if whose == "the command line" else []),
                     env={"ERLBPF_MAX_OVERHEAD": "0.01%" if whose == "the command line" else "0"})
        node.eval(TRIPS % MOST_HITS, LIMIT)
        summary = trace.stop_json()[-1]
        assert summary["watched_s"] == summary["duration_s"], summary


@over(["x", "-1", "5 %", "2000"])
def test_a_limit_that_is_none_is_refused(text):
    done = subprocess.run([lib.ERLBPF, "gc", "--max-overhead=" + text], capture_output=True, timeout=LIMIT)
    assert done.returncode == 2 and b"expected a percentage" in done.stderr, done


def test_what_programs_take_is_learned_from_their_first_hits():
    with Fake() as fake, Trace("count", "-v", "-v", "-p", fake.pid, program=SLOW) as trace:
        # Fifteen pieces of two hundred hits or more, between two looks.
        with firing(fake):
            assert re.search("programs take [0-9]+ ns at a hit", trace.wait_for("programs take"))


@over(["stock", "slow"])
def test_each_call_of_a_function_is_counted_however_dear_hits_are(which):
    with shared(STOCK) as node:
        pid = node.eval("P = calling:start()")
        trace = Trace("calls", "lists:keyfind/3", "--exact", "--erl-pid", pid, "-p", node.pid, "-j",
                      program=SLOW if which == "slow" else lib.ERLBPF)
        node.eval("calling:call(P, {1000, find})")
        lines = trace.stop_json()
    assert [hist["count"] for hist in of_type(lines, "hist")] == [1000], lines
    assert lines[-1]["watched_s"] == lines[-1]["duration_s"], lines[-1]


def test_details_go_before_all_else():
    """What calls a lot has few slices: it is the hits of calls that cost half of the limit."""
    with shared(STOCK) as node:
        node.eval("sleeper:load(), P = sleeper:start()")
        trace = slow(node, "slices", "--min", "20ms", "-j", env={"ERLBPF_MAX_OVERHEAD": "20%"})
        node.eval("C = calling:start(), spawn(fun F() -> calling:call(C, {500, reverse}), F() end), ok")
        trace.wait_for("Probes used more than half of what they may")
        node.eval("sleeper:run(P, {nap, [30]})")
        lines, pid = trace.stop_json(), node.eval("P")
    assert lines[-1]["watched_s"] == lines[-1]["duration_s"], lines[-1]
    events = of_type(lines, "event")
    assert all(event["ran"] >= 20e6 for event in events), events
    assert {event["call"] for event in events if event["pid"] == pid} <= {None, ""}, events


def test_a_d_program_ends_at_the_limit_or_samples():
    program = "erlang*:::message-send { @ = count(); }"
    with shared(STOCK) as node:
        clean = code_of(node)
        trace = slow(node, "-q", "-n", program, wait=False)
        wait_until("probes are there", lambda: code_of(node) != clean)
        with pairs(node):
            said = trace.wait_for(STOPPED)
            out = trace.stop(sig=None, code=5)
            assert code_of(node) == clean
        assert "Results are complete up to that time" in said and int(out) > 0, (said, out)
        trace = slow(node, "-q", "-x", "sample", "-n", program, wait=False)
        wait_until("probes are there", lambda: code_of(node) != clean)
        with pairs(node):
            wait_until("the node is as it was", lambda: code_of(node) == clean)
            trace.stop()
        assert "probes of nodes were attached for " in " ".join(trace.stderr), trace.stderr
        begun = 'BEGIN { printf("begun\\n"); } '
        trace = slow(node, "-q", "-x", "maxoverhead=0", "-n", begun + program, wait=False)
        assert trace.line() == "begun"
        node.eval(TRIPS % MOST_HITS, LIMIT)
        out = trace.stop()
        assert not trace.stderr and int(out) >= 2 * MOST_HITS, (out, trace.stderr)


def test_every_tool_takes_the_options():
    for tool in examples.tools():
        out, _ = lib.erlbpf("help", tool)
        assert "--max-overhead" in out and "--exact" in out, tool
