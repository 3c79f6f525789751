"""calls --entry, by debug registers (--via hw) and by breakpoints of the VM: held against what the node itself counts."""
import ctypes
import json
import os
import re
import signal
import subprocess
import tempfile

from lib import (BUILD, EMU, ERLBPF, IS_ONE_VM, JIT_VMS, NEWEST, STOCK, Node, Skip, Trace, alone, erlbpf, of_type, over, unique,
                 wait_until)

SECRET = "entries"
TIMES = 200
LONG = 50000  # a loop that is scheduled out several times
FUNCTIONS = ("leaf", "outer", "loop", "factorial")
# Of calls with the argument 3.
CALLS = {"called:leaf/1": 3 * TIMES, "called:outer/1": TIMES, "called:loop/1": 4 * TIMES,
         "called:factorial/1": 4 * TIMES}
FOUR = "called:[lof]*/1"
MAPPED = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$", re.M)


# Of machines that are virtual, erlbpf uses them only so. A test's node survives what makes it unsafe.
UNSAFE = "--unsafe"
SURVIVES = {"LD_PRELOAD": os.path.join(BUILD, "survive_trap.so")}


def refusal(*options):
    """Why this machine has no debug registers; "" if it has. Nothing is traced."""
    done = subprocess.run([ERLBPF, "calls", "called:leaf/1", "--entry", "--node", "nobody@nowhere", "--no-wait", *options],
                          capture_output=True, text=True)
    return done.stderr if done.returncode == 4 else ""


def is_virtual():
    with open("/proc/cpuinfo") as info:
        return " hypervisor" in info.read()


def registers_needed():
    why = refusal(UNSAFE)
    if why:
        raise Skip(why.strip())


def start(vm, *args):
    node = Node(vm, "-sname", unique("entries"), "-setcookie", SECRET, *args, env=SURVIVES)
    node.eval("P = called:start()")
    return node


def trace(node, pattern, *options):
    return Trace("calls", pattern, "--entry", UNSAFE, "-p", node.pid, "--exact", *options)


def call(node, function, times=TIMES, argument="3"):
    node.eval("called:call(P, %s, {%d, %s})" % (function, times, argument))


def counts(lines):
    return {row["key"]: row["calls"] for table in of_type(lines, "table") for row in table["rows"]}


def code_of(node):
    """All that the node has of instructions: its files' and the JIT's."""
    with open("/proc/%d/maps" % node.pid) as file:
        text = file.read()
    code = {}
    with open("/proc/%d/mem" % node.pid, "rb") as memory:
        for begin, end, rights, path in MAPPED.findall(text):
            if "x" not in rights or path.startswith(("[v", "[u")):  # of the kernel: vsyscall, uprobes
                continue
            memory.seek(int(begin, 16))
            code[begin, end, path] = hash(memory.read(min(int(end, 16) - int(begin, 16), 32 << 20)))
    return code


def own_counts(node, functions):
    return {"called:%s/1" % function:
            int(node.eval("element(2, erlang:trace_info({called,%s,1}, call_count))" % function))
            for function in functions}


@over(JIT_VMS if IS_ONE_VM else JIT_VMS + [NEWEST])
def test_what_debug_registers_count_is_what_the_node_counts(vm):
    registers_needed()
    with start(vm) as node:
        for function in FUNCTIONS:
            call(node, function, 1)
        before = code_of(node)
        running = trace(node, FOUR, "-j", "--call-limit", "1000000")
        for function in FUNCTIONS:
            call(node, function)
        call(node, "loop", 1, str(LONG))
        during = code_of(node)
        lines = running.stop_json()
        assert before == during == code_of(node), "the node's code has changed"
        node.eval("[erlang:trace_pattern({called,F,1}, true, [local, call_count]) || F <- [%s]]" % ",".join(FUNCTIONS))
        for function in FUNCTIONS:
            call(node, function)
        call(node, "loop", 1, str(LONG))
        own = own_counts(node, FUNCTIONS)
    expected = dict(CALLS, **{"called:loop/1": CALLS["called:loop/1"] + LONG + 1})
    assert counts(lines) == own == expected, (counts(lines), own)
    assert lines[-1]["entered"] == sum(expected.values()) and lines[-1]["lost"] == 0, lines[-1]
    assert lines[-1]["targets"][0]["source"] == "debug registers", lines[-1]


