"""What a tracer leaves behind when it is killed while the kernel takes its probes away: doctor reports it, --heal and the
agent mend it, and what a running tracer uses stays."""
import contextlib
import ctypes
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from lib import BUILD, ERLBPF, LIMIT, STOCK, USDT, Fake, Node, Skip, Trace, erlbpf, guardian_of, memory, over, own_fake, unique, wait_until

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench"))
from trap import EmptyProbe  # noqa: E402

FAKES = ["fake-beam", "fake-beam-nop5"]
WAYS = ["multi", "inode", "perf"]
FUNCTIONS = ["enif_send", "enif_make_atom", "driver_output"]
BREAKPOINT = b"\xcc"
TRIES = 4


class Symbols:
    """Where the symbols of a process's executable are in its memory."""

    def __init__(self, pid):
        path = "/proc/%d/exe" % pid
        listed = subprocess.run(["nm", path], capture_output=True, check=True).stdout.decode().splitlines()
        self.at = {words[2]: int(words[0], 16) for words in map(str.split, listed) if len(words) == 3}
        self.base = 0
        if self.at["main"] < 0x100000:
            with open("/proc/%d/maps" % pid) as maps:
                self.base = int(maps.readline().split("-")[0], 16)

    def __getitem__(self, name):
        return self.base + self.at[name]


def poke(pid, address, data):
    with open("/proc/%d/mem" % pid, "r+b", buffering=0) as mem:
        mem.seek(address)
        mem.write(data)


def doctor(pid, *args, env=None):
    out, _ = erlbpf("doctor", "-p", pid, "-j", *args, env=env)
    return json.loads(out)["targets"][0]["leftovers"]


def is_clean(found):
    return not any(found[what] for what in ("breakpoints", "semaphores", "calls", "torn"))


def put_breakpoints(pid, names=FUNCTIONS):
    symbols = Symbols(pid)
    before = {name: memory(pid, symbols[name], 16) for name in names}
    for name in names:
        poke(pid, symbols[name], BREAKPOINT)
    return lambda: all(memory(pid, symbols[name], 16) == before[name] for name in names)


@over(FAKES)
def test_a_breakpoint_that_nobody_uses_is_reported_and_removed(program):
    with own_fake(program) as fake:
        assert doctor(fake.pid) == {"breakpoints": 0, "semaphores": 0, "calls": 0, "torn": 0, "functions": [], "healed": None,
                                    "why": None}
        is_restored = put_breakpoints(fake.pid)
        found = doctor(fake.pid)
        assert found["breakpoints"] == 3 and found["functions"] == FUNCTIONS, found
        text, _ = erlbpf("doctor", "-p", fake.pid)
        assert "3 breakpoints and 0 raised semaphores (enif_send" in text and "--heal" in text, text
        assert not is_restored()
        text, _ = erlbpf("doctor", "-p", fake.pid, "--heal")
        assert "removed 3 breakpoints" in text, text
        assert is_restored() and is_clean(doctor(fake.pid))
        assert fake.do("terms") == "ok"


def test_who_does_not_read_what_it_says_is_mended_all_the_same():
    """As with `erlbpf doctor --heal -vv |& head`, in which head has ended."""
    with own_fake() as one, own_fake() as other:
        restored = [put_breakpoints(fake.pid) for fake in (one, other)]
        gone, pipe = os.pipe()
        os.close(gone)
        done = subprocess.run([ERLBPF, "doctor", "--heal", "-vv", "-p", "%d,%d" % (one.pid, other.pid)], stdout=pipe, stderr=pipe,
                              timeout=LIMIT)
        os.close(pipe)
        assert done.returncode == 0 and all(is_restored() for is_restored in restored), done


@over(WAYS)
def test_each_way_of_attaching_removes_them(way):
    with own_fake() as fake:
        is_restored = put_breakpoints(fake.pid)
        found = doctor(fake.pid, "--heal", env={"ERLBPF_ATTACH": way})
        assert found["healed"] == {"breakpoints": 3, "semaphores": 0} and is_clean(found), found
        assert is_restored()


def test_an_executable_that_was_deleted_is_compared_and_mended_too():
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(os.path.join(BUILD, "fake-beam"), folder)
        with Fake(path) as fake:
            is_restored = put_breakpoints(fake.pid)
            os.unlink(path)
            assert doctor(fake.pid)["breakpoints"] == 3
            assert is_clean(doctor(fake.pid, "--heal")) and is_restored()


