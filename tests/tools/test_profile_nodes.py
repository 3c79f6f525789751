"""profile: nodes that start and end while it runs, the nodes of a command, and what it gives up."""
import os
import signal
import tempfile
import time

from lib import BUILD, STOCK, Node, Trace, children_of, erlbpf, name_of, status_of, unique, wait_until
from test_privileges import TO_ATTACH, check
from test_profile import catch_up, folded, use_cpu, wait_turns

BURN = "register(burner, spawn(shares, shares, []))"


def is_named(stacks, group=None):
    """Is there shares:burn/2 with all its callers, in a group if there are groups?"""
    callers = [f for f in stacks if (group is None or f[0] == group + "_[g]") and "shares:burn/2" in f]
    return callers and all("shares:shares/0" in f for f in callers)


def tops(stacks):
    return sorted(stacks.items(), key=lambda stack: -stack[1])[:5]


def begin(*options):
    trace = Trace("profile", "--folded", *options, wait=False)
    trace.wait_for("Ctrl-C ends it")
    return trace


def test_a_node_that_starts_later_is_in_it_and_keeps_its_names_when_it_ends():
    prefix = unique("profile_new")
    with Node(STOCK, "-sname", prefix + "_1") as first, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        trace = begin("--node", prefix + "_*", "--by", "node", "-F", 997, "-o", path)
        check(trace.pid, *TO_ATTACH, "syslog")
        assert os.path.exists(path), "the file is opened before that"
        second = Node(STOCK, "-sname", prefix + "_2")
        trace.wait_for("has started and is sampled too")
        # The module is loaded when the node is known already.
        second.eval(BURN)
        use_cpu(second)
        catch_up(trace)
        name = second.eval("node()").strip("'")
        second.close()
        first.eval(BURN)
        use_cpu(first)
        assert trace.stop() == "" and trace.child.returncode == 0
        with open(path) as out:
            stacks = folded(out.read())
        both = {name, first.eval("node()").strip("'")}
    assert {f[0] for f in stacks} == {n + "_[g]" for n in both}, tops(stacks)
    assert all(is_named(stacks, n) for n in both), tops(stacks)


def waiting_for(name, *options):
    trace = Trace("profile", "--node", name, *options, wait=False)
    line = trace.wait_for("Waiting for a node")
    assert "named %s. Ctrl-C ends it; --no-wait does not wait." % name in line, line
    return trace


def look_again(trace):
    """Until it has slept and looked a few times."""
    before = int(status_of(trace.pid)["voluntary_ctxt_switches"])
    wait_until("it looks again", lambda: not trace.is_alive() or int(status_of(trace.pid)["voluntary_ctxt_switches"]) >= before + 3)


def test_a_node_that_is_selected_is_waited_for():
    name = unique("profile_late")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        with waiting_for(name, "--folded", "-F", 997, "-o", path) as trace:
            look_again(trace)
            assert trace.is_alive(), "it waits as long as it takes"
            with Node(STOCK, "-sname", name) as node:
                trace.wait_for("Sampling")
                node.eval(BURN)
                use_cpu(node)
                assert not trace.stop()
            with open(path) as written:
                assert "shares:burn/2" in written.read()
        with waiting_for(name, "--top", "-j", "-i", "300ms") as trace, Node(STOCK, "-sname", name) as node:
            node.eval(BURN)
            while "shares:burn/2" not in trace.line():
                pass
            trace.stop()
        with waiting_for(name, "-o", os.path.join(folder, "nothing")) as trace:
            assert trace.stop(code=3) == "" and "no node named %s has started" % name in trace.stderr[-1], trace.stderr
    for options in ((), ("--top",)):
        out, err = erlbpf("profile", "--node", name, "--no-wait", *options, 1, code=3)
        assert not out and "no node named %s is found" % name in err and "Waiting" not in err, err


def profile_command(what, *options):
    """The stacks of a command whose node does this (shares:command/2), what was said, and for how long it ran at most, in ns."""
    with tempfile.TemporaryDirectory() as folder:
        def wait_for(file):
            wait_until("the node is " + file, lambda: os.path.exists(os.path.join(folder, file)))

        def tell(file):
            with open(os.path.join(folder, file), "w"):
                pass

        code = "erl -noshell -pa %s -eval 'shares:command(\"%s\", %s)'" % (os.path.join(BUILD, "erl"), folder, what)
        start = time.monotonic()
        with Trace("profile", "--folded", *options, "-c", code, wait=False) as trace:
            wait_for("ready")
            trace.wait_for("has started and is")
            tell("go")
            wait_for("done")
            catch_up(trace)
            tell("stop")
            stacks = folded(trace.stop(sig=None))
        return stacks, "\n".join(trace.stderr), 1e9 * (time.monotonic() - start)


def test_the_nodes_of_a_command_are_profiled_until_it_ends():
    with Node(STOCK) as other:
        other.eval(BURN)
        stacks, err, _ = profile_command("shares", "-F", 997, "--by", "node")
    assert "waiting for the command's node" in err and len({f[0] for f in stacks}) == 1, (err, tops(stacks))
    assert is_named(stacks), tops(stacks)
    # Off CPU, names are those of a node that has ended, too.
    stacks, _, limit = profile_command("waits", "--off-cpu", "--exact")
    waits = {f: w for f, w in stacks.items() if "shares:wait/1" in f}
    assert any(f[0] == "shares:waits/1" and f[-1] == "waiting for a message_[s]" for f in waits), stacks
    # 20 times 10 ms at least, without what erlbpf takes off for its own cost.
    assert 20 * 10e6 / 2 < sum(waits.values()) < limit, (waits, limit)


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
        node.eval("shares:turns()")
        node.eval("register(waiter, spawn(shares, waits, [10]))")
        node.eval(BURN)
        for mode, found, meanwhile in (([], "shares:burn/2", use_cpu), (["--off-cpu"], "shares:wait/1", lambda node: wait_turns(node, 3)),
                                       (["--send"], "", lambda node: node.eval("burner ! hello"))):
            trace = begin(*mode, "-p", node.pid)
            check(trace.pid, "syslog")
            meanwhile(node)
            out = trace.stop()
            assert found in out and out, (mode, out)
        # It ends with the node, whose names are known.
        trace = begin("-p", node.pid, "-F", 997)
        use_cpu(node)
        catch_up(trace)
        node.close()
        wait_until("it ends by itself", lambda: trace.child.poll() is not None)
        assert is_named(folded(trace.stop(None)))


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
