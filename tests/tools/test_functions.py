"""calls --via vm: Erlang functions, held against what the node itself knows of its calls."""
import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import tempfile

from lib import (BUDGET, EMU, JIT_VMS, NEWEST, OLDEST_AND_NEWEST, IS_ONE_VM, SLOW, STOCK, Node, Trace, children_of,
                 erlbpf, name_of, of_type, over, shared, status_of, unique, wait_line, wait_until, within)

SECRET = "functions"
TIMES = 200
STOCK_ONES = [vm for vm in JIT_VMS if not vm.notes]

LEFT = ("{[{M,F,A} || {M,_} <- code:all_loaded(), {F,A} <- M:module_info(functions), "
        "{all,I} <- [erlang:trace_info({M,F,A}, all)], I =/= false, I =/= undefined], "
        "[P || P <- [new | processes()], {flags,[_|_]} <- [erlang:trace_info(P, flags)]]}")


# Who is refused is reported on the output, where answers to tests are.
QUIET = ("-kernel", "logger_level", "none")


def start(vm, *args, env=None):
    node = Node(vm, "-sname", unique("functions"), "-setcookie", SECRET, *args, env=env)
    node.eval("P = called:start()")
    return node


NAME = unique("functions")


@contextlib.contextmanager
def kept(vm):
    """A node that the next test has, too, which leaves no breakpoint in it."""
    with shared(vm, "-sname", "%s_%s" % (NAME, vm), "-setcookie", SECRET) as node:
        node.eval("P = called:start()")
        yield node


def trace(node, pattern, *options, **how):
    return Trace("calls", pattern, "--via", "vm", "-p", node.pid, "--exact", *options, **how)


def refused(node, pattern, *options, code=3):
    return erlbpf("calls", pattern, "--via", "vm", "-p", node.pid, "-d", "1", *options, code=code)[1]


def call(node, function, times=TIMES, argument="3"):
    node.eval("called:call(P, %s, {%d, %s})" % (function, times, argument))


def assert_clean(node):
    wait_until("no breakpoint is left", lambda: node.eval(LEFT) == "{[],[]}")
    if node.eval("erlang:system_info(otp_release)") != '"25"':
        # It is destroyed after the breakpoints are gone.
        wait_until("no session is left", lambda: node.eval("[S || {S, _} <- trace:session_info(all), S =:= erlbpf]") == "[]")


@over(JIT_VMS if IS_ONE_VM else JIT_VMS + [NEWEST])
def test_calls_are_counted_exactly(vm):
    with kept(vm) as node:
        running = trace(node, "called:*/1", "-j", "--by", "function")
        for function in ("leaf", "outer", "tail", "loop", "boom", "factorial"):
            call(node, function)
        own = sum(int(node.eval("element(2, erlang:trace_info({called,%s,1}, call_count))" % function))
                  for function in ("leaf", "outer", "tail", "loop", "boom", "factorial")) if vm.otp == 25 else None
        lines = running.stop_json()
        assert_clean(node)
    counts = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
    summary = lines[-1]
    assert counts == {"called:leaf/1": 4 * TIMES, "called:outer/1": TIMES, "called:tail/1": TIMES,
                      "called:loop/1": TIMES, "called:factorial/1": 4 * TIMES}, counts
    assert summary["raised"] == TIMES and summary["unreturned"] == 0 and summary["tail"] == 3 * TIMES, summary
    assert summary["entered"] == sum(counts.values()) + 4 * TIMES, summary
    assert own in (None, summary["entered"]), (own, summary)
    assert summary["lost"] == 0 and summary["deep"] == 0, summary


@over(STOCK_ONES)
def test_a_process_that_was_traced_before_is_measured_as_exactly(vm):
    """In a function that never returns, the VM keeps a frame of the trace before, also when that is over."""
    with kept(vm) as node:
        for _ in range(3):
            running = trace(node, "called:*/*", "-j", "--by", "function")
            for function in ("leaf", "outer", "factorial"):
                call(node, function)
            lines = running.stop_json()
            counts = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
            assert counts["called:leaf/1"] == 3 * TIMES and counts["called:outer/1"] == TIMES, (counts, lines[-1])
            assert counts["called:factorial/1"] == 4 * TIMES and lines[-1]["unreturned"] <= 1, (counts, lines[-1]["unreturned"])


