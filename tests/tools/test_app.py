"""The package erlbpf (probes/app): its own tests, and what erlbpf sees of the probes that it fires."""
import glob
import json
import os
import shutil
import subprocess
import tempfile

from lib import (ERLBPF, OLDEST_AND_NEWEST, ROOT, STOCK, VMS, WITH_NEWEST, Node, Trace, erlbpf, of_type, over, probe_total, shared,
                 unique, wait_until)
from test_export import Agent, need, samples

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


def with_package(start, vm, *args):
    if not os.path.exists(os.path.join(MODULES.name, "erlbpf.beam")):
        compile_package("src")
    return start(vm, "-pa", MODULES.name, *args)


def package(vm, *args):
    """A node with the package, in which no test has left a tag, a trace, or a name."""
    return with_package(Node, vm, *args)


def shared_package(vm):
    return with_package(shared, vm)


# What the package calls, and functions of the examples.
CALLED = {"erts": ["erlang"], "stdlib": ["lists", "maps", "binary", "erl_anno", "timer", "io_lib"], "kernel": ["code", "os"]}


def copy_package(folder):
    """Where builds may leave what they make."""
    return shutil.copytree(APP, os.path.join(folder, "app"), ignore=shutil.ignore_patterns("_build"))


def passes(*words, cwd):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=500, check=False,
                          env=dict(os.environ, REBAR_OFFLINE="1", HEX_OFFLINE="1"))
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_mix_builds_it_and_its_tests_of_elixir_pass():
    need("mix")
    with tempfile.TemporaryDirectory() as folder:
        assert "6 tests, 0 failures" in passes("mix", "test", cwd=copy_package(folder))


def test_rebar3_builds_it_and_edoc_reads_it():
    need("rebar3")
    with tempfile.TemporaryDirectory() as folder:
        app = copy_package(folder)
        passes("rebar3", "compile", cwd=app)
        passes("rebar3", "edoc", cwd=app)
        with open(os.path.join(app, "doc", "erlbpf_port.html"), encoding="utf-8") as file:
            assert "percentile" in file.read()