@over(FAKES)
def test_what_a_running_tracer_uses_stays(program):
    with own_fake(program) as fake:
        trace = Trace("count", "process-spawn", "-p", fake.pid, "-j")
        held = doctor(fake.pid)
        assert held["breakpoints"] == 2 and held["semaphores"] == 1, held
        is_restored = put_breakpoints(fake.pid)
        found = doctor(fake.pid, "--heal")
        assert found["healed"] == {"breakpoints": 3, "semaphores": 0}, found
        assert found["breakpoints"] == 2 and found["semaphores"] == 1 and is_restored(), found
        assert fake.do("fire process-spawn 7") == "ok"
        assert fake.do("fire process-spawn 4") == "ok"
        assert trace.stop_json()[-1]["probes"] == {"process-spawn": {"events": 11, "lost": 0}}
        assert is_clean(doctor(fake.pid)) and fake.do("semaphores") == "0"


@over(FAKES)
def test_a_raised_semaphore_is_lowered_beside_a_running_tracer(program):
    with own_fake(program) as fake:
        symbols = Symbols(fake.pid)
        trace = Trace("count", "process-exit", "-p", fake.pid, "-j")
        poke(fake.pid, symbols["erlang_process__spawn_semaphore"], b"\x03\x00")
        assert doctor(fake.pid)["semaphores"] == 2
        found = doctor(fake.pid, "--heal")
        assert found["healed"] == {"breakpoints": 0, "semaphores": 1} and found["semaphores"] == 1, found
        assert memory(fake.pid, symbols["erlang_process__spawn_semaphore"], 2) == b"\0\0"
        assert fake.do("fire process-exit 3") == "ok"
        assert trace.stop_json()[-1]["probes"] == {"process-exit": {"events": 3, "lost": 0}}
        assert fake.do("semaphores") == "0"


def test_a_breakpoint_whose_semaphore_was_lowered_is_removed():
    with own_fake() as fake:
        trace = Trace("count", "process-spawn", "-p", fake.pid)
        symbols = Symbols(fake.pid)
        poke(fake.pid, symbols["erlang_process__spawn_semaphore"], b"\0\0")
        # The kernel cannot lower it when the tracer ends, and leaves its breakpoints.
        trace.stop()
        assert doctor(fake.pid)["breakpoints"] == 2
        assert is_clean(doctor(fake.pid, "--heal")) and fake.do("semaphores") == "0"
        trace = Trace("count", "process-spawn", "-p", fake.pid, "-j")
        assert fake.do("fire process-spawn 5") == "ok"
        assert trace.stop_json()[-1]["probes"] == {"process-spawn": {"events": 5, "lost": 0}}
        assert is_clean(doctor(fake.pid))


def test_nothing_is_removed_while_a_debugger_is_attached():
    PTRACE_SEIZE = 0x4206
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    with own_fake() as fake:
        is_restored = put_breakpoints(fake.pid)
        assert libc.ptrace(PTRACE_SEIZE, fake.pid, None, None) == 0, ctypes.get_errno()
        found = doctor(fake.pid, "--heal")
        assert found["breakpoints"] == 3 and found["healed"] is None and "debugger" in found["why"], found
        assert not is_restored()
        fake.kill()


def test_an_instruction_that_is_half_changed_is_reported_and_left():
    with own_fake("fake-beam-nop5") as fake:
        symbols = Symbols(fake.pid)
        start = symbols["fire_process__spawn"]
        site = start + memory(fake.pid, start, 512).index(b"\x90\x0f\x1f\x44\0\0") + 1
        poke(fake.pid, site, BREAKPOINT + b"\1\2\3\4")
        found = doctor(fake.pid, "--heal")
        assert found["torn"] == 1 and found["breakpoints"] == 0, found
        assert found["functions"] == ["fire_process__spawn"] and found["healed"]["breakpoints"] == 0, found
        assert memory(fake.pid, site, 5) == BREAKPOINT + b"\1\2\3\4"
        assert "1 instruction half changed" in erlbpf("doctor", "-p", fake.pid)[0]
        # A call that leads elsewhere is not the kernel's.
        poke(fake.pid, site, b"\xe8\1\2\3\4")
        assert is_clean(doctor(fake.pid, "--heal")) and memory(fake.pid, site, 5) == b"\xe8\1\2\3\4"
        poke(fake.pid, site, b"\x0f\x1f\x44\0\0")


def test_the_call_that_another_tracers_probe_became_is_reported_and_left():
    """Linux 6.18 to 7.2 makes one of a nop5; some of these kernels would turn it into something else."""
    with own_fake("fake-beam-nop5") as fake:
        start = Symbols(fake.pid)["fire_copy__struct"]
        site = start + memory(fake.pid, start, 512).index(b"\x90\x0f\x1f\x44\0\0") + 1
        probe = EmptyProbe(os.readlink("/proc/%d/exe" % fake.pid), fake.pid, "copy__struct", 1)
        try:
            assert fake.do("fire copy-struct 100") == "ok"
            changed = memory(fake.pid, site, 5)
            if changed[0] != 0xe8:
                raise Skip("this kernel makes no calls of probes")
            found = doctor(fake.pid, "--heal")
            assert found["calls"] == 2 and found["breakpoints"] == 0 and found["healed"]["breakpoints"] == 0, found
            assert memory(fake.pid, site, 5) == changed
            assert "2 calls in the place of a nop" in erlbpf("doctor", "-p", fake.pid)[0]
        finally:
            probe.stop()


