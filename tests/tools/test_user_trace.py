"""user-trace, held against what the node gave to dyntrace, and against what dyntrace answered: true, somebody
listens to this marker; false, nobody does."""
import csv
import signal

from lib import USDT, VMS, Node, Trace, erlbpf, let_finish, of_type, over, probe_total, shared

WITH_NOTES = [vm for vm in VMS if vm.notes]
CALLS = 20000


# On a VM with notes, all markers are a thousand probes, which a busy machine takes minutes to attach and to remove.
MINUTES = 500


def all_removed(trace):
    """Its JSON lines after an interrupt."""
    let_finish()
    trace.child.send_signal(signal.SIGINT)
    trace.child.wait(MINUTES)
    return trace.stop_json(None)


def marker(marker_, tag, numbers, strings):
    keys = ["marker", "tag", "i1", "i2", "i3", "i4", "s1", "s2", "s3", "s4"]
    return dict(zip(keys, [marker_, tag] + numbers + strings + [None] * (4 - len(strings))))


@over(WITH_NOTES)
def test_markers_have_all_that_the_code_gave_them(vm):
    with Node(vm) as node:
        node.eval("register(teller, self())")
        pid = node.eval("self()")
        trace = Trace("user-trace", "-p", node.pid, "-j", wait=False)
        trace.wait_for("Tracing", MINUTES)
        calls = (
            'dyntrace:p(1, -2, 9000000000, -9000000000, "a", <<"bb">>, ["c", <<"d">>], "")',
            'dyntrace:put_tag(<<"a tag">>)', 'dyntrace:p()', 'dyntrace:p(5, "text")',
            'dyntrace:pn(0, 1, 2, 3, 4, "s1", "s2", "s3", "s4")', 'dyntrace:pn(950)',
            'dyntrace:p(binary:copy(<<"x">>, 63))', 'dyntrace:p(binary:copy(<<"y">>, 64))',
            'dyntrace:p(binary:copy(<<"z">>, 1024), "after")', 'dyntrace:user_trace_s1("alone")',
        )
        answers = [node.eval(call) for call in calls]
        lines = all_removed(trace)
    assert set(answers[:1] + answers[2:]) == {"true"}, answers
    events = of_type(lines, "event")
    nothing = [0, 0, 0, 0]
    expected = [
        marker("i4s4", None, [1, -2, 9000000000, -9000000000], ["a", "bb", "cd", ""]),
        marker("i4s4", "a tag", nothing, []),
        marker("i4s4", "a tag", [5, 0, 0, 0], ["text"]),
        marker("n0", "a tag", [1, 2, 3, 4], ["s1", "s2", "s3", "s4"]),
        marker("n950", "a tag", nothing, []),
        marker("i4s4", "a tag", nothing, ["x" * 63]),
        marker("i4s4", "a tag", nothing, ["y" * 64]),
        marker("i4s4", "a tag", nothing, ["z" * 1024, "after"]),
        marker("s1", None, [None] * 4, ["alone"]),
    ]
    assert [{key: event[key] for key in expected[0]} for event in events] == expected, events
    assert [(e["pid"], e["name"]) for e in events] == [(pid, "teller")] * 8 + [(None, None)]
    assert [e["probe"] for e in events] == ["user_trace-" + e["marker"] for e in events]
    assert lines[-1]["lost"] == 0 and lines[-1]["events"] == len(expected)


@over(WITH_NOTES)
def test_markers_are_chosen_by_a_glob_and_the_others_stay_off(vm):
    with shared(vm) as node:
        trace = Trace("user-trace", "-p", node.pid, "-j", "n4?")
        ask = "[{N} || N <- lists:seq(0, 950), dyntrace:pn(N)]"
        wanted = [str(n) for n in range(40, 50)]
        assert node.eval(ask) == "[{%s}]" % "},{".join(wanted) and node.eval("dyntrace:p()") == "false"
        lines = trace.stop_json()
        assert node.eval(ask) == "[]"
        one = Trace("user-trace", "-p", node.pid, "-j", "user_trace-i4s4")
        assert node.eval("[dyntrace:p(), dyntrace:pn(42)]") == "[true,false]"
        one.stop_json()
        assert "no probe of user-trace matches" in erlbpf("user-trace", "-p", node.pid, "n951", code=3)[1]
    assert [event["marker"] for event in of_type(lines, "event")] == ["n" + n for n in wanted]


@over(WITH_NOTES)
def test_every_marker_is_an_event_or_lost(vm):
    with shared(vm) as node:
        trace = Trace("user-trace", "-p", node.pid, "-j", "i4s4")
        said = int(node.eval('length([true || N <- lists:seq(1, %d), dyntrace:p(N, "a text")])' % CALLS))
        lines = trace.stop_json()
    numbers = [event["i1"] for event in of_type(lines, "event")]
    assert said == CALLS == probe_total(lines, "user_trace-i4s4")
    assert len(numbers) == lines[-1]["events"] and numbers == sorted(set(numbers))


@over(WITH_NOTES)
def test_counts_are_exact_by_marker_tag_and_process(vm):
    with shared(vm) as node:
        traces = {by: Trace("user-trace", "-p", node.pid, "-j", "--by", by, "[in]4*4")
                  for by in ("kind", "tag", "pid", "name")}
        node.eval("Tell = fun(Name, N) -> register(Name, self()), dyntrace:put_tag(atom_to_list(Name)), "
                  "[true = dyntrace:p(I) || I <- lists:seq(1, N)], "
                  "[true = dyntrace:pn(44) || _ <- lists:seq(1, N)] end")
        pids = node.eval("[begin {P, R} = spawn_monitor(fun() -> Tell(Name, N) end), "
                         "receive {'DOWN', R, _, _, Why} -> normal = Why end, P end "
                         "|| {Name, N} <- [{many, %d}, {few, 100}]]" % CALLS).strip("[]").split(",")
        tables = {by: {row[by]: row["count"] for row in of_type(traces[by].stop_json(), "table")[-1]["rows"]}
                  for by in traces}
    both = {"many": 2 * CALLS, "few": 200}
    assert tables["kind"] == {"user_trace-i4s4": CALLS + 100, "user_trace-n44": CALLS + 100}
    assert tables["tag"] == both and tables["name"] == both, tables
    assert tables["pid"] == dict(zip(pids, both.values())), (pids, tables)


@over([USDT])
def test_csv_has_a_column_for_every_argument(vm):
    with shared(vm) as node:
        trace = Trace("user-trace", "-p", node.pid, "-f", "csv", "n3")
        node.eval('dyntrace:pn(3, 1, "a,b")')
        row, = csv.DictReader(trace.stop().splitlines())
    assert (row["probe"], row["marker"], row["i1"], row["i2"], row["s1"], row["s2"]) == \
        ("user_trace-n3", "n3", "1", "0", "a,b", ""), row
