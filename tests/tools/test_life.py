"""Targets come and go, hide and are renamed; erlbpf comes and goes."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from lib import ERLBPF, LIMIT, ROOT, STOCK, USDT, VMS, Fake, Node, Skip, Trace, erlbpf, of_type, over, own_fake, probe_total, state_of, unique, wait_until
from pods import Agent
import json

SPAWN = "[spawn(fun() -> ok end) || _ <- lists:seq(1, %d)], ok"


@over(VMS)
def test_doctor_tells_what_a_vm_is(vm):
    with Node(vm, "-sname", unique("patient")) as node:
        out, _ = erlbpf("doctor", "-p", node.pid, "-j")
        target = json.loads(out)["targets"][0]
        assert target["os_pid"] == node.pid and target["notes"] == vm.notes
        assert target["otp"] == str(vm.otp) and target["erts"] == node.eval(
            "list_to_atom(erlang:system_info(version))").strip("'")
        assert target["flavor"] == ("jit" if vm.has_jit else "emu")
        assert "'%s'" % target["node"] == node.eval("node()") or target["node"] == node.eval("node()")
        assert "sched-latency" in target["works"]
        assert target["to_do"] is None, target


def test_a_node_is_named_as_it_names_itself_even_when_it_does_so_late():
    late = unique("late")
    with Node(STOCK) as node:
        name = lambda: json.loads(erlbpf("doctor", "-p", node.pid, "-j")[0])["targets"][0]["node"]
        assert name() is None
        node.eval("{ok, _} = net_kernel:start([%s, shortnames]), ok" % late)
        assert name().startswith(late + "@"), name()


@over(VMS)
def test_who_only_talks_to_a_node_is_not_taken_for_it(vm):
    """As rabbitmqctl and the remote console of a release do."""
    broker = unique("broker")
    env = {name: broker + "@here" for name in ("RABBITMQ_NODENAME", "RELEASE_NODE", "NODE_NAME")}
    with Node(vm, words=("-extra", "-sname", broker), env=env) as node:
        name = lambda: json.loads(erlbpf("doctor", "-p", node.pid, "-j")[0])["targets"][0]["node"]
        assert name() is None
        erlbpf("count", "--node", broker, "--no-wait", code=3)
        node.eval("{ok, _} = net_kernel:start(['rabbitmqcli-1-%s', shortnames]), ok" % broker)
        assert name().startswith("rabbitmqcli-1-%s@" % broker), name()


def test_nodes_that_start_later_are_picked_up_and_nodes_that_end_are_let_go():
    family = unique("family")
    with Node(STOCK, "-sname", family + "_first") as first:
        trace = Trace("count", "process-spawn", "-j", "--node", family + "_*")
        with Node(USDT, "-sname", family + "_second") as second:
            trace.wait_for("%d) has started" % second.pid)
            second.eval(SPAWN % 100)
            second.kill()
            trace.wait_for("%d) has ended" % second.pid)
        first.eval(SPAWN % 10)
        lines = trace.stop_json()
    assert probe_total(lines, "process-spawn") >= 110, lines[-1]
    nodes = {t["node"].split("@")[0]: t["source"] for t in lines[-1]["targets"]}
    assert nodes == {family + "_first": "symbol", family + "_second": "usdt"}, nodes


@over(["sched-latency", "gc", "count"])
def test_a_node_that_is_stopped_is_said_to_be_at_the_start_and_at_the_end(tool):
    said = "(process %d) is stopped, so nothing happens in it; send it SIGCONT"
    with Node(STOCK) as node:
        os.kill(node.pid, signal.SIGSTOP)
        wait_until("it is stopped", lambda: state_of(node.pid) == "T")
        trace = Trace(tool, "-p", node.pid)
        trace.stop()
        assert sum(said % node.pid in line for line in trace.stderr) == 2, trace.stderr
        trace = Trace(tool, "-p", node.pid)
        trace.wait_for("is stopped")
        os.kill(node.pid, signal.SIGCONT)
        wait_until("it goes on", lambda: state_of(node.pid) != "T")
        trace.stop()
        assert sum(said % node.pid in line for line in trace.stderr) == 1, trace.stderr
        _, err = erlbpf(tool, "-p", node.pid, "-d", "10ms")
        assert "stopped" not in err, err


def test_the_duration_is_that_of_the_probes_and_not_of_loading_them():
    with Node(STOCK) as node:
        trace = Trace("slices", "-p", node.pid, "-j", wait=False)
        # It is loading as long as the node is as it was: the probes are there after that.
        look = before = time.monotonic()
        while text_is_untouched(node.pid, must_be=False):
            before, look = look, time.monotonic()
        trace.wait_for("Tracing")
        live = time.monotonic()
        node.eval("timer:sleep(100)")
        stopped = time.monotonic()
        duration = trace.stop_json()[-1]["duration_s"]
        end = time.monotonic()
    assert stopped - live <= duration <= end - before, (stopped - live, duration, end - before)


def test_a_command_whose_node_comes_late_is_not_traced_before_it_comes():
    out, _ = erlbpf("count", "process-spawn", "-j", "-c",
                    "sh -c 'sleep 0.3; exec erl -noshell -eval \"timer:sleep(300), halt().\"'")
    duration = json.loads(out.splitlines()[-1])["duration_s"]
    assert 0 < duration, duration
    out, _ = erlbpf("count", "process-spawn", "-j", "-c", "sleep 0.2", code=3)
    assert json.loads(out.splitlines()[-1])["duration_s"] == 0


def test_a_trace_of_named_processes_ends_with_the_last_of_them():
    with Node(STOCK) as one, Node(STOCK) as other:
        trace = Trace("count", "process-spawn", "-j", "-p", "%d,%d" % (one.pid, other.pid))
        one.kill()
        trace.wait_for("%d) has ended" % one.pid)
        other.eval(SPAWN % 50)
        other.kill()
        lines = trace.stop_json(sig=None)
    assert probe_total(lines, "process-spawn") >= 50


def test_only_the_node_of_that_name_is_traced():
    rabbit = unique("rabbit")
    with Node(STOCK, "-sname", rabbit), Node(STOCK, "-sname", rabbit + "_hole"):
        trace = Trace("count", "--node", rabbit, "-j")
        assert [t["node"].split("@")[0] for t in trace.stop_json()[-1]["targets"]] == [rabbit]


def test_a_command_is_started_traced_and_ended_with():
    """It goes on when its probes are there, and not before."""
    with tempfile.TemporaryDirectory() as folder:
        go = os.path.join(folder, "go")
        code = ("(fun F() -> case filelib:is_file(\"%s\") of true -> ok; false -> timer:sleep(10), F() end end)(), "
                "[spawn(fun() -> ok end) || _ <- lists:seq(1, 300)], halt()." % go)
        trace = Trace("count", "process-spawn", "-j", "-c", "erl -noshell -eval '%s'" % code)
        trace.wait_for("has started and is traced")
        open(go, "w").close()
        lines = trace.stop_json(sig=None)
    assert probe_total(lines, "process-spawn") >= 300, lines[-1]


def copy_of_vm(folder, name):
    """A copy of the stock VM's executable under another name, and how to start it."""
    here = os.path.dirname(os.path.realpath("/usr/bin/erl"))
    erts = [d for d in os.listdir(os.path.dirname(here)) if d.startswith("erts-")][0]
    path = os.path.join(folder, name)
    shutil.copy(os.path.join(os.path.dirname(here), erts, "bin", "beam.smp"), path)
    root = os.path.dirname(here)
    return path, [path, "--", "-root", root, "-bindir", os.path.join(root, erts, "bin"), "-progname",
                  "erl", "--", "-home", "/tmp", "--", "-noshell", "-noinput", "-pa",
                  os.path.join(os.path.dirname(ERLBPF), "erl")]