NAP_NS = 30 * 10**6  # of called:slow/1 and called:bad(late), at least


@over(STOCK_ONES)
def test_a_call_lasts_as_long_as_the_node_says(vm):
    with kept(vm) as node:
        running = trace(node, "called:slow/1", "-j", "--min", "1ms")
        own = int(node.eval("called:timed(P)"))
        event, = of_type(running.stop_json(), "event")
        assert (event["pid"], event["kind"], event["function"]) == (node.eval("P"), "function", "called:slow/1"), event
    within(NAP_NS, event["took"], own)


@over(STOCK_ONES)
def test_what_is_measured_within_a_call_makes_it_no_longer(vm):
    """That it is short is a test of time."""
    with kept(vm) as node:
        running = trace(node, "called:loop/1", "-j", "--by", "function", program=SLOW)
        longest, total = map(int, node.eval(
            "(fun(Times) -> {lists:max(Times), lists:sum(Times)} end)([begin Begin = os:perf_counter(nanosecond), "
            "called:loop(30), os:perf_counter(nanosecond) - Begin end || _ <- lists:seq(1, 200)])").strip("{}").split(","))
        hist, = of_type(running.stop_json(), "hist")
    assert hist["count"] == 200, hist
    within(0, (hist["max"] or 0), longest)
    within(0, hist["sum"], total)


TERMS = ("[]", "atom", "'an atom'", "{1, -2, 12345678901234567890}", "<<\"bytes\">>", "#{a => [1, 2], \"b\" => 2.5}",
         "\"text\"", "[a | b]", "fun lists:map/2")


def is_printed(node, text, form, term):
    """Does the node print the term in this form so?"""
    return node.eval("lists:flatten(io_lib:format(\"%s\", [%s])) =:= %s" % (form, term, [ord(c) for c in text])) == "true"


@over(JIT_VMS)
def test_arguments_and_results_are_printed_as_the_node_prints_them(vm):
    with kept(vm) as node:
        running = trace(node, "called:echo/1", "-j", "--show")
        for term in TERMS:
            call(node, "echo", 1, term)
        events = of_type(running.stop_json(), "event")
        assert len(events) == len(TERMS), events
        for term, event in zip(TERMS, events):
            assert is_printed(node, event["call"], "called:echo(~0p)", term), (term, event)
            assert is_printed(node, event["result"], "[~0p]", term), (term, event)


RAISED = {("bad", "exit"): ("exit", "gone"), ("bad", "throw"): ("throw", "{ball,1}"), ("bad", "match"): ("error", "{badmatch,1}"),
          ("boom", "why"): ("error", "{boom,why}")}


@over(STOCK_ONES)
def test_a_call_that_raises_is_shown_with_class_and_reason_and_its_callers(vm):
    with kept(vm) as node:
        running = trace(node, "called:*/1", "-j", "--show")
        for function, argument in RAISED:
            call(node, function, 1, argument)
        call(node, "nested", 1, "7")
        events = of_type(running.stop_json(), "event")
    shown = {event["call"]: event for event in events}
    for (function, argument), (class_, reason) in RAISED.items():
        event = shown["called:%s(%s)" % (function, argument)]
        assert (event["class"], event["result"]) == (class_, reason) and event["took"] > 0, event
        assert event["called by"].endswith("called:go/0"), event
    assert shown["called:boom(7)"]["called by"].startswith("called:nested/1, "), shown
    # Who catches it returns.
    assert (shown["called:nested(7)"]["class"], shown["called:nested(7)"]["result"]) == (None, "[{leaf,7}]"), shown
    assert shown["called:leaf(7)"]["called by"].startswith("called:nested/1, "), shown


