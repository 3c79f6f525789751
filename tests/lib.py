"""What the tests share: nodes, the fake BEAM, erlbpf itself. Every wait has a limit and waits for a
word, never for a time; every process that is started here is ended here, by its pid."""
import contextlib
import functools
import itertools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("ERLBPF_BUILD", os.path.join(ROOT, "build")))
CACHE = os.environ.get("ERLBPF_CACHE") or os.path.expanduser("~/.cache/erlbpf")
ERLBPF = os.path.join(BUILD, "erlbpf")
UNIT = os.path.join(BUILD, "unit")
SLOW = os.path.join(BUILD, "erlbpf-slow")  # in which a hit takes 5 us more
# How long a wait may take that ends in no time on a machine that is idle: only what hangs takes longer, at any load.
LIMIT = 180

# Tests compare counts with those of the node. What is done where that costs too much is in tools/test_budget.py.
os.environ["ERLBPF_MAX_OVERHEAD"] = "0"
BUDGET = {"ERLBPF_MAX_OVERHEAD": ""}

started = []


class Skip(unittest.SkipTest):
    """The test cannot run here; the text says why."""


# The releases of the suites that probes/otp/chroot-otp.sh has.
SUITES = {"trixie": 27, "sid": 29}


class VM:
    """`root` is where its files are, if that is not this machine's root."""

    def __init__(self, name, erl, *args, notes, otp, has_symbols=None, has_jit=True, root=""):
        self.name, self.erl, self.args, self.notes, self.otp, self.root = name, erl, list(args), notes, otp, root
        self.has_symbols = notes or otp == 29 if has_symbols is None else has_symbols
        self.has_jit = has_jit
        # OTP 29 exports no functions of its own: without symbols they are found by comparison.
        self.hides = otp >= 29 and not self.has_symbols
        self.functions = "matched" if self.hides else "symbol"

    def __str__(self):
        return self.name

    def is_there(self):
        return os.path.exists(self.root + self.erl)

    def command(self, program):
        """How a program of its root is started: as a process whose pid is the program's."""
        return ([os.path.join(ROOT, "probes", "otp", "in-chroot.sh"), self.root] if self.root else []) + [program]


def cached(name):
    return os.path.join(CACHE, name, "bin", "erl")


STOCK = VM("stock", "/usr/bin/erl", notes=False, otp=25)
USDT = VM("usdt", cached("otp-25-usdt"), notes=True, otp=25)
EMU = VM("emu", cached("otp-25-emu"), notes=True, otp=25, has_jit=False)


def vm_of(word):
    """The VM of a word of ERLBPF_VMS: stock, usdt, emu, RELEASE-KIND of probes/otp/build-otp.sh, or a suite. Options of
    the node may follow, with colons: 29-stock:+JPperf:true."""
    name, *args = word.split(":")
    for vm in STOCK, USDT, EMU:
        if word == vm.name:
            return vm
    if name in SUITES:
        return VM(word, "/usr/bin/erl", *args, notes=False, otp=SUITES[name], has_symbols=False,
                  root=os.path.join(CACHE, "chroot-" + name))
    release, kind = name.split("-", 1)
    return VM("otp" + word, cached("otp-" + name), *args, notes=kind == "usdt", otp=int(release),
              has_symbols=False if kind == "stripped" else None, has_jit=kind not in ("emu", "musl"))


# The VMs that tests of VMs run on. `make test` runs them on two; `make test-all` sets ERLBPF_VMS and runs them on the others.
IS_ONE_VM = "ERLBPF_VMS" in os.environ
VMS = [vm_of(word) for word in os.environ.get("ERLBPF_VMS", "stock usdt").split()]
JIT_VMS = [vm for vm in VMS if vm.has_jit]
# A few tests also run on the newest release, stripped, in `make test`.
NEWEST = vm_of("29-stripped")
WITH_NEWEST = VMS if IS_ONE_VM else VMS + [NEWEST]
OLDEST_AND_NEWEST = [vm for vm in VMS if vm.name in (STOCK.name, NEWEST.name)]  # for what takes long


def names_vm(case):
    """Is this the name of a VM?"""
    return re.fullmatch(r"stock|usdt|emu|%s|otp\d+-\S+" % "|".join(SUITES), case) is not None


def over(cases):
    """The test runs once for each. A case that begins with the name of a VM runs where that VM is wanted."""
    def mark(function):
        function.cases = list(cases)
        return function
    return mark


def in_group(case, group):
    """A case of lib.over() for tests of no VM that share no node: groups run in parallel. `group`: "test_x.py:word"."""
    import pytest
    return pytest.param(case, marks=pytest.mark.xdist_group(group))


def alone(reason):
    """The test runs while no other test runs. The reason says what it would disturb, or what would disturb it."""
    import pytest
    return pytest.mark.alone(reason)