@over(JIT_VMS)
def test_counters_of_the_vm_count_the_same_without_any_probe(vm):
    with start(vm) as node:
        running = trace(node, FOUR, "--via", "vm", "-j")
        with open("/proc/%d/maps" % node.pid) as maps:
            assert "[uprobes]" not in maps.read()
        for function in FUNCTIONS:
            call(node, function)
        lines = running.stop_json()
    assert counts(lines) == CALLS, lines
    summary = lines[-1]
    assert (summary["entered"], summary["events"]) == (sum(CALLS.values()), 0), summary
    assert summary["targets"][0]["source"] == "counters of the VM", summary


@over([STOCK])
def test_counters_of_the_vm_are_told_interval_by_interval(vm):
    with start(vm) as node:
        running = trace(node, FOUR, "--via", "vm", "-j", "-i", "100ms")
        tables = []

        def sums():
            rows = [row for table in tables for row in table["rows"]]
            return {key: sum(row["calls"] for row in rows if row["key"] == key) for key in {row["key"] for row in rows}}

        for function in FUNCTIONS:
            before = sums().get("called:%s/1" % function, 0)
            call(node, function)
            while sums().get("called:%s/1" % function, 0) == before:
                tables += of_type([json.loads(running.line())], "table")
        node.eval("{code:purge(called), code:load_file(called), code:purge(called)}")
        node.eval("P2 = called:start()")
        wait_until("the new code has a breakpoint",
                   lambda: node.eval("erlang:trace_info({called,leaf,1}, call_count)") == "{call_count,0}")
        node.eval("called:call(P2, leaf, {%d, 3})" % TIMES)
        tables += of_type([json.loads(line) for line in running.stop().splitlines()], "table")
    assert sums() == dict(CALLS, **{"called:leaf/1": 4 * TIMES}), tables
    assert len([table for table in tables if table["rows"]]) >= len(FUNCTIONS), tables


@over([STOCK])
def test_breakpoints_of_the_vm_count_the_same(vm):
    with start(vm) as node:
        for options, expected in ((["--by", "caller"], 2 * TIMES), (["--when", "arg(1) == 3"], 2 * TIMES), (["--when", "arg(1) > 3"], 0)):
            running = trace(node, "called:leaf/1", "--via", "vm", "-j", *options)
            call(node, "outer")
            lines = running.stop_json()
            assert sum(counts(lines).values()) == expected and lines[-1]["events"] == 2 * TIMES, (options, lines)


@over(JIT_VMS)
def test_calls_are_shown_with_arguments_and_callers(vm):
    registers_needed()
    with start(vm) as node:
        running = trace(node, "called:leaf/1", "--show", "-j")
        call(node, "outer", 1, '{a, [1, "two"]}')
        events = of_type(running.stop_json(), "event")
        pid = node.eval("P")
    assert [event["call"] for event in events] == ['called:leaf({a,[1,"two"]})'] * 2, events
    assert all(event["pid"] == pid and event["called by"].startswith("called:outer/1") for event in events), events


@over([STOCK])
def test_calls_are_grouped_and_chosen_as_with_returns(vm):
    registers_needed()
    with start(vm) as node:
        for options, expected in (
                (["--by", "caller"], {"called:outer/1": 2 * TIMES, "called:factorial/1": 0}),
                (["--by", "arg", "--arg", "1"], {"3": 2 * TIMES}),
                (["--by", "pid"], {node.eval("P"): 2 * TIMES}),
                (["--erl-pid", node.eval("P"), "--by", "function"], {"called:leaf/1": 2 * TIMES}),
                (["--erl-pid", node.eval("whereis(init)")], {}),
                (["--when", "arg(1) > 3"], {}),
                (["--when", "arg(1) == 3"], {"called:leaf/1": 2 * TIMES})):
            running = trace(node, "called:leaf/1", "-j", *options)
            call(node, "outer")
            found = counts(running.stop_json())
            assert found == {key: count for key, count in expected.items() if count}, (options, found)


