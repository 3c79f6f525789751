"""Nothing is lost without a word: what a process did is what erlbpf counted and what it says it has lost, to the last event,
when its reader is slow, is stopped, or ends with the last event.

`make test-faults` runs each case ten times with 500,000 events, a sample once with 50,000. Neither does it lose count of more
keys than it keeps, nor take memory for them: ten million, 200,000 in the sample."""
import json
import os
import re
import signal
import subprocess
import tempfile
import threading

from inject import IS_WHOLE, LIVE, PROBE
from lib import ERLBPF, LIMIT, Fake, Process, memlock_mib, over, peak_mib, state_of, wait_line, wait_until

RUNS, EVENTS = (10, 500000) if IS_WHOLE else (1, 50000)
KEYS = 10000000 if IS_WHOLE else 200000
THREADS = 2


def of_summary(out, _):
    """What a tool says: (counted, lost), and it printed each event that it counted."""
    lines = out.splitlines()
    counts = json.loads(lines[-1])["probes"][PROBE]
    printed = sum('"type":"event"' in line for line in lines)
    rows = [row for line in lines if '"type":"table"' in line for row in json.loads(line)["rows"]]
    assert sum(row["events"] for row in rows) == counts["events"] if rows else printed == counts["events"]
    return counts["events"], counts["lost"]


def drops(err):
    return sum(map(int, re.findall(r"(\d+) (?:\w+ ){0,2}drops?", err)))


def of_lines(out, err):
    """A D program that prints a line for each event."""
    return out.count("hit\n"), drops(err)


def of_aggregation(out, err):
    """A D program that prints `key count` at its end."""
    return sum(map(int, re.findall(r"^.*\s(\d+)$", out, re.M))), drops(err)


# (arguments, how many events it counted and lost)
TOOLS = {
    "count": (["count", PROBE, "-j"], of_summary),
    "trace": (["trace", PROBE, "-j"], of_summary),
    "D lines": (["-q", "-n", 'erlang*:::%s { printf("hit\\n"); } %s' % (PROBE, LIVE)], of_lines),
    "D lines, small buffer": (["-q", "-x", "bufsize=4k", "-n", 'erlang*:::%s { printf("hit\\n"); } %s' % (PROBE, LIVE)],
                              of_lines),
    "D keys": (["-q", "-n", "erlang*:::%s { @[tid %% 2, n++ %% 1000] = count(); } %s" % (PROBE, LIVE)], of_aggregation),
}


class Traced(Process):
    """erlbpf on a process, live; it prints into a file, or into a pipe."""

    def __init__(self, fake, tool, file=None):
        words, self.account = TOOLS[tool]
        super().__init__([ERLBPF] + words + ["-p", str(fake.pid)] + (["-o", file] if file else []),
                         stderr=subprocess.PIPE)
        self.file = file
        if tool.startswith("D"):
            self.wait_for_live()
        else:
            while "Tracing" not in wait_line(self.child.stderr):
                pass

    def wait_for_live(self):
        if not self.file:
            assert wait_line(self.child.stdout) == "live"
            return
        wait_until("D is live", lambda: os.path.exists(self.file) and b"live" in open(self.file, "rb").read())

    def stop(self):
        """SIGSTOP, and it has heard."""
        self.child.send_signal(signal.SIGSTOP)
        wait_until("it is stopped", lambda: state_of(self.pid) == "T")

    def go_on(self):
        self.child.send_signal(signal.SIGCONT)

    def accounts(self, sig=signal.SIGINT):
        """(counted, lost), after it has ended."""
        if sig is not None:
            self.child.send_signal(sig)
            self.go_on()
        out, err = self.child.communicate(timeout=3 * LIMIT)
        assert self.child.returncode == 0, err
        if self.file:
            with open(self.file, "rb") as file:
                out = file.read()
        return self.account(out.decode(), err.decode())