def wait_line(stream, limit=LIMIT):
    """The next line of an unbuffered stream; fails instead of hanging."""
    line = b""
    end = time.monotonic() + limit
    while not line.endswith(b"\n"):
        if not select.select([stream], [], [], max(0, end - time.monotonic()))[0]:
            raise AssertionError("no line within %d s, only %r" % (limit, line))
        byte = os.read(stream.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode("utf-8", "replace").rstrip("\n")


def wait_until(what, condition, limit=LIMIT):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("not within %d s: %s" % (limit, what))
        time.sleep(0.02)


class Process:
    def __init__(self, argv, **more):
        self.child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                      **more)
        self.pid = self.child.pid
        started.append(self)

    def say(self, line):
        self.child.stdin.write((line + "\n").encode("utf-8", "surrogateescape"))

    def line(self, limit=LIMIT):
        return wait_line(self.child.stdout, limit)

    def is_alive(self):
        return self.child.poll() is None

    def is_polling(self):
        """It waits for something to do: in epoll_wait (x86-64) or epoll_pwait (and arm64)."""
        try:
            with open("/proc/%d/syscall" % self.pid) as syscall:
                return syscall.read().split()[0] in ("232", "281", "22")
        except OSError:
            return False

    def kill(self, sig=signal.SIGKILL):
        if self.is_alive():
            self.child.send_signal(sig)
        self.child.wait(LIMIT)

    def close(self):
        """End it politely if it listens, else not."""
        if self.is_alive():
            try:
                self.child.stdin.close()
                self.child.wait(5)
            except (OSError, subprocess.TimeoutExpired):
                self.kill()
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            if stream:
                stream.close()
        if self in started:
            started.remove(self)
        for name in ("perf-%d.map", "jit-%d.dump"):  # of a node that runs with +JPperf
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join("/tmp", name % self.pid))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Node(Process):
    """A BEAM with the test modules in its path. `erl` execs, so its pid is the BEAM's."""

    def __init__(self, vm, *args, run=("ctl", "main"), words=(), env=None, prefix=(), modules=None):
        if not vm.is_there():
            raise Skip("there is no %s%s; probes/otp/ has what makes it" % (vm.root, vm.erl))
        argv = list(prefix) + vm.command(vm.erl) + ["-noshell"] + vm.args + ["-pa", modules or os.path.join(BUILD, "erl")]
        super().__init__(argv + list(args) + ["-s"] + list(run) + [str(w) for w in words],
                         env=dict(os.environ, **(env or {})), stderr=subprocess.DEVNULL)
        self.ready = self.line()
        assert self.ready.startswith("ready"), self.ready

    def eval(self, expression, limit=LIMIT):
        """Value of an Erlang expression, as text."""
        self.say(expression if expression.endswith(".") else expression + ".")
        answer = self.line(limit)
        assert answer.startswith("= "), "%s -> %s" % (expression, answer)
        return answer[2:]


def rename(node, name):
    """Have a node's memory say that it is called so: bytes, as a VM that lies could."""
    done = subprocess.run(["nm", "-D", "/proc/%d/exe" % node.pid], stdout=subprocess.PIPE, check=True, text=True)
    offset = next(int(line.split()[0], 16) for line in done.stdout.splitlines() if line.endswith(" erts_this_node_sysname"))
    with open("/proc/%d/maps" % node.pid) as maps:
        base = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith("/beam.smp"))
    with open("/proc/%d/mem" % node.pid, "r+b", buffering=0) as mem:
        mem.seek(base + offset)
        mem.seek(int.from_bytes(mem.read(8), "little"))
        mem.write(name + b"\0")


class Fake(Process):
    def __init__(self, program="fake-beam", name=None):
        """With the name of a node as its arguments tell it."""
        super().__init__([os.path.join(BUILD, program)] + (["-name", name] if name else []))
        assert self.line().startswith("ready")

    def do(self, command):
        self.say(command)
        return self.line()


@contextlib.contextmanager
def own_fake(program="fake-beam", name=None):
    """One whose file is its own: probes on a whole file, as ERLBPF_ATTACH=inode has them, are in all of its processes."""
    with tempfile.TemporaryDirectory() as folder, Fake(shutil.copy(os.path.join(BUILD, program), folder), name) as fake:
        yield fake


