"""Each system call of attaching, tracing and detaching fails in turn: erlbpf says what happened, ends with an exit code of
its contract, and leaves a node without a changed byte. A run that ends well has counted every event."""
import json
import os
import re
import signal
import subprocess
import time

from inject import IS_WHOLE, LIVE, Faulty, counted, error_number
from lib import ERLBPF, LIMIT, STOCK, Fake, Node, Process, let_finish, over, wait_line, wait_until
from process_text import ProcessText

# What each can fail with. Those that cannot fail with valid arguments are left out, as are those that only the C library
# uses to make room: test_allocations.py.
ERRORS = {
    "bpf": ["ENOMEM", "EPERM"],
    "perf_event_open": ["EMFILE", "EACCES"],
    "openat": ["EMFILE", "EACCES"],
    "read": ["EIO", "EINTR"],
    "pread64": ["EIO"],
    "process_vm_readv": ["EPERM", "EFAULT"],
    "process_vm_writev": ["EPERM"],
    "mmap": ["ENOMEM"],
    "mprotect": ["ENOMEM"],
    "mremap": ["ENOMEM"],
    "munmap": ["ENOMEM"],
    "madvise": ["ENOMEM"],
    "clone": ["EAGAIN"],
    "clone3": ["EAGAIN"],
    "wait4": ["EINTR"],
    "waitid": ["EINTR"],
    "socket": ["EMFILE"],
    "socketpair": ["EMFILE"],
    "sendmsg": ["ENOBUFS", "EINTR"],
    "recvmsg": ["ENOMEM", "EINTR"],
    "sendto": ["ENOBUFS", "EINTR"],
    "recvfrom": ["ENOMEM", "EINTR"],
    "epoll_create1": ["EMFILE"],
    "epoll_ctl": ["ENOMEM"],
    "epoll_wait": ["ENOMEM", "EINTR"],
    "epoll_pwait": ["ENOMEM", "EINTR"],
    "poll": ["ENOMEM", "EINTR"],
    "ppoll": ["ENOMEM", "EINTR"],
    "timerfd_create": ["EMFILE"],
    "timerfd_settime": ["ECANCELED"],
    "eventfd2": ["EMFILE"],
    "signalfd4": ["EMFILE"],
    "pidfd_open": ["EMFILE"],
    "pidfd_send_signal": ["EPERM"],
    "memfd_create": ["EMFILE"],
    "ftruncate": ["ENOSPC"],
    "write": ["ENOSPC", "EINTR"],
    "writev": ["ENOSPC", "EINTR"],
    "close": ["EIO", "EINTR"],
    "newfstatat": ["EACCES"],
    "statx": ["EACCES"],
    "readlink": ["EACCES"],
    "readlinkat": ["EACCES"],
    "getdents64": ["EIO"],
    "lseek": ["EINVAL"],
    "ioctl": ["ENOTTY"],
    "fcntl": ["EMFILE"],
    "dup": ["EMFILE"],
    "dup2": ["EMFILE"],
    "dup3": ["EMFILE"],
    "membarrier": ["EPERM"],
    "prctl": ["EPERM"],
    "setsid": ["EPERM"],
    "uname": ["EFAULT"],
    "getrandom": ["ENOSYS"],
}
WRITES = ("write", "writev")
ENDS = ("close", "wait4", "waitid")  # cannot fail for good: the descriptor, or the child, is gone the first time
QUIET_S = 3  # what a run is waited for whose word that it is live may be what failed
CODES = (0, 1, 3, 4)  # no fault of the command line's (2), and --strict is not given (5)
HITS = 100
MANY = 50      # of these, each call is made to fail; of those behind them, some
BEHIND = 200   # reading a file takes thousands, which are alike
SAMPLE = 20

D = ["-q", "-n", 'erlang*:::process-spawn { printf("hit\\n"); @ = count(); } ' + LIVE]

