"""D's provider beam: calls of Erlang functions and their ends, held against what the node was asked to call."""
import os
import re
import signal

from lib import BUDGET, EMU, ROOT, STOCK, USDT, Trace, erlbpf, over, wait_until, within
from test_functions import NAP_NS, QUIET, RAISED, SLOW, STOCK_ONES, TIMES, assert_clean, call, is_printed, start

BEGUN = 'BEGIN { printf("begun\\n"); } '


def run(node, text, *options, **how):
    """Once its probes are live."""
    trace = Trace("-q", "-x", "via=vm", "-p", node.pid, *options, "-n", BEGUN + text, wait=False, **how)
    assert trace.line() == "begun"
    return trace


def refused(node, program, *options):
    return erlbpf("-q", "-p", node.pid, *options, "-n", program, code=1)[1]


COUNTS = ('beam*:called:leaf/1:entry { @leaf = count(); } '
          'beam$target:called:l*:entry, beam*:c*led:leaf:entry /arg1 == 0/ { @[copyinstr(arg9), probename] = count(); } '
          'beam*:called:nested:entry, vm*:::process-out { @both[probename] = count(); } '
          'erlang*:::process-spawn { @spawned = count(); }')


@over(STOCK_ONES)
def test_calls_are_counted_exactly_by_the_functions_that_are_meant(vm):
    with start(vm) as node:
        trace = run(node, COUNTS, "-x", "maxoverhead=0")
        for function in ("leaf", "outer", "loop", "boom", "nested"):
            call(node, function)
        node.eval("erlang:spawn(fun() -> ok end)")
        own = node.eval("erlang:trace_info({called,leaf,1}, call_count)") if vm.otp == 25 else None
        words = trace.stop().split()
        assert_clean(node)
    leaf = 4 * TIMES
    assert own in (None, "{call_count,%d}" % leaf), own
    assert words.count(str(leaf)) == 3 and words[words.index("called:leaf/1") + 1] == "beam-entry", words
    assert words[words.index("called:loop/1") + 2] == str(4 * TIMES), words
    assert str(TIMES) in words[words.index("beam-entry"):] and "process-out" in words, words


@over(STOCK_ONES)
def test_arguments_are_terms_and_who_calls_is_known(vm):
    program = 'beam*:called:echo/1:entry { printf("%T\\n", term(arg0)); printf("%s %s %d\\n", copyinstr(arg8), copyinstr(arg9), arg1); }'
    terms = ("{1, -2, [a, \"b\"]}", "#{a => <<\"bytes\">>}", "'an atom'")
    with start(vm) as node:
        trace = run(node, program)
        for term in terms:
            call(node, "echo", 1, term)
        lines = trace.stop().strip().splitlines()
        assert len(lines) == 2 * len(terms), lines
        for term, line, who in zip(terms, lines[::2], lines[1::2]):
            assert is_printed(node, line, "~0p", term), (term, line)
            assert who == "%s called:echo/1 0" % node.eval("P"), who


def rows_of(text):
    """What an aggregation by texts has: {(text, ...): count}."""
    return {tuple(words[:-1]): int(words[-1]) for words in map(str.split, text.splitlines()) if words}


ENDS = ('beam*:called:*/1:return { @[copyinstr(arg9), "return"] = count(); } '
        'beam*:called:*/1:exception { @[copyinstr(arg9), "exception"] = count(); } ')


