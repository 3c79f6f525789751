"""Files and pids that are not what they were (T2, T3, T4, T10, T11): swapped, linked, overwritten, taken over by another."""
import ctypes
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from elf_file import notes_of, sections
from hostile import Copy, differences, original, snapshot, times
from lib import BUILD, ERLBPF, LIMIT, STOCK, Fake, Node, Process, Trace, erlbpf, state_of, wait_until
from test_export_privileges import NEEDED, only

LIBC = ctypes.CDLL(None, use_errno=True)


# T2: two files take each other's place.

SWAP = """
import ctypes, sys
libc = ctypes.CDLL(None)
one, other = (path.encode() for path in sys.argv[1:])
print("ready", flush=True)
while libc.renameat2(-100, one, -100, other, 2) == 0:
    pass
"""


def shifted():
    """Another file with notes: what is a site in one is not in the other, where it is the middle of something."""
    data = original()
    text = sections(data)[".text"]
    for body in notes_of(data):
        site, = struct.unpack_from("<Q", data, body)
        data[text.offset + site - text.address] = 0xcc
    return data


def test_probes_go_to_the_processs_own_file_while_two_files_are_swapped():
    with tempfile.TemporaryDirectory() as folder:
        data = original()
        with Copy(folder, "own", data) as own, Copy(folder, "other", shifted()) as other:
            kept = snapshot(other.pid)
            with Process(["python3", "-c", SWAP, own.path, other.path]) as swap:
                assert swap.line() == "ready"
                clean = snapshot(own.pid)
                for _ in range(times(10, 1000)):
                    trace = Trace("count", "process-spawn", "-p", own.pid, "-j", "--source", "usdt")
                    changed = [(offset, old) for rights, offset, old, _ in differences(clean, snapshot(own.pid)) if "x" in rights]
                    assert changed and all(old == 0x90 for _, old in changed), changed
                    own.do("fire process-spawn 5")
                    assert trace.stop_json()[-1]["probes"]["process-spawn"]["events"] == 5
                assert swap.is_alive(), "nothing was swapped"
                swap.kill()
            assert not list(differences(kept, snapshot(other.pid)))


# T3, T4: maps of symbols that the JIT writes, or somebody else. None is read.

def inotify(paths):
    fd = LIBC.inotify_init1(os.O_NONBLOCK)
    for path in paths:
        assert LIBC.inotify_add_watch(fd, os.fsencode(path), 0x20 | 0x1) >= 0  # IN_OPEN, IN_ACCESS
    return fd


def was_opened(fd):
    try:
        return bool(os.read(fd, 65536))
    except BlockingIOError:
        return False


def test_maps_of_the_jits_symbols_are_not_even_opened():
    with Node(STOCK, "+JPperf", "true") as node, tempfile.TemporaryDirectory() as folder:
        path, secret = "/tmp/perf-%d.map" % node.pid, os.path.join(folder, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write("7f0000000000 1000 secret_of_the_host\n")
        wait_until("the VM has written its map", lambda: os.path.exists(path))
        try:
            watched = inotify([path, secret])
            ask_all(node)
            assert not was_opened(watched)
            os.unlink(path)
            os.symlink(secret, path)
            ask_all(node)
            assert not was_opened(watched)
            os.close(watched)
            os.unlink(path)
            os.mkfifo(path)  # who opens it waits for ever
            ask_all(node)
        finally:
            os.unlink(path)


INSIDE = """set -e
mount --make-rprivate /
mount --bind / "$1/root"
mount -t tmpfs none "$1/root/tmp"
cp "$2" "$1/root/tmp/fake-beam"
cp "$1/mapped.so" "$1/root/tmp/mapped.so"
cd "$1/root"
mount --move . /
exec env LD_PRELOAD=/tmp/mapped.so chroot . /tmp/fake-beam
"""


def library(folder, name, function):
    path = os.path.join(folder, name)
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=b"int %s(void) { return 1; }" % function.encode(), check=True)
    return path