@over(STOCK_ONES)
def test_exceptions_are_counted_by_function_class_and_reason(vm):
    with kept(vm) as node:
        running = trace(node, "called:*/1", "-j")
        for function, argument in RAISED:
            call(node, function, TIMES, argument)
        call(node, "nested", TIMES, "7")
        lines = running.stop_json()
    rows = {(row["function"], row["class"], row["reason"]): row["count"] for row in of_type(lines, "table")[0]["rows"]}
    assert rows == {("called:bad/1", "exit", "gone"): TIMES, ("called:bad/1", "throw", "ball"): TIMES,
                    ("called:bad/1", "error", "badmatch"): TIMES, ("called:boom/1", "error", "boom"): 2 * TIMES}, rows
    assert lines[-1]["raised"] == 5 * TIMES and lines[-1]["unreturned"] == 0, lines[-1]


@over(STOCK_ONES)
def test_a_slow_call_that_raises_is_printed_like_one_that_returns(vm):
    with kept(vm) as node:
        running = trace(node, "called:bad/1", "-j", "--min", "10ms", "--show")
        for argument in ("late", "exit", "late"):
            call(node, "bad", 1, argument)
        events = of_type(running.stop_json(), "event")
        running = trace(node, "called:bad/1", "-j", "--min", "1h")
        call(node, "bad", 1, "exit")
        assert not of_type(running.stop_json(), "event")
    assert {event["class"] for event in events} == {"exit"}, events
    # On a busy machine the short one is slow, too.
    assert [event["call"] for event in events if event["call"] != "called:bad(exit)"] == ["called:bad(late)"] * 2, events
    assert all(event["took"] >= 10e6 for event in events), events


CONDITIONS = {
    "arg(1) == ok": ["ok"],
    "arg(1) != ok": ["error", "7", "-3", "[]", "{ok,1}", "{error,x}"],
    "arg(1) < 0 || arg(1) == []": ["-3", "[]"],
    "arg(1) >= -3 && !(arg(1) == 7)": ["-3"],
    "element(1, arg(1)) == error": ["{error,x}"],
    "element(2, arg(1)) == 1": ["{ok,1}"],
    "arg(1) == surely_not_there": [],
}


@over(STOCK_ONES)
def test_only_calls_of_which_the_condition_holds_are_shown(vm):
    terms = ["ok", "error", "7", "-3", "[]", "{ok,1}", "{error,x}"]
    with kept(vm) as node:
        for condition, expected in CONDITIONS.items():
            running = trace(node, "called:echo/1", "-j", "--show", "--when", condition)
            for term in terms:
                call(node, "echo", 1, term)
            lines = running.stop_json()
            shown = [event["call"][len("called:echo("):-1] for event in of_type(lines, "event")]
            assert shown == expected, (condition, shown)
            assert lines[-1]["others"] == len(terms) - len(shown) and lines[-1]["lost"] == 0, lines[-1]


@over([STOCK])
def test_a_condition_may_be_of_the_result(vm):
    with kept(vm) as node:
        running = trace(node, "called:[bf]a*/1", "-j", "--by", "function", "--when", "result() == 2 || result() == 1 && arg(1) != 0")
        call(node, "factorial", 10, "3")
        call(node, "bad", 10, "exit")
        lines = running.stop_json()
    # Of 3!, 2!, 1! and 0!, two; what raises has no result.
    assert {hist["key"]: hist["count"] for hist in of_type(lines, "hist")} == {"called:factorial/1": 20}, lines
    assert lines[-1]["others"] == 30 and lines[-1]["raised"] == 0, lines[-1]


@over([STOCK])
def test_calls_are_grouped_by_caller_and_by_argument(vm):
    with kept(vm) as node:
        running = trace(node, "called:leaf/1", "-j", "--by", "caller")
        for function in ("outer", "nested", "leaf"):
            call(node, function, 10)
        counts = {hist["key"]: hist["count"] for hist in of_type(running.stop_json(), "hist")}
        assert counts.pop("called:outer/1") == 20 and counts.pop("called:nested/1") == 10, counts
        assert list(counts.values()) == [10] and "-go/0-" in list(counts)[0], counts
        # Whoever calls as its last act is gone, and so is not the caller.
        running = trace(node, "called:[lt]*/1", "-j", "--by", "caller")
        call(node, "tail", 10)
        counts = {hist["key"]: hist["count"] for hist in of_type(running.stop_json(), "hist")}
        assert list(counts.values()) == [20] and "-go/0-" in list(counts)[0], counts
        running = trace(node, "called:echo/1", "-j", "--by", "arg")
        for argument in ("ok", "error", "17", "self()", "ok"):
            call(node, "echo", 10, argument)
        me = node.eval("self()")
        counts = {hist["key"]: hist["count"] for hist in of_type(running.stop_json(), "hist")}
        assert counts == {"ok": 20, "error": 10, "17": 10, me: 10}, counts