def programs_of(pid):
    """Numbers of the BPF programs that it holds, itself or by a link."""
    found = set()
    for name in os.listdir("/proc/%d/fdinfo" % pid):
        with contextlib.suppress(FileNotFoundError), open("/proc/%d/fdinfo/%s" % (pid, name), encoding="ascii") as file:
            found |= set(map(int, re.findall(r"prog_id:\s+(\d+)", file.read())))
    return found


def programs():
    listed = subprocess.run(["bpftool", "prog", "list", "-j"], stdout=subprocess.PIPE, check=True)
    return {program["id"] for program in json.loads(listed.stdout)}


def kill_a_guardian(pid):
    """Kill the process that closes a tracer's links at a random moment of it. What is left in the end."""
    trace = Trace("count", "*", "-p", pid)
    guardian = guardian_of(trace.pid)
    # It may have ended before it is killed, and its pid be another's.
    handle = os.pidfd_open(guardian)
    held = programs_of(guardian) | programs_of(trace.pid)
    assert held
    trace.child.send_signal(signal.SIGINT)
    time.sleep(random.random() * 0.06)
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    os.close(handle)
    trace.close()
    # The kernel goes on with what the process had not begun. A program is there as long as one of its links is.
    wait_until("the kernel has closed all links", lambda: not held & programs())
    return doctor(pid)


@contextlib.contextmanager
def busy_fake(program):
    with own_fake(program) as fake:
        fake.say("threads 4 process-spawn 100000000")
        yield fake


def busy_node(vm):
    node = Node(vm)
    node.eval("[spawn(fun L() -> spawn(fun() -> ok end), receive after 1 -> L() end end) || _ <- lists:seq(1, 8)], ok")
    return node


@over(FAKES + [USDT])
def test_what_a_guardian_leaves_that_is_killed_while_it_detaches_is_mended(what):
    """Something or nothing: that is a matter of chance. The tests above put there what may be left."""
    with busy_node(what) if what is USDT else busy_fake(what) as process:
        for _ in range(TRIES):
            before, found = kill_a_guardian(process.pid), doctor(process.pid, "--heal")
            # Between the two looks some went without us, on a busy machine, though none of the programs was left.
            healed = found["healed"] or {"breakpoints": 0, "semaphores": 0}
            assert all(healed[part] <= before[part] for part in healed), (before, found)
            wait_until("all is mended", lambda: is_clean(doctor(process.pid, "--heal")))
        assert process.is_alive()
        process.kill()


@over(FAKES)
def test_the_agent_removes_breakpoints_when_it_starts(program):
    name = unique("export_heal")
    with own_fake(program, name + "@here") as fake:
        is_restored = put_breakpoints(fake.pid)
        agent = Trace("export", "--listen", "127.0.0.1:0", "--node", name, wait=False)
        line = agent.wait_for("had left behind")
        assert "process %d: removed 3 breakpoints" % fake.pid in line, line
        agent.wait_for("Serving")
        assert is_restored()
        agent.stop()
        wait_until("the agent's probes are gone", lambda: is_clean(doctor(fake.pid)))


@over(["births", "sched-latency,gc,births"])
def test_the_agent_removes_breakpoints_of_a_node_that_it_finds_later(tools):
    """It cannot see the node before it is as a killed tracer leaves it."""
    name = unique("export_late")
    with own_fake(FAKES[0], name + "@here") as first:
        agent = Trace("export", "--listen", "127.0.0.1:0", "--node", name, "--tools", tools, wait=False)
        agent.wait_for("Serving")
        os.kill(agent.pid, signal.SIGSTOP)
        with own_fake(FAKES[0], name + "@there") as fake:
            is_restored = put_breakpoints(fake.pid)
            os.kill(agent.pid, signal.SIGCONT)
            line = agent.wait_for("had left behind")
            assert "process %d: removed 3 breakpoints" % fake.pid in line, line
            assert is_restored()
            wait_until("it is traced", lambda: not is_clean(doctor(fake.pid)))
            agent.stop()
            assert sum("had left behind" in line for line in agent.stderr) == 1, agent.stderr
            wait_until("the agent's probes are gone", lambda: is_clean(doctor(fake.pid)) and is_clean(doctor(first.pid)))


def test_a_clean_node_is_told_to_be_clean():
    with Node(STOCK) as node:
        assert is_clean(doctor(node.pid)) and doctor(node.pid)["why"] is None
        trace = Trace("count", "process-*", "-p", node.pid)
        assert not is_clean(doctor(node.pid))
        trace.stop()
        assert is_clean(doctor(node.pid, "--heal"))
