"""Nodes are selected by what they are and where they run, for every command; all that is asked for must hold."""
import contextlib
import json
import os
import subprocess
import tempfile
import time

from lib import LIMIT, STOCK, Node, Skip, Trace, erlbpf, over, shared, unique, wait_until
from pods import CART_0, CART_1, CART_9, Agent, Kubelet, Pod, cgroup2, is_removed
from test_life import copy_of_vm

# A user that no other test has.
USER = 10000000 + os.getpid()
# A file and a process are called so; of the latter, 15 bytes are kept.
NAME = "vm-%d" % os.getpid()
SLEEP = ["-eval", "io:put_chars(\"ready\\n\"), timer:sleep(infinity)."]


@contextlib.contextmanager
def group():
    """A control group of our own, for the time being."""
    path = os.path.join(cgroup2(), unique("erlbpf-group"))
    try:
        os.mkdir(path)
    except OSError as error:
        raise Skip("no control group can be made: %s" % error)
    try:
        yield path
    finally:
        wait_until("%s is empty" % path, lambda: is_left(path) and is_removed(path))


def is_left(path):
    """The first node of a machine starts epmd, which stays."""
    with open(os.path.join(path, "cgroup.procs")) as procs:
        pids = procs.read().split()
    for pid in pids:
        with open("/proc/%s/comm" % pid) as comm:
            if comm.read() == "epmd\n":
                with open(os.path.join(cgroup2(), "cgroup.procs"), "w") as outside:
                    outside.write(pid)
    return True


def in_group(path):
    return ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', path]