def names_of_keepers(node):
    """By a program in the kernel and by reading the node's memory, of each process."""
    trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid")
    node.eval("keeper:ask(Ps)")
    seen = {hist["key"]: hist["name"] for hist in of_type(trace.stop_json(), "hist")}
    top = erlbpf("top", "-p", node.pid, "--probes", "never", "--rows", "1000", "-j", "1", "1")[0]
    read = {row["pid"]: row["name"] for line in top.splitlines() for row in json.loads(line).get("rows", [])}
    return [(seen[pid], read[pid]) for pid in node.eval("Ps").strip("[]").split(",")]


@over(OLDEST_AND_NEWEST)
def test_processes_in_functions_that_are_measured_keep_their_names(vm):
    """What the VM puts below such a function on the stack is no function of theirs."""
    with start(vm) as node:
        node.eval("code:ensure_loaded(keeper)")
        running = trace(node, "keeper:[kd]*/0", "-j")
        node.eval("Ps = keeper:start(), keeper:ask(Ps)")
        names = names_of_keepers(node)
        running.stop()
        assert names == [("keeper:keep/0",) * 2, ("keeper:deep/0",) * 2], names


@over(STOCK_ONES)
def test_patterns_are_globs_and_may_be_those_of_elixir(vm):
    with kept(vm) as node:
        node.eval("code:ensure_loaded('Elixir.Shop.Cart')")
        running = trace(node, "c*led:l*", "-j", "--by", "function")
        call(node, "leaf")
        call(node, "factorial")
        lines = running.stop_json()
        assert "did you mean" in refused(node, "Shop.Cart.ad/2")
    assert {hist["key"] for hist in of_type(lines, "hist")} == {"called:leaf/1"}, lines


@over(STOCK_ONES)
def test_no_breakpoint_stays_however_erlbpf_ends(vm):
    with start(vm) as node:
        for sent in [signal.SIGKILL] * 12 + [signal.SIGTERM, signal.SIGINT]:
            running = trace(node, "called:*")
            node.eval("P ! {self(), leaf, 10, 1}")
            running.kill(sent)
            running.child.wait()
            assert_clean(node)
        assert node.is_alive()


def trace_within_budget(node, pattern, *options):
    """Hits are so dear there that a loop is watched for a part of the time, often."""
    return Trace("calls", pattern, "--via", "vm", "-p", node.pid, "--max-overhead", "20", "--call-limit", 10**9, "-v", *options,
                 env=BUDGET, program=SLOW)


def says(running, word):
    """Has it said so by now?"""
    while running.is_alive() and select.select([running.child.stderr], [], [], 0)[0]:
        if word in wait_line(running.child.stderr):
            return True
    assert running.is_alive()
    return False


def call_until(node, running, word):
    """Calls until erlbpf says so; how many there were."""
    calls = 0
    while not says(running, word):
        call(node, "leaf", 20000)
        calls += 20000
    return calls


# The second is of so many functions that the watchdog switches them all at once where there are trace sessions.
FEW, MANY = "called:leaf/1", "called:*/1"


@over(STOCK_ONES)
def test_within_the_budget_some_calls_are_measured_and_the_vm_counts_all(vm):
    for pattern in (FEW, MANY):
        assert_counts_of_all(vm, pattern)