@over(STOCK_ONES)
def test_every_call_that_is_counted_ends_once(vm):
    entries = 'beam*:called:*/1:entry { @[copyinstr(arg9), "entry"] = count(); } '
    with start(vm) as node:
        trace = run(node, entries + ENDS, "-x", "maxoverhead=0")
        for function in ("leaf", "outer", "tail", "loop", "boom", "nested", "factorial"):
            call(node, function)
        own = {f: int(node.eval("element(2, erlang:trace_info({called,%s,1}, call_count))" % f))
               for f in ("leaf", "boom", "factorial", "loop")} if vm.otp == 25 else {}
        rows = rows_of(trace.stop())
        assert_clean(node)
    for function, count in own.items():
        assert rows["called:%s/1" % function, "entry"] == count, (own, rows)
    times = {"leaf": 5, "outer": 1, "tail": 1, "nested": 1, "factorial": 4}
    for function, each in times.items():
        name = "called:%s/1" % function
        assert rows.pop((name, "entry")) == rows.pop((name, "return")) == each * TIMES, (function, rows)
    # What calls itself as its last act is called again, and returns once.
    assert rows == {("called:loop/1", "entry"): 4 * TIMES, ("called:loop/1", "return"): TIMES,
                    ("called:boom/1", "entry"): 2 * TIMES, ("called:boom/1", "exception"): 2 * TIMES}, rows


@over([STOCK])
def test_returns_alone_are_exact_whatever_ends_by_exceptions_between_them(vm):
    with start(vm) as node:
        trace = run(node, 'beam*:called:leaf/1:return, beam*:called:nested/1:return { @[copyinstr(arg9)] = count(); } '
                    'beam*:called:boom/1:exception { @[copyinstr(arg9)] = count(); }', "-x", "maxoverhead=0")
        for _ in range(3):
            for function in ("nested", "boom", "tail"):
                call(node, function)
        rows = rows_of(trace.stop())
    assert rows == {("called:leaf/1",): 6 * TIMES, ("called:nested/1",): 3 * TIMES, ("called:boom/1",): 6 * TIMES}, rows


@over(STOCK_ONES)
def test_results_are_terms_and_the_time_is_the_one_of_the_call(vm):
    program = ('beam*:called:echo/1:return { printf("%T\\n", term(arg1)); } '
               'beam*:called:slow/1:entry { self->began = timestamp; } '
               'beam*:called:slow/1:return { printf("%s %s %d %d\\n", copyinstr(arg8), copyinstr(arg9), arg2, arg3 > 0); }')
    terms = ("{1, -2, [a, \"b\"]}", "#{a => <<\"bytes\">>}", "'an atom'", "[]")
    with start(vm) as node:
        trace = run(node, program)
        for term in terms:
            call(node, "echo", 1, term)
        own = int(node.eval("called:timed(P)"))
        lines = trace.stop().strip().splitlines()
        assert len(lines) == len(terms) + 1, lines
        for term, line in zip(terms, lines):
            assert is_printed(node, line, "[~0p]", term), (term, line)
        pid, function, took, is_deep = lines[-1].split()
        assert (pid, function, is_deep) == (node.eval("P"), "called:slow/1", "1"), lines
    within(NAP_NS, int(took), own)


LONGEST = ('beam*:called:loop/1:return { @took = max(arg2); @times = count(); } '
           'END { printa("%@d %@d\\n", @took, @times); trunc(@took); trunc(@times); exit(0); }')


@over(STOCK_ONES)
def test_what_probes_add_to_calls_within_a_call_is_not_in_its_time(vm):
    """That it is short is a test of time."""
    with start(vm) as node:
        for budget in ((), ("-x", "maxoverhead=0")):
            trace = run(node, LONGEST, *budget, program=SLOW)
            own = int(node.eval("lists:max([begin Begin = os:perf_counter(nanosecond), called:loop(30), "
                                "os:perf_counter(nanosecond) - Begin end || _ <- lists:seq(1, 200)])"))
            took, times = map(int, trace.stop().split()[:2])
            assert times == 200, budget
            within(0, took, own)


@over(STOCK_ONES)
def test_exceptions_have_class_and_reason(vm):
    with start(vm) as node:
        trace = run(node, 'beam*:called:*/1:exception { printf("%s %T %T\\n", copyinstr(arg9), term(arg0), term(arg1)); }')
        for function, argument in RAISED:
            call(node, function, 1, argument)
        lines = trace.stop().split("\n")
    for (function, _), (class_, reason) in RAISED.items():
        assert "called:%s/1 %s %s" % (function, class_, reason) in lines, lines
    assert len([line for line in lines if line]) == len(RAISED), lines


