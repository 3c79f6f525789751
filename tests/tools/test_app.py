"""The package erlbpf (probes/app): its own tests, and what erlbpf sees of the probes that it fires."""
import os
import subprocess
import tempfile

from lib import ROOT, VMS, Node, Trace, of_type, over, probe_total

APP = os.path.join(ROOT, "probes", "app")
MODULES = tempfile.TemporaryDirectory(prefix="erlbpf-app-")
CALLS = 20000
# Names, sizes and depths that no record holds.
HOSTILE = "['%s', '', 'a\\nb']" % ("x" * 255)
TERMS = "[binary:copy(<<255>>, 10000000), lists:foldl(fun(_, T) -> [T] end, [], lists:seq(1, 100000)), <<1:3>>]"


def compile_package(*folders):
    for folder in folders:
        files = [os.path.join(APP, folder, name) for name in os.listdir(os.path.join(APP, folder))
                 if name.endswith(".erl")]
        subprocess.run(["erlc", "-Werror", "-o", MODULES.name] + files, check=True)


def package(vm):
    if not os.path.exists(os.path.join(MODULES.name, "erlbpf.beam")):
        compile_package("src")
    return Node(vm, "-pa", MODULES.name)


def test_its_own_tests_pass():
    compile_package("src", "test")
    run = "halt(case eunit:test(erlbpf_tests) of ok -> 0; error -> 1 end)"
    done = subprocess.run(["erl", "-noshell", "-pa", MODULES.name, "-eval", run], stdout=subprocess.PIPE, text=True,
                          check=False)
    assert done.returncode == 0 and "tests passed" in done.stdout, done.stdout


@over(VMS)
def test_markers_are_those_of_dyntrace_on_every_vm(vm):
    with package(vm) as node:
        trace = Trace("user-trace", "-p", node.pid, "-j")
        node.eval('erlbpf:put_tag("a tag")')
        node.eval('erlbpf:p(1, -2, 9000000000, -9000000000, "a", <<"bb">>, "", binary:copy(<<"z">>, 2000))')
        node.eval("[true = erlbpf:pn(N, N) || N <- [0, 7, 950]]")
        node.eval('erlbpf:user_trace_s1("alone")')
        lines = trace.stop_json()
    whole, *numbered, alone = of_type(lines, "event")
    assert [whole[key] for key in ("marker", "tag", "i1", "i2", "i3", "i4", "s1", "s2", "s3", "s4")] == \
        ["i4s4", "a tag", 1, -2, 9000000000, -9000000000, "a", "bb", "", "z" * 1023], whole
    assert [(e["marker"], e["i1"], e["s1"]) for e in numbered] == [("n0", 0, None), ("n7", 7, None), ("n950", 950, None)]
    assert (alone["marker"], alone["s1"], alone["pid"]) == ("s1", "alone", None)


@over(VMS)
def test_only_the_numbers_that_are_asked_for_count(vm):
    with package(vm) as node:
        trace = Trace("count", "user_trace-n4?", "-p", node.pid, "-j")
        node.eval("[erlbpf:pn(N) || N <- lists:seq(0, 950), _ <- [1, 2]]")
        lines = trace.stop_json()
    assert [probe_total(lines, "user_trace-n%d" % n) for n in range(40, 50)] == [2] * 10


@over(VMS)
def test_every_probe_counts_and_others_calls_of_the_bif_do_not(vm):
    with package(vm) as node:
        trace = Trace("count", "app-probe", "-p", node.pid, "-j")
        node.eval("[begin erlbpf:probe(here, N), erts_debug:same(N, N), erlbpf:p(N) end "
                  "|| N <- lists:seq(1, %d)], ok" % CALLS)
        lines = trace.stop_json()
    assert probe_total(lines, "app-probe") == CALLS


@over(VMS)
def test_d_has_name_and_term_and_hostile_ones_are_cut(vm):
    program = 'BEGIN { printf("begun\\n"); } vm*:::app-probe { printf("%s %s\\n", copyinstr(arg1), term(arg2)); }'
    with package(vm) as node:
        trace = Trace("-q", "-p", node.pid, "-n", program, wait=False)
        assert trace.line() == "begun"
        node.eval("erlbpf:span(order, {id, 1}, fun() -> ok end)")
        node.eval("[erlbpf:probe(Name, Term) || Name <- %s, Term <- %s], ok" % (HOSTILE, TERMS))
        out = trace.stop()
        assert node.eval("1 + 1") == "2"
    assert out.count("order ") == 2 and "x" * 60 in out, out