def assert_counts_of_all(vm, pattern):
    with start(vm) as node:
        running = trace_within_budget(node, pattern, "-j", "--by", "function")
        calls = call_until(node, running, "probes put in place")
        calls += call_until(node, running, "probes off after")
        call(node, "leaf", 20000)
        own = node.eval("element(2, erlang:trace_info({called,leaf,1}, call_count))") if vm.otp == 25 else None
        lines = running.stop_json()
        assert_clean(node)
    hist, summary = of_type(lines, "hist")[0], lines[-1]
    assert summary["entered"] == calls + 20000 and own in (None, str(summary["entered"])), (summary, calls, own)
    assert 0 < summary["watched_s"] < summary["duration_s"] and 0 < hist["watched_s"] < hist["of_s"], (hist, summary)
    assert hist["key"] == "called:leaf/1" and 0 < hist["count"] < summary["entered"], (hist, summary)


BUSY = "spawn(fun Loop() -> [called:leaf(X) || X <- lists:seq(1, 100)], timer:sleep(1), Loop() end)"
@over([STOCK])
def test_an_interval_without_a_watched_says_how_many_calls_the_vm_counted(vm):
    with start(vm) as node:
        running = trace_within_budget(node, FEW, "-i", "200ms", "--max-overhead", "1")
        node.eval(BUSY)
        running.wait_for("taken away in")
        found = None
        while not found:
            found = re.search(r"^In \S+, the VM counted \d+ calls, and none was measured, on \S+ \(of called:leaf/1\)", running.line())
        running.stop()


MEASURES = ("{erlang:trace_info({called,leaf,1}, call_time), erlang:trace_info({called,leaf,1}, call_count), "
            "erlang:trace_info(whereis(init), flags)}")


@over([STOCK])
def test_a_trace_that_others_begin_between_windows_is_kept(vm):
    with start(vm) as node:
        node.eval(BUSY)
        running = trace_within_budget(node, MANY)
        running.wait_for("taken away in")
        node.eval("erlang:trace_pattern({maps,get,2}, true, [call_count])")
        running.wait_for("put in place")
        running.wait_for("taken away in")
        node.eval("maps:get(a, #{a => 1})")
        running.stop()
        assert node.eval("erlang:trace_info({maps,get,2}, call_count)") == "{call_count,1}"


@over([FEW, MANY])
def test_between_windows_the_vm_measures_no_call(pattern):
    with start(STOCK) as node:
        running = trace_within_budget(node, pattern)
        assert "call_time,[" in node.eval(MEASURES)
        node.eval(BUSY)
        running.wait_for("taken away in")
        wait_until("it only counts", lambda: re.search(r"call_time,false.*call_count,[1-9]", node.eval(MEASURES)))
        running.wait_for("put in place")
        wait_until("it measures", lambda: "call_time,[" in node.eval(MEASURES) and "flags,[call]" in node.eval(MEASURES))
        running.stop()
        assert_clean(node)


@over(OLDEST_AND_NEWEST)
def test_no_breakpoint_stays_if_erlbpf_is_killed_in_a_window_or_between_two(vm):
    with start(vm) as node:
        node.eval(BUSY)
        for word, pattern in [("taken away in", FEW), ("put in place", FEW), ("taken away in", MANY), ("put in place", MANY)]:
            running = trace_within_budget(node, pattern)
            running.wait_for(word)
            running.kill(signal.SIGKILL)
            running.child.wait()
            assert_clean(node)
        assert node.is_alive()


# Of the sessions of traces that there are from OTP 27 on, it is in ours.
BREAKPOINT = ("lists:any(fun({call_count, N}) -> is_integer(N) end, [erlang:trace_info({called,leaf,1}, call_count) | "
              "case erlang:function_exported(trace, info, 3) of true -> [trace:info(S, {called,leaf,1}, call_count) "
              "|| {erlbpf, _} = S <- trace:session_info(all)]; "
              "false -> [] end])")


@over(STOCK_ONES)
def test_new_code_is_traced_too(vm):
    with start(vm) as node:
        running = trace(node, "called:leaf/1", "-j")
        call(node, "leaf")
        node.eval("{code:purge(called), code:load_file(called), code:purge(called)}")
        node.eval("P2 = called:start()")
        wait_until("the new code has its breakpoint", lambda: node.eval(BREAKPOINT) == "true")
        node.eval("called:call(P2, leaf, {%d, 1})" % TIMES)
        lines = running.stop_json()
        assert_clean(node)
    assert lines[-1]["entered"] == 2 * TIMES, lines[-1]


