"""What is counted while probes are on only part of the time (user/budget/windows.h): cases that begin within a window. The
windows are set here, as the tracer does it."""
import contextlib
import json
import os
import re
import subprocess
import time

from lib import STOCK, Trace, of_type, over, shared

ASK = "[begin R ! {self(), N}, receive {R, N} -> ok end end || N <- lists:seq(1, %d)], ok"


def map_of(pid, name):
    """The id of a BPF map that a process has."""
    for fd in os.listdir("/proc/%d/fdinfo" % pid):
        found = None
        # Other descriptors come and go.
        with contextlib.suppress(FileNotFoundError), open("/proc/%d/fdinfo/%s" % (pid, fd), encoding="utf-8") as file:
            found = re.search(r"^map_id:\s*(\d+)$", file.read(), re.M)
        if found and bpftool("show", "id", found.group(1))["name"] == name:
            return found.group(1)
    raise AssertionError("%d has no map %s" % (pid, name))


def bpftool(*words):
    out = subprocess.run(["bpftool", "-j", "map", *words], stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(out)


def set_window(which, opened_ns, closed_ns):
    """The first words of struct erl_window of bpf/erl.h."""
    words = b"".join(word.to_bytes(8, "little") for word in (opened_ns, closed_ns))
    value = bytes(int(byte, 16) for byte in bpftool("lookup", "id", which, "key", "0", "0", "0", "0")["value"])
    subprocess.run(["bpftool", "map", "update", "id", which, "key", "0", "0", "0", "0", "value",
                    *map(str, words + value[len(words):])], check=True)


@over([STOCK])
def test_cases_count_that_begin_within_a_window(vm):
    with shared(vm, "+S", "1") as node:
        node.eval("R = spawn(fun F() -> receive {P, N} -> P ! {self(), N}, F() end end)")
        trace = Trace("sched-latency", "-j", "-p", node.pid, "--erl-pid", node.eval("R"))
        which = map_of(trace.pid, "erl_windows")
        set_window(which, time.monotonic_ns() + 3600 * 10**9, 0)
        node.eval(ASK % 10)
        opened_ns = time.monotonic_ns()
        set_window(which, opened_ns, 0)
        node.eval(ASK % 20)
        set_window(which, opened_ns, time.monotonic_ns())
        node.eval(ASK % 40)
        lines = trace.stop_json()
    assert [hist["count"] for hist in of_type(lines, "hist")] == [20], lines
