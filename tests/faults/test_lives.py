"""Nodes that restart, fork, execute themselves, die at any moment, hide in namespaces or reuse a pid; files that are replaced,
deleted or overwritten: counts are exact, nothing grows, nothing is left."""
import errno
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

from inject import IS_WHOLE, LIVE, PROBE, Faulty, counted
from lib import BUILD, ERLBPF, LIMIT, STOCK, Fake, Node, Process, Skip, Trace, children_of, of_type, over, probe_total, wait_until
from process_text import ProcessText

WAYS = ["multi", "inode", "perf"]
RESTARTS = 100 if IS_WHOLE else 5
CHILDREN = 100000 if IS_WHOLE else 3000
DEATHS = 300 if IS_WHOLE else 8


class Named(Fake):
    """The fake BEAM with the name of a node: without -p, only nodes of this name are traced."""

    def __init__(self, name, program="fake-beam"):
        super().__init__(program, name + "@here")  # or it might get another name yet, which is waited for
        # Or it is waited for.
        assert self.do("table") == "ok"


def fire(fake, times, probe=PROBE):
    assert fake.do("fire %s %d" % (probe, times)) == "ok"


def objects(pid):
    """What of BPF a process holds: {("prog", id), ...}."""
    found = set()
    for name in os.listdir("/proc/%d/fdinfo" % pid):
        try:
            with open("/proc/%d/fdinfo/%s" % (pid, name)) as info:
                found.update(re.findall(r"^(prog|map|link)_id:\s+(\d+)$", info.read(), re.M))
        except FileNotFoundError:
            pass
    return found


def holds(pid):
    """How many descriptors and objects of BPF. Files that it reads just now come and go."""
    time.sleep(0.005)
    return len(os.listdir("/proc/%d/fd" % pid)) + len(objects(pid))


def kept(wanted):
    """Those that still exist, whoever has them."""
    return {(kind, number) for kind in ("prog", "map", "link") for number in map(str, numbers_of(kind))} & wanted


def numbers_of(kind):
    listed = subprocess.run(["bpftool", "-j", kind, "list"], capture_output=True, check=True).stdout
    return [row["id"] for row in json.loads(listed)]


def both(text, other):
    return lambda: text.is_clean() and other.is_clean()


def test_a_node_that_restarts_is_traced_each_time_and_nothing_grows():
    name = "restarts_%d" % os.getpid()
    with Named(name) as first:
        trace = Trace("count", PROBE, "-j", "-i", "3600", "--node", name)
        fire(first, 3)
        for i in range(RESTARTS):
            with Named(name) as fake:
                trace.wait_for("(process %d) has started" % fake.pid)
                fire(fake, 7)
                fake.kill()
                trace.wait_for("(process %d) has ended" % fake.pid)
            if i == 0:
                held = min(holds(trace.pid) for _ in range(100))
        wait_until("it holds no more than after the first restart", lambda: holds(trace.pid) <= held)
        assert probe_total(trace.stop_json(), PROBE) == 7 * RESTARTS + 3


def test_a_tracer_that_restarts_leaves_no_object_of_bpf():
    held = set()
    with Fake() as fake:
        text = ProcessText(fake.pid)
        for _ in range(RESTARTS):
            trace = Trace("count", "process-*", "-p", fake.pid)
            held |= objects(trace.pid)
            trace.stop()
        assert text.is_clean()
    assert {kind for kind, _ in held} >= {"prog", "map"}, held
    # The kernel frees them when no CPU uses them any more.
    wait_until("they are freed", lambda: not kept(held))


def test_a_process_that_executes_itself_again_and_again_is_counted_exactly():
    with Fake() as fake:
        trace = Trace("count", PROBE, "-j", "-p", fake.pid)
        for _ in range(RESTARTS):
            fire(fake, 5)
            fake.say("exec")
            assert fake.line() == "ok" and fake.line().startswith("ready")
        fire(fake, 5)
        assert probe_total(trace.stop_json(), PROBE) == 5 * RESTARTS + 5
        assert ProcessText(fake.pid).is_clean()


