"""What commands give up when their probes are in place, and what they take."""
import fcntl
import os
import signal
import subprocess
import tempfile

from lib import ERLBPF, STOCK, USDT, Fake, Node, Trace, children_of, name_of, of_type, over, shared, status_of, unique, wait_until

NUMBERS = {"dac_read_search": 2, "kill": 5, "sys_ptrace": 19, "sys_admin": 21, "syslog": 34, "perfmon": 38, "bpf": 39,
           "checkpoint_restore": 40}
NEEDED = ["bpf", "perfmon", "sys_ptrace"]
TO_ATTACH = NEEDED + ["dac_read_search"]
SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
COLLECT = "[erlang:garbage_collect(whereis(code_server)) || _ <- lists:seq(1, 100)], ok"


def bits(capabilities):
    return sum(1 << NUMBERS[c] for c in capabilities)


def check(pid, *kept):
    """Of root, who may empty the bounding set, too."""
    now = status_of(pid)
    held = {which: int(now[which], 16) for which in SETS}
    assert held["CapEff"] == held["CapPrm"] and held["CapEff"] & ~bits(kept) == 0, (held, kept)
    assert held["CapInh"] == held["CapAmb"] == 0, held
    assert held["CapBnd"] == 0 or int(now["Uid"].split()[1]), held
    assert now["NoNewPrivs"] == "1" and now["Seccomp"] == "2" and "0" not in now["Uid"].split(), now


def as_nobody(capabilities):
    some = "".join(",+" + c for c in capabilities)
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all" + some,
            "--inh-caps=-all" + some, "--ambient-caps=-all" + some, "--"]


def test_with_p_a_command_holds_no_capability_and_names_are_known():
    for vm in (STOCK, USDT):
        with shared(vm) as node:
            trace = Trace("gc", "-p", node.pid, "--by", "name", "-j")
            check(trace.pid)
            node.eval(COLLECT)
            lines = trace.stop_json()
        hists = {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}
        assert hists.get("code_server", 0) >= 100, hists


def test_the_memory_of_processes_is_read_without_any_capability():
    with shared(STOCK) as node:
        trace = Trace("top", "-p", node.pid, "-j", "--count", "2", "-i", "200ms")
        check(trace.pid)
        lines = trace.stop_json(sig=None)
    names = {row["name"] for table in of_type(lines, "table") for row in table["rows"]}
    assert "code_server" in names, names


def test_who_follows_nodes_keeps_what_it_takes_to_attach():
    name = unique("follow_caps")
    with Node(STOCK, "-sname", name) as node:
        trace = Trace("count", "process-spawn", "--node", name + "*", "-j")
        check(trace.pid, *TO_ATTACH)
        assert int(status_of(trace.pid)["CapEff"], 16) & bits(NEEDED) == bits(NEEDED)
        with Node(STOCK, "-sname", name + "_later") as later:
            trace.wait_for("%d) has started" % later.pid)
        node.eval("spawn(fun() -> ok end), ok")
        trace.stop_json()


def command_of(trace, name):
    """The process of -c, which holds still before it is let go."""
    def named():
        return [pid for pid in children_of(trace.pid) if name_of(pid) == name]

    wait_until("%s runs" % name, named)
    return named()[0]


def test_the_command_of_another_user_is_ended_by_a_process_that_may_signal_and_nothing_else():
    for stubborn in (False, True):
        command = "setpriv --reuid=65534 --clear-groups env %s sleep 1000" % ("--ignore-signal=TERM" if stubborn else "")
        trace = Trace("count", "process-spawn", "-c", command, wait=False)
        sleep = command_of(trace, "sleep")
        check(trace.pid, *TO_ATTACH)
        check(command_of(trace, "bpf-signal"), "kill")
        trace.stop(code=3)
        assert not os.path.exists("/proc/%d" % sleep)


def test_who_lost_what_ends_the_command_says_that_it_goes_on():
    trace = Trace("count", "process-spawn", "-c", "sleep 1000", wait=False)
    sleep = command_of(trace, "sleep")
    os.kill(command_of(trace, "bpf-signal"), signal.SIGKILL)
    os.kill(trace.pid, signal.SIGINT)
    trace.wait_for("process %d goes on" % sleep)
    os.kill(sleep, signal.SIGKILL)
    trace.stop(sig=None, code=3)


def test_keep_caps_keeps_all():
    mine = status_of(os.getpid())["CapEff"]
    with Fake() as fake:
        trace = Trace("count", "process-spawn", "-p", fake.pid, "--keep-caps")
        assert status_of(trace.pid)["CapEff"] == mine and status_of(trace.pid)["Seccomp"] == status_of(os.getpid())["Seccomp"]
        trace.stop()


def session(program, *args):
    """A D program that says when it is there: BEGIN runs before the privileges are given up."""
    return Trace("-n", "tick-100ms { printf(\"there\\n\"); } " + program, *args, wait=False)


def d_status(node, program, kept, *args):
    trace = session(program, "-p", node.pid, *args)
    assert trace.line() != ""
    while "there" not in trace.line():
        pass
    try:
        if kept is None:
            assert status_of(trace.pid)["CapEff"] == status_of(os.getpid())["CapEff"]
        else:
            check(trace.pid, *kept)
    finally:
        trace.kill()
        trace.close()


