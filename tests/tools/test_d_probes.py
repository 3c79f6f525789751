"""D's providers on processes and nodes that do known things: pid, syscall, proc, profile, erlang; terms, stacks,
registers; several nodes at once; and what must not be left behind."""
import os
import re
import signal
import subprocess
import tempfile

from lib import (ERLBPF, JIT_VMS, LIMIT, STOCK, USDT, VMS, WITH_NEWEST, Node, Process, Skip, memory, over, shared, status_of,
                 wait_line, wait_until)

PROGRAM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) long twice(long a, long b) { __asm__ volatile(""); return a * 2 + b; }
__attribute__((noinline)) long outer(long n) { long s = 0; for (long i = 0; i < n; i++) s += twice(i, 1); return s; }

int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	open(argv[0], 0);
	open("/no/such/file", 0);
	outer(10);
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		for (;;)
			outer(1000);
	}
	return 3;
}
"""
LIVE = ' tick-20ms /!test_is_live/ { test_is_live = 1; printf("live\\n"); }'


class Program:
    """The program above, compiled."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-d-")
        self.path = os.path.join(self.folder.name, "known")
        subprocess.run(["gcc", "-x", "c", "-O1", "-fno-omit-frame-pointer", "-o", self.path, "-"], check=True,
                       input=PROGRAM.encode())
        return self.path

    def __exit__(self, *_):
        self.folder.cleanup()


class Script(Process):
    """A D program, live. A busy machine takes minutes for thousands of probes: these have another limit."""

    def __init__(self, program, *options, limit=LIMIT):
        self.limit = limit
        super().__init__([ERLBPF, "-q", *[str(o) for o in options], "-n", program + LIVE], stderr=subprocess.STDOUT)
        self.before = []
        while True:
            line = wait_line(self.child.stdout, limit)
            assert line, "it ended: %s" % self.before
            if line.strip() == "live":
                break
            self.before.append(line)

    def until(self, word):
        """Wait for a line that holds the word."""
        while not any(word in line for line in self.before):
            line = wait_line(self.child.stdout)
            assert line or self.is_alive(), "it ended: %s" % self.before
            self.before.append(line)

    def stop(self, sig=signal.SIGINT):
        if self.is_alive():
            self.child.send_signal(sig)
        out = self.child.communicate(timeout=self.limit)[0].decode("utf-8", "replace")
        assert self.child.returncode == 0, out
        return "".join(line + "\n" for line in self.before) + out