@contextlib.contextmanager
def vm_in(folder, name, user=None):
    """A node that runs a copy of the VM, maybe as another user."""
    os.chmod(folder, 0o755)
    _, argv = copy_of_vm(folder, name)
    root = argv[argv.index("-root") + 1]
    env = dict(os.environ, BINDIR=argv[argv.index("-bindir") + 1], ROOTDIR=root, EMU="beam", PROGNAME="erl", HOME=folder)
    prefix = ["setpriv", "--reuid", str(user), "--clear-groups"] if user else []
    # The user may not read where our modules are.
    child = subprocess.Popen(prefix + argv[:argv.index("-pa")] + SLEEP, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    try:
        assert child.stdout.readline() == b"ready\n"
        yield child.pid
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def pids_of_tool(*args):
    lines = Trace("count", "process-exit", "-j", *args).stop_json()
    return {target["os_pid"] for target in lines[-1]["targets"]}


def pids_of_list(*args):
    return {row["os_pid"] for line in erlbpf("list", "process-spawn", "-j", *args)[0].splitlines()
            for row in json.loads(line)["rows"]}


def pids_of_doctor(*args):
    return {target["os_pid"] for target in json.loads(erlbpf("doctor", "-j", *args)[0])["targets"]}


def pids_of_d(*args):
    out, _ = erlbpf(*args, "-ln", "erlang*:::process-spawn")
    return {int(line.split()[1][len("erlang"):]) for line in out.splitlines() if " erlang" in line}


def pids_of_agent(*args):
    with Agent("--tools", "spawn-exit", *args) as agent:
        wait_until("a node is found", agent.targets)
        found = {target["os_pid"] for target in agent.targets()}
        agent.stop()
    return found


COMMANDS = {"tool": pids_of_tool, "list": pids_of_list, "doctor": pids_of_doctor, "D": pids_of_d, "export": pids_of_agent}


@over(COMMANDS)
def test_a_node_is_selected_by_its_control_group(command):
    with group() as path, Node(STOCK, prefix=in_group(path)) as node, shared(STOCK):
        name = os.path.basename(path)
        for wanted in (path, path + "/", "/" + name, name, name[:-1] + "?"):
            assert COMMANDS[command]("--cgroup", wanted) == {node.pid}, wanted


@over(COMMANDS)
def test_a_node_is_selected_by_executable_and_name_of_the_process(command):
    with tempfile.TemporaryDirectory() as folder, vm_in(folder, NAME) as pid, shared(STOCK):
        for wanted in (("--exe", os.path.join(folder, NAME)), ("--exe", folder + "/*"), ("--exe", NAME),
                       ("--comm", NAME), ("--comm", NAME[:-1] + "*")):
            assert COMMANDS[command](*wanted) == {pid}, wanted
        os.unlink(os.path.join(folder, NAME))
        assert COMMANDS[command]("--exe", os.path.join(folder, NAME)) == {pid}


@over(COMMANDS)
def test_a_node_is_selected_by_its_user(command):
    with tempfile.TemporaryDirectory() as folder, vm_in(folder, NAME, user=USER) as pid, shared(STOCK):
        assert COMMANDS[command]("--user", USER) == {pid}


@over(COMMANDS)
def test_a_node_is_selected_by_its_pod_and_container(command):
    with Kubelet() as kubelet, Pod(kubelet, "shop", CART_0) as first, Pod(kubelet, "shop", CART_1) as second, shared(STOCK):
        def selected(*args):
            return COMMANDS[command]("--pod-logs", kubelet.logs, *args)
        assert selected("--pod", CART_0) == selected("--pod", "shop/" + CART_0) == {first.beam()}
        assert selected("--pod", CART_0[:-1] + "?") == {first.beam(), second.beam()}
        assert selected("--container", second.container_id[:12]) == {second.beam()}
        assert selected("--container", "erlang") == {first.beam(), second.beam()}
        assert selected("--container", "erlang", "--pod", CART_1) == {second.beam()}


def test_all_that_is_asked_for_must_hold():
    one = unique("select_one")
    with group() as path, Node(STOCK, "-sname", one, prefix=in_group(path)) as node, \
            Node(STOCK, "-sname", unique("select_two"), prefix=in_group(path)) as other:
        assert pids_of_tool("--cgroup", path) == {node.pid, other.pid}
        assert pids_of_tool("--cgroup", path, "--node", one, "--comm", "beam.smp", "--exe", "/usr/*", "--user",
                            "root") == {node.pid}
        for wrong in (("--node", unique("select_three")), ("--comm", "beam"), ("--exe", "/opt/*"), ("--user", "1"), ("--pod", "*")):
            _, err = erlbpf("count", "--cgroup", path, *wrong, "--no-wait", code=3)
            assert "runs on this machine" in err and " in the control group %s" % path in err, err


def test_a_node_that_gets_into_the_group_later_is_waited_for():
    with group() as path, Node(STOCK) as node:
        trace = Trace("count", "process-spawn", "--cgroup", path, "-j", wait=False)
        assert trace.wait_for("Waiting for a node in the control group %s. " % path)
        with open(os.path.join(path, "cgroup.procs"), "w") as procs:
            procs.write(str(node.pid))
        trace.wait_for("Tracing")
        assert [target["os_pid"] for target in trace.stop_json()[-1]["targets"]] == [node.pid]
        node.close()


def test_a_pod_that_starts_later_is_waited_for_without_more_rights():
    with Kubelet() as kubelet:
        trace = Trace("count", "process-spawn", "--pod-logs", kubelet.logs, "--pod", CART_9, "-j", wait=False)
        trace.wait_for("Waiting for a node in the pod %s. " % CART_9)
        with Pod(kubelet, "shop", CART_9) as pod:
            trace.wait_for("Tracing")
            assert [target["os_pid"] for target in trace.stop_json()[-1]["targets"]] == [pod.beam()]


def test_the_agent_waits_for_the_name_of_a_release_that_starts():
    name = unique("selected_late")
    with group() as path, Agent("--tools", "births", "--cgroup", path) as agent:
        begin = time.monotonic()
        with Node(STOCK, prefix=in_group(path), env={"RELEASE_NODE": name}) as node, Node(STOCK, prefix=in_group(path)) as other:
            wait_until("another one is traced", lambda: other.pid in [target["os_pid"] for target in agent.targets()])
            early = [target["os_pid"] for target in agent.targets()]
            # It is waited for five seconds, which a busy machine may have taken.
            assert early == [other.pid] or time.monotonic() - begin > 5, early
            node.eval("{ok, _} = net_kernel:start(['%s', shortnames]), ok" % name)
            wait_until("it is traced by its name", lambda: name in [target["node"].split("@")[0] for target in agent.targets()])
        agent.stop()


def test_a_d_program_waits_for_the_nodes_that_are_selected():
    program = "erlang*:::process-spawn { printf(\"spawned\\n\"); exit(0); }"
    with group() as path, shared(STOCK):
        erlbpf("--cgroup", path, "--no-wait", "-n", program, code=1)
        trace = Trace("--cgroup", path, "-n", program, wait=False)
        trace.wait_for("waiting for a node in the control group %s" % path)
        with Node(STOCK, prefix=in_group(path)) as node:
            end = time.monotonic() + LIMIT
            while trace.is_alive() and time.monotonic() < end:
                node.eval("spawn(fun() -> ok end)")
            assert "spawned" in trace.stop(sig=None)


def test_what_selects_nodes_goes_not_with_processes():
    for args in (["gc", "-p", "1", "--pod", "x"], ["doctor", "-p", "1", "--user", "root"],
                 ["-p", "1", "--cgroup", "x", "-n", "BEGIN"]):
        assert "-p cannot be combined with --node and other options" in erlbpf(*args, code=2)[1]
    assert 'no such user on this machine' in erlbpf("gc", "--user", "no such user", code=2)[1]
    assert "no node in the pod nowhere is found" in erlbpf("list", "--pod", "nowhere", code=3)[1]
    assert "no node in the pod nowhere is found" in erlbpf("doctor", "--pod", "nowhere", code=3)[0]
