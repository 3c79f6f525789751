"""The scripts of the founding talk and those of OTP's runtime_tools, unchanged, each on nodes that do known
things: what is printed is held against the pids, MFAs and numbers that the node knows (tests/erl/d_workload.erl)."""
import itertools
import os
import re
import signal
import subprocess
import tempfile
import time
from collections import Counter

from lib import (EMU, ERLBPF, LIMIT, OLDEST_AND_NEWEST, ROOT, USDT, VMS, Node, Process, Skip, let_finish, over, shared, wait_until,
                 within)

from test_dist import Pair  # noqa: E402

SCRIPTS = os.path.join(ROOT, "tests", "d", "scripts")
WITH_NOTES = [vm for vm in VMS if vm.notes]
PID = r"<\d+\.\d+\.\d+>"
PORT = r"#Port<\d+\.\d+>"
N = 20


class Script(Process):
    """A script that runs: a second program of the command tells when its probes are live."""

    LIVE = 'tick-10ms /!script_is_live/ { script_is_live = 1; printf("\\nlive\\n"); }'

    def __init__(self, name, *options, quiet=True, change=None):
        """`change`: (a pattern, what stands there instead)."""
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-d-")
        self.path = os.path.join(self.folder.name, "out")
        self.errors = open(os.path.join(self.folder.name, "err"), "w+b")
        script = os.path.join(SCRIPTS, name)
        if change:
            with open(script) as file:
                text, count = re.subn(*change, file.read())
            assert count == 1, name
            script = os.path.join(self.folder.name, "changed.d")
            with open(script, "w") as file:
                file.write(text)
        # -Z: some name probes that no VM has, as driver-event, or that this VM lacks.
        argv = [ERLBPF, "-Z"] + (["-q"] if quiet else []) + ["-s", script, "-n", self.LIVE, "-o", self.path]
        super().__init__(argv + [str(option) for option in options], stderr=self.errors,
                         env=dict(os.environ, _DTRACE_TESTING="1"))
        wait_until("%s is live" % name, self.is_live)

    def text(self):
        if not os.path.exists(self.path):
            return ""
        with open(self.path, encoding="latin-1") as file:
            return file.read()

    def is_live(self):
        assert self.is_alive(), self.said()
        return "live\n" in self.text()

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def stop(self, code=0, faults=()):
        """What it printed, all of it, once it has ended; nothing may have been lost, and no clause have failed but
        for those of the probes that are named."""
        if self.is_alive():
            let_finish()
            self.child.send_signal(signal.SIGINT)
        self.child.wait(LIMIT)
        out, err = self.text(), self.said()
        assert self.child.returncode == code, (self.child.returncode, err)
        failed = [line for line in err.splitlines() if "error in" in line or "error on" in line]
        assert " drop" not in err and all(any(name in line for name in faults) for line in failed), err
        self.close()
        return out.replace("\nlive\n", "", 1)

    def close(self):
        super().close()
        self.errors.close()
        self.folder.cleanup()


def run(vm, script, expression, *words, quiet=True, before=None, faults=()):
    """(what the script printed, what the node answered, the pid that asked the node)"""
    with shared(vm, *words) as node:
        if before:
            node.eval(before)
        trace = Script(script, "-p", node.pid, quiet=quiet)
        answer, pid = node.eval(expression), node.eval("self()")
        return trace.stop(faults=faults), answer, pid


def pids(text):
    return re.findall(PID, text)


def lines_with(out, *patterns):
    """The matches of a line's whole."""
    return [match for match in (re.fullmatch("".join(patterns), line) for line in out.splitlines()) if match]


@over(["%s,%s" % (vm, script) for vm in VMS for script in ("spawn-exit.d", "otp/spawn-exit.d")])
def test_spawns_exits_and_signals_are_those_of_the_node(case):
    vm, script = of_case(case)
    with shared(vm) as node:
        trace = Script(script, "-p", node.pid)
        lives, linked, signalled = [pids(node.eval("d_workload:" + call)) for call in (
            "lives(%d, {oops, 1})" % N, "linked(5)", "signals(5)")]
        me = node.eval("self()")
        out = trace.stop()
    spawned = {m.group(1): m.group(2) for m in lines_with(out, "pid (", PID, ") mfa (.*)")}
    assert all(spawned.get(pid) == "d_workload:leave/1" for pid in lives), spawned
    ended = {m.group(1): m.group(2) for m in lines_with(out, "pid (", PID, ") reason (.*)")}
    assert all(ended.get(pid) == "{oops,1}" for pid in lives), ended
    assert all(ended.get(pid) == "chain" for pid in linked), ended
    signals = [m.groups() for m in lines_with(out, "sender (", PID, ") -> pid (", PID, ") reason (.*)")]
    assert Counter(signals)[linked[0], linked[1], "chain"] == 1, signals
    assert [s for s in signals if s[1] == signalled[0]] == [
        (me, signalled[0], "{please,%d}" % i) for i in range(1, 6)], signals


