"""D's provider beam: calls of Erlang functions, held against what the node was asked to call."""
import signal

from lib import EMU, STOCK, Trace, erlbpf, over
from test_functions import QUIET, STOCK_ONES, TIMES, assert_clean, call, is_printed, start

BEGUN = 'BEGIN { printf("begun\\n"); } '


def run(node, program, *options):
    """Once its probes are live."""
    trace = Trace("-q", "-x", "via=vm", "-p", node.pid, *options, "-n", BEGUN + program, wait=False)
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
        assert "name them with -p" in erlbpf(*via, "-n", leaf, code=1)[1]
        assert "did you mean \"called:leaf/1\"" in refused(node, "beam*:called:lead/1:entry", *via)
        assert "\"called:leaf/9\"" in refused(node, leaf + " beam*:called:leaf/9:entry", *via)
        assert "no probe but entry" in refused(node, "beam*:called:leaf/1:return", *via)
        assert "the cookie is wrong" in refused(node, leaf, *via, "-x", "cookiefile=/etc/hostname")
        node.eval("erlang:trace_pattern({called,leaf,1}, true, [local])")
        assert "traced by somebody else" in refused(node, leaf, *via)
        node.eval("erlang:trace_pattern({called,leaf,1}, false, [local])")
        assert_clean(node)
        for program, options in ((leaf, ()), ("beam*:called:lead/1:entry { @ = count(); }", via)):
            with_others = "BEGIN { exit(0); } erlang*:::process-spawn { @ = count(); } " + program
            assert "breakpoint" not in erlbpf("-Z", "-p", node.pid, *options, "-n", with_others)[1]
        assert "beam*:MODULE" in refused(node, "erlang*:::local-function-entry", *via)


@over([EMU])
def test_a_vm_without_the_jit_has_no_such_probe(vm):
    with start(vm) as node:
        assert "does not match any probes" in refused(node, "beam*:called:leaf/1:entry", "-x", "via=vm")
        assert_clean(node)