@over(STOCK_ONES)
def test_too_many_calls_take_the_breakpoints_away(vm):
    with start(vm) as node:
        running = trace(node, "called:leaf/1", "--call-limit", "100")
        node.eval("P ! busy")
        running.wait_for("called too often")
        assert_clean(node)
        running.stop()


@over(STOCK_ONES)
def test_whoever_kills_the_watchdog_loses_no_breakpoint(vm):
    with start(vm) as node:
        running = trace(node, "called:leaf/1")
        watchdog = next(line for line in running.stderr if "removes them" in line).split("process ")[2].split(" ")[0]
        node.eval("exit(list_to_pid(\"%s\"), kill)" % watchdog)
        wait_until("no breakpoint is left", lambda: node.eval(
            "erlang:trace_info({called,leaf,1}, all)") == "{all,false}")
        running.wait_for("the watchdog process was killed")
        running.stop()
        # The node can be traced again.
        again = trace(node, "called:leaf/1", "-j")
        call(node, "leaf")
        assert again.stop_json()[-1]["entered"] == TIMES
        assert_clean(node)


@over([STOCK])
def test_who_speaks_with_the_node_has_no_rights_and_may_be_killed(vm):
    with kept(vm) as node:
        running = trace(node, "called:leaf/1")
        speaker = next(child for child in children_of(running.child.pid) if name_of(child) == "erlbpf-dist")
        status = status_of(speaker)
        assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0, status
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status
        os.kill(speaker, signal.SIGKILL)
        running.wait_for("the connection is over")
        assert_clean(node)
        running.stop()


@over([STOCK])
def test_the_tracing_of_others_is_kept(vm):
    with start(vm) as node:
        node.eval("erlang:trace_pattern({called,leaf,1}, true, [call_count])")
        call(node, "leaf")
        said = refused(node, "called:*")
        assert "called:leaf/1 is traced by somebody else" in said, said
        assert node.eval("erlang:trace_info({called,leaf,1}, call_count)") == "{call_count,%d}" % TIMES
        node.eval("erlang:trace_pattern({called,leaf,1}, false, [call_count])")
        node.eval("erlang:trace(P, true, [call])")
        said = refused(node, "called:*")
        assert "processes of it are traced by somebody else" in said, said
        assert node.eval("erlang:trace_info(P, flags)") == "{flags,[call]}"


@over([STOCK])
def test_what_others_have_prepared_to_be_traced_ends_the_trace_and_not_the_watchdog(vm):
    with start(vm) as node:
        node.eval("erlang:trace_pattern({lists,nthtail,2}, true, [local])")
        running = trace(node, "called:leaf/1")
        node.eval("lists:nthtail(1, [a, b])")
        running.wait_for("set to be traced by anybody")
        wait_until("nobody is traced", lambda: node.eval(LEFT) == "{[{lists,nthtail,2}],[]}")
        assert node.eval("erlang:trace_info({lists,nthtail,2}, traced)") == "{traced,local}"
        running.stop()


@over(STOCK_ONES)
def test_a_cookie_that_was_set_later_is_known(vm):
    with start(vm) as node:
        node.eval("erlang:set_cookie(node(), 'of its own')")
        running = trace(node, "called:leaf/1", "-j")
        call(node, "leaf")
        assert sum(line["count"] for line in running.stop_json() if line["type"] == "hist") == TIMES
        assert_clean(node)


@over([STOCK])
def test_what_cannot_be_done_is_refused_with_the_reason(vm):
    with start(vm) as node:
        said = refused(node, "called:leef/1")
        assert 'no code is loaded for "called:leef/1" (did you mean "called:leaf/1"?)' in said, said
        assert "1000 at most can have breakpoints" in refused(node, "*:*")
        assert "No such file" in refused(node, "called:*", "--cookie-file", "/nowhere")
        said = erlbpf("calls", "called:leaf/1", "-p", node.pid, "-d", "1", code=3)[1]
        assert "--via vm" in said, said
        assert "name them with -p" in erlbpf("calls", "called:leaf/1", "--via", "vm", code=2)[1]
        assert "expected a function or a pattern" in erlbpf("calls", "--via", "vm", "-p", node.pid, code=2)[1]
        assert "need --via vm" in erlbpf("calls", "called:leaf/1", "--show", code=2)[1]
        assert_clean(node)
        # The node reports this one on its output.
        assert "the cookie is wrong" in refused(node, "called:*", "--cookie-file", "/etc/hostname")
    with Node(vm) as node:
        said = refused(node, "lists:*")
        assert "it is not distributed" in said, said