def of_case(case):
    name, script = case.split(",")
    return [vm for vm in VMS if vm.name == name][0], script


@over(VMS)
def test_exit_signals_to_another_node_have_its_name(vm):
    with Pair(vm) as pair:
        trace = Script("otp/spawn-exit.d", "-p", pair.near.pid)
        remote = pair.eval("{R, M} = spawn_monitor(%s, timer, sleep, [60000]), R" % pair.peer)
        local = pair.eval("{L, M2} = spawn_monitor(fun() -> link(R), exit(linked) end), "
                          "receive {'DOWN', M2, _, _, _} -> L end")
        pair.eval("receive {'DOWN', M, _, _, _} -> ok end")
        out = trace.stop()
    # The note has a process of another node together with its node.
    found = [m.groups() for m in lines_with(out, "sender (", PID, ") -> node (.*) pid \\{?(", PID, ")(?:,.*})? reason (.*)")]
    assert (local, pair.peer.strip("'"), remote, "linked") in [
        (sender, node.strip("'"), pid, why) for sender, node, pid, why in found], found


def births_and_deaths(text):
    return [(int(a), int(b)) for a, b in re.findall(r":tick-1sec Spawns (\d+) exits (\d+)$", text, re.M)]


@over(VMS)
def test_births_and_deaths_are_counted(vm):
    """Those of the last second, each second."""
    with shared(vm) as node:
        trace = Script("births-deaths.d", "-p", node.pid, quiet=False)
        for times in (1, 2):
            node.eval("d_workload:lives(%d, normal)" % N)
            wait_until("the second is over", lambda: sum(b for _, b in births_and_deaths(trace.text())) >= times * N)
        counts = births_and_deaths(trace.stop())
    assert sum(a for a, _ in counts) == sum(b for _, b in counts) == 2 * N, counts


def histogram(out):
    """{value: count} of a printed distribution."""
    return {int(v): int(c) for v, c in re.findall(r"^ *(-?\d+) \|@* +(\d+) *$", out, re.M)}


# Messages to a process that waits, so that each of them has it scheduled.
MESSAGES = """P = spawn(fun F() -> receive stop -> ok; _ -> F() end end), Waits = fun W() ->
    case process_info(P, status) of {status, waiting} -> ok; _ -> W() end end,
    [begin Waits(), P ! N end || N <- lists:seq(1, 100)], Waits()""".replace("\n", " ")


@over(VMS)
def test_send_to_scheduled_has_a_histogram(vm):
    begin = time.monotonic_ns()
    out, _, _ = run(vm, "send-to-sched.d", MESSAGES)
    took = time.monotonic_ns() - begin
    assert out.startswith("Press control-c to print histogram\n"), out
    found = histogram(out)
    assert "value  ------------- Distribution ------------- count" in out
    assert sum(found.values()) >= 100 and max(value for value, count in found.items() if count) < took, found


@over([EMU])
def test_slow_calls_are_those_of_the_node(vm):
    """The node measures around the calls. A call of 5 ms by a clock of milliseconds lasts 4 ms at least."""
    out, answer, _ = run(vm, "slow-calls.d", "d_workload:slow(5)")
    pid, _, most = re.fullmatch(r"{(.*),(\d+),(\d+)}", answer).groups()
    calls = [int(m.group(1)) for m in lines_with(out, "CALL: ", pid, " - d_workload:spin/1 - (\\d+) nanoseconds")]
    assert len(calls) == 5, out
    for call in calls:
        within(4000000, call, int(most))