def test_dialyzer_finds_nothing_wrong_with_its_types():
    need("dialyzer")
    root = subprocess.run(["erl", "-noshell", "-eval", "io:format(code:root_dir()), halt()"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    beams = [glob.glob("%s/lib/%s-*/ebin/%s.beam" % (root, app, module))[0] for app, modules in CALLED.items()
             for module in modules]
    with tempfile.TemporaryDirectory() as folder:
        passes("dialyzer", "--build_plt", "--output_plt", "plt", *beams, cwd=folder)
        passes("dialyzer", "--plt", "plt", "-Wunmatched_returns", "-Werror_handling", "--src",
               *glob.glob(APP + "/src/*.erl"), *glob.glob(APP + "/examples/*.erl"), cwd=folder)


# A trace id of OpenTelemetry, where otel_ctx keeps it.
OTEL = "put('$__current_otel_ctx', #{{otel_tracer, span_ctx} => {span_ctx, 16#0af7651916cd43dd8448eb211c80319c, 5, 1}})"
PAID = "[erlbpf:probe(order_placed, #{id => N}) || N <- lists:seq(1, 3)], " + OTEL + ", " \
    "erlbpf:span(checkout, cart, fun() -> catch erlbpf:span(pay, fun() -> throw(no_money) end) end), " \
    "erlbpf:probe('phoenix.endpoint.stop', 1)"
NAMED = ["inner", "order_placed", "phoenix.endpoint.stop"]


def test_its_own_tests_pass():
    compile_package("src", "test")
    run = "halt(case eunit:test(erlbpf_tests) of ok -> 0; error -> 1 end)"
    done = subprocess.run(["erl", "-noshell", "-pa", MODULES.name, "-eval", run], stdout=subprocess.PIPE, text=True,
                          check=False)
    assert done.returncode == 0 and "tests passed" in done.stdout, done.stdout


@over(WITH_NEWEST)
def test_markers_are_those_of_dyntrace_on_every_vm(vm):
    with package(vm) as node:
        # All of them, a thousand probes on a VM with notes, are in test_user_trace.py.
        trace = Trace("user-trace", "-p", node.pid, "-j", *(["?[0149]*"] if vm.notes else []))
        node.eval('erlbpf:put_tag("a tag")')
        node.eval('erlbpf:p(1, -2, 9000000000, -9000000000, "a", <<"bb">>, "", binary:copy(<<"z">>, 2000))')
        node.eval("[true = erlbpf:pn(N, N) || N <- [0, 1, 950]]")
        node.eval('erlbpf:user_trace_s1("alone")')
        lines = trace.stop_json()
    whole, *numbered, alone = of_type(lines, "event")
    assert [whole[key] for key in ("marker", "tag", "i1", "i2", "i3", "i4", "s1", "s2", "s3", "s4")] == \
        ["i4s4", "a tag", 1, -2, 9000000000, -9000000000, "a", "bb", "", "z" * 1024], whole
    assert [(e["marker"], e["i1"], e["s1"]) for e in numbered] == [("n0", 0, None), ("n1", 1, None), ("n950", 950, None)]
    assert (alone["marker"], alone["s1"], alone["pid"]) == ("s1", "alone", None)


# Each way in which the VM keeps the bytes of a text, and what is read of it.
TEXTS = [
    ('"list"', "list"), ('lists:duplicate(64, $l)', "l" * 64), ('lists:duplicate(65, $l)', "l" * 65),
    ('[$a, "bc", [<<"d">>, [], $e] | <<"f">>]', "abcdef"), ('["a", "b"]', "ab"), ('""', ""), ('[""]', ""), ("<<>>", ""),
    ('<<"heap">>', "heap"), ('binary:copy(<<"h">>, 64)', "h" * 64), ('binary:copy(<<"r">>, 65)', "r" * 65),
    ('binary:copy(<<"r">>, 5000)', "r" * 1024), ('binary:part(<<"xxpartyy">>, 2, 4)', "part"),
    ('binary:part(binary:copy(<<"0123456789">>, 100), 995, 5)', "56789"),
    ('lists:foldl(fun(N, B) -> <<B/binary, N>> end, <<"appended">>, "to")', "appendedto"),
    ('"before\\0behind"', "before"), ('<<"before", 0, "behind">>', "before"), ('unicode:characters_to_binary("h\\x{e9}")', "hé"),
]


@over(VMS)
def test_texts_are_read_wherever_their_bytes_are(vm):
    program = 'BEGIN { printf("begun\\n"); } erlang*:::user_trace-i4s4 { printf("%d <%s>\\n", arg2, copyinstr(arg6)); }'
    with shared_package(vm) as node:
        trace = Trace("user-trace", "-p", node.pid, "-j", "i4s4")
        d = Trace("-q", "-x", "strsize=1024", "-p", node.pid, "-n", program, wait=False)
        assert d.line() == "begun"
        node.eval("[true = erlbpf:p(I, S) || {I, S} <- lists:zip(lists:seq(1, %d), [%s])]" %
                  (len(TEXTS), ", ".join(text for text, _ in TEXTS)))
        assert node.eval("[erlbpf:p(a), erlbpf:p(1, [a]), erlbpf:p(1, [256]), erlbpf:p(1, [-1]), erlbpf:p([1 | 2]), "
                         "erlbpf:p(1, 2, 3, 4, 5), erlbpf:pn(951), erlbpf:pn(1, a, b)]") == "[%s]" % ",".join(["error"] * 8)
        events, printed = of_type(trace.stop_json(), "event"), d.stop()
    wanted = [text for _, text in TEXTS]
    assert [e["s1"] for e in events] == wanted, events
    assert printed.split() == [word for i, text in enumerate(wanted) for word in (str(i + 1), "<%s>" % text)], printed


@over(VMS)
def test_integers_of_64_bits_are_those_that_were_given(vm):
    edges = [(1 << 59) - 1, 1 << 59, -(1 << 59), -(1 << 59) - 1, (1 << 63) - 1, -(1 << 63)]
    with shared_package(vm) as node:
        trace = Trace("user-trace", "-p", node.pid, "-j", "[in][49]*[40]")
        node.eval("[begin true = erlbpf:p(1, I, -1, 4, <<\"text\">>), true = erlbpf:pn(950, I, \"text\") end || I <- %s]" % edges)
        events = of_type(trace.stop_json(), "event")
    assert [(e["marker"], e["i1"], e["i2"], e["i3"], e["i4"], e["s1"]) for e in events] == \
        [event for edge in edges for event in (("i4s4", 1, edge, -1, 4, "text"), ("n950", edge, 0, 0, 0, "text"))], events


@over(VMS)
def test_only_the_numbers_that_are_asked_for_count(vm):
    with shared_package(vm) as node:
        trace = Trace("count", "user_trace-n4?", "-p", node.pid, "-j")
        node.eval("[erlbpf:pn(N) || N <- lists:seq(0, 950), _ <- [1, 2]]")
        lines = trace.stop_json()
    assert [probe_total(lines, "user_trace-n%d" % n) for n in range(40, 50)] == [2] * 10


@over(VMS)
def test_every_probe_counts_and_others_calls_of_the_bif_do_not(vm):
    with shared_package(vm) as node:
        trace = Trace("count", "app-probe", "-p", node.pid, "-j")
        node.eval("[begin erlbpf:probe(here, N), erts_debug:same(N, N), erlbpf:p(N) end "
                  "|| N <- lists:seq(1, %d)], ok" % CALLS)
        lines = trace.stop_json()
    assert probe_total(lines, "app-probe") == CALLS


@over(VMS)
def test_d_has_name_and_term_and_hostile_ones_are_cut(vm):
    program = 'BEGIN { printf("begun\\n"); } vm*:::app-* { printf("%s %s\\n", copyinstr(arg1), term(arg2)); }'
    with package(vm) as node:
        trace = Trace("-q", "-p", node.pid, "-n", program, wait=False)
        assert trace.line() == "begun"
        node.eval("erlbpf:span(order, {id, 1}, fun() -> ok end)")
        node.eval("[erlbpf:probe(Name, Term) || Name <- %s, Term <- %s], ok" % (HOSTILE, TERMS))
        out = trace.stop()
        assert node.eval("1 + 1") == "2"
    assert out.count("order ") == 2 and "x" * 60 in out, out


@over(WITH_NEWEST)
def test_probes_are_shown_by_name_with_terms_spans_and_their_trace(vm):
    with package(vm) as node:
        trace = Trace("app", "-p", node.pid, "-j")
        node.eval(PAID)
        events = of_type(trace.stop_json(), "event")
    assert [(e["name"], e["kind"], e["term"]) for e in events] == \
        [("order_placed", "hit", "#{id => %d}" % n) for n in (1, 2, 3)] + \
        [("checkout", "start", "cart"), ("pay", "start", "[]"), ("pay", "exception", "{throw,no_money}"),
         ("checkout", "stop", "cart"), ("'phoenix.endpoint.stop'", "hit", "1")], events
    outer, inner, failed, stopped = events[3:7]
    assert inner["parent"] == failed["parent"] == outer["span"] == stopped["span"] and outer["parent"] is None
    assert [e["took"] is None for e in events] == [True] * 5 + [False] * 2 + [True] and failed["took"] <= stopped["took"]
    assert [e["trace_id"] for e in events] == [None] * 3 + ["0af7651916cd43dd8448eb211c80319c"] * 4 + [None]


@over(OLDEST_AND_NEWEST)
def test_trace_and_count_take_a_name_or_its_beginning(vm):
    with package(vm) as node:
        trace = Trace("trace", "order_placed", "-p", node.pid, "-j")
        node.eval(PAID)
        assert [e["name"] for e in of_type(trace.stop_json(), "event")] == ["order_placed"] * 3
        count = Trace("count", "app:p*", "-p", node.pid, "-j")
        node.eval(PAID)
        lines = count.stop_json()
        rows = {row["name"]: row for table in of_type(lines, "table") for row in table["rows"]}
        assert {name: (row["count"], row["spans"], row["exceptions"]) for name, row in rows.items()} == \
            {"pay": (1, 1, 1), "'phoenix.endpoint.stop'": (1, 0, 0)}
        assert [(h["key"], h["count"]) for h in of_type(lines, "hist")] == [("pay", 1)]
        never = erlbpf("count", "app:never_fired", "-p", node.pid, "-d", "0.1")[0]
        assert "no code fired a probe" in never and "never_fired" in never, never
        assert "or its beginning" in erlbpf("trace", "app:a*b", "-p", node.pid, code=3)[1]


@over(OLDEST_AND_NEWEST)
def test_names_of_code_that_has_never_run_are_listed(vm):
    source = os.path.join(MODULES.name, "named.erl")
    with package(vm) as node:
        with open(source, "w", encoding="utf-8") as file:
            file.write("-module(named).\n-compile({parse_transform, erlbpf_transform}).\n-export([f/0]).\n"
                       "f() -> erlbpf:probe(order_placed, 1), fun() -> erlbpf:span(inner, fun() -> 1 end) end.\n")
        subprocess.run(["erlc", "-pa", MODULES.name, "-o", MODULES.name, source], check=True)
        assert "no node has a probe of its own code" in erlbpf("list", "app:*", "-p", node.pid, code=3)[1]
        node.eval("{module, _} = code:load_file(named), erlbpf:declare(['phoenix.endpoint.stop'])")
        rows = [row for line in erlbpf("list", "app:*", "-p", node.pid, "-j")[0].splitlines()
                for row in json.loads(line)["rows"]]
        assert [row["probe"] for row in rows] == ["app:" + name for name in NAMED], rows
        lines = erlbpf("-l", "-n", "app*:::", "-p", node.pid)[0].splitlines()[1:]
        mine = [line.split() for line in lines if line.split()[0] == "-"]
        assert [words[1:] for words in mine] == [["app%d" % node.pid, name] for name in NAMED], lines
        assert {line.split()[-1] for line in lines} - set(NAMED) == {"app-probe", "app-span"}, lines
        rows = [json.loads(line) for line in erlbpf("-l", "-j", "-n", "app$target:::order*", "-p", node.pid)[0].splitlines()]
        assert [row["name"] for row in rows if "id" not in row] == ["order_placed"], rows
        node.eval("erlbpf:declare([list_to_atom([$n | integer_to_list(N)]) || N <- lists:seq(1, 1200)])")
        assert "(203 more names" in erlbpf("list", "app:*", "-p", node.pid)[0]


@over(OLDEST_AND_NEWEST)
def test_d_takes_names_of_an_application(vm):
    program = 'BEGIN { printf("begun\\n"); } app*:::order_placed, app$target:::phoenix* { @n[copyinstr(arg1)] = count(); } ' \
        'app*:::pay /arg3 == 2/ { printf("%T %d\\n", term(arg2), arg6 > 0); } app*:::never { @x = count(); } ' \
        'app*:::* { @all = count(); }'
    with package(vm) as node:
        trace = Trace("-q", "-p", node.pid, "-n", program, wait=False)
        assert trace.line() == "begun"
        node.eval(PAID)
        words = trace.stop().split()
        refused = erlbpf("-x", "errtags", "-p", node.pid, "-n", "app*:::a*b", code=1)[1]
    assert words == ["{throw,no_money}", "1", "'phoenix.endpoint.stop'", "1", "order_placed", "3", "8"], words
    assert "D_PDESC_INVAL" in refused, refused


@over(OLDEST_AND_NEWEST)
def test_probename_is_the_name_that_the_application_gave(vm):
    program = 'BEGIN { printf("begun %s\\n", probename); } ' \
        'app*:::, erlang*:::process-spawn /probename != "pay"/ { @[probename] = count(); } ' \
        'app*:::phoenix* { self->name = probename; printf("%s %s\\n", self->name, strjoin(probename, "!")); }'
    with package(vm) as node:
        trace = Trace("-q", "-p", node.pid, "-n", program, wait=False)
        assert trace.line() == "begun BEGIN"
        node.eval(PAID)
        node.eval("spawn(fun() -> ok end)")
        lines = trace.stop().splitlines()
    rows = dict(line.split() for line in lines if line.split() and line.split()[-1].isdigit())
    assert "'phoenix.endpoint.stop' 'phoenix.endpoint.stop'!" in lines, lines
    assert rows["order_placed"] == "3" and rows["'phoenix.endpoint.stop'"] == "1" and "pay" not in rows, lines
    assert int(rows["process-spawn"]) >= 1 and "app-probe" not in rows and "app-span" not in rows, lines


@over(OLDEST_AND_NEWEST)
def test_a_port_gives_terms_to_erlang(vm):
    program = '"app$target:::pay /arg3/ { @took[copyinstr(arg1)] = quantize(arg6); printf(\\"%T\\", term(arg2)); }"'
    with package(vm) as node:
        assert node.eval('{ok, P} = erlbpf_port:open(#{command => ["%s"]}), erlbpf_port:go(P)' % ERLBPF) == \
            "{error,not_compiled}"
        assert node.eval('{error, {compile, [Wrong]}} = erlbpf_port:compile(P, "BEGIN {"), maps:get(tag, Wrong)') == \
            '<<"D_SYNTAX">>'
        assert node.eval('{error, {compile, [Option]}} = erlbpf_port:compile(P, "BEGIN {}", '
                         '#{options => [{"nonesuch", ""}]}), maps:get(line, Option)') == "undefined"
        assert node.eval("erlbpf_port:compile(P, %s, #{pids => [%d]})" % (program, node.pid)) == "{ok,2}"
        assert node.eval("erlbpf_port:go(P)") == "ok"
        node.eval(PAID)
        assert node.eval("{ok, [#{entries := [Took]}]} = erlbpf_port:walk(P), {maps:get(key, Took), "
                         "[C || #{count := C} <- maps:get(buckets, Took)], erlbpf_port:percentile(99, Took) > 0}") == \
            '{[<<"pay">>],[1],true}'
        node.eval(PAID)
        assert node.eval("{ok, Summary} = erlbpf_port:stop(P), maps:get(lost, Summary)") == "0"
        assert node.eval("{ok, Records, 0} = erlbpf_port:consume(P), "
                         "[T || #{actions := [#{text := T}]} <- Records]") == \
            '[<<"{throw,no_money}">>,<<"{throw,no_money}">>]'
        assert node.eval("{ok, [#{entries := [End]}]} = erlbpf_port:walk(P), "
                         "lists:sum([C || #{count := C} <- maps:get(buckets, End)])") == "2"
        assert node.eval("erlbpf_port:go(P)") == "{error,already_started}"
        assert node.eval('{ok, _} = erlbpf_port:compile(P, "tick-10ms { exit(3); }"), ok = erlbpf_port:go(P), '
                         'erlbpf_port:wait_end(P, 60000)') == "{ended,3}"
        assert node.eval("erlbpf_port:close(P), erlbpf_port:walk(P)") == "{error,closed}"


def test_a_port_without_rights_says_so():
    start = [ERLBPF, "--etf"]
    frame = bytes([131, 104, 5, 97, 1, 119, 7]) + b"compile" + bytes([109, 0, 0, 0, 21]) + b"erlang*:::gc_*-end {}" + \
        bytes([106, 106])
    done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all"] + start,
                          input=len(frame).to_bytes(4, "big") + frame, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and b"compile" in done.stdout and b"error" in done.stdout, done
    assert b"sudo" in done.stdout or b"capabilit" in done.stdout, done


def test_a_port_refuses_frames_that_are_none():
    for frame, code in ((b"", 0), (b"\0\0", 0), (b"\x7f\xff\xff\xff", 1), (b"\0\0\0\0", 1), (b"\0\0\0\2\x83\x6a", 1),
                        (b"\0\0\0\7\x83\x68\2\x61\1\x77\xff", 1), (b"\0\0\0\1\x83" * 1000, 1)):
        done = subprocess.run([ERLBPF, "--etf"], input=frame, capture_output=True, timeout=60, check=False)
        assert done.returncode == code and not done.stdout, (frame, done)
    unknown = b"\x83\x68\2\x61\1\x77\3abc"
    done = subprocess.run([ERLBPF, "--etf"], input=len(unknown).to_bytes(4, "big") + unknown, capture_output=True,
                          timeout=60, check=False)
    assert done.returncode == 0 and b"badarg" in done.stdout, done


def test_the_example_tells_a_human_when_a_percentile_is_passed():
    """Of two that watch, one has a limit that no span reaches."""
    compile_package("src", "examples")
    with package(STOCK) as node:
        for name, limit in (("Never", 3600000), ("Watch", 20)):
            assert node.eval('Me = self(), {ok, %s} = erlbpf_alert:start(checkout, %d, 200, fun(T) -> Me ! {%s, T} end, '
                             '#{command => ["%s"]}), is_pid(%s)' % (name, limit, name.lower(), ERLBPF, name)) == "true"
        node.eval("[erlbpf:span(checkout, fun() -> ok end) || _ <- lists:seq(1, 10)]")
        node.eval("erlbpf:span(checkout, fun() -> timer:sleep(30) end)")
        assert "one in a hundred" in node.eval("receive {watch, T1} -> T1 after 60000 -> quiet end")
        # It has looked at that span, too, when the other one has looked twice more.
        node.eval("[receive {watch, _} -> ok end || _ <- [1, 2], begin erlbpf:span(checkout, fun() -> timer:sleep(30) end), true end]")
        assert node.eval("receive {never, T0} -> T0 after 0 -> quiet end") == "quiet"
        node.eval("[exit(Pid, kill) || Pid <- [Never, Watch]]")


def total(agent, metric, name):
    return sum(value for labels, value in samples(agent.metrics(), metric) if labels.get("name") == name)


def test_the_agent_counts_names_and_durations():
    with package(STOCK, "-sname", unique("export_app")) as node, Agent("--tools", "app", "--max-overhead", "0") as agent:
        wait_until("app-probe is there", lambda: agent.value("erlbpf_target_up", tool="app"))
        node.eval(PAID)
        wait_until("spans are counted", lambda: total(agent, "erlbpf_app_span_seconds_count", "pay"))
        assert total(agent, "erlbpf_app_probe_hits_total", "order_placed") == 3
        assert total(agent, "erlbpf_app_span_exceptions_total", "pay") == 1
        assert total(agent, "erlbpf_app_span_seconds_count", "checkout") == 1