@over([STOCK])
def test_a_process_that_ends_within_a_function_returns_from_none(vm):
    with start(vm, *QUIET) as node:
        trace = run(node, ENDS)
        call(node, "uncaught", 20)
        node.eval("exit(spawn(called, slow, [x]), kill)")
        call(node, "leaf", 5)
        rows = rows_of(trace.stop())
    assert rows == {("called:uncaught/1", "return"): 20, ("called:leaf/1", "return"): 5}, rows


@over([STOCK])
def test_new_code_of_a_module_returns_too(vm):
    with start(vm) as node:
        trace = run(node, 'beam*:called:leaf/1:return { @[copyinstr(arg9)] = count(); }')
        call(node, "leaf", 10)
        node.eval("{module,_} = code:load_file(called)")
        wait_until("the new code has its breakpoint", lambda: node.eval(
            "erlang:trace_info({called,leaf,1}, call_count)") == "{call_count,0}")
        call(node, "leaf", 7)
        assert rows_of(trace.stop()) == {("called:leaf/1",): 17}


@over([STOCK])
def test_calls_within_too_many_others_are_told(vm):
    with start(vm) as node:
        trace = run(node, 'beam*:called:factorial/1:entry, beam*:called:factorial/1:return { @[probename] = count(); }')
        call(node, "factorial", 1, "40")
        rows = rows_of(trace.stop())
        assert rows == {("beam-entry",): 41, ("beam-return",): 32}, rows
        assert "9 calls whose end is not seen" in "\n".join(trace.stderr), trace.stderr


@over([STOCK])
def test_a_clause_of_a_call_and_of_the_end_of_another_means_just_these(vm):
    with start(vm) as node:
        trace = run(node, 'beam*:called:outer/1:entry, beam*:called:leaf/1:return { @[copyinstr(arg9), probename] = count(); } '
                    'beam*:called:tail/1: { @[copyinstr(arg9), probename] = count(); }')
        for function in ("outer", "tail"):
            call(node, function)
        rows = rows_of(trace.stop())
    assert rows == {("called:outer/1", "beam-entry"): TIMES, ("called:leaf/1", "beam-return"): 3 * TIMES,
                    ("called:tail/1", "beam-entry"): TIMES, ("called:tail/1", "beam-return"): TIMES}, rows


def programs_for_old_names():
    """Of the page, that say what to write instead of function-entry and function-return: slow calls, CPUs that change."""
    with open(os.path.join(ROOT, "docs", "d-language.md")) as page:
        section = page.read().split("### Old names")[1].split("\n## ")[0]
    return [program.replace("shop", "called") for program in re.findall(r"^```d\n(.*?)^```", section, re.M | re.S)]


SLOWER_NS = 10**6  # than which calls are shown


def move(node, cpu):
    for thread in os.listdir("/proc/%d/task" % node.pid):
        os.sched_setaffinity(int(thread), {cpu})


@over([STOCK])
def test_what_the_page_says_to_write_for_old_names_sees_the_same(vm):
    cpus, slow = programs_for_old_names()
    with start(vm) as node:
        who = node.eval("P")
        trace = run(node, slow)
        for function in ("leaf", "slow"):
            call(node, function, 1)
        text = trace.stop()
        took = re.findall(r"^CALL: %s - called:slow/1 - (\d+) nanoseconds$" % who, text, re.M)
        assert len(took) == 1 and int(took[0]) >= NAP_NS / 2, text
        # A busy machine may make the short one slow.
        assert all(int(ns) > SLOWER_NS for ns in re.findall(r"called:leaf/1 - (\d+) nanoseconds$", text, re.M)), text
        # A call that begins where all threads of the node are on one CPU, and ends where they are on another.
        cpus_of_test = sorted(os.sched_getaffinity(0))[:2]
        trace = run(node, cpus, "-x", "maxoverhead=0")
        for first, second in (cpus_of_test, cpus_of_test[::-1]):
            move(node, first)
            node.eval("P ! {self(), slow, 1, {until, go}}")
            wait_until("it is in the call", lambda: "{called,slow,1," in node.eval("process_info(P, current_stacktrace)"))
            move(node, second)
            node.eval("P ! go, receive {P, done} -> ok end")
        text = trace.stop()
    moves = re.findall(r"%s called:slow/1: CPU (\d+ -> \d+)" % who, text)
    assert moves == ["%d -> %d" % (a, b) for a, b in (cpus_of_test, cpus_of_test[::-1])], text