def run(*options):
    """What a program prints that ends by itself; its exit code."""
    done = subprocess.run([ERLBPF] + [str(o) for o in options], capture_output=True, timeout=LIMIT, text=True,
                          stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr, done.returncode


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def pid_of(node):
    return node.eval("os:getpid()").strip('"')


def table(text):
    """Lines of an aggregation by one key."""
    return {m.group(1): int(m.group(2)) for m in re.finditer(r"^  (\S.*?) +(\d+)$", text, re.M)}


def semaphores(pid):
    """Their addresses, those of the processes' probes: the VM is not mapped at a fixed place."""
    notes = subprocess.run(["readelf", "-nW", "/proc/%s/exe" % pid], capture_output=True, text=True).stdout
    places = {int(m.group(1), 16) for m in re.finditer(
        r"Name: process__\w+\n\s+Location: \S+, Base: \S+, Semaphore: (0x[0-9a-f]+)", notes)} - {0}
    headers = subprocess.run(["readelf", "-hW", "/proc/%s/exe" % pid], capture_output=True, text=True).stdout
    with open("/proc/%s/maps" % pid) as maps:
        base = int(maps.readline().split("-")[0], 16)
    assert places
    return [place + (base if "DYN" in headers else 0) for place in places]


def value_at(node, address):
    return int.from_bytes(memory(node.pid, address, 2), "little")


# --- the kernel's providers


def test_system_calls_of_a_command_are_counted_with_their_arguments_and_errors():
    need_root()
    with Program() as path:
        out, code = run("-q", "-c", path, "-n", """
            syscall::getppid:entry /pid == $target/ { @[probefunc] = count(); }
            syscall::open*:return /pid == $target/ { @e[errno, (int)arg0 < 0] = count(); }
            syscall::openat:entry /pid == $target/ { self->flags = arg2; self->is_in = 1; }
            syscall::openat:return /self->is_in/ { @in = count(); self->is_in = 0; }
            proc:::exit /pid == $target/ { printf("%s ends\\n", execname); }""")
    assert code == 0, out
    assert table(out)["getppid"] == 1000, out
    assert "known ends" in out, out
    assert re.search(r"^ +2 +1 +1$", out, re.M), "one ENOENT: " + out
    assert re.search(r"^ +0 +0 +3$", out, re.M), "three files: " + out


def test_errno_is_that_of_a_call_that_returns_and_of_nothing_else():
    need_root()
    with Program() as path:
        out, code = run("-q", "-c", path, "-n", """
            syscall:::return /pid == $target && errno/ { @failed["failed"] = count(); }
            syscall:::entry /pid == $target && errno/ { @stale["stale"] = count(); }""")
    assert code == 0 and table(out).get("failed", 0) >= 1 and "stale" not in out, out


class BusyCpus:
    """Something to do for every CPU: one that is idle has no clock that fires, and one task is not switched."""

    def __enter__(self):
        self.children = [subprocess.Popen(["sh", "-c", "while :; do :; done"],
                                          preexec_fn=lambda c=cpu: os.sched_setaffinity(0, {c}))
                         for cpu in os.sched_getaffinity(0)]

    def __exit__(self, *unused):
        for child in self.children:
            child.kill()
            child.wait()


def test_the_scheduler_tells_who_leaves_a_cpu_and_who_is_woken():
    need_root()
    with Program() as path, BusyCpus():
        out, code = run("-q", "-c", "%s forever" % path, "-n", """
            tick-10ms { all_are_in_place = 1; }
            sched:::off-cpu /pid == $target && all_are_in_place/ { @["off"] = count(); off++; }
            sched:::wakeup { @["woken"] = count(); woken = 1; }
            rawtp:::sched_switch /pid == $target && all_are_in_place/ { @["raw"] = count(); }
            tick-10ms /off > 20 && woken/ { exit(0); }""")
    seen = table(out)
    assert code == 0 and seen["off"] > 20 and seen["woken"] > 0, out
    # A switch may be between the two when they begin, and when they end.
    assert abs(seen["raw"] - seen["off"]) <= 2, out


# How often in a second is in tests/timing/.
def test_clocks_of_every_unit_fire_and_know_where_they_are():
    need_root()
    each = " && ".join("on[%d] >= 5" % cpu for cpu in os.sched_getaffinity(0))
    with BusyCpus():
        out, code = run("-q", "-n", """
        tick-5ms { @["ms"] = count(); a++; } tick-100hz { @["hz"] = count(); b++; } tick-20000us { @["us"] = count(); c++; }
        tick-50000000ns { @["ns"] = count(); d++; }
        profile-100 { @["profile"] = count(); @in[arg0 ? "kernel" : "user", arg0 && arg1 ? "both" : "one"] = count(); on[cpu]++; }
        tick-10ms /a > 2 && b > 2 && c > 2 && d > 2 && %s/ { exit(0); }
        """ % each)
    seen = table(out)
    assert code == 0, out
    assert all(seen[name] > 2 for name in ("ms", "hz", "us", "ns")), out
    assert seen["profile"] >= 5 * len(os.sched_getaffinity(0)), out
    assert "both" not in out, out


def test_a_clause_of_many_probes_keeps_no_timer_from_firing():
    need_root()
    with shared(STOCK) as node:
        out, code = run("-q", "-p", node.pid, "-n", 'profile:::tick*, erlang*::: { @[probename] = count(); } tick-300ms { exit(7); }')
    assert code == 7, out
    assert table(out)["tick-300ms"] == 1, out


# --- pid


def test_functions_of_a_command_are_probed_where_they_begin_and_where_they_return():
    need_root()
    with Program() as path:
        out, code = run("-q", "-c", path, "-n", """
            pid$target:a.out:twice:entry { self->a = arg0; @e = sum(arg0 * 10 + arg1); }
            pid$target:known:twice:return { @r[arg1 == self->a * 2 + 1 ? "right" : "wrong"] = count(); }
            pid$target:known:outer:entry { @o[arg0, usym(uregs[R_PC]), ufunc(ucaller)] = count(); }
            pid$target::outer:0 { @p["offset"] = count(); }""")
    assert code == 0, out
    assert re.search(r"^ +460$", out, re.M), out
    assert table(out)["right"] == 10 and "wrong" not in out, out
    assert re.search(r"^ +10  known`outer +known`main +1$", out, re.M), out
    assert table(out)["offset"] == 1, out


MANY = """
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	__asm__ volatile("" ::: "memory");
	return a + b + c + d + e + f + g + h + i + j;
}

int main(void)
{
	return many(1, 2, 3, 4, 5, 6, 7, 8, 9, -10) == 35 ? 0 : 1;
}
"""


def test_arguments_that_are_on_the_stack_are_arguments_too():
    need_root()
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path = os.path.join(folder, "many")
        subprocess.run(["gcc", "-x", "c", "-O1", "-o", path, "-"], check=True, input=MANY.encode())
        out, code = run("-q", "-c", path, "-n",
                        'pid$target:a.out:many:entry { printf("%d %d %d %d %d\\n", arg5, arg6, arg7, arg8, arg9); }')
    assert (out.strip(), code) == ("6 7 8 9 -10", 0), out


def test_a_stack_within_a_function_names_its_callers():
    need_root()
    with Program() as path, Process([path, "forever"]) as known:
        known.line()
        with Script("pid$target:known:twice:entry { @[ustack(3)] = count(); @j[jstack(3)] = count(); "
                    "@d[ustackdepth > 2] = count(); } pid$target:known:twice:entry /n++ == 1000/ { printf(\"enough\\n\"); }",
                    "-p", known.pid) as script:
            script.until("enough")
            out = script.stop()
        assert known.is_alive()
        known.kill()
        stacks = re.findall(r"known`twice\n +known`outer\+0x[0-9a-f]+\n +known`main\+0x[0-9a-f]+\n +\d+\n", out)
        assert len(stacks) == 2, "of ustack() and of jstack(), which is the same: " + out


# How long that takes is in tests/timing/.
def test_a_process_is_listed_and_probed_as_a_whole():
    need_root()
    with Node(STOCK) as node:
        pid = pid_of(node)
        out, code = run("-ln", "pid%s:::entry" % pid)
        assert code == 0 and out.count("\n") > 9000, out[-300:]
        out, code = run("-ln", "pid%s:beam.smp:erts_schedule:entry" % pid)
        assert code == 0 and re.search(r"pid%s +beam.smp +erts_schedule entry" % pid, out), out
        with Script("pid$target:beam.smp::entry { @ = count(); }", "-p", pid, limit=250) as script:
            node.eval("lists:seq(1, 10)")
            out = script.stop()
        assert int(out.split()[-1]) > 100, out
        assert node.eval("1 + 1") == "2"


def offsets_of(path, function):
    """Where the function's instructions begin."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True).stdout
    body = re.search(r"^([0-9a-f]+) <%s>:\n((?:.+\n)+)" % function, code, re.M)
    return {int(at, 16) - int(body.group(1), 16) for at in re.findall(r"^ +([0-9a-f]+):", body.group(2), re.M)}


def test_each_instruction_of_a_function_is_a_probe_and_so_is_an_address():
    need_root()
    with Program() as path, Process([path, "forever"]) as known:
        known.line()
        begins = offsets_of(path, "twice")
        with open("/proc/%d/maps" % known.pid) as maps:
            base = int(maps.readline().split("-")[0], 16)
        symbols = subprocess.run(["nm", path], capture_output=True, text=True).stdout
        in_file = int(re.search(r"^([0-9a-f]+) T twice$", symbols, re.M).group(1), 16)
        address = base + in_file
        each = " && ".join('seen["%s"]' % name for name in sorted({"%x" % at for at in begins} | {"entry", "return", "address"}))
        with Script("int seen[string]; pid$target:a.out:twice: { @[probename] = count(); seen[probename] = 1; } "
                    "pid$target:a.out:-:%x { @a = count(); seen[\"address\"] = 1; } "
                    "tick-10ms /%s && !n++/ { printf(\"enough\\n\"); }" % (address, each), "-p", known.pid) as script:
            script.until("enough")
            out = script.stop()
        assert set(table(out)) == {"%x" % at for at in begins} | {"entry", "return"}, (begins, out)
        assert re.search(r"^ +[1-9]\d*$", out, re.M), out
        assert known.is_alive()
        out, code = run("-xerrtags", "-n", "pid%s::-:%x {}" % (known.pid, address + 1))
        assert code == 1 and "[D_PROC_ALIGN]" in out, out
        out, code = run("-q", "-p", known.pid, "-n", "pid$target:a.out:-:%x { printf(\"%%x %%s:%%s\", uregs[R_PC] - %d, "
                        "probefunc, probename); exit(0); }" % (in_file, base))
        assert code == 0 and out.startswith("%x -:%x\n" % (in_file, in_file)), (out, in_file)
        known.kill()


def test_the_return_of_main_and_names_of_libraries_up_to_a_dot():
    need_root()
    with Program() as path:
        out, code = run("-q", "-c", path, "-n", """
            pid$target::main:return { printf("main %d\\n", arg1); }
            pid$target:libc.so:open*:entry { @["libc.so"] = count(); }
            pid$target:libc.so.1:open*:entry { @["libc.so.1"] = count(); }""")
    seen = table(out)
    assert code == 0 and "main 3\n" in out and seen["libc.so"] == seen["libc.so.1"] >= 2, out


def test_what_would_corrupt_a_process_is_no_probe():
    need_root()
    with Program() as path, Process([path, "forever"]) as known:
        known.line()
        for name, tag in (("outer:fffff", "D_PROC_OFF"), ("_start:return", "D_PROC_CREATEFAIL")):
            out, code = run("-xerrtags", "-n", "pid%s:known:%s { trace(1); }" % (known.pid, name))
            assert code == 1 and "[%s]" % tag in out, out
        begins = offsets_of(path, "outer")
        asked = [word for at in range(max(begins) + 1) for word in ("-n", "pid%s:known:outer:%x" % (known.pid, at))]
        listed = run("-l", *asked)[0]
        offered = [at for at in range(max(begins) + 1) if " outer %x\n" % at in listed]
        assert offered and set(offered) <= begins, (offered, begins)
        assert known.is_alive()
        known.kill()


# --- profile


WORK = "spawn(fun() -> W = fun(F) -> lists:sum(lists:seq(1, 1000)), F(F) end, W(W) end)"


@over(JIT_VMS)
def test_a_profile_names_the_erlang_functions_that_run(vm):
    need_root()
    with shared(vm) as node:
        worker = node.eval(WORK)
        with Script("profile-997hz /pid == $target/ { @[ufunc(arg1)] = count(); @m[umod(arg1)] = count(); } "
                    "profile-997hz /pid == $target && ++n == 150/ { exit(0); }", "-p", pid_of(node)) as script:
            wait_until("150 samples are taken", lambda: not script.is_alive())
            out = script.stop()
        seen = table(out)
        functions = sum(seen.get("erts`" + name, 0) for name in ("lists:seq_loop/3", "lists:sum/2"))
        assert functions > 0.5 * seen["erts"], out
        assert len(re.findall(r"^  beam.smp +\d+$", out, re.M)) <= 1, "modules are put together: " + out
        node.eval("exit(list_to_pid(\"%s\"), kill)" % worker)


@over(JIT_VMS)
def test_a_profile_names_the_callers_in_erlang(vm):
    need_root()
    if os.uname().machine != "x86_64":
        raise Skip("x86-64 only")
    with shared(vm) as node:
        worker = node.eval(WORK)
        with Script("profile-997hz /pid == $target/ { @[ustack(4)] = count(); } "
                    "profile-997hz /pid == $target && ++n == 150/ { exit(0); }", "-p", pid_of(node)) as script:
            wait_until("150 samples are taken", lambda: not script.is_alive())
            out = script.stop()
        node.eval("exit(list_to_pid(\"%s\"), kill)" % worker)
    stacks = [(re.findall(r"^ +(\S+`\S+|0x[0-9a-f]+)$", stack, re.M), int(count))
              for stack, count in re.findall(r"\n((?: +\S*[`x]\S*\n)+) +(\d+)\n", "\n" + out)]
    ours = [(stack, count) for stack, count in stacks if re.match(r"erts`lists:(seq_loop/3|sum/2)", stack[0])]
    whole = sum(count for stack, count in ours if re.match(r"erts`erl_eval:", stack[1] if len(stack) > 1 else ""))
    assert sum(count for _, count in ours) > 50 and whole > 0.8 * sum(count for _, count in ours), out


@over(JIT_VMS)
def test_the_depth_of_a_stack_is_the_number_of_frames_that_are_printed(vm):
    need_root()
    with shared(vm) as node:
        worker = node.eval(WORK)
        with Script("""int test_is_live;
                       profile-997hz /pid == $target && test_is_live && n < 100/
                       { n++; printf("depth %d", ustackdepth); ustack(); }
                       tick-10ms /n >= 100/ { exit(0); }""", "-p", pid_of(node)) as script:
            wait_until("100 stacks are seen", lambda: not script.is_alive())
            depths = [(int(depth), frames.count("\n")) for depth, frames in
                      re.findall(r"depth (\d+)\n((?: +\S+\n)+)", script.stop())]
        node.eval("exit(list_to_pid(\"%s\"), kill)" % worker)
    assert len(depths) > 75 and not [(depth, count) for depth, count in depths if depth != count], depths


# --- erlang


TERM = '{hello, [{a, <<1,2,3>>}], "abc", #{x => 1.5}, \'an atom\', -7}'
TEXT = '{hello,[{a,<<1,2,3>>}],"abc",#{x => 1.5},\'an atom\',-7}'


@over(WITH_NEWEST)
def test_messages_and_reasons_are_printed_as_terms(vm):
    need_root()
    with shared(vm) as node:
        with Script("""
            erlang$target:::message-send { printf("%T -> %T: %T\\n", term(arg0), term(arg1), argterm);
                                     @[argterm] = count(); }
            erlang$target:::process-exit { printf("%T ends: %T\\n", term(arg0), argterm); }""",
                    "-p", pid_of(node)) as script:
            who = node.eval("element(1, spawn_monitor(fun() -> self() ! %s, self() ! ok, exit({shutdown, [1]}) end))"
                            % TERM)
            script.until("%s ends: " % who)
            out = script.stop()
        assert "%s -> %s: %s" % (who, who, TEXT) in out, out
        assert "%s ends: {shutdown,[1]}" % who in out, out
        assert table(out)["ok"] >= 1, out
        assert node.eval("1 + 1") == "2"


@over(JIT_VMS)
def test_terms_of_functions_are_printed_too(vm):
    need_root()
    with shared(vm) as node:
        # BIFs are given the addresses of their arguments.
        with Script("""pid$target:beam.smp:ets_insert_2:entry {
                           this->word = *(uint64_t *)copyin(arg1 + 8, 8);
                           printf("insert %T\\n", term(this->word)); @[term(this->word)] = count(); }""",
                    "-p", pid_of(node)) as script:
            node.eval("ets:insert(ets:new(t, []), %s)" % TERM)
            node.eval("ets:insert(ets:new(t, []), {ok, 1})")
            out = script.stop()
        assert "insert " + TEXT in out, out
        assert table(out)["{ok,1}"] == 1, out


@over(VMS)
def test_what_is_spawned_is_printed_as_a_term_too(vm):
    need_root()
    with shared(vm) as node:
        with Script("""
            erlang$target:::process-spawn { printf("%T %s\\n", term(arg1), copyinstr(arg1)); @[term(arg1)] = count(); }""",
                    "-p", pid_of(node)) as script:
            node.eval("spawn(lists, seq, [1, 2])")
            node.eval("spawn(erlang, '+', [1, 2])")
            out = script.stop()
        assert "lists:seq/2 lists:seq/2\n" in out, out
        assert "erlang:'+'/2 erlang:'+'/2\n" in out, out
        assert table(out).get("lists:seq/2") == 1, out
        assert node.eval("1 + 1") == "2"


@over(JIT_VMS)
def test_a_thread_joins_what_erlang_and_the_kernel_tell(vm):
    need_root()
    with shared(vm) as node, tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        paths = [os.path.join(folder, "file%d" % n) for n in range(3)]
        for path in paths:
            open(path, "w").close()
        with Script("""
            erlang*:::nif-entry { self->nif = copyinstr(arg1); self->is_in = 1; }
            syscall::openat:entry /self->is_in/ { @[strjoin(self->nif, strjoin(" ", copyinstr(arg1)))] = count(); }
            erlang*:::nif-return { self->is_in = 0; }""", "-p", pid_of(node)) as script:
            for path in paths * 2:
                assert node.eval('element(1, file:read_file("%s"))' % path) == "ok"
            # No native function of Erlang's opens these.
            node.eval('os:cmd("cat %s")' % paths[0])
            with open(paths[1]):
                pass
            seen = table(script.stop())
        opened = {what: times for what, times in seen.items() if folder in what}
        assert opened == {"prim_file:read_file_nif/1 " + path: 2 for path in paths}, seen


def test_several_processes_are_traced_and_no_other_one():
    need_root()
    with Node(STOCK) as first, Node(USDT) as second, Node(STOCK) as other:
        pids = [pid_of(first), pid_of(second)]
        with Script("erlang*:::process-spawn { @[probeprov] = count(); }", "-p", pids[0], "-p", pids[1]) as script:
            for node, times in ((first, 2), (second, 4), (other, 3)):
                for _ in range(times):
                    node.eval("element(2, spawn_monitor(fun() -> ok end))")
            assert second.eval("1 + 1") == "2"
            out = script.stop()
    assert table(out) == {"erlang" + pids[0]: 2, "erlang" + pids[1]: 4}, out


def is_writing(pid):
    """Does it wait for a reader?"""
    with open("/proc/%d/syscall" % pid) as syscall:
        return syscall.read().split()[0] in ("1", "20", "64", "66")


def is_pending(pid, number):
    status = status_of(pid)
    return any(int(status[of], 16) >> (number - 1) & 1 for of in ("SigPnd", "ShdPnd"))


@over(vm for vm in VMS if vm.notes)
def test_a_second_interrupt_ends_it_at_once_and_leaves_nothing_behind(vm):
    need_root()
    with Node(vm) as node:
        where = semaphores(pid_of(node))
        with Script('erlang*:::process-spawn { printf("spawned\\n"); } tick-1ms { printf("%256s\\n", "nobody reads"); }',
                    "-p", pid_of(node)) as script:
            assert sum(value_at(node, at) for at in where) > 0
            # Nobody reads what it prints, so that the first one cannot end it.
            wait_until("it waits for its reader", lambda: is_writing(script.pid))
            script.child.send_signal(signal.SIGINT)
            wait_until("the first one is heard", lambda: not is_pending(script.pid, signal.SIGINT))
            wait_until("it waits again", lambda: is_writing(script.pid))
            script.child.send_signal(signal.SIGINT)
            assert script.child.wait(LIMIT) == -signal.SIGINT
        wait_until("semaphores are down", lambda: not any(value_at(node, at) for at in where))
        assert node.eval("1 + 1") == "2"


def test_nodes_are_told_apart_and_found_when_they_start():
    need_root()
    spawn = "element(2, spawn_monitor(fun() -> ok end)), timer:sleep(5)"
    with Node(STOCK) as first, Node(USDT) as second:
        pids = [pid_of(first), pid_of(second)]
        with Script("""erlang*:::process-spawn { @[probeprov] = count(); @n[pid] = count(); }
                       pid%s:beam.smp:erts_schedule:entry, pid%s:beam.smp:erts_schedule:entry
                       { @p[probeprov] = count(); shared[probeprov, pid] = 1; }
                       erlang*:::process-spawn /shared[strjoin("pid", lltostr(pid)), pid] && (pid == %s || pid == %s)/ { @s = count(); }
                       erlang*:::process-spawn /pid != %s && pid != %s && !known[pid]/ { known[pid] = 1; printf("found %%d\\n", pid); }"""
                    % tuple(pids * 3)) as script:
            for node, times in ((first, 3), (second, 5)):
                for _ in range(times):
                    node.eval(spawn)
            with Node(STOCK) as third:
                pids.append(pid_of(third))
                # Other tests may start nodes, too.
                third.eval("Spawns = spawn(fun() -> (fun S() -> spawn(fun() -> ok end), timer:sleep(20), S() end)() end)")
                script.until("found %s" % pids[2])
                third.eval("exit(Spawns, kill)")
                for _ in range(7):
                    third.eval(spawn)
            first.eval(spawn)
            out = script.stop()
    seen = table(out)
    spawned = [seen.get("erlang" + pid, 0) for pid in pids]
    # The third is found while it starts, and may still spawn processes of its own.
    assert spawned[:2] == [4, 5] and spawned[2] >= 7, out
    assert seen["pid" + pids[0]] > 0 and seen["pid" + pids[1]] > 0, out
    assert re.search(r"^ +9$", out, re.M), "arrays are shared: " + out


def test_a_node_can_be_the_command():
    """Its probes are there while it starts, or a little later. So it ends when its processes have been seen."""
    need_root()
    out, code = run("-q", "-c", "erl -noshell -eval '(fun F() -> spawn(fun() -> ok end), timer:sleep(20), F() end)().'", "-n",
                    "erlang$target:::process-exit { @ = count(); } erlang$target:::process-exit /++n == 4/ { exit(0); } "
                    "END { printa(\"over with %@d\\n\", @); }")
    found = re.search(r"over with (\d+)", out)
    assert code == 0 and found and int(found[1]) > 3, out


def test_what_kills_a_vm_is_refused_and_never_meant_by_a_star():
    need_root()
    with Node(USDT) as node:
        pid = pid_of(node)
        for name, why in (("process-port_unblocked", "spins"), ("global-function-entry", "crashes")):
            out, code = run("-n", "erlang%s:::%s { trace(1); }" % (pid, name))
            assert code == 1 and why in out and "--unsafe" in out, out
        out, code = run("-ln", "erlang%s:::" % pid)
        assert code == 0 and "process-spawn" in out, out
        assert "process-port_unblocked" not in out and "global-function-entry" not in out, out


@over(vm for vm in VMS if vm.notes)
def test_nothing_is_left_behind_by_a_tracer_that_is_killed(vm):
    need_root()
    with Node(vm) as node:
        where = semaphores(pid_of(node))
        with Script("erlang*:::process-* { @ = count(); }", "-p", pid_of(node)) as script:
            assert sum(value_at(node, at) for at in where) > 0
            script.kill(signal.SIGKILL)
        wait_until("semaphores are down", lambda: not any(value_at(node, at) for at in where))
        assert node.eval("1 + 1") == "2"


def test_an_unfinished_trace_prints_its_aggregations_when_it_is_interrupted():
    need_root()
    with Script("tick-10ms { @ = count(); } tick-10ms /++n == 15/ { printf(\"enough\\n\"); }") as script:
        script.until("enough")
        out = script.stop()
    assert int(out.split()[-1]) > 10, out


def test_a_kernel_without_types_runs_what_does_not_ask_for_them():
    need_root()
    hidden = "mount -t tmpfs none /sys/kernel/btf && exec \"$@\""
    for program, wanted, tag in (
            ("trace(curthread != NULL);", 0, ""),
            ("trace(ppid);", 1, "[D_SYM_NOTYPES]"), ("trace(cwd);", 1, "[D_SYM_NOTYPES]"),
            ("trace(curthread->tgid);", 1, "[D_OP_INCOMPLETE]")):
        done = subprocess.run(["unshare", "-m", "sh", "-c", hidden, "sh", ERLBPF, "-xerrtags", "-q", "-n",
                               "BEGIN { %s exit(0); }" % program], capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == wanted and tag in done.stderr, done


def test_registers_are_those_of_the_thread():
    need_root()
    out, code = run("-q", "-n", "BEGIN { printf(\"%d %d\", uregs[R_PC] != 0, uregs[R_SP] == uregs[19]); exit(0); }")
    assert out.strip() == "1 1", out


def test_a_number_is_the_one_probe_that_the_list_gives_that_id():
    need_root()
    with Node(STOCK) as node:
        listed = subprocess.run([ERLBPF, "-l", "-p", str(node.pid)], capture_output=True, text=True, timeout=LIMIT)
        ids = {row[4]: row[0] for row in (line.split() for line in listed.stdout.splitlines()) if len(row) == 5}
        say = "%s { printf(\"%%s%%d %%s\", \"erlang\", %d, probename); exit(0); }"
        with Process([ERLBPF, "-q", "-p", str(node.pid), "-n",
                      say % (ids["process-spawn"], node.pid) + LIVE]) as script:
            assert wait_line(script.child.stdout) == "live"
            node.eval("spawn(fun() -> ok end)")
            assert wait_line(script.child.stdout).endswith("%d process-spawn" % node.pid)
        for options in ((), ("-l",)):
            done = subprocess.run([ERLBPF, "-p", str(node.pid), *options, "-n",
                                   "999999999 { exit(0); } BEGIN { exit(0); }"],
                                  capture_output=True, text=True, timeout=LIMIT)
            assert "probe id 999999999 does not exist" in done.stderr, done
            assert done.returncode == (0 if options else 1), done


# --- proc and sched


LIFE = r"""
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_signal(int number) { (void)number; }
static void *yields(void *data) { sched_yield(); return data; }

int main(int argc, char **argv)
{
	static char path[] = "/no/such/program", *none[] = { path, 0 };
	pthread_t thread;
	sigset_t set;
	int status;

	(void)argc, (void)argv;
	memset(&set, 0, sizeof(set));
	sigaddset(&set, SIGUSR2);
	signal(SIGUSR1, on_signal);
	signal(SIGWINCH, SIG_IGN);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR2);
	sigtimedwait(&set, NULL, NULL);
	pthread_create(&thread, NULL, yields, NULL);
	pthread_join(thread, NULL);
	execv(path, none);
	if (!fork())
		abort();
	wait(&status);
	if (!fork())
		kill(getpid(), SIGKILL);
	wait(&status);
	if (!fork())
		exit(3);
	wait(&status);
	for (int i = 0; i < 4; i++)
		usleep(1000);
	return 0;
}
"""

LIFE_PROGRAM = """
    proc:::create /progenyof($target)/ { @[probename, args[0]->pr_ppid == $target && args[0]->pr_pid != pid] = count(); }
    proc:::start /progenyof($target)/ { @[probename, ppid == $target] = count(); }
    proc:::exec-failure /pid == $target/ { @[probename, args[0]] = count(); }
    proc:::exec /pid == $target/ { @path[args[0]] = count(); }
    proc:::exec-success /pid == $target/ { @[probename, 0] = count(); }
    proc:::exit /progenyof($target)/ { @[probename, args[0] + 10 * (pid == $target)] = count(); }
    proc:::lwp-create /pid == $target/ { @[probename, args[0]->pr_lwpid != tid && args[1]->pr_pid == pid] = count(); }
    proc:::lwp-start /pid == $target/ { @[probename, pid != tid] = count(); }
    proc:::lwp-exit /pid == $target/ { @[probename, pid != tid] = count(); }
    proc:::signal-send /pid == $target && args[2] != SIGCHLD/ {
        @[probename, args[2] + 100 * (args[1]->pr_pid == pid && args[0]->pr_lwpid == tid)] = count(); }
    proc:::signal-discard /pid == $target && args[2] != SIGCHLD/ { @[probename, args[2]] = count(); }
    proc:::signal-handle /pid == $target && args[0] != SIGCHLD/ {
        @[probename, args[0] + 100 * (args[1]->si_signo == args[0]) + 1000 * (args[2] != 0)] = count(); }
    proc:::signal-clear /pid == $target/ { @[probename, args[0]] = count(); }
    sched:::surrender /pid == $target/ { @[probename, args[0]->pr_lwpid == tid && args[1]->pr_pid == pid] = count(); }
    sched:::off-cpu /pid == $target/ { @off[args[1]->pr_pid >= 0 && args[0]->pr_addr == arg0 ? "off" : "wrong"] = count(); }
    sched:::wakeup /args[1]->pr_pid == $target/ { @wake["woken"] = count(); }
    rawtp:::sched_switch /args[1]->tgid == $target/ { @raw[args[1]->pid == tid ? "switch" : "wrong"] = count(); }
    rawtp:::sched_process_exit /args[0]->tgid == $target/ { @raw[args[0]->comm] = count(); }
