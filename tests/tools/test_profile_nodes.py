"""profile: nodes that start and end while it runs, the nodes of a command, and what it gives up."""
import os
import signal
import tempfile
import time

from lib import BUILD, STOCK, Node, Trace, children_of, erlbpf, name_of, status_of, wait_until
from test_privileges import TO_ATTACH, check

BURN = "register(burner, spawn(shares, shares, []))"


def folded(text):
    """{frames: ns}"""
    found = {}
    for line in text.splitlines():
        frames, _, weight = line.rpartition(" ")
        found[tuple(frames.split(";"))] = int(weight)
    return found


def named(stacks, group=None):
    """The part of the time of these stacks, or of those of a group, that is under shares:shares/0 with all its callers."""
    ours = {f: w for f, w in stacks.items() if group is None or f[0] == group + "_[g]"}
    whole = [w for f, w in ours.items() if "shares:shares/0" in f and "shares:burn/2" in f]
    assert ours, (group, tops(stacks))
    return sum(whole) / sum(ours.values())


def tops(stacks):
    return sorted(stacks.items(), key=lambda stack: -stack[1])[:5]


def begin(*options):
    trace = Trace("profile", "--folded", *options, wait=False)
    trace.wait_for("Ctrl-C ends it")
    return trace


def test_a_node_that_starts_later_is_in_it_and_keeps_its_names_when_it_ends():
    with Node(STOCK, "-sname", "profile_new_1") as first, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        trace = begin("--node", "profile_new_*", "--by", "node", "-F", 997, "-o", path)
        check(trace.pid, *TO_ATTACH, "syslog")
        assert os.path.exists(path), "the file is opened before that"
        second = Node(STOCK, "-sname", "profile_new_2")
        trace.wait_for("has started and is sampled too")
        # The module is loaded when the node is known already.
        second.eval(BURN)
        first.eval("timer:sleep(2000)")
        name = second.eval("node()").strip("'")
        second.close()
        first.eval(BURN)
        first.eval("timer:sleep(500)")
        assert trace.stop() == "" and trace.child.returncode == 0
        with open(path) as out:
            stacks = folded(out.read())
        both = {name, first.eval("node()").strip("'")}
    assert {f[0] for f in stacks} == {n + "_[g]" for n in both}, tops(stacks)
    assert named(stacks, name) > 0.5, tops(stacks)


def waiting_for(name, *options):
    trace = Trace("profile", "--node", name, *options, wait=False)
    line = trace.wait_for("Waiting for a node")
    assert "named %s. Ctrl-C ends it; --no-wait does not wait." % name in line, line
    return trace


def test_a_node_that_is_selected_is_waited_for():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        for options in (("--folded", "-F", 997, "-o", path, 3), ("--top", "-j", "-i", "1s", 3)):
            with waiting_for("profile_late", *options) as trace:
                time.sleep(0.6)
                assert trace.is_alive(), "it waits as long as it takes"
                with Node(STOCK, "-sname", "profile_late") as node:
                    node.eval(BURN)
                    out = trace.stop(sig=None)
            with open(path) as written:
                assert "shares:burn/2" in (out if "-j" in options else written.read()), (options, out)
        with waiting_for("profile_late", "-o", os.path.join(folder, "nothing")) as trace:
            assert trace.stop(code=3) == "" and "no node named profile_late has started" in trace.stderr[-1], trace.stderr
    for options in ((), ("--top",)):
        out, err = erlbpf("profile", "--node", "profile_late", "--no-wait", *options, 1, code=3)
        assert not out and "no node named profile_late is found" in err and "Waiting" not in err, err


def test_the_nodes_of_a_command_are_profiled_until_it_ends():
    code = "erl -noshell -pa %s -eval 'spawn(shares, shares, []), timer:sleep(2000), halt().'" % os.path.join(BUILD, "erl")
    with Node(STOCK) as other:
        other.eval(BURN)
        out, err = erlbpf("profile", "--folded", "-F", 997, "--by", "node", "-c", code)
    stacks = folded(out)
    assert "waiting for the command's node" in err and len({f[0] for f in stacks}) == 1, (err, tops(stacks))
    assert named(stacks) > 0.3, tops(stacks)
    # Off CPU, names are those of a node that has ended, too.
    code = code.replace("shares, shares, []", "shares, waits, [10]")
    out, _ = erlbpf("profile", "--folded", "--off-cpu", "-c", code)
    waits = {f: w for f, w in folded(out).items() if "shares:wait/1" in f}
    assert any(f[0] == "shares:waits/1" and f[-1] == "waiting for a message_[s]" for f in waits), out
    assert 1e9 < sum(waits.values()) < 2.5e9, waits


def test_a_command_without_a_node_is_said_and_one_that_goes_on_is_ended():
    _, err = erlbpf("profile", "-c", "sleep 0.1", code=3)
    assert "sleep has not started an Erlang node" in err, err
    _, err = erlbpf("profile", "-c", "/nonexistent/command", code=1)
    assert "cannot run /nonexistent/command" in err, err
    trace = begin("-c", "sleep 1000")
    check(trace.pid, *TO_ATTACH, "syslog", "kill")
    trace.stop(signal.SIGINT, code=3)
    for other in (["-p", os.getpid()], ["--top"]):
        _, err = erlbpf("profile", "-c", "true", *other, code=2)
        assert "cannot be combined" in err, err


def test_with_p_it_holds_no_capability_that_reads_or_traces():
    with Node(STOCK) as node:
        node.eval("register(waiter, spawn(shares, waits, [10]))")
        node.eval(BURN)
        for mode, found in (([], "shares:burn/2"), (["--off-cpu"], "shares:wait/1"), (["--send"], "")):
            trace = begin(*mode, "-p", node.pid)
            check(trace.pid, "syslog")
            node.eval("timer:sleep(300)")
            out = trace.stop()
            assert found in out and out, (mode, out)
        # It ends with the node, whose names are known.
        trace = begin("-p", node.pid, "-F", 997)
        node.eval("timer:sleep(700)")
        node.close()
        wait_until("it ends by itself", lambda: trace.child.poll() is not None)
        assert named(folded(trace.stop(None))) > 0.5, "names"


def test_schedulers_are_not_read_for_each_other():
    count = 128
    with Node(STOCK, "+S", "%d:%d" % (count, count)) as node:
        trace = Trace("profile", "-p", node.pid, "-j", wait=False)
        trace.wait_for("Sampling")
        # Each read is one message to the reader, which sleeps until there is the next.
        readers = [child for child in children_of(trace.pid) if name_of(child) == "erlbpf-reader"]
        sleeps = [int(status_of(pid)["voluntary_ctxt_switches"])
                  for reader in readers for pid in [reader, *children_of(reader)]]
        trace.stop()
    assert sleeps and sum(sleeps) < 16 * count, sleeps