class Raw:
    """A BEAM started without `erl`, by a command of its own."""

    def __init__(self, argv, folder, root="/usr/lib/erlang"):
        erts = [d for d in os.listdir(root) if d.startswith("erts-")][0]
        env = dict(os.environ, BINDIR=os.path.join(root, erts, "bin"), ROOTDIR=root, EMU="beam",
                   PROGNAME="erl")
        self.child = subprocess.Popen(argv + ["-eval", "lists:foreach(fun(_) -> spawn(fun() -> ok end),"
                                              " timer:sleep(5) end, lists:seq(1, 100000))"],
                                      env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)

    def beam(self, name):
        """The pid, seen from here, of the BEAM among the child's descendants."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid) as f:
                    words = f.read().split("\0")
                if os.path.basename(words[0]) == name and os.path.exists("/proc/%s/exe" % pid):
                    return int(pid)
            except OSError:
                pass
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()


def expect_spawns(pid):
    """It spawns all the time."""
    trace = Trace("trace", "process-spawn", "-p", pid, "-j")
    lines = [json.loads(trace.line()) for _ in range(12)]
    trace.stop()
    assert [line["probe"] for line in of_type(lines, "event")][:10] == ["process-spawn"] * 10, lines


def test_a_renamed_vm_whose_file_is_deleted_is_found_and_traced():
    name = unique("not-a-vm")
    with tempfile.TemporaryDirectory() as folder:
        path, argv = copy_of_vm(folder, name)
        with Raw(argv, folder) as vm:
            wait_until("it runs", lambda: vm.beam(name) == vm.child.pid)
            os.unlink(path)
            expect_spawns(vm.child.pid)


def test_a_vm_in_other_mount_and_pid_namespaces_is_found_and_traced():
    if subprocess.run(["unshare", "-pmf", "true"]).returncode:
        raise Skip("unshare(1) may not make namespaces here")
    name = unique("hidden-vm")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
        path, argv = copy_of_vm(folder, name)
        # A tmpfs that only the new mount namespace sees, over the folder that holds the file.
        script = ("cp %s %s/vm && mount -t tmpfs none %s && mv %s/vm %s && exec \"$@\"" % (path, beside, folder, beside, path))
        with Raw(["unshare", "-pmf", "--kill-child", "--mount-proc", "sh", "-c", script, "sh"] + argv,
                 folder) as vm:
            wait_until("it runs", lambda: vm.beam(name))
            pid = vm.beam(name)
            os.unlink(path)
            out, _ = erlbpf("doctor", "-j", "-p", pid)
            assert json.loads(out)["targets"][0]["otp"] == "25"
            expect_spawns(pid)


def test_kill_9_leaves_neither_probe_nor_semaphore():
    for program in ("fake-beam", "fake-beam-nop5"):
        with own_fake(program) as fake:
            for delay in (None, "Tracing", "Tracing"):
                trace = Trace("trace", "-p", fake.pid, "--unsafe", wait=False)
                if delay:
                    trace.wait_for(delay)
                    assert int(fake.do("semaphores")) > 1000
                trace.kill()
                trace.close()
                wait_until("semaphores are 0", lambda: fake.do("semaphores") == "0")
                assert text_is_untouched(fake.pid)
            assert fake.do("fire-all") == "ok"


def text_is_untouched(pid, must_be=True):
    """Is the executable's code in memory what the file holds?"""
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/exe" % pid, "rb") as exe, \
         open("/proc/%d/mem" % pid, "rb") as mem:
        name = os.readlink("/proc/%d/exe" % pid)
        for line in maps:
            fields = line.split()
            if len(fields) < 6 or fields[5] != name or "x" not in fields[1]:
                continue
            start, end = (int(x, 16) for x in fields[0].split("-"))
            exe.seek(int(fields[2], 16))
            mem.seek(start)
            wanted, found = exe.read(end - start), mem.read(end - start)
            different = wanted != found and [i for i in range(len(wanted)) if wanted[i] != found[i]]
            if different and not must_be:
                return False
            assert not different, "%d bytes differ, first at %x" % (len(different), start + different[0])
    return True