"""


def test_proc_and_sched_have_dtraces_probes_and_arguments():
    need_root()
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path = os.path.join(folder, "life")
        subprocess.run(["gcc", "-x", "c", "-O1", "-o", path, "-"], check=True, input=LIFE.encode())
        out, code = run("-q", "-c", path, "-n", LIFE_PROGRAM)
    assert code == 0, out
    seen = {(m.group(1), int(m.group(2))): int(m.group(3))
            for m in re.finditer(r"^  ([a-z-]+) +(-?\d+) +(\d+)$", out, re.M)}
    # abort() dumps core only where that is allowed.
    ends = seen.pop(("exit", 2)) + seen.pop(("exit", 3), 0)
    # A timer of erlbpf's own may go off while the program is what runs: the one of writes that take long.
    seen.pop(("signal-send", signal.SIGALRM), None)
    assert ends == 2 and seen == {
        ("create", 1): 3, ("start", 1): 3, ("exec-failure", 2): 1,
        ("exit", 1): 1, ("exit", 11): 1,
        ("lwp-create", 1): 1, ("lwp-start", 1): 1, ("lwp-exit", 1): 1, ("lwp-exit", 0): 1,
        ("signal-send", 110): 1, ("signal-send", 112): 1, ("signal-discard", 28): 1, ("signal-handle", 1110): 1,
        ("signal-clear", 12): 1, ("surrender", 1): 1,
        ("exec-success", 0): 1}, (seen, out)
    names = table(out)
    assert names["/no/such/program"] == 1 and names["off"] >= 4 and names["woken"] >= 3, out
    assert names["switch"] >= 4 and names["life"] == 2 and "wrong" not in names, out


SLEEPS = r"""
#include <time.h>