@over(WAYS)
def test_a_child_of_a_traced_process_is_cleaned_too(way):
    with Fake() as fake:
        trace = Trace("count", PROBE, "-j", "-p", fake.pid, env={"ERLBPF_ATTACH": way})
        child = ProcessText(int(fake.do("keep")))
        fire(fake, 5)
        # Another process: its hits are not the target's.
        assert fake.do("child %s 9" % PROBE) == "ok"
        assert probe_total(trace.stop_json(), PROBE) == 5
        wait_until("both are clean", both(ProcessText(fake.pid), child))


@over(WAYS)
def test_children_that_come_and_go_while_probes_are_attached(way):
    with Fake() as fake:
        text = ProcessText(fake.pid)
        fake.say("children %d" % (CHILDREN // (20 if way == "perf" else 1)))
        rounds = 0
        while not rounds or not is_answered(fake):
            Trace("count", "process-*", "-p", fake.pid, env={"ERLBPF_ATTACH": way}).stop()
            rounds += 1
        assert fake.line() == "ok" and text.is_clean()
        print("        attached %d times" % rounds)
        trace = Trace("count", PROBE, "-j", "-p", fake.pid, env={"ERLBPF_ATTACH": way})
        fire(fake, 11)
        assert probe_total(trace.stop_json(), PROBE) == 11
        assert text.is_clean()


def is_answered(process):
    return bool(select.select([process.child.stdout], [], [], 0)[0])


def test_processes_that_are_spawned_while_probes_are_attached():
    with Node(STOCK, "+P", "1000000") as node:
        text = ProcessText(node.pid)
        node.say("[spawn(fun() -> receive after infinity -> ok end end) || _ <- lists:seq(1, %d)], ok." % CHILDREN)
        rounds = 0
        while not rounds or not is_answered(node):
            Trace("spawn-exit", "-p", node.pid, "-o", "/dev/null").stop()
            Trace("top", "-p", node.pid, "-j", "-o", "/dev/null").stop()
            rounds += 1
        assert node.line() == "= ok"
        print("        attached %d times" % rounds)
        trace = Trace("count", PROBE, "-j", "-p", node.pid)
        node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 1000)], ok")
        assert probe_total(trace.stop_json(), PROBE) >= 1000
        wait_until("the node is clean", text.is_clean)
        assert int(node.eval("erlang:system_info(process_count)")) > CHILDREN


def test_three_tracers_of_one_node_count_each_for_itself():
    with Fake("fake-beam-nop5") as fake:
        text = ProcessText(fake.pid)
        one = Trace("count", "process-*", "-j", "-p", fake.pid)
        two = Trace("count", "*", "-j", "-p", fake.pid)
        fire(fake, 10)
        three = Process([ERLBPF, "-q", "-p", str(fake.pid), "-n", "erlang*:::%s { @ = count(); } %s" % (PROBE, LIVE)],
                        stderr=subprocess.PIPE)
        assert three.line() == "live"
        fire(fake, 20)
        two.kill()
        fire(fake, 40)
        assert probe_total(one.stop_json(), PROBE) == 70
        fire(fake, 80)
        three.child.send_signal(signal.SIGINT)
        out, _ = three.child.communicate(timeout=LIMIT)
        assert int(out.split()[-1]) == 140, out
        wait_until("the node is clean", text.is_clean)


# Deaths of the target.

CALLS = ["bpf", "openat", "read", "pread64", "process_vm_readv", "pidfd_open", "epoll_ctl", "sendmsg", "recvmsg"]