@over([USDT])
def test_slow_calls_are_said_to_be_unknown_under_the_jit(vm):
    with shared(vm) as node:
        done = subprocess.run([ERLBPF, "-qs", os.path.join(SCRIPTS, "slow-calls.d"), "-n", "BEGIN { exit(0); }",
                               "-p", str(node.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "function-return does not match any probes: under the JIT, there is no probe site; no translator" in done.stderr


@over([EMU])
def test_calls_that_change_their_cpu_are_told(vm):
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("there is one CPU")
    cpus = sorted(os.sched_getaffinity(0))[:2]
    with Node(vm) as node:
        move(node.pid, cpus[0])
        trace = Script("cpu-migration.d", "-p", node.pid)
        node.eval("spawn(fun S() -> d_workload:spin(200), S() end)")
        moves = itertools.cycle(reversed(cpus))

        def is_told():
            """It is moved until that happens within a call."""
            move(node.pid, next(moves))
            time.sleep(0.03)
            return lines_with(trace.text(), PID, " d_workload:spin/1 @ stack depth \\d+: CPU %d -> %d" % tuple(cpus))

        wait_until("a call that changes its CPU is told", is_told)
        trace.stop()


def move(pid, cpu):
    """All threads of a process to one CPU."""
    for thread in os.listdir("/proc/%d/task" % pid):
        os.sched_setaffinity(int(thread), {cpu})


@over(OLDEST_AND_NEWEST)
def test_the_async_queue_is_measured(vm):
    """Every 10 s, here each second."""
    with shared(vm, "+A", "1") as node:
        trace = Script("aio-queue.d", "-p", node.pid, change=("tick-10sec", "tick-1sec"))
        node.eval("d_workload:async(%d)" % N)
        wait_until("a size is told", lambda: re.search(r"Largest async work queue size: [1-9]", trace.text()))
        found = re.findall(r"Largest async work queue size: (\d+)", trace.stop())
    # Loading a driver is such a job, too.
    assert 0 < max(int(size) for size in found) <= N + 2, found


@over(WITH_NOTES)
def test_markers_are_printed_with_all_arguments(vm):
    with Node(vm) as node:
        pid = node.eval("self()")
        trace = Script("user-trace.d", "-p", node.pid)
        node.eval('dyntrace:p(1, 2, 4, 8, "a", "b", "c", "and d")')
        node.eval('dyntrace:put_tag(<<"tag">>)')
        node.eval("dyntrace:p()")
        node.eval('dyntrace:p(-1, "only")')
        node.eval("dyntrace:pn(0, 7)")
        out = trace.stop()
    assert out.splitlines()[:4] == [
        pid + "  1 2 4 8 'a' 'b' 'c' 'and d'", pid + " tag 0 0 0 0 '' '' '' ''",
        pid + " tag -1 0 0 0 'only' '' '' ''", "n0 %s 7" % pid], out


@over(WITH_NOTES)
def test_otp_user_probe(vm):
    with shared(vm) as node:
        pid = node.eval("self()")
        trace = Script("otp/user-probe.d", "-p", node.pid)
        node.eval('dyntrace:user_trace_s1("alone")')
        for arguments in ("", "1", "1, 2", "1, 2, 3", "1, 2, 3, 4", '1, "x"', '1, 2, 3, 4, "w", "x", "y", "z"'):
            node.eval("dyntrace:p(%s)" % arguments)
        out = trace.stop()
    assert out.splitlines()[:8] == ["alone"] + ["%s  %s" % (pid, rest) for rest in (
        "0 0 0 0 '' '' '' ''", "1 0 0 0 '' '' '' ''", "1 2 0 0 '' '' '' ''", "1 2 3 0 '' '' '' ''",
        "1 2 3 4 '' '' '' ''", "1 0 0 0 'x' '' '' ''", "1 2 3 4 'w' 'x' 'y' 'z'")], out


@over(WITH_NOTES)
def test_otp_user_probe_n(vm):
    with shared(vm) as node:
        pid = node.eval("self()")
        trace = Script("otp/user-probe-n.d", "-p", node.pid)
        node.eval("dyntrace:pn(0)")
        node.eval('dyntrace:pn(1, 1, 2, 3, 4, "s1", "s2", "s3", "s4")')
        assert node.eval("dyntrace:pn(2)") == "false"
        out = trace.stop()
    assert out.splitlines()[:2] == ["probe n0: %s  0 0 0 0 '' '' '' ''" % pid,
                                    "probe n1: %s  1 2 3 4 's1' 's2' 's3' 's4'" % pid], out


@over(VMS)
def test_otp_dist(vm):
    """A process that is suspended again before it sends more has no note of that, so how long it waited is only bounded:
    its waits are parts of what it took to send all."""
    waited, _, took = dist_events(vm)
    assert waited and 1000 * sum(waited) <= took, (waited, took)


def dist_events(vm):
    """(how long the sender waited each time, in us, how long its peer was stopped when it had been suspended, how long it
    took to send all, in ns)"""
    with Pair(vm) as pair:
        pair.eval("net_kernel:monitor_nodes(true)")
        near = pair.eval("node()")
        trace = Script("otp/dist.d", "-p", pair.near.pid)
        pid = pair.start_sender()
        pair.stop()
        pair.eval("Sender ! go")
        since = pair.wait_for_suspension()
        stopped = time.monotonic_ns() - since
        pair.go_on()
        took = int(pair.eval("receive {took, Ns} -> Ns end"))
        pair.far.kill()
        pair.eval("receive {nodedown, _} -> ok end")
        out = trace.stop().replace("'", "")
    peer = pair.peer.replace("'", "")
    busy = lines_with(out, "dist port_busy: node (.*), port ", PORT, ", remote_node (.*), blocked pid (", PID, ")")
    assert busy and {m.group(2) for m in busy} == {peer} and {m.group(3) for m in busy} == {pid}, out
    waited = [int(m.group(2)) for m in lines_with(
        out, "blocked pid (", PID, ") scheduled now, waited (\\d+) microseconds") if m.group(1) == pid]
    sent = lines_with(out, "port outputv: node (.*), port ", PORT, ", remote_node (.*) bytes -?\\d+")
    assert sent and {m.group(2) for m in sent} == {peer}
    told = lines_with(out, "monitor: pid %d, who (.*), what (.*), node (.*), type (.*), reason (.*)" % pair.near.pid)
    assert [(m.group(3), m.group(2)) for m in told] == [(peer, "nodedown")], out
    assert {m.group(1) for m in told} | {m.group(1) for m in busy + sent} <= {near.replace("'", "")}
    return waited, stopped, took


# driver-finish has one argument and its clause wants two: the other is empty.
DRIVER = {"start": 1, "stop": 1, "finish": 1, "init": 1, "flush": 1, "output": 3, "call": 3, "timeout": 3,
          "ready_async": 3, "process_exit": 3, "ready_input": 1, "ready_output": 1, "stop_select": 2}


@over(WITH_NOTES)
def test_otp_driver(vm):
    out, port, pid = run(vm, "otp/driver1.d", "d_workload:driver(3)")
    # The note of stop has garbage for a process at times, of any bytes (also ends of lines, and those of this port).
    stop = re.compile("driver stop pid (?:(?! pid ).)*? driver name (\\w+) port (\\S+)", re.S)
    found = Counter(stop=stop.findall(out).count(("known_drv", port)))
    mine = [line for line in stop.sub("", out).split("\n") if port in line or "name known_d" in line]
    # The note of stop_select cuts the name.
    found.update(line.split()[1] for line in mine)
    # driver_output() of the driver itself is none; a control command for each of what it does.
    commands = 3 * 3 + 3
    for word, count in dict(DRIVER, control=commands).items():
        assert found[word] == count, (word, found)
    assert "driver start pid %s driver name known_drv port %s" % (pid, port) in mine
    assert "driver output pid %s port %s port name known_drv bytes 5" % (pid, port) in mine, mine
    assert "driver control pid %s port %s port name known_drv command 1 bytes 0" % (pid, port) in mine, mine
    assert any(re.fullmatch("driver call pid %s port %s port name known_drv command 7 bytes [1-9]\\d*"
                            % (pid, port), line) for line in mine), mine


@over(WITH_NOTES)
def test_otp_driver_outputv(vm):
    with shared(vm) as node:
        node.eval("{ok, L} = gen_tcp:listen(0, [binary])")
        node.eval("{ok, {_, Number}} = inet:sockname(L)")
        node.eval("{ok, C} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary])")
        trace = Script("otp/driver1.d", "-p", node.pid)
        node.eval("[ok = gen_tcp:send(C, <<0:800>>) || _ <- lists:seq(1, %d)]" % N)
        port, pid = node.eval("C"), node.eval("self()")
        out = trace.stop()
    said = "driver outputv pid %s port %s port name tcp_inet bytes (\\d+)" % (pid, port)
    sizes = [int(m.group(1)) for m in lines_with(out, said)]
    assert len(sizes) == N and min(sizes) >= 100, out


@over(VMS)
def test_otp_ports(vm):
    out, answer, pid = run(vm, "otp/port1.d", "d_workload:ports(%d)" % N)
    port, owner = re.fullmatch("{(.*),(.*)}", answer).groups()
    head = "port (\\w+) pid (.*) port %s port name cat " % port
    assert "port open pid %s port name cat port %s" % (pid, port) in out.splitlines(), out
    found = [(m.group(1), m.group(2)) for m in lines_with(out, head, ".*")]
    assert Counter(found)["command", pid] >= N, Counter(found)
    assert lines_with(out, head, "new pid ", owner) or not vm.notes, out
    ends = lines_with(out, head, "reason (.*)")
    assert [m.group(3) for m in ends] == ["normal"], out
    stats = lines_with(out, "port control pid ", pid, " port ", PORT, " port name udp_inet command (\\d+) (.*)")
    asked = [m for m in stats if int(m.group(1)) & 0xff == 11]
    assert len(asked) == N and {m.group(2) for m in asked} <= {"GETSTAT", "unknown"}, out


@over(VMS)
def test_otp_ports_that_are_busy(vm):
    """The port's program reads nothing before the file is there."""
    with shared(vm) as node, tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        trace = Script("otp/port1.d", "-p", node.pid)
        file = os.path.join(folder, "read")
        node.say('d_workload:busy_port("%s").' % file)
        wait_until("the port is busy", lambda: "port busy" in trace.text())
        with open(file, "w"):
            port = node.line()[2:]
        out = trace.stop()
    lines = [line for line in out.splitlines() if "busy" in line]
    assert lines == ["port busy " + port, "port not busy " + port], lines


@over(VMS)
def test_otp_ports_async_jobs(vm):
    out, _, _ = run(vm, "otp/port1.d", "d_workload:async(%d)" % N, "+A", "1")
    added = lines_with(out, "async I/O pool add thread \\d+ queue len (\\d+)")
    assert len(added) >= N and all(int(m.group(1)) <= N for m in added), out


@over([EMU])
def test_otp_function_calls(vm):
    out, pid, _ = run(vm, "otp/function-calls.d", "d_workload:calls(%d)" % N)
    mine = Counter(m.group(1) for m in lines_with(out, "pid %s (.*)" % pid))
    local = {line: count for line, count in mine.items() if "(local)  d_workload:fac/1" in line}
    assert sum(local.values()) == 6 * N, local
    assert sum(count for line, count in mine.items() if "enter (global)  lists:sum/1" in line) == N, mine
    assert sum(count for line, count in mine.items() if line.startswith("return d_workload:fac/1")) >= N, mine
    assert mine["BIF entry  mfa erts_internal:garbage_collect/1"] == N == \
        mine["BIF return mfa erts_internal:garbage_collect/1"], mine
    # A dirty NIF is entered once where it is called, which hands it over, and once where it runs.
    assert mine["NIF entry  mfa prim_file:read_info_nif/2"] == 2 * N, mine
    assert mine["NIF return mfa prim_file:read_info_nif/2"] == N, mine


@over([USDT])
def test_otp_function_calls_under_the_jit_are_dirty_nifs(vm):
    out, pid, _ = run(vm, "otp/function-calls.d", "d_workload:calls(%d)" % N)
    mine = Counter(m.group(1) for m in lines_with(out, "pid %s (.*)" % pid))
    assert mine["NIF entry  mfa prim_file:read_info_nif/2"] == 2 * N, mine
    assert mine["NIF return mfa prim_file:read_info_nif/2"] == N, mine


@over(VMS)
def test_otp_garbage_collection(vm):
    out, pid, _ = run(vm, "otp/garbage-collection.d", "d_workload:garbage(%d)" % N)
    mine = Counter(m.group(1) for m in lines_with(out, "GC (\\w+ \\w+) pid %s (need|reclaimed) -?\\d+ words" % pid))
    assert mine["major start"] == mine["major end"] == N, mine
    # The script has its last clause at gc_minor-start, too.
    assert mine["minor start"] == mine["minor end"] and mine["minor start"] in range(N, N + 4), mine


@over(WITH_NOTES)
def test_otp_memory(vm):
    with shared(vm) as node:
        trace = Script("otp/memory1.d", "-p", node.pid)
        node.eval("d_workload:exchange(%d)" % N)
        pid = node.eval("d_workload:grow()")
        out = trace.stop()
    assert Counter(m.group(1) for m in lines_with(out, "copy_struct (\\d+) bytes"))["3"] >= N, out
    sizes = {word: [(int(m.group(1)), int(m.group(2))) for m in lines_with(
        out, "proc heap %s pid %s (\\d+) -> (\\d+) bytes" % (word, pid))] for word in ("grow", "shrink")}
    assert sizes["grow"] and all(a < b for a, b in sizes["grow"]), sizes
    assert sizes["shrink"] and all(a > b for a, b in sizes["shrink"]), sizes
    assert max(b for _, b in sizes["grow"]) > 200000 and min(b for _, b in sizes["shrink"]) < 20000, sizes


@over(VMS)
def test_otp_memory_of_heaps(vm):
    out, pid, _ = run(vm, "otp/memory1.d", "d_workload:grow()")
    assert lines_with(out, "proc heap grow pid %s \\d+ -> \\d+ bytes" % pid), out
    assert lines_with(out, "proc heap shrink pid %s \\d+ -> \\d+ bytes" % pid), out


@over(VMS)
def test_otp_messages(vm):
    out, pid, me = run(vm, "otp/messages.d", "d_workload:exchange(%d)" % N)
    assert out.startswith("\nNOTE: message-queue message size 4294967295 means an external\n"), out[:200]
    words = "3" if vm.notes else "\\d+"
    assert len(lines_with(out, "send:   ", me, " -> ", pid, ": ", words, " words")) == N, out
    for what in ("queued", "receive"):
        assert len(lines_with(out, what, ": ", pid, ": ", words, " words, queue len \\d+")) == N, (what, out)


@over(WITH_NOTES)
def test_otp_messages_with_a_token(vm):
    out, pid, me = run(vm, "otp/messages.d", "d_workload:traced_exchange(%d)" % N)
    sent = lines_with(out, "send:   ", me, " label 17 token {(\\d+),(\\d+)} -> ", pid, ": 3 words")
    serials = [int(m.group(2)) for m in sent]
    assert len(serials) == N and serials == sorted(set(serials)), out
    for what in ("queued", "receive"):
        said = lines_with(out, what, ": ", pid, " label 17 token {\\d+,(\\d+)}: 3 words, queue len \\d+")
        assert [int(m.group(1)) for m in said] == serials, (what, out)


@over(VMS)
def test_otp_messages_to_another_node(vm):
    with Pair(vm) as pair:
        trace = Script("otp/messages.d", "-p", pair.near.pid)
        pair.eval("d_workload:remote(%s, %d)" % (pair.peer, N))
        me = pair.eval("self()")
        out = trace.stop().replace("'", "")
    peer = pair.peer.replace("'", "")
    # The note has the name together with the node.
    plain = lines_with(out, "send :  ", me, " -> ", re.escape(peer), " (?:nobody|{nobody,%s}): (\\d+) words" % re.escape(peer))
    assert len(plain) == N, out


@over(VMS)
def test_otp_process_scheduling(vm):
    out, pid, _ = run(vm, "otp/process-scheduling.d", "d_workload:sleepers(%d)" % N)
    on = lines_with(out, "  Schedule pid %s mfa (.*)" % pid)
    off = lines_with(out, "Unschedule pid %s" % pid)
    assert len(on) >= N and abs(len(on) - len(off)) <= 1, (len(on), len(off))
    if vm.notes:
        asleep = lines_with(out, "  Hibernate pid %s resume mfa (.*)" % pid)
        assert [m.group(1) for m in asleep] == ["d_workload:awake/2"] * N, out


def test_every_script_of_the_folders_is_run():
    with open(__file__) as file:
        text = file.read()
    scripts = {os.path.relpath(os.path.join(folder, name), SCRIPTS)
               for folder, _, names in os.walk(SCRIPTS) for name in names if name.endswith(".d")}
    assert len(scripts) == 18 and {s for s in scripts if '"%s"' % s not in text} == set()
