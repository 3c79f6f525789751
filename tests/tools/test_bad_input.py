"""What is asked wrongly gets its own clear answer and exit code."""
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile

from elf_file import notes_of
from hostile import Copy, original
from lib import ERLBPF, Fake, LIMIT, Node, STOCK, Trace, USDT, erlbpf, of_type, shared, unique
from test_export import Agent


def refused(code, word, *args, **more):
    out, err = erlbpf(*args, code=code, **more)
    assert out == "" and word in err and err.startswith("erlbpf: "), (out, err)
    assert len(err.splitlines()) == 1, err


def test_no_such_process():
    refused(3, "process 4194303 does not exist", "sched-latency", "-p", 4194303)
    refused(3, "process 4194303 does not exist", "list", "-p", 4194303)


def test_a_process_that_is_no_beam():
    refused(3, "is not a BEAM", "sched-latency", "-p", os.getpid())
    refused(3, "is not a BEAM", "doctor", "-p", os.getpid())
    refused(3, "is not a BEAM", "sched-latency", "-p", 2)


def test_a_thread_is_not_a_process():
    with shared(STOCK) as node:
        thread = [t for t in os.listdir("/proc/%d/task" % node.pid) if t != str(node.pid)][0]
        refused(3, "is a thread", "sched-latency", "-p", thread)


def test_not_root():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(ERLBPF, folder)
        done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all", copy,
                               "sched-latency"], capture_output=True, text=True)
        assert done.returncode == 4 and "sudo" in done.stderr and not done.stdout, done


def test_an_unknown_tool_is_answered_with_the_nearest_name():
    refused(2, 'did you mean "sched-latency"?', "shed-latency")
    refused(2, "`erlbpf help` lists them", "xyzzyxyzzy")
    refused(2, 'did you mean "mailbox"?', "export", "--tools", "gc,mialbox")
    for tool in ("top", "trace", "count", "uprobe", "messages"):
        refused(2, "%s makes no metrics; those that do are sched-latency, " % tool, "export", "--tools", "gc," + tool)


def test_bad_durations_and_numbers():
    for args in (["-d", "1x"], ["-d", "-1"], ["-d", "0"], ["-d", ""], ["-i", "inf"], ["--min", "1e3"],
                 ["--count", "1"], ["-i", "1", "--count", "-2"], ["x"], ["1", "x"], ["1", "2", "3"],
                 ["-p", "abc"], ["-p", "1,"], ["-p", ""], ["-p", "0"], ["-p", "99999999999999999999"],
                 ["--erl-pid", "<1.2.3>"], ["--erl-pid", "0.1"], ["-f", "xml"], ["--by", "colour"],
                 ["--source", "dtrace"], ["-c", ""], ["-c", "'unbalanced"]):
        refused(2, "`erlbpf help sched-latency`", "sched-latency", *args)


def test_options_that_contradict_each_other():
    refused(2, "cannot be combined", "sched-latency", "-p", "1", "--node", "x")
    refused(2, "cannot be combined", "sched-latency", "-p", "1", "-c", "true")


def test_an_unknown_option_is_a_usage_error():
    refused(2, '"--colour"', "sched-latency", "--colour")
    refused(2, '"-d"', "sched-latency", "-d")
    refused(2, '"-T"', "list", "-T")
    refused(2, '"1"', "doctor", "1")
    refused(2, "ADDRESS:PORT", "export", "--listen", "9568")
    refused(2, "`erlbpf help export`", "export", "more")
    refused(1, "`erlbpf help dtrace`", "-x", "strsise=10", "-n", "BEGIN")
    refused(1, "`erlbpf help dtrace`", "-p", "x", "-n", "BEGIN")


def test_an_unknown_probe():
    with Fake() as fake:
        refused(3, "no probe matches", "trace", "no-such-*", "-p", fake.pid)
        refused(3, "no probe matches", "list", "no-such-*", "-p", fake.pid)


def test_an_output_that_cannot_be_written():
    with Fake() as fake:
        refused(1, "cannot write /no/such/dir/x", "count", "-p", fake.pid, "-o", "/no/such/dir/x")
        trace = Trace("trace", "process-spawn", "-p", fake.pid, "-o", "/dev/full")
        fake.do("fire process-spawn 20000")
        trace.stop(code=1)