def stat_of(task):
    """The fields of /proc/TASK/stat from the state on; the name before them may hold anything."""
    with open("/proc/%s/stat" % task, errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()


def state_of(pid):
    return stat_of(pid)[0]


def states_of_threads(pid):
    for thread in os.listdir("/proc/%d/task" % pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            yield state_of("%d/task/%s" % (pid, thread))


# For a node that is to come to rest: a thread that waits by giving up the processor again and again does so for minutes
# beside threads that take it.
NO_BUSY_WAIT = ("+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none")


def hold(pid):
    """Stop a process; it does not run when this returns."""
    os.kill(pid, signal.SIGSTOP)
    wait_until("all threads are stopped", lambda: set(states_of_threads(pid)) == {"T"})


def status_of(pid):
    """The fields of /proc/PID/status."""
    with open("/proc/%s/status" % pid, errors="replace") as lines:
        return dict(line.rstrip("\n").split(":\t", 1) for line in lines)


def name_of(pid):
    """None: it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError), open("/proc/%s/comm" % pid, errors="replace") as comm:
        return comm.read().rstrip()
    return None


def children_of(pid):
    """None of a process or thread that has ended."""
    ended = contextlib.suppress(FileNotFoundError, ProcessLookupError)
    found, threads = [], []
    with ended:
        threads = os.listdir("/proc/%d/task" % pid)
    for thread in threads:
        with ended, open("/proc/%d/task/%s/children" % (pid, thread)) as children:
            found += map(int, children.read().split())
    return found


def guardian_of(pid):
    """The process that has the probes of an erlbpf."""
    found = [child for child in children_of(pid) if name_of(child) == "bpf-guardian"]
    assert len(found) == 1, "%d has %d guardians" % (pid, len(found))
    return found[0]


def cpu_ns(pid):
    """Time on a CPU of the process's first thread."""
    with open("/proc/%d/schedstat" % pid) as stat:
        return int(stat.read().split()[0])


def cpu_seconds(pid):
    """Time on a CPU of all its threads."""
    fields = stat_of(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid):
    """The most memory that it had so far."""
    return int(status_of(pid)["VmHWM"].split()[0]) / 1024


def memlock_mib(pid):
    """Of its BPF maps and programs: what fdinfo says. One that has two descriptors counts once."""
    seen = {}
    for name in os.listdir("/proc/%d/fdinfo" % pid):
        try:
            with open("/proc/%d/fdinfo/%s" % (pid, name)) as file:
                text = file.read()
        except FileNotFoundError:
            continue
        size, number = re.search(r"memlock:\s+(\d+)", text), re.search(r"(?:map|prog)_id:\s+(\d+)", text)
        if size and number:
            seen[number.group(0)] = int(size.group(1))
    return sum(seen.values()) / (1 << 20)


def is_at_rest(pid):
    """No thread of the process runs or wants to."""
    try:
        return "R" not in states_of_threads(pid)
    except (FileNotFoundError, ProcessLookupError):
        return True


REST_S = 0.1


def let_finish():
    """A node answers from the midst of what it does, and a thread that was interrupted then has the rest of it
    before it. A node that is never at rest is not waited for longer than this."""
    end = time.monotonic() + REST_S
    for node in [process for process in started if isinstance(process, Node)]:
        while node.is_alive() and not is_at_rest(node.pid) and time.monotonic() < end:
            time.sleep(0.001)


class Trace(Process):
    """erlbpf, once every probe is live."""

    def __init__(self, *args, env=None, wait=True, program=ERLBPF):
        super().__init__([program] + [str(a) for a in args], stderr=subprocess.PIPE,
                         env=dict(os.environ, **(env or {})))
        self.stderr = []
        self.taken = b""
        if wait:
            self.wait_for("Tracing")

    def wait_for(self, word, limit=LIMIT):
        """The line of stderr that holds the word."""
        while True:
            line = wait_line(self.child.stderr, limit)
            if not line:
                self.child.wait(LIMIT)
                raise AssertionError("erlbpf ended (%s): %s" % (self.child.returncode, self.stderr[-5:]))
            self.stderr.append(line)
            if word in line:
                return line

    def stop(self, sig=signal.SIGINT, code=0):
        """What it printed, after a signal; its exit code must be `code`."""
        if sig is not None and self.is_alive():
            let_finish()
            self.child.send_signal(sig)
        out, err = self.child.communicate(timeout=LIMIT)
        self.stderr += err.decode("utf-8", "replace").splitlines()
        assert self.child.returncode == code, "exit code %d, not %d: %s" % (
            self.child.returncode, code, self.stderr)
        self.close()
        return out.decode("utf-8", "strict")

    def stop_json(self, sig=signal.SIGINT, code=0):
        """Its JSON lines after a signal; the last is the summary."""
        lines = [json.loads(line) for line in self.stop(sig, code).splitlines()]
        assert lines[0]["schema"] == 1 and lines[-1]["type"] == "summary", lines[-1]
        return lines


class Bpftrace(Process):
    """A script of tools/bt, once every probe is live. bpftrace 0.17 runs BEGIN before it attaches and says
    nothing when it has; but from then on it waits in epoll_wait (x86-64) or epoll_pwait (and arm64)."""

    def __init__(self, script, pid, *args):
        super().__init__([os.path.join(ROOT, "tools", "bt", "run"), script, str(pid)] + list(args),
                         stderr=subprocess.PIPE)
        wait_until("bpftrace attaches " + script, self.is_attached)

    def is_attached(self):
        assert self.is_alive(), self.child.stderr.read().decode("utf-8", "replace")
        return self.is_polling()

    def ask_to_stop(self):
        let_finish()
        # Not SIGINT, which a shell without job control has it ignore.
        self.child.send_signal(signal.SIGTERM)

    def output(self):
        """What it printed, once it has detached. It heeds a signal only when that interrupts its wait, so one
        that came between two waits has to be repeated."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                out, err = self.child.communicate(timeout=1)
                break
            except subprocess.TimeoutExpired:
                assert time.monotonic() < end, "bpftrace does not end"
                if self.is_polling():
                    self.ask_to_stop()
        assert self.child.returncode == 0, err
        self.close()
        return out.decode("utf-8", "strict")


def erlbpf(*args, code=0, env=None, user=None):
    """Run it to its end: (stdout, stderr). `code`: with which it ends, None: any."""
    prefix = ["setpriv", "--reuid", str(user), "--clear-groups", "--inh-caps=-all"] if user else []
    done = subprocess.run(prefix + [ERLBPF] + [str(a) for a in args], capture_output=True,
                          timeout=LIMIT, env=dict(os.environ, **(env or {})))
    out, err = done.stdout.decode("utf-8", "strict"), done.stderr.decode("utf-8", "strict")
    assert code is None or done.returncode == code, "exit code %d, not %d: %s%s" % (done.returncode, code, out, err)
    return out, err


@functools.cache
def probe_ns():
    """What probes and clocks add to a duration that is measured between two hits: by machine, a hit takes 0.5 to 6 us."""
    out, _ = erlbpf("doctor", "-j", code=None)
    return max(2000, 4 * json.loads(out.splitlines()[0])["kernel"]["hit_ns"]["plain"])


def atom_lock(vm):
    """What the lock of the atom table begins with: a VM with its symbols has the name, one without tells where it is."""
    return "atom_table_lock" if vm.has_symbols or vm.hides else "~erts_atom_table+0x"


def agree(measure, tries=3):
    """`measure` gives (ours, the node's own) duration in ns, and checks what is no duration itself. They must
    agree to 20 % and what probes and clocks take themselves, in one of some tries: the machine may do other work just
    between the two clocks."""
    seen = []
    for _ in range(tries):
        ours, own = measure()
        seen.append((ours, own))
        if abs(ours - own) <= own / 5 + probe_ns():
            return ours / own
    raise AssertionError("ours and the node's own: %s" % seen)


def within(inner_ns, ours_ns, outer_ns):
    """A duration that erlbpf measured, between two of the node's or the test's own that hold on any machine at any
    load, by the same clock: `inner_ns` of an interval that lies within the one measured (what a nap lasts at least,
    a clock read after its begin and before its end), 0 if there is none; `outer_ns` of one that contains it (a clock
    read before its begin and after its end). erlbpf subtracts an estimate of its own cost, so its duration may be as
    little as half of the inner one; it is never more than the outer one."""
    assert inner_ns / 2 <= ours_ns <= outer_ns, "inner %d, ours %d, outer %d ns" % (inner_ns, ours_ns, outer_ns)


def of_type(lines, kind):
    return [line for line in lines if line["type"] == kind]


def probe_total(lines, probe):
    counts = lines[-1]["probes"].get(probe, {"events": 0, "lost": 0})
    return counts["events"] + counts["lost"]


shared_nodes = {}


@contextlib.contextmanager
def shared(vm, *args):
    """A node for tests that leave it as it was: the tests of a file on a VM, with the same arguments, have the same one.
    Variables, processes, tables, ports and the registered name are gone when it ends: what works without an end would take
    the CPUs of other tests until the last test of the file. A test that fails leaves none to the next."""
    key = (vm, args)
    node = shared_nodes.get(key)
    if node is None or not node.is_alive():
        node = shared_nodes[key] = Node(vm, *args)
    try:
        yield node
        if node.is_alive():
            node.eval("f()")
    except BaseException:
        shared_nodes.pop(key, None)
        raise


def end_processes(but_shared=False):
    """End what is started here, by pid."""
    if not but_shared:
        shared_nodes.clear()
    for process in list(started):
        if process not in shared_nodes.values():
            process.kill()
            process.close()


serial = itertools.count(1)


def unique(name):
    """A name that no other test has, nor another run of the tests: for nodes, files and control groups."""
    return "%s_%d_%d" % (name, os.getpid(), next(serial))


def memory(pid, address, size):
    with open("/proc/%d/mem" % pid, "rb") as mem:
        mem.seek(address)
        return mem.read(size)