@over([STOCK, USDT])
def test_a_node_survives_tracers_that_are_killed_under_load(vm):
    with Node(vm) as node:
        node.eval("Ring = fun(N) -> lists:foldl(fun(_, P) -> spawn(fun F() -> receive X -> P ! X, F() end end) end, self(), lists:seq(1, N)) end, "
                  "Busy = [spawn(fun() -> P = Ring(10), P ! token, (fun G() -> receive X -> P ! X, G() end end)() end) || _ <- lists:seq(1, 4)], ok")
        for _ in range(10):
            trace = Trace("sched-latency", "-p", node.pid)
            trace.kill()
            trace.close()
        # It goes on as before: a token makes its rounds.
        assert node.eval("P = Ring(50), [begin P ! N, receive N -> ok end end || N <- lists:seq(1, 1000)], "
                         "length([B || B <- Busy, is_process_alive(B)])") == "4"
        node.kill()


def test_the_second_signal_ends_at_once():
    with Fake() as fake:
        trace = Trace("count", "-p", fake.pid)
        trace.child.send_signal(signal.SIGINT)
        trace.child.send_signal(signal.SIGINT)
        assert trace.child.wait(LIMIT) in (0, -signal.SIGINT)


COLLECT = "[erlang:garbage_collect() || _ <- lists:seq(1, %d)], ok"