def test_a_reader_that_goes_away_is_no_error():
    with Fake() as fake:
        trace = Trace("trace", "process-spawn", "-p", fake.pid)
        trace.child.stdout.close()
        fake.do("fire process-spawn 20000")
        assert trace.child.wait(LIMIT) == 0
        assert not trace.child.stderr.read().strip()


def test_help_is_asked_for_in_many_ways():
    for args in (["help"], ["--help"], ["-h"], ["help", "sched-latency"], ["sched-latency", "--help"]):
        out, err = erlbpf(*args)
        assert "Examples:" in out and not err
    out, _ = erlbpf("--version")
    assert out.startswith("erlbpf ")


# Hostile executables: copies of the fake BEAM with something wrong in them.

def changed(change):
    data = original()
    change(data)
    return data


def test_a_site_in_mid_instruction_is_refused_and_the_target_lives():
    with tempfile.TemporaryDirectory() as folder:
        for shift in (-8, -3, -1, 1, 2, 5, 8):
            def move(data):
                for body in notes_of(data):
                    site, = struct.unpack_from("<Q", data, body)
                    if data[body + 24:].startswith(b"erlang\0process__spawn\0"):
                        struct.pack_into("<Q", data, body, site + shift)
            with Copy(folder, "moved%d" % shift, changed(move)) as copy:
                _, err = erlbpf("trace", "process-spawn", "-p", copy.pid, code=3)
                assert "its site is not a nop" in err and "file offset 0x" in err, err
                assert copy.do("fire process-spawn 10") == "ok"


def test_a_semaphore_outside_of_its_section_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        def move(data):
            for body in notes_of(data):
                struct.pack_into("<Q", data, body + 16, struct.unpack_from("<Q", data, body)[0])
        with Copy(folder, "semaphores", changed(move)) as copy:
            _, err = erlbpf("trace", "process-spawn", "-p", copy.pid, code=3)
            assert "its semaphore is not in .probes" in err, err
            assert copy.do("fire process-spawn 10") == "ok"


def test_an_operand_that_makes_no_sense_spoils_only_its_probe():
    with tempfile.TemporaryDirectory() as folder:
        def spoil(data):
            for body in notes_of(data):
                if data[body + 24:].startswith(b"erlang\0process__spawn\0"):
                    at = data.index(b"\0", body + 24 + len("erlang\0process__spawn\0"))
                    begin = body + 24 + len("erlang\0process__spawn\0")
                    data[begin:at] = b"8@%xmm0"[:at - begin].ljust(at - begin, b"?")
        with Copy(folder, "operands", changed(spoil)) as copy:
            out, _ = erlbpf("list", "process-*", "-p", copy.pid, "-j")
            rows = {r["probe"]: r for line in out.splitlines() for r in json.loads(line)["rows"]}
            assert rows["process-spawn"]["source"] is None
            assert "file offset 0x" in rows["process-spawn"]["note"], rows["process-spawn"]
            assert rows["process-exit"]["source"] == "usdt"


def test_a_name_from_the_target_cannot_write_to_the_terminal():
    with Node(USDT, "-sname", unique("evil"), "+fnu", "-kernel", "logger_level", "none") as node:
        node.eval("P = fun(N) -> F = fun() -> receive _ -> ok end end, spawn(erlang, apply, [F, []]) end, ok")
        trace = Trace("trace", "-p", node.pid, "process-*")
        json_trace = Trace("trace", "-p", node.pid, "process-*", "-j")
        csv_trace = Trace("trace", "-p", node.pid, "process-*", "-f", "csv")
        port_trace = Trace("trace", "-p", node.pid, "port-*")
        node.eval(r'spawn(fun() -> exit(list_to_atom("\e[31mred\r\n\x{9b}0m")) end), ok')
        node.eval(r'spawn(fun() -> exit("\e]0;title\a" ++ [16#202e, 16#200f]) end), ok')
        node.eval(r'spawn(list_to_atom("\e[2J"), list_to_atom("f\n@[fake]: 999"), []), ok')
        node.eval(r'Q = open_port({spawn, "cat \e[31mX\r\n2>/dev/null"}, []), catch port_close(Q), ok')
        texts = [trace.stop(), csv_trace.stop(), port_trace.stop()]
        lines = json_trace.stop_json()
    for text in texts:
        bad = [c for c in text if (ord(c) < 0x20 and c != "\n") or 0x7f <= ord(c) < 0xa0 or
               0x200b <= ord(c) <= 0x200f or 0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069]
        assert not bad, (bad, text)
    assert "red" in texts[0] and "fake]: 999" in texts[0] and "[31mX" in texts[2], texts
    assert any("red" in event["args"] for event in of_type(lines, "event"))


