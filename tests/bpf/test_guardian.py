"""The process that holds the probes: it outlives a tracer that is killed at any moment, and takes the probes away."""
import json
import os
import random
import signal
import subprocess
import time

from lib import ERLBPF, LIMIT, Trace, erlbpf, guardian_of, over, own_fake, state_of, status_of, wait_until

KILLS = 4  # at moments that are by chance; tests/faults has more
CAP_PERFMON = 38
CAP_BPF = 39


def is_clean(fake):
    out, _ = erlbpf("doctor", "-p", fake.pid, "-j")
    left = json.loads(out)["targets"][0]["leftovers"]
    return not (left["breakpoints"] or left["semaphores"] or left["calls"] or left["torn"])


def is_gone(pid):
    try:
        return state_of(pid) == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def start(*args, **more):
    return subprocess.Popen([ERLBPF] + [str(a) for a in args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)


def kill_while_starting(fake, way):
    tracer = start("count", "*", "-p", fake.pid, env=dict(os.environ, ERLBPF_ATTACH=way))
    time.sleep(random.uniform(0, 0.08))
    tracer.kill()
    tracer.communicate(timeout=LIMIT)


def kill_while_ending(fake, way):
    tracer = start("count", "*", "-p", fake.pid, env=dict(os.environ, ERLBPF_ATTACH=way))
    tracer.stderr.readline()
    tracer.send_signal(signal.SIGINT)
    time.sleep(random.uniform(0, 0.08))
    tracer.kill()
    tracer.communicate(timeout=LIMIT)


@over(["multi", "inode"])
def test_nothing_is_left_by_tracers_that_are_killed(way):
    with own_fake() as fake:
        fake.say("threads 2 process-spawn 1000000000")
        for _ in range(KILLS):
            for kill in kill_while_starting, kill_while_ending:
                kill(fake, way)
                wait_until("nothing is left in %d" % fake.pid, lambda: is_clean(fake))
        fake.kill()


def test_a_tracer_whose_process_group_is_killed_leaves_nothing():
    with own_fake() as fake:
        tracer = start("count", "*", "-p", fake.pid, start_new_session=True)
        tracer.stderr.readline()
        os.killpg(tracer.pid, signal.SIGKILL)
        tracer.communicate(timeout=LIMIT)
        wait_until("nothing is left", lambda: is_clean(fake))


def test_the_guardian_has_no_signals_and_no_output_and_few_rights():
    with own_fake() as fake, Trace("count", "process-spawn", "-p", fake.pid) as trace:
        guardian = guardian_of(trace.pid)
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT:
            os.kill(guardian, number)
        folder = "/proc/%d/fd/" % guardian
        opened = sorted(os.readlink(folder + name).split(":")[0] for name in os.listdir(folder))
        # Its link, and its end of the socket.
        assert opened == ["/dev/null"] * 3 + ["anon_inode", "socket"], opened
        with open("/proc/%d/cmdline" % guardian, "rb") as line:
            assert line.read().rstrip(b"\0") == b"bpf-guardian"
        assert os.getsid(guardian) == guardian
        fields = status_of(guardian)
        kept = 1 << CAP_BPF | 1 << CAP_PERFMON
        assert [int(fields[of], 16) & ~kept for of in ("CapEff", "CapPrm", "CapInh", "CapAmb")] == [0] * 4, fields
        assert fields["Seccomp"] == "2" and fields["NoNewPrivs"] == "1", fields
        assert fake.do("fire process-spawn 5") == "ok"
        assert "5" in trace.stop()
        wait_until("it ends with us", lambda: is_gone(guardian))


PROGRAM = 'BEGIN { printf("begun\\n"); } erlang*:::process-spawn { @ = count(); }'
KINDS = ["a tool", "a program"]


def attached(kind, fake, *options):
    """A program says when it is."""
    if kind == "a tool":
        return Trace("count", "process-spawn", "-p", fake.pid)
    trace = Trace(*options, "-n", PROGRAM, "-p", fake.pid, wait=False)
    while "begun" not in trace.line():
        assert trace.is_alive(), trace.child.stderr.read()
    return trace


@over(KINDS)
def test_a_guardian_that_is_killed_is_said_and_ends_the_trace(kind):
    with own_fake() as fake:
        trace = attached(kind, fake, "-q")
        assert not is_clean(fake)
        assert fake.do("fire process-spawn 5") == "ok"
        os.kill(guardian_of(trace.pid), signal.SIGKILL)
        out = trace.stop(sig=None, code=1)
        assert "5" in out, out
        assert any("bpf-guardian) was killed" in line for line in trace.stderr), trace.stderr
        wait_until("nothing is left", lambda: is_clean(fake))


@over(KINDS)
def test_a_guardian_that_is_killed_while_it_detaches_is_said(kind):
    with own_fake() as fake:
        trace = attached(kind, fake)
        guardian = guardian_of(trace.pid)
        os.kill(guardian, signal.SIGSTOP)
        trace.child.send_signal(signal.SIGINT)
        trace.wait_for("Removing the probes takes long")
        os.kill(guardian, signal.SIGKILL)
        trace.stop(sig=None, code=1)
        assert any("bpf-guardian) was killed" in line for line in trace.stderr), trace.stderr


def test_further_signals_while_detaching_are_answered():
    with own_fake() as fake:
        trace = Trace("count", "process-*", "-p", fake.pid)
        guardian = guardian_of(trace.pid)
        # It takes as long as we want.
        os.kill(guardian, signal.SIGSTOP)
        trace.child.send_signal(signal.SIGINT)
        trace.wait_for("Removing the probes takes long")
        trace.child.send_signal(signal.SIGTERM)
        trace.wait_for("are being removed")
        os.kill(guardian, signal.SIGCONT)
        trace.stop(sig=None)
        assert is_clean(fake)


def test_when_erlbpf_has_ended_no_probe_is_left():
    with own_fake() as fake:
        for _ in range(3):
            trace = Trace("count", "*", "-p", fake.pid)
            trace.stop()
            assert is_clean(fake)