int main(void)
{
	struct timespec pause = { 0, 5000000 };

	for (int i = 0; i < 40; i++)
		nanosleep(&pause, 0);
	return 0;
}
"""

QUEUE_PROGRAM = """
    int where[int];
    sched:::enqueue /args[1]->pr_pid == $target/ {
        @["in"] = sum(1); @["in twice"] = sum(where[args[0]->pr_lwpid] ? 1 : 0);
        where[args[0]->pr_lwpid] = 1 + args[2]->cpu_id; }
    sched:::dequeue /args[1]->pr_pid == $target/ {
        @["out"] = sum(1);
        @["out elsewhere"] = sum(where[args[0]->pr_lwpid] && where[args[0]->pr_lwpid] != 1 + args[2]->cpu_id ? 1 : 0);
        where[args[0]->pr_lwpid] = 0; }
    sched:::sleep /pid == $target/ { @["sleeps"] = sum(1); }
    sched:::off-cpu /pid == $target/ { @["off"] = sum(1); self->off = timestamp; }
"""
RUN_PROGRAM = """
    sched:::on-cpu /pid == $target && self->off/ { @["on"] = sum(1); @ms["ms off"] = max((timestamp - self->off) / 1000000);
        self->off = 0; }
    sched:::remain-cpu /pid == $target && self->off/ { @["lost"] = sum(1); }