class Again:
    """Two nodes, one after the other, with the same pid."""

    def __init__(self):
        self.name = unique("again")
        self.first = Node(STOCK, "-sname", self.name + "_one")
        self.pid = self.first.pid

    def next(self):
        """The second; the first must have ended."""
        return Node(STOCK, "-sname", self.name + "_two", prefix=[sys.executable, os.path.join(ROOT, "tests", "with_pid.py"),
                                                          str(self.pid)])


def test_a_node_with_the_pid_of_one_that_ended_is_counted_on_its_own():
    again = Again()
    with again.first:
        trace = Trace("gc", "--node", again.name + "_*", "--by", "node", "-j")
        again.first.eval(COLLECT % 4000)
        again.first.kill()
        trace.wait_for("%d) has ended" % again.pid)
    with again.next() as second:
        trace.wait_for("%d) has started" % again.pid)
        assert second.eval("list_to_integer(os:getpid())") == str(again.pid)
        second.eval(COLLECT % 2000)
        lines = trace.stop_json()
    hists = {hist["node"].split("@")[0].replace(again.name + "_", ""): hist for hist in of_type(lines, "hist")}
    assert all(hist["os_pid"] == again.pid for hist in hists.values()), hists
    assert hists["one"]["count"] >= 4000, hists
    # A node that starts collects some hundred times.
    assert 2000 <= hists["two"]["count"] < 4000, hists


def test_the_agent_counts_a_node_with_the_pid_of_one_that_ended_on_its_own():
    again = Again()
    collections = lambda node: sum(
        value for labels, value in agent.series("erlbpf_gc_pause_seconds_count") if labels["node"].startswith(node))
    with Agent("--tools", "gc", "--node", again.name + "_*") as agent:
        with again.first:
            wait_until("the first is traced", lambda: [t for t in agent.targets() if t["alive"]])
            again.first.eval(COLLECT % 400)
            again.first.kill()
        with again.next() as second:
            wait_until("the second is traced", lambda: [t for t in agent.targets() if t["node"].startswith(again.name + "_two")])
            second.eval(COLLECT % 200)
            wait_until("the second is counted", lambda: collections(again.name + "_two") >= 200)
            assert collections(again.name + "_one") >= 400 and collections(again.name + "_two") < 400
        agent.stop()
