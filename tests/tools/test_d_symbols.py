"""Names of addresses in D: of processes that have ended, of the kernel in all of them, of deep stacks."""
import os
import re
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, STOCK, Node, Process, Skip
from test_profile import line_of

PROGRAM = r"""
#include <unistd.h>
__attribute__((noinline)) int deep(int n) {
	int below = n ? deep(n - 1) : (int)write(1, "", 0);
	__asm__ volatile("" : : "r"(below));
	return below + 1;
}
__attribute__((noinline)) void hot(void) { for (volatile int i = 0; i < 100000; i++); }
int main(int argc, char **argv) {
	deep(60);
	while (argc > 1 && access(argv[1], F_OK))
		hot();
	return 0;
}
"""


def trace(*argv, samples=0):
    """What a D program prints whose command has ended when it does: that runs until there are so many samples, which the
    program counts in `samples`."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path, end = os.path.join(folder, "known"), os.path.join(folder, "end")
        subprocess.run(["gcc", "-x", "c", "-O1", "-fno-omit-frame-pointer", "-o", path, "-"], check=True,
                       input=PROGRAM.encode())
        counting = ["-n", "tick-10ms /samples >= %d && !said++/ { printf(\"enough\\n\"); }" % samples] if samples else []
        with Process([ERLBPF, "-q", "-c", "%s %s" % (path, end) if samples else path, *argv, *counting],
                     stderr=subprocess.PIPE) as running:
            while samples and (line := running.line()) != "enough":
                assert line or running.is_alive(), "it ended"
            open(end, "w").close()
            out, err = running.child.communicate(timeout=LIMIT)
            assert running.child.returncode == 0, err[:500]
    return out.decode()


def test_functions_of_a_command_that_has_ended_have_names_and_are_merged():
    out = trace("-n", "profile-499 /pid == $target && arg1/ { @[ufunc(arg1)] = count(); samples++; }", samples=100)
    # What is asked now and then is whether the file is there.
    last = out.split("\n\n")[0].strip().splitlines()[-1].split()
    assert out.count("known`hot") == 1 and last[0] == "known`hot" and int(last[1]) >= 50, out


def test_a_stack_without_a_size_has_as_many_frames_as_there_are():
    out = trace("-n", "syscall::write:entry /pid == $target/ { ustack(); }")
    # libc's write() has no frame: its caller may be left out.
    assert out.count("known`deep+") in (60, 61) and "known`main+" in out, out


def test_functions_and_modules_of_the_kernel_are_merged_across_processes():
    out = trace("-n", "profile-499 /arg0/ { @f[func(arg0)] = count(); @m[mod(arg0)] = count(); samples++; }", samples=50)
    names = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert "vmlinux" in names and len(names) == len(set(names)), out


def test_addresses_of_processes_stay_numbers_with_noresolve():
    out = trace("-xnoresolve", "-n", "syscall::write:entry /pid == $target/ { ustack(2); usym(uregs[R_PC]); stack(1); }")
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    assert len(lines) == 4 and all(line.startswith("0x") for line in lines[:3]) and "`" in lines[3], out


def sampled(node, key, *argv):
    """What a program prints of 200 samples of a node."""
    return subprocess.run([ERLBPF, "-p", str(node.pid), *argv, "-n", "profile-997 /pid == $target && arg1/ { @[%s] = count(); n++; } "
                           "tick-10ms /n >= 200/ { exit(0); }" % key],
                          capture_output=True, timeout=LIMIT, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def frames_of(node, key, *argv):
    """The frames of the stacks."""
    return {line.strip() for line in sampled(node, key, "-q", *argv).splitlines() if "`" in line}


def test_erlang_frames_have_lines_if_they_are_asked_for():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Node(STOCK) as node:
        node.eval("spawn(shares, shares, [])")
        plain, lines = frames_of(node, "ustack()"), frames_of(node, "jstack()", "-xustacklines")
        as_json = sampled(node, "ustack()", "-j", "-xustacklines")
    assert any("shares:burn/2" in frame for frame in plain) and not any(".erl" in frame for frame in plain), plain
    # Where a caller goes on, its line is that of the call; of the function that runs, it is one of its own.
    for function, text in (("sixty/1", "sixty(Steps) ->"), ("shares/0", "_ = sixty(")):
        wanted = r"erts`shares:%s\+0x[0-9a-f]+ \(.*shares\.erl:%d\)" % (re.escape(function), line_of(text))
        assert any(re.fullmatch(wanted, frame) for frame in lines), (wanted, lines)
        assert re.search(wanted, as_json), (wanted, as_json[:2000])
    assert not any("libc" in frame and ".erl" in frame for frame in lines), lines