RELOAD = ("begin {ok, called, B} = compile:file(\"%s\", [binary]), code:purge(called), "
          "{module, called} = code:load_binary(called, \"called\", B), P2 = called:start(), ok end")


@over(JIT_VMS)
def test_code_that_is_loaded_again_is_followed(vm):
    registers_needed()
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "erl", "called.erl")
    with start(vm) as node:
        running = trace(node, "called:leaf/1", "-j")
        call(node, "leaf")
        node.eval(RELOAD % source)
        running.wait_for("called:leaf/1 was loaded again")
        node.eval("called:call(P2, leaf, {%d, 3})" % TIMES)
        lines = running.stop_json()
    assert counts(lines) == {"called:leaf/1": 2 * TIMES}, lines


def test_a_node_that_starts_later_is_traced_when_its_code_is_loaded():
    registers_needed()
    with tempfile.TemporaryDirectory() as folder:
        run = ("erl -noshell -pa %s -eval 'Until = fun W(Name) -> case filelib:is_regular(\"%s/\" ++ Name) of true -> ok; "
               "false -> timer:sleep(10), W(Name) end end, Until(\"traced\"), {module, called} = code:load_file(called), "
               "Until(\"seen\"), [called:leaf(X) || X <- lists:seq(1, 300)], halt().'" % (os.path.join(BUILD, "erl"), folder))
        running = Trace("calls", "called:leaf/1", "--entry", UNSAFE, "-j", "--exact", "-c", run)
        for word, name in (("has started and is traced", "traced"), ("code of 1 function was loaded", "seen")):
            running.wait_for(word)
            with open(os.path.join(folder, name), "w"):
                pass
        lines = running.stop_json(sig=None)
    assert counts(lines) == {"called:leaf/1": 300}, lines


@over([STOCK])
def test_too_many_calls_a_second_free_the_registers(vm):
    registers_needed()
    with start(vm) as node:
        running = trace(node, "called:leaf/1", "--call-limit", "100")
        node.eval("P ! busy")
        running.wait_for("are called too often (see --call-limit)")
        running.stop()


@over([STOCK])
def test_beyond_the_budget_counts_are_of_what_was_watched(vm):
    registers_needed()
    with start(vm) as node:
        running = Trace("calls", "called:leaf/1", "--entry", UNSAFE, "-p", node.pid, "-j", "--max-overhead", "1",
                        "--call-limit", "1000000000")
        node.eval("P ! busy")
        running.wait_for("--exact keeps them attached")
        lines = running.stop_json()
    assert 0 < lines[-1]["watched_s"] < lines[-1]["duration_s"], lines[-1]
    assert 0 < counts(lines)["called:leaf/1"] <= lines[-1]["entered"], lines


@over([STOCK])
def test_threads_that_come_and_go_change_no_count(vm):
    registers_needed()
    with start(vm) as node:
        running = trace(node, FOUR, "-j", "--call-limit", "1000000")
        node.eval("T = passing:start()")
        for function in FUNCTIONS:
            call(node, function)
        threads = int(node.eval("passing:stop(T)"))
        lines = running.stop_json()
    assert counts(lines) == CALLS and threads >= 20, (lines, threads)


class Attributes(ctypes.Structure):
    """struct perf_event_attr, as far as breakpoints need it."""
    _fields_ = [("type", ctypes.c_uint32), ("size", ctypes.c_uint32), ("config", ctypes.c_uint64),
                ("period", ctypes.c_uint64), ("sample_type", ctypes.c_uint64), ("read_format", ctypes.c_uint64),
                ("flags", ctypes.c_uint64), ("wakeup", ctypes.c_uint32), ("bp_type", ctypes.c_uint32),
                ("bp_addr", ctypes.c_uint64), ("bp_len", ctypes.c_uint64)]


def take_registers(pid, cpu=-1):
    """As a debugger does, of a process or of a CPU; fds."""
    watched = ctypes.c_long(0)
    event = Attributes(type=5, size=ctypes.sizeof(Attributes), bp_type=2, bp_addr=ctypes.addressof(watched), bp_len=8,
                       flags=1 << 2)
    libc = ctypes.CDLL(None, use_errno=True)
    fds = []
    while len(fds) < 64:
        fd = libc.syscall(298, ctypes.byref(event), pid, cpu, -1, 0)
        if fd < 0:
            return fds
        fds.append(fd)
    return fds