"""


def test_threads_are_seen_in_the_queues_of_cpus():
    need_root()
    has_on_cpu = subprocess.run([ERLBPF, "-ln", "sched:::on-cpu"], capture_output=True, check=False).returncode == 0
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path = os.path.join(folder, "sleeps")
        subprocess.run(["gcc", "-x", "c", "-O1", "-o", path, "-"], check=True, input=SLEEPS.encode())
        out, code = run("-q", "-c", path, "-n", QUEUE_PROGRAM + (RUN_PROGRAM if has_on_cpu else ""))
    seen = table(out)
    assert code == 0 and 40 <= seen["sleeps"] <= seen["out"] and 40 <= seen["in"] and seen["out elsewhere"] == 0, out
    # Who is woken while he is about to sleep is not out.
    assert abs(seen["in"] - seen["out"]) <= 2 and seen["in twice"] <= 2, out
    if has_on_cpu:
        # The nap of 5 ms is counted from before the thread leaves its CPU, so what it is off may be a little less.
        assert seen["on"] >= 40 and abs(seen["on"] - seen["off"]) <= 1 and seen["ms off"] >= 2 and "lost" not in seen, out


def test_probes_that_no_tracepoint_makes_are_refused_with_the_reason():
    for name, why in (("io:::wait-start", "waits for a disk"), ("sched:::tick", "tick-N"), ("sched:::preempt", "off-cpu")):
        done = subprocess.run([ERLBPF, "-xerrtags", "-n", name], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "[D_PDESC_ZERO]" in done.stderr and why in done.stderr, done


FILES = r"""
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int ends[2], fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	for (int i = 0; i < 2; i++)
		if (write(fd, "12345", 5) != 5)
			return 1;
	if (pipe(ends) || write(ends[1], "1", 1) != 1)
		return 1;
	return write(99, "1", 1) >= 0;
}
"""


def test_fds_is_what_a_file_descriptor_leads_to():
    need_root()
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path, file = os.path.join(folder, "files"), os.path.join(folder, "a file.txt")
        subprocess.run(["gcc", "-x", "c", "-O1", "-o", path, "-"], check=True, input=FILES.encode())
        out, code = run("-q", "-c", "%s '%s'" % (path, file), "-n", """
            syscall::write:entry /pid == $target/ {
                this->f = fds[arg0].fi_oflags;
                printf("%d|%s|%s|%s|%d|%d\\n", arg0, fds[arg0].fi_name, fds[arg0].fi_dirname, fds[arg0].fi_pathname,
                       fds[arg0].fi_offset, (this->f & O_ACCMODE) == O_WRONLY && (this->f & O_APPEND) != 0);
                @[fds[arg0].fi_fs] = count(); }""")
    lines = [line.split("|") for line in out.splitlines() if "|" in line]
    assert code == 0 and [line[1:] for line in lines] == [
        ["a file.txt", folder, file, "0", "1"], ["a file.txt", folder, file, "5", "1"],
        ["<unknown>", "<unknown>", "<unknown>", "0", "0"], ["<none>", "<none>", "<none>", "0", "0"]], out
    assert table(out)["pipefs"] == 1 and table(out)["<none>"] == 1, out


def test_io_matches_what_a_device_is_asked_for_and_what_it_has_done():
    need_root()
    with tempfile.NamedTemporaryFile(dir="/var/tmp", prefix="erlbpf-d-") as file:
        out, code = run("-q", "-c", "dd if=/dev/zero of=%s bs=64k count=16 oflag=direct" % file.name, "-n", """
            io:::start { start[args[0]->b_edev, args[0]->b_blkno] = timestamp;
                         @bytes[args[0]->b_flags & B_WRITE ? "W" : "R"] = sum(args[0]->b_bcount);
                         @name[args[1]->dev_pathname] = count(); @file[args[2]->fi_name] = count(); }
            io:::done /start[args[0]->b_edev, args[0]->b_blkno]/ { @done["matched"] = count(); }
            END { printf("live\\n"); }""")
    if "Invalid argument" in out or "matched" not in out:
        raise Skip("/var/tmp is on no disk")
    seen = table(out)
    assert code == 0 and seen["W"] >= 16 * 65536 and seen["matched"] >= 16, out
    disks = [name for name in seen if name.startswith("/dev/")]
    assert disks and os.path.exists(disks[0]) and seen["<unknown>"] >= 16, out


UNTOUCHED = r"""
static const char far[3 * 4096] __attribute__((aligned(4096))) = { [4096] = 'o', 'k' };

__attribute__((noinline, noclone)) void takes(const char *text) { __asm__ volatile("" : : "r"(text)); }

int main(int argc, char **argv)
{
	const volatile char *touched = far + 4096;

	(void)argc, (void)argv;
	takes(far + 4096);
	__asm__ volatile("" : : "r"(*touched));
	takes(far + 4096);
	return 0;
}
"""


def test_memory_that_a_process_has_not_touched_is_a_fault():
    need_root()
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        path = os.path.join(folder, "far")
        subprocess.run(["gcc", "-x", "c", "-O1", "-o", path, "-"], check=True, input=UNTOUCHED.encode())
        # Nobody has read the file's page either, not even the loader.
        out, code = run("-q", "-c", path, "-n", """
            pid$target:a.out:takes:entry { printf("%s\\n", copyinstr(arg0)); }
            ERROR { printf("fault %d\\n", arg4); }""")
    assert code == 0 and "fault 1\nok\n" in out, out