OLD = ('erlang*:called:[flo]*/1:function-entry, erlang$target:called:leaf/1:global-function-entry '
       '{ printf("+ %s %s %d\\n", copyinstr(arg0), copyinstr(arg1), arg2); @[copyinstr(arg1)] = count(); } '
       'erlang*:called:factorial:function-return, beam*:called:leaf:return '
       '{ printf("- %s %s %d\\n", copyinstr(arg0), copyinstr(arg1), arg2); }')


@over(STOCK_ONES)
def test_old_names_have_the_old_arguments(vm):
    program = OLD.replace(", beam*:called:leaf:return", "") + ' beam*:called:factorial/1:return { printf("= %T %d\\n", term(arg1), arg3); }'
    with start(vm) as node:
        trace = run(node, program, "-x", "maxoverhead=0")
        call(node, "factorial", 1)
        call(node, "outer", TIMES)
        lines = trace.stop().splitlines()
        assert_clean(node)
        who = node.eval("P")
    # All of the calls within each other, and the ends of the innermost first.
    began = [line.split() for line in lines if line.startswith("+") and "factorial" in line]
    ended = [line.split() for line in lines if line.startswith("-")]
    results = [line.split()[1:] for line in lines if line.startswith("=")]
    assert [words[1:3] for words in began] == [[who, "called:factorial/1"]] * 4, lines[:20]
    depths = [int(words[3]) for words in began]
    assert depths == sorted(set(depths)) and [words[1:] for words in ended] == [words[1:] for words in reversed(began)], lines[:20]
    assert results == [[str(result), str(depth)] for result, depth in zip((1, 1, 2, 6), reversed(depths))], results
    counts = dict(line.split() for line in lines if line.strip().startswith("called:"))
    assert counts == {"called:factorial/1": "4", "called:outer/1": str(TIMES), "called:leaf/1": str(2 * TIMES)}, counts


@over(STOCK_ONES)
def test_scripts_of_the_slides_run_as_they_are_for_functions_that_the_command_line_names(vm):
    """Their self-> is of a scheduler's thread, so that who sleeps must not move to another."""
    script = os.path.join(ROOT, "tests", "d", "scripts", "slow-calls.d")
    with start(vm, "+S", "1") as node:
        trace = Trace("-qs", script, "-p", node.pid, "-x", "via=vm", "-x", "functions=called:*", "-n", BEGUN, wait=False)
        assert trace.line() == "begun"
        for function in ("leaf", "slow"):
            call(node, function, 1)
        who = node.eval("P")
        text = trace.stop()
        assert_clean(node)
    took = re.findall(r"^CALL: %s - called:slow/1 - (\d+) nanoseconds$" % who, text, re.M)
    assert len(took) == 1 and int(took[0]) >= NAP_NS / 2, text
    # A busy machine may make the short one slow.
    assert all(int(ns) > SLOWER_NS for ns in re.findall(r"called:leaf/1 - (\d+) nanoseconds$", text, re.M)), text


@over([STOCK])
def test_no_breakpoint_stays_however_the_program_ends(vm):
    with start(vm) as node:
        for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            trace = run(node, "beam*:called::entry { @ = count(); }")
            node.eval("P ! {self(), leaf, 10, 1}")
            trace.kill(sent)
            trace.child.wait()
            assert_clean(node)
        trace = run(node, "beam*:called:leaf/1:entry { exit(0); }")
        call(node, "leaf")
        trace.stop(None)
        assert_clean(node)


BURSTS = "[begin [called:leaf(X) || X <- lists:seq(1, 20000)], timer:sleep(100) end || _ <- lists:seq(1, 15)]"


