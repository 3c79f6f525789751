"""What erlbpf writes to is full or gone, and its clocks jump: it says so or goes on, and leaves the node clean."""
import json
import os
import resource
import signal
import subprocess
import tempfile

from inject import LIVE, PROBE
from lib import BUILD, ERLBPF, LIMIT, Fake, Process, Skip, over, wait_line, wait_until
from process_text import ProcessText

EVENTS = 20000
TOOLS = {
    "trace": ["trace", PROBE],
    "trace, JSON": ["trace", PROBE, "-j"],
    "trace, CSV": ["trace", PROBE, "-f", "csv"],
    "D": ["-q", "-n", 'erlang*:::%s { printf("a line for each of the events\\n"); }' % PROBE],
}
FULL_B = 65536


def is_live(fake, run):
    """While probes are put in place nothing counts; then it waits for something to do."""
    return lambda: fake.do("semaphores") != "0" and run.is_polling()


def start(fake, tool, *more, prefix=(), **options):
    return Process(list(prefix) + [ERLBPF] + TOOLS[tool] + ["-p", str(fake.pid)] + list(more), stderr=subprocess.PIPE,
                   **options)


def end(run, sig=signal.SIGINT):
    """(exit code, standard error)"""
    if run.is_alive():
        run.child.send_signal(sig)
    _, err = run.child.communicate(timeout=LIMIT)
    return run.child.returncode, err.decode()


def fire(fake, events=EVENTS):
    assert fake.do("fire %s %d" % (PROBE, events)) == "ok"


@over(TOOLS)
def test_a_disk_that_becomes_full_ends_with_a_message(tool):
    mount = "mount -t tmpfs -o size=%d none %s && exec \"$@\""
    if subprocess.run(["unshare", "-m", "true"]).returncode:
        raise Skip("unshare(1) may not make namespaces here")
    with tempfile.TemporaryDirectory() as folder, Fake() as fake:
        text = ProcessText(fake.pid)
        run = start(fake, tool, "-o", folder + "/out", prefix=["unshare", "-m", "sh", "-c", mount % (FULL_B, folder), "sh"])
        wait_until("it is live", is_live(fake, run))
        fire(fake)
        code, err = end(run)
        assert code == 1 and "No space left" in err, (code, err)
        wait_until("the node is clean", text.is_clean)


@over(TOOLS)
def test_a_file_that_may_not_grow_ends_with_a_message(tool):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_B, resource.RLIM_INFINITY))

    with tempfile.TemporaryDirectory() as folder, Fake() as fake:
        text = ProcessText(fake.pid)
        run = start(fake, tool, "-o", folder + "/out", preexec_fn=limit)
        wait_until("it is live", is_live(fake, run))
        fire(fake)
        code, err = end(run)
        assert code == 1 and "File too large" in err, (code, err)
        wait_until("the node is clean", text.is_clean)


@over(TOOLS)
def test_a_reader_that_goes_away_ends_it_without_a_word(tool):
    with Fake() as fake:
        text = ProcessText(fake.pid)
        run = start(fake, tool)
        wait_until("it is live", is_live(fake, run))
        run.child.stdout.close()
        fire(fake)
        run.child.wait(LIMIT)
        err = run.child.stderr.read().decode()
        assert run.child.returncode == 0 and "erlbpf: " not in err, (run.child.returncode, err)
        wait_until("the node is clean", text.is_clean)


@over(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_get_nothing_of_ours(closed):
    """Or a descriptor of BPF would be standard output, and be written to."""
    with tempfile.TemporaryDirectory() as folder, Fake() as fake:
        text = ProcessText(fake.pid)
        out = os.path.join(folder, "out")
        run = start(fake, "trace, JSON", "-o", out, prefix=["sh", "-c", 'exec "$@" ' + closed, "sh"])
        wait_until("it is live", is_live(fake, run))
        fire(fake, 100)
        for number in range(3):
            stream = os.readlink("/proc/%d/fd/%d" % (run.pid, number))
            assert stream == "/dev/null" or stream.startswith("pipe:"), (number, stream)
        code, err = end(run)
        assert code == 0, (code, err)
        with open(out) as file:
            assert json.loads(file.read().splitlines()[-1])["events"] == 100
        wait_until("the node is clean", text.is_clean)


# Clocks.

def counts(run, fake, first_line):
    """What a run of `trace -j -T` says, in the midst of which events come."""
    while first_line not in wait_line(run.child.stderr):
        pass
    fire(fake, 1000)
    run.child.send_signal(signal.SIGINT)
    out, err = run.child.communicate(timeout=LIMIT)
    assert run.child.returncode == 0, err
    lines = [json.loads(line) for line in out.decode().splitlines()]
    times = [line["time"] for line in lines if line["type"] == "event"]
    assert len(times) == lines[-1]["events"] == 1000 and times == sorted(times), lines[-1]
    return lines


@over(["trace, JSON", "D"])
def test_a_clock_of_the_day_that_jumps_changes_no_count(tool):
    env = dict(os.environ, LD_PRELOAD=os.path.join(BUILD, "clock_step.so"), CLOCK_STEP_S="-86400", CLOCK_STEP_EVERY_MS="20")
    with Fake() as fake:
        text = ProcessText(fake.pid)
        if tool == "D":
            run = Process([ERLBPF, "-q", "-p", str(fake.pid), "-n", 'erlang*:::%s { @ = count(); } %s '
                           'tick-10ms { n++; } tick-10ms /n == 30/ { exit(0); }' % (PROBE, LIVE)], stderr=subprocess.PIPE,
                          env=env)
            assert run.line() == "live"
            fire(fake, 1000)
            out, err = run.child.communicate(timeout=LIMIT)
            assert run.child.returncode == 0 and int(out.split()[-1]) == 1000, (out, err)
        else:
            counts(start(fake, tool, "-T", env=env), fake, "Tracing")
        assert text.is_clean()


@over(["1000000", "-1000"])
def test_a_monotonic_clock_of_its_own_changes_no_count(seconds):
    """A time namespace: the kernel's programs use the clock of the machine."""
    prefix = ["unshare", "-T", "--monotonic", seconds, "--boottime", seconds]
    if subprocess.run(prefix + ["true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("unshare(1) may not make time namespaces here")
    with Fake() as fake:
        text = ProcessText(fake.pid)
        lines = counts(start(fake, "trace, JSON", prefix=prefix), fake, "Tracing")
        assert abs(lines[-1]["duration_s"]) < LIMIT
        run = Process(prefix + [ERLBPF, "-q", "-p", str(fake.pid), "-n", 'erlang*:::%s { printf("hit\\n"); } %s' % (
            PROBE, LIVE)], stderr=subprocess.PIPE)
        assert run.line() == "live"
        fire(fake, 10)
        assert [run.line() for _ in range(10)] == ["hit"] * 10
        run.child.send_signal(signal.SIGINT)
        assert run.child.wait(LIMIT) == 0
        assert text.is_clean()