@over([STOCK])
def test_a_node_that_lets_nobody_in_is_refused_and_one_that_connects_to_nobody_is_traced(vm):
    with start(vm, "-connect_all", "false", *QUIET) as node:
        running = trace(node, "called:leaf/1", "-j")
        call(node, "leaf")
        assert running.stop_json()[-1]["entered"] == TIMES
        assert node.eval("{nodes(), nodes(hidden)}") == "{[],[]}"
        node.eval("net_kernel:allow(['somebody@else'])")
        assert "lets nobody in" in refused(node, "called:*")
        assert_clean(node)


@over([STOCK])
def test_distribution_over_tls_is_refused_with_the_reason(vm):
    with tempfile.TemporaryDirectory() as folder:
        pem = os.path.join(folder, "pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", pem, "-out", pem + ".crt"],
                       check=True, capture_output=True)
        with start(vm, "-proto_dist", "inet_tls", "-ssl_dist_opt", "server_certfile", pem + ".crt", "server_keyfile", pem, *QUIET) as node:
            assert "distribution uses TLS, which is not supported" in refused(node, "called:*")
            assert_clean(node)


@contextlib.contextmanager
def own_epmd(vm):
    """A node with an epmd on a port of its own, and the pids of that epmd."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with start(vm, env={"ERL_EPMD_PORT": port}) as node:
        epmds = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_epmd_of(int(pid), port)]
        try:
            yield node, epmds
        finally:
            for pid in epmds:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)


@over([STOCK])
def test_a_node_with_an_epmd_of_its_own_is_traced(vm):
    with own_epmd(vm) as (node, _):
        running = trace(node, "called:leaf/1", "-j")
        call(node, "leaf")
        assert running.stop_json()[-1]["entered"] == TIMES


@over([STOCK])
def test_a_node_that_cannot_be_reached_is_refused_with_the_reason(vm):
    """Without its epmd, nobody knows on which of its ports a node listens for others."""
    with own_epmd(vm) as (node, epmds):
        for pid in epmds:
            os.kill(pid, signal.SIGTERM)
        wait_until("epmd has ended", lambda: not any(os.path.exists("/proc/%d" % pid) for pid in epmds))
        node.eval("{ok, _} = gen_tcp:listen(0, []), ok")
        said = refused(node, "lists:*")
        assert "no epmd on 127.0.0.1" in said, said


def is_epmd_of(pid, port):
    """Is it the epmd that a node of ours has started, by the port in its environment?"""
    try:
        with open("/proc/%d/comm" % pid) as comm, open("/proc/%d/environ" % pid, "rb") as environ:
            return comm.read().strip() == "epmd" and ("ERL_EPMD_PORT=" + port).encode() in environ.read().split(b"\0")
    except OSError:
        return False


@over([EMU])
def test_a_vm_without_the_jit_is_refused(vm):
    with start(vm) as node:
        assert "is not traced" in refused(node, "called:*")
        assert_clean(node)


@over(STOCK_ONES)
def test_a_process_that_dies_within_a_call_is_forgotten(vm):
    with kept(vm) as node:
        running = trace(node, "called:slow/1", "-j", "--show")
        node.eval("P ! {self(), slow, 1, forever}")
        wait_until("it is in the call", lambda: "{timer,sleep,1," in node.eval("process_info(P, current_stacktrace)"))
        node.eval("begin Gone = monitor(process, P), exit(P, kill), receive {'DOWN', Gone, _, _, _} -> ok end end")
        events = of_type(running.stop_json(), "event")
    assert [(event["result"], event["class"], event["took"]) for event in events] == [("(no return)", None, None)], events
