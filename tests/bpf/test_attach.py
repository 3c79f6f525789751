"""The attach layer, on the fake BEAM: every probe, every operand form, every way of attaching."""
import json
import re
import signal

from lib import LIMIT, Fake, Trace, erlbpf, of_type, over, probe_total
from process_text import ProcessText

WAYS = ["multi", "inode", "perf"]
PROGRAMS = ["fake-beam", "fake-beam-nop5"]


def catalogue(fake):
    out, _ = erlbpf("list", "-p", fake.pid, "-j", "--unsafe")
    return [row for line in out.splitlines() for row in json.loads(line)["rows"]]


def expected(probe, arguments):
    """What write_fake_value() of probes/gen.c passes, as `trace` prints it."""
    shown = []
    for i, argument in enumerate(arguments):
        c_type, name, kind = re.match(r"(.*?)(\w+) : (\w+)$", argument).groups()
        if kind in ("pid", "process"):
            value = "<0.%d.%d>" % (100 + i, i)
        elif kind == "port":
            value = "#Port<0.%d>" % (100 + i)
        elif "*" in c_type:
            # Numbered probes share one row of the catalogue, and so their texts.
            value = "%s arg%d" % (re.sub(r"(?<=user_trace-n)\d+$", "", probe), i)
        else:
            value = str(1000 + i)
        shown.append("%s=%s" % (name, value))
    return " ".join(shown)


@over(PROGRAMS)
def test_every_probe_with_a_note_fires_with_the_arguments_its_sites_pass(program):
    with Fake(program) as fake:
        rows = catalogue(fake)
        # One that is repaired under the JIT, from a function that the fake BEAM does not have.
        wanted = {row["probe"]: row["arguments"].split(", ") for row in rows if row["source"] == "usdt"}
        assert len(wanted) == 1009 - 1, len(wanted)
        trace = Trace("trace", "-p", fake.pid, "-j", "--unsafe")
        assert fake.do("fire-all") == "ok"
        lines = trace.stop_json()
        assert lines[-1]["lost"] == 0
        got = {event["probe"]: event["args"] for event in of_type(lines, "event")}
        for probe, arguments in wanted.items():
            assert got.get(probe) == expected(probe, arguments), (probe, got.get(probe))


def test_a_probe_goes_on_the_nop_and_not_on_the_nop5_behind_it():
    """A nop5 that is probed becomes a call on Linux 6.18 to 7.2, which writes below the stack pointer."""
    with Fake("fake-beam-nop5") as fake:
        text = ProcessText(fake.pid)
        trace = Trace("count", "process-spawn", "-p", fake.pid, "-j")
        assert fake.do("threads 4 process-spawn 5000") == "ok"
        assert text.changed()[0] == 2
        with open("/proc/%d/maps" % fake.pid) as maps:
            assert "[uprobes-trampoline]" not in maps.read()
        assert probe_total(trace.stop_json(), "process-spawn") == 20000


def test_the_denylist_holds_for_wildcards_and_for_explicit_requests():
    with Fake() as fake:
        for glob in ("*", "process-port_unblocked", "global-function-entry"):
            out, _ = erlbpf("list", glob, "-p", fake.pid, "-j", code=0 if glob == "*" else 3)
            rows = [row for line in out.splitlines() for row in json.loads(line)["rows"]]
            denied = {row["probe"]: row for row in rows if row["note"].startswith("refused")}
            for name in ("process-port_unblocked", "global-function-entry"):
                if glob in ("*", name):
                    assert denied[name]["source"] is None
        _, err = erlbpf("trace", "process-port_unblocked", "-p", fake.pid, code=3)
        assert "--unsafe" in err, err


FORMS = [
    "i1=-1 i2=65535 i3=255 i4=-2",
    "i1=127 i2=16 i3=-7 i4=4294967295",
    "i1=104 i2=105 i3=102 i4=106",
    "i1=102 i2=104 i3=11 i4=22",
]


