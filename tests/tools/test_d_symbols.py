"""Names of addresses in D: of processes that have ended, of the kernel in all of them, of deep stacks."""
import os
import re
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, STOCK, Node, Skip
from test_profile import line_of

PROGRAM = r"""
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) int deep(int n) {
	int below = n ? deep(n - 1) : (int)write(1, "", 0);
	__asm__ volatile("" : : "r"(below));
	return below + 1;
}
__attribute__((noinline)) void hot(void) { for (volatile int i = 0; i < 100000; i++); }
static long ms(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
int main(void) {
	deep(60);
	for (long begun = ms(); ms() - begun < 400;) hot();
	return 0;
}
"""


def trace(*argv):
    """What a D program prints whose command has ended when it does."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path = os.path.join(folder, "known")
        subprocess.run(["gcc", "-x", "c", "-O1", "-fno-omit-frame-pointer", "-o", path, "-"], check=True,
                       input=PROGRAM.encode())
        done = subprocess.run([ERLBPF, "-q", "-c", path] + list(argv), capture_output=True, timeout=LIMIT, text=True,
                              stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr[:500]
    return done.stdout


def test_functions_of_a_command_that_has_ended_have_names_and_are_merged():
    out = trace("-n", "profile-499 /pid == $target && arg1/ { @[ufunc(arg1)] = count(); }")
    # What is measured now and then is the clock's, which the kernel maps without a file.
    last = out.split("\n\n")[0].strip().splitlines()[-1].split()
    assert out.count("known`hot") == 1 and last[0] == "known`hot" and int(last[1]) >= 50, out


def test_a_stack_without_a_size_has_as_many_frames_as_there_are():
    out = trace("-n", "syscall::write:entry /pid == $target/ { ustack(); }")
    # libc's write() has no frame: its caller may be left out.
    assert out.count("known`deep+") in (60, 61) and "known`main+" in out, out


def test_functions_and_modules_of_the_kernel_are_merged_across_processes():
    out = trace("-n", "profile-499 /arg0/ { @f[func(arg0)] = count(); @m[mod(arg0)] = count(); }")
    names = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert "vmlinux" in names and len(names) == len(set(names)), out


def test_addresses_of_processes_stay_numbers_with_noresolve():
    out = trace("-xnoresolve", "-n", "syscall::write:entry /pid == $target/ { ustack(2); usym(uregs[R_PC]); stack(1); }")
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    assert len(lines) == 4 and all(line.startswith("0x") for line in lines[:3]) and "`" in lines[3], out


def frames_of(node, *argv):
    """The frames of the stacks of a program's aggregation, which samples half a second."""
    out = subprocess.run([ERLBPF, "-q", "-p", str(node.pid), *argv, "-n", "profile-499 /pid == $target && arg1/ { @[%s] = count(); } "
                          "tick-500ms { exit(0); }" % ("jstack()" if "-xustacklines" in argv else "ustack()")],
                         capture_output=True, timeout=LIMIT, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    return {line.strip() for line in out.splitlines() if "`" in line}


def test_erlang_frames_have_lines_if_they_are_asked_for():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Node(STOCK) as node:
        node.eval("spawn(shares, shares, [])")
        plain, lines = frames_of(node), frames_of(node, "-xustacklines")
        as_json = subprocess.run([ERLBPF, "-j", "-xustacklines", "-p", str(node.pid), "-n", "profile-499 /pid == $target && arg1/ "
                                  "{ @[ustack()] = count(); } tick-500ms { exit(0); }"], capture_output=True, timeout=LIMIT, text=True,
                                 check=True, stdin=subprocess.DEVNULL).stdout
    assert any("shares:burn/2" in frame for frame in plain) and not any(".erl" in frame for frame in plain), plain
    # Where a caller goes on, its line is that of the call; of the function that runs, it is one of its own.
    for function, text in (("sixty/1", "sixty(Steps) ->"), ("shares/0", "_ = sixty(")):
        wanted = r"erts`shares:%s\+0x[0-9a-f]+ \(.*shares\.erl:%d\)" % (re.escape(function), line_of(text))
        assert any(re.fullmatch(wanted, frame) for frame in lines), (wanted, lines)
        assert re.search(wanted, as_json), (wanted, as_json[:2000])
    assert not any("libc" in frame and ".erl" in frame for frame in lines), lines