def test_a_link_in_the_root_of_a_process_does_not_lead_to_a_file_of_ours():
    """A mapped library becomes a link to a file that is there for us only. Who may not open the mapping takes its path."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "root"))
        library(folder, "mapped.so", "function_of_the_container")
        library(folder, "of-the-host.so", "function_of_the_host")
        with Process(["unshare", "-m", "sh", "-c", INSIDE, "sh", folder, os.path.join(BUILD, "fake-beam")], stderr=subprocess.DEVNULL) as target:
            assert target.line().startswith("ready")
            listed = [ERLBPF, "-l", "-n", "pid%d:mapped.so::entry" % target.pid]
            assert "function_of_the_container" in subprocess.run(listed, capture_output=True, text=True, timeout=LIMIT).stdout
            os.unlink("/proc/%d/root/tmp/mapped.so" % target.pid)
            os.symlink(os.path.join(folder, "of-the-host.so"), "/proc/%d/root/tmp/mapped.so" % target.pid)
            for prefix in ([], only(NEEDED)):
                done = subprocess.run(prefix + listed, capture_output=True, text=True, timeout=LIMIT)
                assert "function_of_the_host" not in done.stdout + done.stderr, (prefix, done)


def ask_all(node):
    for words in (["doctor"], ["list"], ["slices", "--min", "1ns", "-d", "300ms"], ["calls", "*", "-d", "300ms"]):
        out, err = erlbpf(*words, "-p", node.pid)
        assert "secret_of_the_host" not in out + err
    done = subprocess.run([ERLBPF, "-q", "-n", "profile-997 /pid == %d/ { @[ustack(5)] = count(); } tick-500ms { exit(0); }" % node.pid],
                          capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and "secret_of_the_host" not in done.stdout, done


# T10: the pid is another process's.

def process_with_pid(pid, argv):
    """A process that has this pid: clone3() with set_tid. None if the pid is in use."""
    wanted = ctypes.c_int(pid)
    arguments = struct.pack("<11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1, 0)
    child = LIBC.syscall(435, arguments, len(arguments))
    if child == 0:
        try:
            os.execv(argv[0], argv)
        finally:
            os._exit(127)
    return child if child == pid else None


def test_who_gets_the_pid_of_a_target_gets_none_of_its_probes():
    """The target is killed at some moment of the start, and its pid given to a process of another file."""
    with tempfile.TemporaryDirectory() as folder:
        taken = 0
        for turn in range(times(10, 300)):
            with Copy(folder, "target", original()) as target:
                # Sites of notes and semaphores: what would hurt the other most.
                trace = subprocess.Popen([ERLBPF, "count", "*", "--unsafe", "-p", str(target.pid), "-d", "300ms"],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(0.005 * (turn % 30))
                target.kill()
                if not process_with_pid(target.pid, ["/bin/sh", "-c", "kill -STOP $$; exec sleep 100"]):
                    trace.communicate(timeout=LIMIT)
                    continue
                taken += 1
                try:
                    wait_until("it is stopped", lambda: state_of(target.pid) == "T")
                    before = snapshot(target.pid)
                    said = trace.communicate(timeout=LIMIT)[1]
                    assert trace.returncode in (0, 1, 3), (trace.returncode, said)
                    assert not list(differences(before, snapshot(target.pid))), "turn %d: %s" % (turn, said)
                finally:
                    os.kill(target.pid, signal.SIGKILL)
                    os.waitpid(target.pid, 0)
        assert taken > times(10, 300) / 3, "the pid was hardly ever free: it is no test"


# T11: the file is overwritten while it is traced.

def test_what_is_written_over_a_traced_file_runs_without_probes():
    with tempfile.TemporaryDirectory() as folder, Fake() as other:
        path = os.path.join(folder, "target")
        copy = Copy(folder, "target", original())
        trace = Trace("count", "*", "--unsafe", "-p", "%d,%d" % (copy.pid, other.pid), "-j")
        try:
            with open(path, "r+b"):
                raise AssertionError("a running file can be written")
        except OSError:
            pass
        copy.kill()
        copy.close()
        # The tracer lives on. Int3 at old offsets would kill each of these.
        shutil.copy("/bin/true", path)
        for _ in range(times(20, 200)):
            assert subprocess.run([path]).returncode == 0
        other.do("fire process-spawn 7")
        assert trace.stop_json()[-1]["probes"]["process-spawn"]["events"] == 7
        assert subprocess.run([path]).returncode == 0


def test_a_file_that_shrinks_to_nothing_while_it_is_read_harms_nobody():
    """The process is gone, its file is still open in the tracer, and somebody cuts it."""
    with tempfile.TemporaryDirectory() as folder, Fake() as other:
        for turn in range(times(5, 50)):
            copy = Copy(folder, "target", original())
            trace = subprocess.Popen([ERLBPF, "count", "*", "--unsafe", "-p", "%d,%d" % (copy.pid, other.pid), "-d", "100ms"],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(0.01 * (turn % 10))
            copy.kill()
            with open(copy.path, "r+b") as file:
                file.truncate(100)
            copy.close()
            said = trace.communicate(timeout=LIMIT)[1]
            assert trace.returncode in (0, 3), (trace.returncode, said)
        assert other.do("fire-all") == "ok"