def fire(fake, events=EVENTS):
    assert fake.do("threads %d %s %d" % (THREADS, PROBE, events // THREADS)) == "ok"


def busy(fake, trace):
    fire(fake)
    return trace.accounts()


def stopped_before_the_first(fake, trace):
    trace.stop()
    fire(fake)
    return trace.accounts()


def stopped_at_the_last(fake, trace):
    fire(fake, EVENTS - THREADS)
    trace.stop()
    fire(fake, THREADS)
    return trace.accounts()


def stopped_again_and_again(fake, trace):
    done = threading.Event()

    def interrupt():
        while not done.wait(0.005):
            trace.child.send_signal(signal.SIGSTOP)
            done.wait(0.005)
            trace.go_on()

    thread = threading.Thread(target=interrupt)
    thread.start()
    fire(fake)
    done.set()
    thread.join()
    return trace.accounts()


def ended_with_the_process(fake, trace):
    fire(fake)
    fake.kill()
    return trace.accounts(sig=None)


STALLS = {
    "busy": busy,
    "stopped before the first event": stopped_before_the_first,
    "stopped at the last event": stopped_at_the_last,
    "stopped again and again": stopped_again_and_again,
    "its process killed at the last event": ended_with_the_process,
}

# A hundred runs; D's tools do not end with a process that -p names.
ROWS = ["%s, %s" % (tool, stall) for tool, stalls in {
    "count": ["stopped before the first event", "its process killed at the last event"],
    "trace": list(STALLS)[1:],
    "D lines": ["stopped before the first event", "stopped at the last event"],
    "D lines, small buffer": ["stopped again and again"],
    "D keys": ["stopped at the last event"],
}.items() for stall in stalls]


@over(ROWS + ["trace, nobody reads its output", "D lines, nobody reads its output"])
def test_seen_is_counted_and_lost(row):
    tool, _, stall = row.rpartition(", ")
    seen = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, Fake() as fake:
            # In a pipe that is not read, the output stops at 64 KiB.
            with Traced(fake, tool, os.path.join(folder, "out") if stall in STALLS else None) as trace:
                seen.append(STALLS.get(stall, busy)(fake, trace))
    print("        lost: %s of %d" % (" ".join(str(lost) for _, lost in seen), EVENTS))
    assert all(counted + lost == EVENTS for counted, lost in seen), seen


# (arguments, {key: count} and how many were lost)
KEYED = {
    "tool": ["user-trace", "--by", "pid", "-j"],
    "D aggregation": ["-q", "-n", "erlang*:::user_trace-i4s4 { @[arg2] = count(); } " + LIVE],
    "D array": ["-q", "-n", "erlang*:::user_trace-i4s4 { seen[arg2] = 1; @ = count(); } " + LIVE],
}


@over(KEYED)
def test_more_keys_than_are_kept_are_counted_and_take_no_memory(name):
    with Fake() as fake:
        run = Process([ERLBPF] + KEYED[name] + ["-p", str(fake.pid)], stderr=subprocess.PIPE)
        if name == "tool":
            while "Tracing" not in wait_line(run.child.stderr):
                pass
        else:
            assert run.line() == "live"
        errors = []
        reader = threading.Thread(target=lambda: errors.append(run.child.stderr.read()))
        reader.start()  # each of D's switches says how many it dropped
        fake.say("keys %d" % KEYS)
        assert fake.line(10 * LIMIT) == "ok"
        most, locked = peak_mib(run.pid), memlock_mib(run.pid)
        run.child.send_signal(signal.SIGINT)
        out = run.child.stdout.read().decode()
        assert run.child.wait(LIMIT) == 0
        reader.join(LIMIT)
    dropped = drops(errors[0].decode())
    print("        %d MiB of memory, %d MiB of maps, %d dropped, %d MiB of output" % (most, locked, dropped, len(out) >> 20))
    if name == "tool":
        lines = [json.loads(line) for line in out.splitlines()]
        rows = [row for line in lines if line["type"] == "table" for row in line["rows"]]
        assert sum(row["count"] for row in rows) == KEYS == lines[-1]["events"] and rows[-1]["pid"] == "other"
    elif name == "D aggregation":
        assert sum(map(int, re.findall(r"^\s+\d+\s+(\d+)$", out, re.M))) + dropped == KEYS
    else:
        assert int(out.split()[-1]) == KEYS and 0 < dropped < KEYS
    assert most < 32 and locked < 24, (most, locked)