# (target, arguments, what says that it is live, way of attaching)
SCENES = {
    "count": ("fake", ["count", "process-spawn", "-j"], "Tracing", "multi"),
    "count by inode": ("fake", ["count", "process-spawn", "-j"], "Tracing", "inode"),
    "count by perf events": ("fake", ["count", "process-spawn", "-j"], "Tracing", "perf"),
    "trace": ("fake", ["trace", "process-spawn", "-j"], "Tracing", "multi"),
    "sched-latency": ("node", ["sched-latency", "-j"], "Tracing", "multi"),
    "top": ("node", ["top", "-j"], "Tracing", "multi"),
    "messages": ("node", ["messages", "-j", "--show"], "Tracing", "multi"),
    "D": ("fake", D, "live\n", "multi"),  # not what a message says of the program
    "D by perf events": ("fake", D, "live\n", "perf"),
}
SAMPLED = ["count", "sched-latency", "D"]


class Scene:
    """What is run, on what, and what a good run counts."""

    def __init__(self, name):
        self.kind, self.argv, self.live, way = SCENES[name]
        self.env = {"ERLBPF_ATTACH": way}
        self.target = Fake() if self.kind == "fake" else Node(STOCK)
        self.text = ProcessText(self.target.pid)
        self.argv = self.argv + ["-p", self.target.pid]

    def fire(self):
        if self.kind == "fake":
            assert self.target.do("fire process-spawn %d" % HITS) == "ok"
        else:
            self.target.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, %d)], ok" % HITS)

    def is_exact(self, out):
        """Does it say all that was fired?"""
        if self.kind != "fake":
            return True
        if self.argv[:2] == D[:2]:
            return out.count("hit\n") == HITS and re.search(r"^ *%d$" % HITS, out, re.M)
        said = json.loads(out.splitlines()[-1])["probes"].get("process-spawn", {"events": 0, "lost": 0})
        return said["events"] + said["lost"] == HITS

    def count(self):
        return counted(list(ERRORS), self.argv, self.live, self.fire, self.env)


def wrong(scene, run, call, was_live):
    """What is wrong with a run that has ended, or None."""
    code = run.child.returncode
    if run.is_hung:
        return "it does not end"
    # It had said what failed, and was about to end: nothing catches the signal then.
    if code == -signal.SIGINT and not was_live and run.err.strip():
        return None
    if code not in CODES:
        return "exit code %d" % code
    # What failed may have been the message itself.
    if code and not run.err.strip() and call not in WRITES:
        return "exit code %d without a message" % code
    if "Success" in run.err:
        return "a message without a reason"
    if "cannot write to standard output" in run.err and call not in WRITES:
        return "a message that names the output"
    if not code and not was_live and call not in WRITES:
        return "it was not live within the limit, and ended well"
    if not code and was_live and "warning" not in run.err and not scene.is_exact(run.out):
        return "events are missing, and it does not say so: %s" % run.out[-200:]
    return None


def fail_once(scene, call, nth, error, more=()):
    """What is wrong after the nth call failed, or None."""
    options = ["-n", nth, "-e", error_number(error)] + list(more)
    with Faulty([call], options, scene.argv, scene.live, scene.env) as run:
        was_live = run.wait_live(QUIET_S if call in WRITES else LIMIT)
        if was_live:
            scene.fire()
        run.finish(signal.SIGINT)
        found = wrong(scene, run, call, was_live)
        try:
            run.report()
        except AssertionError as left:
            found = str(left)
        said = run.err.strip().splitlines()[-1:]
    wait_until("the node is clean after %s %d" % (call, nth), scene.text.is_clean)
    assert scene.target.is_alive()
    return found and "%s %d %s%s: %s (%s)" % (call, nth, error, " for good" if "-a" in more else "", found, said)


def places(counts):
    """(call, n, error, more options) of all that is made to fail."""
    for call, times in counts.items():
        for n in range(1, times + 1):
            if n > MANY and n % (BEHIND if times > 1000 else 4):
                continue
            yield call, n, ERRORS[call][0], ()
            if n % 4 == 1:
                yield from ((call, n, error, ()) for error in ERRORS[call][1:])
                if call not in ENDS:
                    yield call, n, ERRORS[call][0], ("-a",)