@over(["count", "gc", "D"])
def test_a_target_that_dies_at_any_moment_ends_the_trace_and_nothing_else(tool):
    argv = ["-q", "-n", "erlang*:::%s { @ = count(); } %s" % (PROBE, LIVE)] if tool == "D" else [tool]
    live = "live" if tool == "D" else "Tracing"
    with Fake() as fake:
        counts = counted(CALLS, argv + ["-p", fake.pid], live, lambda: None)
    times = sum(counts.values())
    moments = range(1, times + 1, max(1, times // DEATHS))
    for n in moments:
        with Fake() as fake, Faulty(CALLS, ["-n", n, "-k", fake.pid], argv + ["-p", fake.pid], live) as run:
            # Or it has made fewer calls this time.
            wait_until("its target dies", lambda: not fake.is_alive() or not run.is_alive() or run.wait_live(0.1))
            fake.kill()
            run.wait_live()
            code = run.finish(signal.SIGINT)
            # The signal may come before it is waited for.
            assert not run.is_hung and code in (0, 1, 3, -signal.SIGINT), (n, code, run.err)
            assert code == 0 or run.err.strip(), (n, code)
            run.report()
    print("        %d deaths, at every %d. of %d calls" % (len(moments), moments.step, times))


def use_pid(pid):
    """The next process gets this pid, if nobody else is quicker."""
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write(str(pid - 1))


def successor(pid, name):
    """Another fake BEAM with the pid of one that has ended."""
    for _ in range(200):
        use_pid(pid)
        fake = Named(name)
        if fake.pid == pid:
            return fake
        fake.kill()
        fake.close()
    raise Skip("pid %d is not to be had again" % pid)


def test_a_pid_that_is_used_again_is_another_node():
    name = "reused_%d" % os.getpid()
    with Named(name) as other:
        trace = Trace("count", PROBE, "-j", "-i", "3600", "--node", name)
        first = Named(name)
        trace.wait_for("(process %d) has started" % first.pid)
        fire(first, 3)
        named = Trace("count", PROBE, "-j", "-p", first.pid)
        fire(first, 5)
        first.kill()
        with successor(first.pid, name) as second:
            trace.wait_for("(process %d) has started" % second.pid)
            fire(second, 7)
            assert probe_total(named.stop_json(sig=None), PROBE) == 5
            lines = trace.stop_json()
            assert probe_total(lines, PROBE) == 15
            assert [target["os_pid"] for target in lines[-1]["targets"]].count(first.pid) == 2, lines[-1]
            assert ProcessText(second.pid).is_clean() and ProcessText(other.pid).is_clean()


# Their files.

@over(WAYS)
def test_a_file_that_is_replaced_deleted_or_overwritten(way):
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(os.path.join(BUILD, "fake-beam"), os.path.join(folder, "beam"))
        name = "files_%d" % os.getpid()
        with Named(name) as other, Named(name, path) as fake:
            text = ProcessText(fake.pid)
            trace = Trace("count", PROBE, "-j", "-i", "3600", "--node", name, env={"ERLBPF_ATTACH": way})
            try:
                open(path, "r+b").close()
                raise AssertionError("the file of a running process was opened for writing")
            except OSError as error:
                assert error.errno == errno.ETXTBSY
            # Replaced, then deleted.
            shutil.copy(os.path.join(BUILD, "fake-beam-nop5"), path + ".new")
            os.link(path, path + ".kept")
            os.rename(path + ".new", path)
            fire(fake, 3)
            with Named(name, path) as replaced:
                trace.wait_for("(process %d) has started" % replaced.pid)
                fire(replaced, 4)
                os.unlink(path)
                fire(replaced, 5)
            fake.kill()
            trace.wait_for("(process %d) has ended" % fake.pid)
            # Overwritten, when nobody runs it and the tracer still does: no old breakpoint may come into it.
            with open(os.path.join(BUILD, "fake-beam-nop5"), "rb") as new, open(path + ".kept", "r+b") as file:
                file.truncate(0)
                file.write(new.read())
            with Named(name, path + ".kept") as overwritten:
                trace.wait_for("(process %d) has started" % overwritten.pid)
                fire(overwritten, 6)
            fire(other, 1)
            assert probe_total(trace.stop_json(), PROBE) == 19
            assert ProcessText(other.pid).is_clean()


def test_counts_are_exact_from_outside_of_its_namespaces():
    if subprocess.run(["unshare", "-pmf", "true"]).returncode:
        raise Skip("unshare(1) may not make namespaces here")
    script = "mount -t tmpfs none %s && cp %s %s/beam && exec %s/beam"
    with tempfile.TemporaryDirectory() as folder:
        script = script % (folder, os.path.join(BUILD, "fake-beam"), folder, folder)
        with Process(["unshare", "-pmf", "--kill-child", "--mount-proc", "sh", "-c", script]) as outer:
            assert outer.line() == "ready 1"
            pid, = children_of(outer.pid)
            trace = Trace("trace", PROBE, "-j", "-p", pid)
            outer.say("fire %s 12" % PROBE)
            assert outer.line() == "ok"
            lines = trace.stop_json()
            assert [event["os_pid"] for event in of_type(lines, "event")] == [pid] * 12, lines[-1]
            assert ProcessText(pid).is_clean()