@over(WAYS)
def test_every_operand_form_of_x86_is_read_right(way):
    with Fake() as fake:
        trace = Trace("trace", "user_trace-i4s4", "-p", fake.pid, "-j", env={"ERLBPF_ATTACH": way})
        assert fake.do("forms 3") == "ok"
        got = [event["args"] for event in of_type(trace.stop_json(), "event")]
        assert got == ["proc=<0.100.0> user_tag= " + form for form in FORMS] * 3, got


@over(["%s,%s" % (program, way) for program in PROGRAMS for way in WAYS])
def test_hits_of_many_threads_are_counted_exactly(case):
    program, way = case.split(",")
    with Fake(program) as fake:
        trace = Trace("count", "process-spawn", "-p", fake.pid, "-j", env={"ERLBPF_ATTACH": way})
        assert fake.do("threads 8 process-spawn 5000") == "ok"
        lines = trace.stop_json()
        assert lines[-1]["probes"] == {"process-spawn": {"events": 40000, "lost": 0}}, lines[-1]
        assert of_type(lines, "table")[0]["rows"] == [{"probe": "process-spawn", "events": 40000}]


@over(WAYS)
def test_two_processes_of_one_file_are_told_apart(way):
    with Fake() as one, Fake() as other:
        trace = Trace("trace", "process-exit", "-p", one.pid, "-j", env={"ERLBPF_ATTACH": way})
        both = Trace("trace", "process-exit", "-p", "%d,%d" % (one.pid, other.pid), "-j",
                     env={"ERLBPF_ATTACH": way})
        one.do("fire process-exit 3")
        other.do("fire process-exit 5")
        lines, both_lines = trace.stop_json(), both.stop_json()
        assert [e["os_pid"] for e in of_type(lines, "event")] == [one.pid] * 3
        assert [e["os_pid"] for e in of_type(both_lines, "event")] == [one.pid] * 3 + [other.pid] * 5


def test_events_and_lost_add_up_when_the_reader_is_slower_than_the_probe():
    with Fake() as fake:
        trace = Trace("trace", "message-send", "-p", fake.pid, "-j", "-o", "/dev/null", "--strict")
        fake.do("threads 2 message-send 100000")
        trace.child.send_signal(signal.SIGINT)
        trace.child.communicate(timeout=LIMIT)
        lost = trace.child.returncode
        assert lost in (0, 5), lost
    with Fake() as fake:
        trace = Trace("trace", "message-send", "-p", fake.pid, "-j")
        # Nobody reads its output while the probe fires, so the ring overflows for sure.
        fake.do("threads 2 message-send 100000")
        lines = trace.stop_json()
        assert probe_total(lines, "message-send") == 200000, lines[-1]
        assert len(of_type(lines, "event")) == lines[-1]["probes"]["message-send"]["events"]
        assert lines[-1]["lost"] > 0
        assert lines[-1]["lost"] == lines[-1]["probes"]["message-send"]["lost"]


def test_events_are_in_order_of_time():
    with Fake() as fake:
        trace = Trace("trace", "process-*", "-p", fake.pid, "-j")
        for _ in range(200):
            fake.do("fire process-spawn 1")
            fake.do("fire process-exit 1")
        events = of_type(trace.stop_json(), "event")
        assert [e["probe"] for e in events] == ["process-spawn", "process-exit"] * 200
        times = [e["time"] for e in events]
        assert times == sorted(times)


def test_a_process_that_executes_itself_is_still_traced():
    with Fake() as fake:
        trace = Trace("count", "process-spawn", "-i", "3600", "-j", "-p", fake.pid)
        fake.do("fire process-spawn 10")
        fake.say("exec")
        assert fake.line() == "ok" and fake.line().startswith("ready")
        fake.do("fire process-spawn 7")
        assert probe_total(trace.stop_json(), "process-spawn") == 17


def test_an_erl_pid_filters_events_and_what_is_counted():
    with Fake() as fake:
        for pid, events in (("<0.100.0>", 4), ("<0.101.1>", 4), ("<0.999.0>", 0)):
            trace = Trace("trace", "message-send", "-p", fake.pid, "-j", "--erl-pid", pid)
            fake.do("fire message-send 4")
            lines = trace.stop_json()
            assert len(of_type(lines, "event")) == events == probe_total(lines, "message-send"), pid
