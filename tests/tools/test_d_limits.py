"""D under load and at its limits: order, losses, the end, hostile texts, memory."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

from lib import BUILD, ERLBPF, LIMIT, Fake, Skip, hold, over, peak_mib, wait_line, wait_until
from test_d_probes import BusyCpus


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def run(*argv, code=0, **more):
    need_root()
    done = subprocess.run([ERLBPF] + [str(arg) for arg in argv], capture_output=True, timeout=LIMIT, text=True,
                          stdin=subprocess.DEVNULL, **more)
    assert done.returncode == code, (done.returncode, done.stderr[:500])
    return done


def drops(text):
    return sum(int(n) for n in re.findall(r"(\d+) drops?", text))


HOLDS_ALL = ("-x", "bufsize=64m")  # which is more than all records of a test, so that none is lost however late they are read


def burst(hits, *argv, stop=True, cpu=None, is_held=False):
    """What is printed while a process hits a probe so many times, as fast as it can: (stdout, stderr). `is_held`: nobody
    reads a record before the last hit."""
    need_root()
    with Fake() as fake:
        if cpu is not None:
            os.sched_setaffinity(fake.pid, {cpu})
        trace = subprocess.Popen([ERLBPF, "-q", "-p", str(fake.pid)] + [str(arg) for arg in argv] +
                                 ["-n", 'tick-1ms /!is_live/ { is_live = 1; printf("live\\n"); }'],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = []
        live = threading.Event()

        def read():
            for line in trace.stdout:
                if line == "live\n":
                    live.set()
                elif line != "\n":
                    lines.append(line)

        reader = threading.Thread(target=read)
        reader.start()
        assert live.wait(LIMIT), "it does not begin"
        if is_held:
            hold(trace.pid)
        fake.do("fire copy-struct %d" % hits)
        if is_held:
            os.kill(trace.pid, signal.SIGCONT)
        if stop:
            trace.terminate()
        error = trace.stderr.read()
        reader.join(LIMIT)
        assert trace.wait(LIMIT) == 0, error
    return lines, error


NUMBERED = 'erlang*:::copy-struct { printf("%d\\n", n++); }'


# Whether the consumer is as fast as that is in tests/timing/.
@over(["held", "running"])
def test_nothing_is_lost_of_what_the_buffer_holds(consumer):
    lines, error = burst(100000, *HOLDS_ALL, "-n", NUMBERED, is_held=consumer == "held")
    assert not error, error
    assert lines == ["%d\n" % n for n in range(100000)], len(lines)


def test_records_of_any_length_are_whole_wherever_they_lie_in_the_ring():
    text = "".join(chr(ord("a") + i % 26) for i in range(97))
    lines, error = burst(50000, *HOLDS_ALL, "-n", 'int n; erlang*:::copy-struct { printf("%%d %%s|\\n", n, substr("%s", 0, n %% 97)); n++; }'
                         % text)
    assert not error, error
    assert lines == ["%d %s|\n" % (n, text[:n % 97]) for n in range(50000)], len(lines)


def test_a_program_that_waits_takes_less_than_14_mib():
    need_root()
    if b"__asan" in open(ERLBPF, "rb").read():
        raise Skip("sanitizers need more memory")
    with subprocess.Popen([ERLBPF, "-q", "-n", 'BEGIN { printf("live\\n"); } tick-10s { exit(0); }'], text=True,
                          stdout=subprocess.PIPE) as trace:
        trace.stdout.readline()
        used = peak_mib(trace.pid)
        trace.terminate()
    assert used < 14, used


@over(["held", "running"])
def test_what_is_lost_is_counted_exactly(consumer):
    lines, error = burst(100000, "-x", "bufsize=4k", "-n", NUMBERED, is_held=consumer == "held")
    lost = drops(error)
    # A consumer that runs may be fast enough; one that is held is not.
    assert lost > 0 or consumer == "running"
    assert len(lines) + lost == 100000, (len(lines), lost)
    assert len(set(lines)) == len(lines)


def test_a_fault_in_error_is_counted_and_no_error_of_its_own():
    program = "BEGIN { trace(*(int *)0); } BEGIN { trace(*(int *)0); } ERROR { n++; trace(*(int *)8); } BEGIN { exit(n); }"
    said = run("-q", "-x", "droptags", "-n", program, code=2).stderr
    assert "[DTRACEDROP_DBLERROR] 2 errors in ERROR probe enabling" in said, said
    assert said.count("(0x0)") == 2 and "(0x8)" not in said, said


def test_losses_are_told_of_the_cpu_that_they_are_on():
    cpus = sorted(os.sched_getaffinity(0))
    for cpu in (cpus[0], cpus[-1]):
        _, error = burst(20000, "-x", "bufsize=4k", "-n", NUMBERED, cpu=cpu, is_held=True)
        told = set(re.findall(r"drops? on CPU (\d+)\n", error))
        assert told == {str(cpu)}, (cpu, error[:500])


def said_of_writes(texts, program):
    """What the program prints of a process that writes each text, a NUL and more; %d in it is the file descriptor."""
    need_root()
    reader, writer = os.pipe()
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write("import os\nfor text in %r:\n    os.write(%d, text + b'\\0' + b'behind')\n" % (texts, writer))
        script.flush()
        done = subprocess.run([ERLBPF, "-q", "-c", "%s %s" % (sys.executable, script.name), "-n", program % writer],
                              capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL, pass_fds=(writer,))
    os.close(reader)
    os.close(writer)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_texts_in_a_record_keep_apart():
    texts = [b"", b"a", b"seven77", b"eight888", b"x" * 255, b"y" * 256, b"z" * 257, b"b"]
    said = said_of_writes(texts, 'syscall::write:entry /pid == $target && (int)arg0 == %d/ { '
                                 'this->kept = copyinstr(arg1); printf("<%%s|%%s|%%s|%%s|%%s|%%s>", copyinstr(arg1), '
                                 'probefunc, copyinstr(arg1, 3), "said", this->kept, execname); }')
    name = os.path.basename(sys.executable).encode()[:15]
    wanted = b"".join(b"<%s|write|%s|said|%s|%s>" % (text[:256], text[:2], text[:256], name) for text in texts)
    assert said.rstrip(b"\n") == wanted, said


def test_records_are_in_time_order_across_cpus():
    cpus = os.sched_getaffinity(0)
    enough = " && ".join("on[%d] >= 300" % cpu for cpu in cpus)
    with BusyCpus():
        done = run(*HOLDS_ALL, "-qn", 'profile-4999 { on[cpu]++; printf("%d %d\\n", timestamp, cpu); } '
                                      'profile-4999 { printf("%d %d\\n", timestamp, cpu); } '
                                      'tick-3ms { printf("%d %d\\n", timestamp, cpu); } tick-3ms /' + enough + '/ { exit(0); }')
    rows = [[int(word) for word in line.split()] for line in done.stdout.splitlines() if line]
    times = [row[0] for row in rows]
    assert len(rows) >= 600 * len(cpus) and times == sorted(times), len(rows)
    assert {row[1] for row in rows} >= cpus


def test_the_last_firing_before_exit_is_printed():
    for _ in range(2):
        lines, error = burst(20000, *HOLDS_ALL, "-n", 'erlang*:::copy-struct { printf("%d\\n", ++n); } '
                                           'erlang*:::copy-struct /n == 10000/ { printf("last %d\\n", n); exit(0); } '
                                           'erlang*:::copy-struct { printf("behind\\n"); }', stop=False)
        assert not error, error
        assert lines[-1] == "last 10000\n" and lines[-2] == "10000\n", lines[-3:]
        assert lines.count("behind\n") == 9999


def test_exit_in_a_clause_that_fails_ends_it_all_the_same():
    done = run("-qn", "profile-97 { exit(3); trace(1 / (int)arg5); }", code=0)
    assert "divide-by-zero" in done.stderr


def test_exit_in_a_profile_ends_it():
    run("-qn", "profile-999 { exit(0); }")


def test_a_first_word_needs_little_memory():
    need_root()
    trace = subprocess.Popen([ERLBPF, "-n", 'BEGIN { trace("x"); }'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while b"x" not in trace.stdout.readline():
        pass
    peak = peak_mib(trace.pid)
    trace.terminate()
    trace.communicate()
    assert peak < 18, peak


def test_a_hostile_text_is_a_text_and_a_key():
    texts = [b"%s%n%d%99999d", b"\x1b[2Jred\x07\r\n", b"\xff\xfe\xc3(\x80", b"x" * 1000, b"\\\"'%@d{}[],:"]
    said = said_of_writes(texts * 2, 'int n; syscall::write:entry /pid == $target && (int)arg0 == %d/ { '
                                     'printf("<%%s>", copyinstr(arg1)); @[copyinstr(arg1)] = count(); '
                                     'last[copyinstr(arg1)]++; n += last[copyinstr(arg1)]; } '
                                     'END { printf("<%%d>", n); printa("{%%s %%@d}", @); }')
    printed = [text[:256] for text in texts]
    assert said.startswith(b"".join(b"<%s>" % text for text in printed * 2) + b"<15>"), said
    assert all(b"{%s 2}" % text in said for text in printed), said


LOSES = "profile-499 { @[timestamp] = count(); n++; }"


def test_statusrate_says_how_often_drops_are_reported():
    """At most once an hour: so once, at the end. Or after each piece of a second: then there are many, and we wait for them."""
    rarely = run("-q", "-xaggsize=1k", "-xstatusrate=1h", "-n", LOSES + " tick-10ms /n > 500/ { exit(0); }").stderr.split("\n")
    assert 1 <= sum(" drop" in line for line in rarely) <= os.cpu_count(), rarely
    often = subprocess.Popen([ERLBPF, "-q", "-xaggsize=1k", "-xstatusrate=50ms", "-n", LOSES], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, bufsize=0)
    told = 0
    while told <= 2 * os.cpu_count():
        line = wait_line(often.stderr)
        assert line, "it ended"
        told += " drop" in line
    often.terminate()
    often.communicate(timeout=LIMIT)
    assert often.returncode == 0


MANY = 2000
MANY_PROGRAMS = 200	# two for each timer, and what is not the guardian's may be 512
MANY_PRINTED = 1500	# each has several branches, of which the kernel follows 8,192


def script_of(text):
    script = tempfile.NamedTemporaryFile("w", suffix=".d")
    script.write(text)
    script.flush()
    return script


def test_many_clauses_of_one_probe_run_in_order():
    clauses = "".join('BEGIN { printf("%%d\\n", %d); }\n' % n for n in range(MANY_PRINTED))
    with script_of(clauses + "BEGIN { exit(0); }\nBEGIN { printf(\"never\\n\"); }") as script:
        done = run("-q", "-s", script.name)
    assert done.stdout.split() == [str(n) for n in range(MANY_PRINTED)], done.stdout[-100:]


def test_many_descriptions_have_a_clause_each():
    clauses = "".join("tick-%dhz { n = %d; }\n" % (n, n) for n in range(1, MANY_PROGRAMS))
    with script_of(clauses + 'BEGIN { printf("begun"); exit(0); }') as script:
        assert "begun" in run("-q", "-s", script.name).stdout


LONG_STRINGS = """BEGIN
{
	s = strjoin(strtok("a,b", ","), json("{\\"k\\":\\"v\\"}", "k"));
	t = strstr(strjoin(s, dirname("/x/y")), "v");
	printf("%s %s %d %d %s", s, t, index(t, "/"), rindex(t, "x"), substr(basename("/x/yz"), 1));
	exit(0);
}"""


def test_long_strings_can_go_through_several_functions():
    assert run("-q", "-x", "strsize=8192", "-n", LONG_STRINGS).stdout.strip() == "av v/x 1 2 z"


def test_what_the_kernel_refuses_of_a_vm_that_comes_later_is_told_as_at_the_start():
    need_root()
    clauses = 'erlang$target:::copy-struct { printf("%s %s", probename, probeprov); }\n' * 3 * MANY
    with script_of(clauses) as script:
        trace = subprocess.Popen([ERLBPF, "-q", "-Z", "-xerrtags", "-s", script.name, "-c",
                                  os.path.join(BUILD, "fake-beam")],
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        lines = []
        for line in trace.stderr:
            lines.append(line)
            if "[D_PROG_LEN] line 1:" in line:
                break
        trace.stdin.close()
        trace.stderr.read()
        assert trace.wait(LIMIT) == 0 and "copy-struct" in lines[-1], lines