@over([STOCK])
def test_registers_that_others_have_are_left_to_them(vm):
    registers_needed()
    with start(vm) as node:
        fds = take_registers(node.pid)
        try:
            assert len(fds) == 4, fds
            said = erlbpf("calls", "called:leaf/1", "--entry", UNSAFE, "-p", node.pid, "-d", "1", code=3)[1]
        finally:
            for fd in fds:
                os.close(fd)
        assert "others have debug registers of its threads" in said, said


@alone("takes the debug registers of all processors")
def test_a_machine_whose_registers_others_have_says_so():
    registers_needed()
    fds = [fd for cpu in range(os.cpu_count()) for fd in take_registers(-1, cpu)]
    try:
        said = refusal(UNSAFE)
    finally:
        for fd in fds:
            os.close(fd)
    assert "somebody else uses all debug registers" in said and "--entry --via vm" in said, said


@over([STOCK])
def test_a_killed_trace_leaves_no_register(vm):
    registers_needed()
    with start(vm) as node:
        running = trace(node, "called:leaf/1")
        assert len(take_and_count(node.pid)) == 3
        running.child.send_signal(signal.SIGKILL)
        running.child.wait()
        wait_until("they are free", lambda: len(take_and_count(node.pid)) == 4)


def take_and_count(pid):
    fds = take_registers(pid)
    for fd in fds:
        os.close(fd)
    return fds


def test_what_needs_the_return_of_a_call_is_refused():
    for options, reason in ((["--min", "1ms"], "--min needs the return"),
                            (["--when", "result() == 1"], "result.. needs the return"),
                            (["--via", "hw", "--cookie-file", "/x"], "does not connect to the node")):
        said = erlbpf("calls", "called:leaf/1", "--entry", *options, code=2)[1]
        assert re.search(reason, said), said
    assert "expected a function or a pattern" in erlbpf("calls", "--via", "hw", code=2)[1]
    assert "expected a function or a pattern" in erlbpf("calls", "--entry", code=2)[1]


@over([STOCK])
def test_what_debug_registers_cannot_do_is_refused_with_the_reason(vm):
    registers_needed()
    with start(vm) as node:
        def refused(pattern):
            return erlbpf("calls", pattern, "--entry", UNSAFE, "-p", node.pid, "-d", "1", code=3)[1]
        assert re.search(r'"called:\*" are \d+ functions, and a processor has debug registers for 4', refused("called:*"))
        assert 'no code is loaded for "called:leef/1" (did you mean "called:leaf/1"?)' in refused("called:leef/1")


@over([EMU])
def test_a_vm_without_the_jit_is_refused(vm):
    registers_needed()
    with Node(vm) as node:
        said = erlbpf("calls", "lists:reverse/1", "--entry", UNSAFE, "-p", node.pid, "-d", "1", code=3)[1]
        assert "it has no JIT" in said, said


def test_a_machine_without_debug_registers_says_so():
    why = refusal(UNSAFE)
    if not why:
        raise Skip("this machine has debug registers")
    assert "debug registers" in why and "--entry --via vm" in why, why


def test_on_a_virtual_machine_debug_registers_are_unsafe():
    if not is_virtual():
        raise Skip("this machine is none")
    why = refusal()
    assert "a virtual machine" in why and UNSAFE in why and "--entry --via vm" in why, why
    assert "a virtual machine" in erlbpf("doctor", code=None)[0]  # there may be no node


@over(["doctor", "spawn-exit -d 100ms", "calls * -d 100ms"])
def test_debug_registers_of_a_virtual_machine_are_not_even_tried(command):
    if not is_virtual():
        raise Skip("this machine is none")
    with Node(STOCK) as node, tempfile.NamedTemporaryFile() as log:
        argv = [ERLBPF, *command.split(), "-p", str(node.pid)]
        subprocess.run(["strace", "-f", "-qq", "-e", "trace=perf_event_open", "-o", log.name, *argv], capture_output=True, check=True)
        calls = log.read().decode()
    assert "PERF_TYPE_BREAKPOINT" not in calls, calls