def test_a_program_in_d_keeps_what_it_prints_and_does_with():
    looking = ["sys_ptrace", "dac_read_search", "syslog", "checkpoint_restore"]
    with shared(STOCK) as node:
        d_status(node, "erlang$target:::process-spawn { @[probename] = count(); }", [])
        d_status(node, "erlang$target:::process-spawn { @[ustack()] = count(); }", looking)
        d_status(node, "tick-1h { system(\"true\"); }", None, "-w")
        d_status(node, "tick-1h { trace(1); }", None, "-x", "keepcaps")


def test_three_capabilities_are_all_that_it_takes_for_another_users_node():
    with shared(STOCK) as node:
        trace = subprocess.Popen(as_nobody(NEEDED) + [ERLBPF, "gc", "-p", str(node.pid), "--by", "name", "-j"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = trace.stderr.readline()
            while line and "Tracing" not in line:
                line = trace.stderr.readline()
            assert "Tracing" in line, line
            check(trace.pid)
            assert status_of(trace.pid)["Uid"].split()[1] == "65534"
            node.eval(COLLECT)
            trace.send_signal(2)
            out, err = trace.communicate(timeout=60)
            assert trace.returncode == 0 and "\"code_server\"" in out, (out[-500:], err)
        finally:
            trace.kill()
            trace.wait()


def test_a_capability_that_is_missing_is_named_and_nothing_is_traced():
    for command in (["gc", "-d", "1s"], ["doctor", "--heal"], ["-n", "erlang*:::process-spawn { trace(1); }"]):
        for missing in NEEDED:
            with Fake() as fake:
                done = subprocess.run(as_nobody([c for c in NEEDED if c != missing]) +
                                      [ERLBPF] + command + ["-p", str(fake.pid)],
                                      capture_output=True, text=True, timeout=60)
            assert done.returncode in (1, 3, 4), (command, missing, done)
            assert missing.upper() in done.stderr + done.stdout, (command, missing, done)


READING = ["sys_ptrace", "dac_read_search", "checkpoint_restore"]
# What a process of a trace with -p may hold, by its name.
MAY_HOLD = {"erlbpf": ["syslog"], "erlbpf-reader": READING, "erlbpf-dist": [], "bpf-guardian": ["bpf", "perfmon"]}


def family_of(pid):
    """A process and all that it has forked, with the fields of their status."""
    family = [pid]
    for parent in family:
        family += children_of(parent)
    return {one: status_of(one) for one in family}


def of_root(pid):
    """Those whose user or group is still root, or that have another group."""
    return {(one, now["Name"]) for one, now in family_of(pid).items()
            if "0" in (now["Uid"] + "\t" + now["Gid"]).split() or now["Groups"].strip()}


def check_family(pid, follows):
    for one, now in family_of(pid).items():
        may = TO_ATTACH if follows and one == pid else MAY_HOLD[now["Name"]]
        assert not int(now["CapPrm"], 16) & ~bits(may), (now["Name"], now["CapPrm"])
        assert now["NoNewPrivs"] == "1" and now["Seccomp"] == "2", now


def test_no_process_stays_root_when_the_probes_are_in_place():
    name = unique("leave_root")
    with Node(STOCK, "-sname", name) as node:
        for word, *args in (("Tracing", "gc", "-p", node.pid), ("Tracing", "count", "process-spawn", "--node", name + "@*"),
                            ("Tracing", "top", "-p", node.pid, "-j", "-i", "200ms"),
                            ("Tracing", "calls", "lists:reverse/2", "-p", node.pid),
                            ("Tracing", "calls", "lists:seq/2", "--via", "vm", "-p", node.pid), ("Sampling", "profile", "-p", node.pid),
                            ("Tracing", "profile", "--off-cpu", "-p", node.pid)):
            trace = Trace(*args, wait=False)
            trace.wait_for(word)
            assert not of_root(trace.pid), args
            check_family(trace.pid, "--node" in args)
            trace.stop()


class FullPipe:
    """A pipe that takes no more until its other end is closed."""

    def __init__(self):
        self.read, self.write = os.pipe()
        fcntl.fcntl(self.write, fcntl.F_SETPIPE_SZ, 4096)
        os.write(self.write, bytes(4096))


@over(["doctor", "list", "why -d 60s"])
def test_what_only_looks_at_a_node_is_not_root(command):
    """Looked at while nobody reads what it prints, so before it can end."""
    full = FullPipe()
    with shared(STOCK) as node:
        with subprocess.Popen([ERLBPF, *command.split(), "-p", str(node.pid)], stdout=full.write, stderr=subprocess.DEVNULL) as child:
            wait_until("%s is not root" % command, lambda: child.poll() is None and not of_root(child.pid))
            held = int(status_of(child.pid)["CapEff"], 16)
            child.kill()
    os.close(full.read)
    os.close(full.write)
    assert held & ~bits(TO_ATTACH) == 0, hex(held)


def test_no_process_of_the_agent_stays_root():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "door")
        agent = Trace("export", "--listen", "127.0.0.1:0", "--tools", "gc", "--profile-hz", "97", "--d-socket", path, wait=False)
        agent.wait_for("Serving")
        wait_until("nobody is root", lambda: len(children_of(agent.pid)) >= 3 and not of_root(agent.pid))
        assert os.path.exists(path)
        agent.child.terminate()
        agent.child.wait()
        wait_until("the socket is gone", lambda: not os.path.exists(path))
        agent.close()