def test_a_target_may_change_its_file_while_it_is_read():
    """Two files take each other's place all the time; what is attached is always the process's own."""
    with tempfile.TemporaryDirectory() as folder:
        with Copy(folder, "swapped", original()) as copy:
            other = os.path.join(folder, "other")
            with open(other, "wb") as file:
                file.write(b"\0" * 100000)
            swap = subprocess.Popen(["sh", "-c", "while mv -T %s %s.x && mv -T %s %s && mv -T %s.x %s; do :; "
                                     "done" % ((copy.path, copy.path, other, copy.path, copy.path, other))],
                                    stderr=subprocess.DEVNULL)
            try:
                for _ in range(10):
                    trace = Trace("count", "process-spawn", "-p", copy.pid, "-j")
                    copy.do("fire process-spawn 5")
                    assert trace.stop_json()[-1]["probes"]["process-spawn"]["events"] == 5
            finally:
                swap.kill()
                swap.wait()


def test_output_that_cannot_be_written_is_an_error_with_its_reason():
    for program in ("BEGIN { printf(\"x\\n\"); exit(0); }", "BEGIN { @ = count(); exit(0); }",
                    "tick-1ms { printf(\"%d\\n\", n++); }"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([ERLBPF, "-q", "-n", program], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        assert done.returncode == 1, done
        assert done.stderr == "erlbpf: cannot write to standard output: No space left on device\n", done


def test_with_few_descriptors_every_failure_has_a_message():
    pid = str(os.getpid())
    for limit in range(4, 40):
        commands = [["gc", "-p", pid, "-d", "1"], ["-q", "-n", "tick-1s { n++; } BEGIN { exit(0); }"], ["list", "-p", pid]]
        if limit < 9:
            commands += [["list"], ["doctor"], ["-l", "-p", pid, "-P", "erlang*"],
                         ["export", "--listen", "127.0.0.1:0", "--node", "nobody"]]
        for arguments in commands:
            done = subprocess.run(["prlimit", "--nofile=%d:%d" % (limit, limit), ERLBPF] + arguments,
                                  capture_output=True, text=True, timeout=LIMIT)
            assert done.returncode == 0 or done.stderr.strip(), (limit, arguments, done)
            assert done.returncode != 4, (limit, arguments, done)
            assert "there is no process" not in done.stderr, (limit, done)
            # What failed is the opening, and neither the node nor what we may do.
            for other in ("CAP_BPF", "Input/output", "/proc mounted", "permission", "no node is found"):
                assert other not in done.stderr, (limit, done)


def with_memory(kb, *arguments):
    return subprocess.run(["prlimit", "--as=%d:%d" % (kb << 10, kb << 10), ERLBPF, *arguments],
                          capture_output=True, text=True, timeout=LIMIT)


def test_with_little_memory_every_failure_has_a_message():
    # With less, it is the kernel that cannot map the program, or the dynamic linker that fails, which may crash.
    least = next(kb for kb in range(14000, 30000, 500) if with_memory(kb, "--version").returncode == 0)
    with Fake() as fake:
        pid = str(fake.pid)
        for kb in range(least, least + 12000, 500):
            for arguments in (["list", "-p", pid], ["doctor", "-p", pid], ["-q", "-n", "BEGIN { @[execname] = count(); exit(0); }"],
                              ["spawn-exit", "-p", pid, "-d", "10ms"]):
                done = with_memory(kb, *arguments)
                assert done.returncode in (0, 1, 4) and (done.returncode == 0 or done.stderr.strip()), (kb, arguments, done)
                assert "Input/output" not in done.stderr, (kb, arguments, done)


def test_a_hard_limit_of_file_sizes_that_leaves_no_room_to_read_is_named():
    with Fake() as fake:
        for arguments in (["list"], ["gc", "-d", "10ms"], ["doctor"]):
            done = subprocess.run(["prlimit", "--fsize=1000:1000", ERLBPF, *arguments, "-p", str(fake.pid)], capture_output=True,
                                  text=True, timeout=LIMIT)
            assert done.returncode == 1 and "ulimit -Hf" in done.stderr, (arguments, done)


SMALL_STACK = ["prlimit", "--stack=65536:"]


def test_a_small_stack_is_made_larger():
    name = unique("small-stack")
    with Node(STOCK, "-sname", name) as node:
        pid = str(node.pid)
        for arguments in (["gc", "-d", "10ms", "-p", pid], ["doctor", "-p", pid], ["why", "-d", "10ms", "-p", pid],
                          ["profile", "-p", pid, "10ms"], ["top", "-p", pid, "-i", "10ms", "-d", "10ms"]):
            done = subprocess.run(SMALL_STACK + [ERLBPF] + arguments, capture_output=True, text=True, timeout=LIMIT)
            assert done.returncode == 0, (arguments, done)
        with Agent("--findings", prefix=SMALL_STACK, node=name) as agent:
            agent.wait_for_node(node.eval("atom_to_list(node())").strip('"'))
            agent.stop()


def test_a_stack_that_cannot_be_made_larger_is_an_error_that_says_what_is_needed():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(ERLBPF, folder)
        for who in ([], ["setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all"]):
            done = subprocess.run(["prlimit", "--stack=65536:65536", *who, copy, "list"], capture_output=True, text=True,
                                  timeout=LIMIT)
            assert done.returncode == 1 and not done.stdout, done
            assert re.fullmatch(r"erlbpf: the stack limit is 64 KiB, .*`ulimit -s \d+`.*\n", done.stderr), done


def test_without_sys_the_error_says_that_it_is_not_mounted():
    hidden = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /sys && exec \"$@\"", "sh", ERLBPF]
    with shared(STOCK) as node:
        pid = str(node.pid)
        for arguments in (["gc", "-d", "10ms", "-p", pid], ["count", "-d", "10ms", "-p", pid], ["-q", "-n", "BEGIN { exit(0); }"],
                          ["profile", "-p", pid, "10ms"], ["export", "--listen", "127.0.0.1:0"]):
            done = subprocess.run(hidden + arguments, capture_output=True, text=True, timeout=LIMIT)
            assert done.returncode == (1 if "-n" in arguments else 4), (arguments, done)
            assert re.fullmatch(r"erlbpf: /sys/devices/system/cpu/possible .*\(mount -t sysfs sysfs /sys\)\n", done.stderr), done


def test_an_include_without_an_end_is_an_error():
    with tempfile.NamedTemporaryFile("w", suffix=".d") as program:
        program.write('#include "/dev/zero"\nBEGIN { exit(0); }\n')
        program.flush()
        done = subprocess.run([ERLBPF, "-C", "-q", "-s", program.name], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1 and "the preprocessor cpp " in done.stderr, done


def test_too_many_timers_are_an_error_that_says_how_many_there_can_be():
    program = " ".join("tick-%dms { n++; }" % (1000 + i) for i in range(2200))
    done = subprocess.run([ERLBPF, "-q", "-n", program], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1 and done.stderr.count("too many probes; a program can have 2045 timers") == 1, done.stderr


def test_top_says_why_its_output_cannot_be_written():
    with shared(STOCK) as node, open("/dev/full", "w") as full:
        for options in (["-i", "200ms", "-d", "1s"], ["-f", "json", "-i", "200ms", "-d", "1s"]):
            done = subprocess.run([ERLBPF, "top", "-p", str(node.pid)] + options, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=LIMIT)
            assert done.returncode == 1, done
            assert re.search("cannot write the output: (No space left on device|Input/output error)\n", done.stderr), done
