"""Memory runs out: one allocation after the other fails while erlbpf compiles, starts, traces and prints. It does not
crash, and either does all of its work or says that it did not.

`make test-faults` fails each allocation, a sample each of a command that has few, of others every 97th or twenty. Those of
libseccomp are left out (--keep-caps): it does not end when one fails, and is only called where there is memory
(base/process/privileges_filter.c)."""
import os
import subprocess
import tempfile

from inject import IS_WHOLE
from lib import BUILD, ERLBPF, LIMIT, Fake, Skip, over

SHIM = os.path.join(BUILD, "allocations.so")
DONE = (0, 1, 3, 4)  # exit codes; what a VM has may be among what could not be read

FEW = 150

# Of every part of the language that has code of its own in the compiler.
PROGRAM = r"""
struct s { int a; char b[8]; };
inline int two = 2;
BEGIN
{
	x["k"] = two;
	@[execname, 1] = count();
	@q = quantize(7);
	printf("%d %s\n", x["k"], strjoin("a", "b"));
	printa("%@d\n", @q);
}
END { trunc(@, 1); }
"""
TRACED = PROGRAM + "erlang*:::process-spawn { @s[copyinstr(arg0)] = count(); } tick-10ms { exit(0); }"

# (arguments, whether what it prints is the same each time)
COMMANDS = {
    "D that is compiled": (["-e", "-n", PROGRAM], True),
    "D that runs": (["-q", "-x", "keepcaps", "-n", TRACED, "-p"], True),
    "the list of D": (["-l", "-n", "erlang*:::process-spawn", "-p"], True),
    "a tool": (["count", "process-spawn", "--keep-caps", "-d", "10ms", "-j", "-p"], False),
    "a tool's histogram": (["gc", "--keep-caps", "-d", "10ms", "-p"], False),
    "list": (["list", "message-*", "-p"], True),
    "doctor": (["doctor", "-p"], False),
    "help": (["help"], True),
}


def run(argv, number):
    """(how it ended, how many allocations there were) when that one fails; 0: none does."""
    reader, writer = os.pipe()
    try:
        done = subprocess.run([ERLBPF] + argv, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT, pass_fds=[writer],
                              env=dict(os.environ, LD_PRELOAD=SHIM, FAIL_ALLOCATION=str(number), FAIL_REPORT=str(writer)))
    finally:
        os.close(writer)
        counted = os.read(reader, 32)
        os.close(reader)
    return done, int(counted) if counted else 0


def check(argv, number, wanted):
    done, _ = run(argv, number)
    about = "allocation %d: %d, %r, %r" % (number, done.returncode, done.stdout[-200:], done.stderr[-300:])
    assert done.returncode in DONE, about
    assert done.returncode == 0 or done.stderr.strip(), about
    assert done.returncode or wanted is None or done.stdout == wanted or done.stderr.strip(), about


@over(COMMANDS)
def test_no_allocation_that_fails_is_passed_over(name):
    if os.geteuid() != 0:
        raise Skip("needs root")
    argv, is_same = COMMANDS[name]
    with Fake() as fake, Fake():  # the other one is none of its business
        if argv[-1] == "-p":
            argv = argv + [str(fake.pid)]
        done, count = run(argv, 0)
        assert done.returncode == 0 and count > 0, done
        for number in range(1, count + 1, 1 if IS_WHOLE or count < FEW else max(97, count // 20)):
            check(argv, number, done.stdout if is_same else None)
        assert fake.is_alive()


@over(["--rows=9", "--folded", "--html", "--svg", "--speedscope", "--pprof"])
def test_no_allocation_of_a_profile_that_fails_is_passed_over(kind):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("before", "after")]
        for path, weight in zip(paths, (90, 50)):
            with open(path, "w") as file:
                file.write("n@h_[g];m:f/1:3;m:g/1;m:g/1;ets:lookup/2_[b] %d\nn@h_[g];m:f/1:4 10\n" % weight)
        argv = ["profile", "diff", kind, "--fold-recursion"] + paths
        done, count = run(argv, 0)
        assert done.returncode == 0 and count > 0, done
        for number in range(1, count + 1, 1 if IS_WHOLE else 7):
            check(argv, number, done.stdout)