@over(STOCK_ONES)
def test_within_a_budget_more_calls_are_no_reason_to_stop(vm):
    """Up to 200,000 a second: without a budget, half of this is the most."""
    with start(vm) as node:
        trace = run(node, "beam*:called:leaf/1:entry { @ = count(); }", "-x", "sample", env=dict(os.environ, **BUDGET))
        node.eval(BURSTS)
        trace.stop()
        assert not any("too often" in line for line in trace.stderr), trace.stderr


@over([STOCK])
def test_too_many_calls_take_the_breakpoints_away_and_the_program_goes_on(vm):
    with start(vm) as node:
        trace = run(node, "beam*:called:leaf/1:entry { @ = count(); }", "-x", "calllimit=1000")
        node.eval("P ! busy")
        assert "-x calllimit" in trace.wait_for("called too often")
        assert_clean(node)
        assert int(trace.stop().split()[-1]) > 1000


@over([STOCK])
def test_what_cannot_be_done_is_refused_with_the_reason(vm):
    leaf = "beam*:called:leaf/1:entry { @ = count(); }"
    with start(vm, *QUIET) as node:
        node.eval("code:ensure_loaded(called)")
        assert "-x via=vm" in refused(node, leaf)
        assert "-x via=vm" in refused(node, "tick-1s { exit(0); } " + leaf)
        via = ("-x", "via=vm")
        assert "select nodes with -p" in erlbpf(*via, "-n", leaf, code=1)[1]
        assert "did you mean \"called:leaf/1\"" in refused(node, "beam*:called:lead/1:entry", *via)
        assert "\"called:leaf/9\"" in refused(node, leaf + " beam*:called:leaf/9:entry", *via)
        assert "does not match any probes" in refused(node, "beam*:called:leaf/1:returns", *via)
        assert "the cookie is wrong" in refused(node, leaf, *via, "-x", "cookiefile=/etc/hostname")
        node.eval("erlang:trace_pattern({called,leaf,1}, true, [local])")
        assert "traced by somebody else" in refused(node, leaf, *via)
        node.eval("erlang:trace_pattern({called,leaf,1}, false, [local])")
        assert_clean(node)
        for program, options in ((leaf, ()), ("beam*:called:lead/1:entry { @ = count(); }", via)):
            with_others = "BEGIN { exit(0); } erlang*:::process-spawn { @ = count(); } " + program
            assert "breakpoint" not in erlbpf("-Z", "-p", node.pid, *options, "-n", with_others)[1]
        assert "beam*:MODULE" in refused(node, "erlang*:::local-function-entry", *via)
        assert "-x functions=MODULE:FUNCTION" in refused(node, "erlang*:::function-entry", *via)
        assert "did you mean \"called:leaf/1\"" in refused(node, "erlang*:called:lead/1:function-entry", *via)
        assert "-x via=vm" in refused(node, "erlang*:called:leaf/1:function-return")
        assert "a separate clause" in refused(node, OLD, *via)
        assert "beam*:MODULE:FUNCTION/ARITY:return" in refused(node, "erlang*:::function-return", *via)


@over([USDT])
def test_a_site_that_the_jit_never_reaches_is_warned_of(vm):
    with start(vm) as node:
        said = erlbpf("-p", node.pid, "-n", "erlang*:::function-entry { @ = count(); } BEGIN { exit(0); }")[1]
        assert "under the JIT, function-entry never fires; name functions: -x via=vm" in said, said
        assert "never fires" not in erlbpf("-p", node.pid, "-n", "erlang*:::process-spawn, BEGIN { exit(0); }")[1]


@over([EMU])
def test_a_vm_without_the_jit_has_no_such_probe(vm):
    with start(vm) as node:
        assert "the VM has no JIT" in refused(node, "beam*:called:leaf/1:entry", "-x", "via=vm")
        assert "/copyinstr(arg1) == " in refused(node, "erlang*:called:leaf/1:function-entry", "-x", "via=vm")
        assert_clean(node)
