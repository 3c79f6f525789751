"""A node that is named and does not run yet is waited for; nothing else is."""
import signal
import subprocess
import time

from lib import ERLBPF, LIMIT, STOCK, Node, Skip, Trace, erlbpf, of_type, over, probe_total, shared, unique
from test_profile_nodes import look_again

SPAWN = "[spawn(fun() -> ok end) || _ <- lists:seq(1, %d)], ok"


def waiting(*args):
    trace = Trace(*args, wait=False)
    trace.wait_for("Waiting for a node named")
    return trace


def test_a_node_that_does_not_run_yet_is_waited_for():
    name = unique("late")
    trace = waiting("count", "process-spawn", "--node", name, "-j")
    assert "Waiting for a node named %s. Ctrl-C ends it; --no-wait does not wait." % name in trace.stderr[-1]
    with Node(STOCK, "-sname", unique("late_other")), Node(STOCK, "-sname", name) as node:
        assert " on " + name in trace.wait_for("Tracing")
        node.eval(SPAWN % 100)
        lines = trace.stop_json()
    assert [target["os_pid"] for target in lines[-1]["targets"]] == [node.pid], lines[-1]
    assert probe_total(lines, "process-spawn") >= 100


@over(["gc", "top", "births"])
def test_the_time_that_is_asked_for_begins_with_the_node(tool):
    name = unique("late")
    trace = waiting(tool, "--node", name, "-j", "-i", "100ms", "--count", "3", "-d", "1h")
    look_again(trace)
    assert trace.is_alive()
    begin = time.monotonic()
    with Node(STOCK, "-sname", name):
        trace.wait_for("Tracing")
        lines = trace.stop_json(sig=None)
    assert len(of_type(lines, "interval")) == 3, lines
    # Three intervals of 100 ms, in the time in which there was a node.
    assert 0.3 <= lines[-1]["duration_s"] <= time.monotonic() - begin, lines[-1]


@over(["gc", "top", "births"])
def test_the_last_interval_ends_with_the_trace(tool):
    """There is none of next to nothing behind it."""
    with shared(STOCK) as node:
        lines = Trace(tool, "-p", node.pid, "-j", "-i", "200ms", "-d", "400ms").stop_json(sig=None)
    assert 1 <= len(of_type(lines, "interval")) <= 2, lines


def test_the_duration_begins_with_the_node():
    name = unique("late")
    trace = waiting("gc", "--node", name, "-d", "1ms")
    look_again(trace)
    assert trace.is_alive()
    with Node(STOCK, "-sname", name):
        trace.wait_for("Tracing")
        trace.stop(sig=None)


def test_who_does_not_want_to_wait_is_told_that_there_is_no_such_node():
    out, err = erlbpf("gc", "--node", "late_one", "--no-wait", code=3)
    assert not out and "no node named late_one runs on this machine" in err, err


def test_d_says_that_a_node_is_not_there_as_tools_do():
    for words in ["-n", "erlang*:::process-spawn { }"], ["-l", "-n", "erlang*:::process-spawn"]:
        done = subprocess.run([ERLBPF, *words, "--node", "late_one", "--no-wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT)
        assert "no node named late_one runs on this machine; `erlbpf doctor` lists the running nodes" in done.stderr, done
        assert done.returncode == ("-l" not in words), done


@over([["--node"], []])
def test_why_waits_for_a_node_too(option):
    name = unique("late")
    select = [*option, name]
    trace = waiting("why", *select, "-j", "-d", "200ms")
    look_again(trace)
    assert trace.is_alive()
    with Node(STOCK, "-sname", name) as node:
        out = trace.stop(sig=None)
        assert '"os_pid":%d' % node.pid in out.replace(" ", ""), out
    for signals in signal.SIGINT, signal.SIGTERM:
        trace = waiting("why", *select)
        assert trace.stop(signals, code=3) == "" and "no node named %s has started" % name in trace.stderr[-1], trace.stderr


def test_what_is_not_waited_for_names_the_nodes_that_there_are():
    """A list is of what is there."""
    early = unique("early")
    with Node(STOCK, "-sname", early) as node:
        for words in ["list"], ["why", "--no-wait"]:
            out, err = erlbpf(*words, "--node", "late_one", code=3)
            assert not out and "no node named late_one is found; there are " in err, err
            assert early + "@" in err and "of process %d" % node.pid in err or " more" in err, err


@over([signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_waiting_without_a_result(sig):
    trace = waiting("gc", "--node", "late_one")
    assert trace.stop(sig, code=3) == "" and "no node named late_one has started" in trace.stderr[-1], trace.stderr


def test_a_node_that_lacks_the_probes_ends_the_waiting_with_the_reason():
    name = unique("late")
    trace = waiting("gc", "--source", "usdt", "--node", name)
    with Node(STOCK, "-sname", name):
        trace.wait_for("is not traced, because")
        trace.stop(sig=None, code=3)


def test_a_process_that_does_not_exist_is_not_waited_for():
    done = subprocess.Popen(["true"])
    done.wait()
    assert "process %d does not exist" % done.pid in erlbpf("gc", "-p", done.pid, code=3)[1]


def test_without_a_name_a_machine_without_nodes_is_an_error():
    argv = ["unshare", "-pmf", "--kill-child", "--mount-proc", ERLBPF, "gc"]
    if subprocess.run(argv[:4] + ["true"]).returncode:
        raise Skip("unshare(1) may not make namespaces here")
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, text=True)
    assert done.returncode == 3 and "no BEAM runs on this machine; start a node, wait for one with --node NAME" in done.stderr, done