def chosen(counts):
    """All, or a sample: every 20th."""
    every = list(places(counts))
    return every if IS_WHOLE else every[SAMPLE // 2::SAMPLE]


def test_no_process_is_left_that_could_not_move_its_socket():
    scene = Scene("count")
    times = scene.count()["dup2"]
    found = [fail_once(scene, "dup2", n, "EMFILE", ("-a",)) for n in range(1, times + 1)]
    assert times and not any(found), found


MAP_LOOKUP_ELEM = ("-c", 1)  # of bpf(2)
LAST = 60


def test_what_cannot_be_read_at_the_end_is_not_passed_over():
    """Aggregations are read by the last of some thousand calls, of which the test below has too few."""
    scene = Scene("D")
    times = counted(["bpf"], scene.argv, scene.live, scene.fire, scene.env, MAP_LOOKUP_ELEM)["bpf"]
    places = range(max(1, times - LAST), times + 1)
    found = [fault for n in places if (fault := fail_once(scene, "bpf", n, "ENOMEM", MAP_LOOKUP_ELEM))]
    assert times and not found, "\n".join(found)


# How it is run, what tells that it is live, what ends it, at how many places it fails.
READS = {"top": (["top", "-j"], "Tracing", signal.SIGINT, 40), "why": (["why", "-d", 1], "", None, 10)}


def read_processes(node, name, *fault):
    """The exit code, and how often memory was read."""
    argv, live, end, _ = READS[name]
    with Faulty(["process_vm_readv"], fault, argv + ["-p", node.pid], live) as run:
        assert run.wait_live(), run.err
        node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, %d)], ok" % HITS)
        return run.finish(end), run.report()["process_vm_readv"]


@over(READS)
def test_a_table_of_processes_that_is_read_in_part_crashes_nothing(name):
    """The table is read part by part, and the node may end anywhere in it."""
    with Node(STOCK) as node:
        code, times = read_processes(node, name)
        assert code in CODES and times > 20, (code, times)
        codes = {n: read_processes(node, name, "-n", n, "-e", error_number("EPERM"))[0]
                 for n in range(1, times + 1, max(1, times // (400 if IS_WHOLE else READS[name][3])))}
        assert node.is_alive() and all(code in CODES for code in codes.values()), codes


@over(["stat", "status"])
def test_a_process_that_may_not_be_looked_at_is_not_taken_for_one_that_has_ended(file):
    with Fake() as fake:
        for nth in range(1, 7):
            trace = Process(["strace", "-f", "-qq", "-o", "/dev/null", "-P", "/proc/%d/%s" % (fake.pid, file), "-e", "trace=openat",
                             "-e", "inject=openat:error=EACCES:when=%d" % nth, ERLBPF] + D + ["-p", str(fake.pid)], stderr=subprocess.PIPE)
            is_live = wait_line(trace.child.stdout) == "live"
            if is_live:
                assert fake.do("fire process-spawn %d" % HITS) == "ok"
                let_finish()
                for child in open("/proc/%d/task/%d/children" % (trace.pid, trace.pid)).read().split():
                    os.kill(int(child), signal.SIGINT)
            out, err = trace.child.communicate(timeout=LIMIT)
            assert out.count(b"hit\n") == HITS or (trace.child.returncode and err.strip()), (nth, out, err)
            assert b"does not exist" not in err, err
            trace.close()


@over(SCENES if IS_WHOLE else SAMPLED)
def test_a_system_call_that_fails_is_reported_and_leaves_the_node_clean(name):
    scene = Scene(name)
    counts = scene.count()
    begin = time.monotonic()
    runs = chosen(counts)
    found = [fault for fault in (fail_once(scene, *place) for place in runs) if fault]
    print("        %d of %d calls failed, %d runs, %.0f s" % (
        len({place[:2] for place in runs}), sum(counts.values()), len(runs), time.monotonic() - begin))
    assert not found, "%d of %d:\n%s" % (len(found), len(runs), "\n".join(found[:30]))
