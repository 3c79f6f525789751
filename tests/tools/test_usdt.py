"""Providers of others: SDT notes of a C program, and of a NIF in a node."""
import contextlib
import os
import re
import struct
import subprocess
import tempfile

from lib import JIT_VMS, Node, Process, guardian_of, over, wait_until
import test_d_probes
from test_d_probes import need_root, table


def own(text):
    """Its providers, with names that no other run of the tests has."""
    return re.sub(r"\b(my)(app)|\b(lat)(er)(?=[*$%,\d])", r"\g<1>\g<3>%d\2\4" % os.getpid(), str(text))


class Script(test_d_probes.Script):
    def __init__(self, text, *options):
        super().__init__(own(text), *options)


def run(*options):
    return test_d_probes.run(*[own(option) for option in options])


def enough(probe, hits=20):
    """A clause that says which process has had so many hits."""
    return """ int test_hits[int];
        %s { test_hits[pid]++; }
        %s /test_hits[pid] == %d/ { printf("%%d has enough\\n", pid); }""" % (probe, probe, hits)


PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short myapp_request__start_semaphore __attribute__((section(".probes")));
unsigned short myapp_request__done_semaphore __attribute__((section(".probes")));
unsigned short syscall_fake_semaphore __attribute__((section(".probes")));

char path[] = "/index";

__attribute__((noinline)) void serve(int n, double d)
{
	STAP_PROBE5(myapp, request__start, -n, (uint8_t)(250 + n), path, (int64_t)n << 40, (short)-3);
	STAP_PROBE3(myapp, request__done, 4000000000u, d, n + 70000);
	STAP_PROBE(syscall, fake);
}

int main(int argc, char **argv)
{
	unsigned short last = 9;

	for (int i = 0; argc < 2 || i < 10; i++) {
		serve(i % 3, argc);
		if (argc < 2 && last != myapp_request__start_semaphore)
			printf("%d\n", last = myapp_request__start_semaphore);
		fflush(stdout);
		usleep(1000);
	}
	return 0;
}
"""


@contextlib.contextmanager
def program(text=PROGRAM):
    with tempfile.TemporaryDirectory(prefix="erlbpf-usdt-") as folder:
        path = os.path.join(folder, "noted app")
        subprocess.run(["gcc", "-x", "c", "-O1", "-o", path, "-"], check=True, input=own(text).encode())
        yield path


def test_notes_of_a_program_are_probes_whose_arguments_have_the_size_and_sign_that_they_say():
    need_root()
    with program() as path:
        out, code = run("-q", "-c", "'%s' ten" % path, "-n", """
            myapp$target:::request-start { @[arg0, arg1, copyinstr(arg2), arg3 >> 40, args[4]] = count(); }
            myapp*::serve:request-done { printf("%d %d %s %s %s %s\\n", arg0, arg2, probeprov == "myapp$target" ? "" :
                probemod, probefunc, probename, pid == $target ? "target" : "other"); }""")
    assert code == 0, out
    assert re.findall(r"^ +(-?\d+) +(\d+)  (\S+) +(\d) +(-3) +(\d)$", out, re.M) == [
        ("-2", "252", "/index", "2", "-3", "3"), ("-1", "251", "/index", "1", "-3", "3"),
        ("0", "250", "/index", "0", "-3", "4")], out
    assert out.count("noted app serve request-done target\n") == 10, out
    assert re.search(r"^4000000000 7000[012] ", out, re.M), out


def test_an_argument_that_no_probe_of_a_description_has_is_refused():
    need_root()
    with program() as path:
        def refused(probe, number):
            out, code = run("-xerrtags", "-q", "-c", "'%s' ten" % path, "-n",
                            "%s { @ = sum(args[%d]); } END { printa(@); }" % (probe, number))
            return code == 1 and "[D_ARGS_IDX]" in out and "index %d is out of range for %s args[]" % (number, own(probe)) in out

        # What the command becomes is not there yet; the catalogue knows its probes.
        assert refused("erlang$target:::process-spawn", 2)
        assert refused("myapp$target:::request-start", 5) and refused("myapp$target:::request-done", 3)
        assert refused("myapp$target:::request-*", 5)
        assert not refused("myapp$target:::request-*", 4) and not refused("myapp$target:::request-done", 2)


def test_an_argument_that_cannot_be_read_is_named_where_it_is_used():
    need_root()
    with program() as path:
        out, code = run("-c", "'%s' ten" % path, "-n", "myapp*:::request-done { @[arg1] = count(); }")
        assert code == 0 and own("arg1 of myapp") in out and "floating-point" in out, out
        out, code = run("-c", "'%s' ten" % path, "-n", "myapp*:::request-done { @[arg2] = count(); }")
        assert code == 0 and "arg1" not in out, out


def test_the_semaphore_of_a_note_is_raised_while_it_is_traced():
    need_root()
    with program() as path, Process([path]) as app:
        assert app.line() == "0"
        with Script("myapp%d:::request-start { @ = count(); }" % app.pid + enough("myapp%d:::request-start" % app.pid)) as script:
            assert app.line() == "1"
            script.until("enough")
            assert int(script.stop().split()[-1]) > 0
        assert app.line() == "0"
        app.kill()


def test_a_killed_tracer_leaves_no_note_enabled():
    need_root()
    with program() as path, Process([path]) as app:
        assert app.line() == "0"
        with Script("myapp%d:::request-start { @ = count(); }" % app.pid) as script:
            assert app.line() == "1"
            script.kill()
            assert app.line() == "0"
        assert app.is_alive()
        app.kill()


def test_notes_are_listed_with_the_types_of_their_arguments():
    need_root()
    with program() as path, Process([path]) as app:
        app.line()
        out, code = run("-lvn", "myapp%d:::request-start" % app.pid)
        assert code == 0 and re.search(own(r"myapp%d +noted app +serve request-start\n" % app.pid), out), out
        assert re.findall(r"args\[\d\]: (\S+)", out) == ["int32_t", "uint8_t", "uint64_t", "int64_t", "int16_t"], out
        out, code = run("-lP", "my*")
        assert len(re.findall(own(r"myapp%d " % app.pid), out)) == 2, out
        assert " fake" not in run("-lP", "s*")[0], "a file has no probes of a provider of ours"
        app.kill()


def test_two_processes_of_a_program_are_traced_at_once_and_told_apart():
    need_root()
    with program() as path, Process([path]) as first, Process([path]) as second:
        first.line(), second.line()
        with Script("myapp*:::request-start { @[probeprov] = count(); }" + enough("myapp*:::request-start")) as script:
            first.line(), second.line()
            script.until("%d has enough" % first.pid)
            script.until("%d has enough" % second.pid)
            second.kill()
            seen = table(script.stop())
        assert set(seen) == {own("myapp%d" % first.pid), own("myapp%d" % second.pid)}, seen
        first.kill()


def test_a_pattern_of_providers_means_the_processes_that_are_named():
    """With -p and -c; without, all are meant, as in the test above."""
    need_root()
    with program() as path, Process([path]) as first, Process([path]) as second:
        first.line(), second.line()
        for named in (("-p", first.pid), ("-p", first.pid, "-p", second.pid)):
            with Script("myapp*:::request-start { @[probeprov] = count(); }" + enough("myapp*:::request-start"), *named) as script:
                for pid in named[1::2]:
                    script.until("%d has enough" % pid)
                seen = table(script.stop())
            assert set(seen) == {own("myapp%d" % pid) for pid in named[1::2]}, seen
        out, code = run("-q", "-c", "'%s' ten" % path, "-n", "myapp*:::request-start { @[pid == $target] = count(); }")
        assert code == 0 and re.findall(r"\d+", out) == ["1", "10"], out
        first.kill(), second.kill()


def move_notes(path, by):
    """The places of all notes, moved."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    owner = struct.pack("<I", 3) + b"stapsdt\0"
    places = [found.end() for found in re.finditer(re.escape(owner), data)]
    for at in places:
        struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + by)
    assert len(places) >= 3
    with open(path, "wb") as file:
        file.write(data)


def test_a_note_that_points_to_no_nop_is_no_probe():
    need_root()
    with program() as path:
        move_notes(path, -2)
        with Process([path]) as app:
            app.line()
            assert own("myapp") not in run("-lP", "my*")[0]
            out, code = run("-n", "myapp%d:::request-start" % app.pid)
            assert code == 1 and "does not match any probes" in out, out
            assert app.is_alive()
            app.kill()


def test_notes_with_arguments_in_too_many_places_are_left_out_and_counted():
    need_root()
    notes = "".join("STAP_PROBE1(many, note, %d);" % n for n in range(250))
    with program("#include <sys/sdt.h>\nint main(void) { %s return 0; }" % notes) as path:
        out, code = run("-c", "'%s'" % path, "-n", "many*:::note { @ = count(); @s = max(arg0); }")
        assert code == 0 and "50 sites are not probed" in out, out
        assert re.search(r"^ +200$", out, re.M) and re.search(r"^ +199$", out, re.M), out
        out, code = run("-c", "'%s'" % path, "-n", "many*:::note { @ = count(); }")
        assert code == 0 and "not probed" not in out and re.search(r"^ +250$", out, re.M), out


def links_of(script):
    """That its guardian holds."""
    folder = "/proc/%d/fd" % guardian_of(script.pid)
    return sum("bpf" in os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder))


def test_processes_that_come_and_go_leave_nothing_with_the_tracer():
    need_root()
    with program() as path, Script("myapp*:::request-start { @ = count(); }" + enough("myapp*:::request-start"), "-Z") as script:
        for _ in range(4):
            apps = [Process([path]) for _ in range(3)]
            for app in apps:
                while app.line() != "1":
                    pass
            # Those of the ones before are taken away some time after their end.
            wait_until("few links are left", lambda: links_of(script) <= 2 * len(apps))
            for app in apps:
                script.until("%d has enough" % app.pid)
                app.kill(), app.close()
        assert int(script.stop().split()[-1]) > 0


@over(JIT_VMS)
def test_notes_of_a_nif_are_probes_of_its_node(vm):
    need_root()
    with Node(vm) as node:
        node.eval("noted:load()")
        assert node.eval('noted:work(1, "one")') == "0"
        with Script("""noted$target:noted.so::work-done { printf("%d %s\\n", arg0, copyinstr(arg1)); ustack(1); }
                       noted*:::work-done { @[copyinstr(arg1)] = sum(args[2]); }
                       erlang*:::process-spawn { @n[probename] = count(); }""", "-p", node.pid) as script:
            assert node.eval('noted:work(-7, "seven")') == "1"
            node.eval('{_, M} = spawn_monitor(fun() -> noted:work(257, "many") end), receive {_, M, _, _, _} -> ok end')
            out = script.stop()
        assert "-7 seven\n" in out and "noted.so`work+0x" in out, out
        seen = table(out)
        assert seen["seven"] == 249 and seen["many"] == 1 and seen["process-spawn"] >= 1, out
        assert node.eval('noted:work(1, "one")') == "0"


# --- what is loaded later


# With a line, it loads the library and calls it again and again, until the next line (or there is the file that is its
# second argument); it says how often it did, and goes on to live.
LOADER = r"""
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static int goes_on(char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };

	return argv[2] ? access(argv[2], F_OK) : poll(&input, 1, 0) < 1;
}

int main(int argc, char **argv)
{
	void *library;
	int (*serve)(int);
	int calls = 0;
	char byte;

	(void)argc;
	puts("ready");
	fflush(stdout);
	if (read(0, &byte, 1) != 1)
		return 0;
	library = dlopen(argv[1], RTLD_NOW);
	serve = library ? (int (*)(int))dlsym(library, "serve") : 0;
	if (!serve)
		return 1;
	for (; goes_on(argv); calls++) {
		serve(calls);
		usleep(1000);
	}
	printf("%d\n", calls);
	fflush(stdout);
	while (read(0, &byte, 1) == 1)
		;
	return 0;
}
"""

LIBRARY = r"""
#include <sys/sdt.h>

int serve(int n)
{
	STAP_PROBE1(later, served, n);
	return n * 2;
}
"""


@contextlib.contextmanager
def loader():
    """The program above, and a library for it."""
    with program(LOADER) as path:
        library = os.path.join(os.path.dirname(path), "libserve.so.1")
        subprocess.run(["gcc", "-x", "c", "-O1", "-shared", "-fPIC", "-o", library, "-"], check=True,
                       input=own(LIBRARY).encode())
        yield path, library


def test_a_library_that_is_loaded_later_is_probed():
    need_root()
    with loader() as (path, library), Process([path, library]) as app:
        app.line()
        with Script("""int a; int b; int c; int d;
                       pid$target:libserve:serve:entry { @[probefunc, probename] = max(arg0); a = 1; }
                       pid$target::serve:return { @[probefunc, probename] = max(arg1); b = 1; }
                       pid$target:libserve.so.1:ser*:return { @[probemod, probename] = max(arg1); c = 1; }
                       later$target:::served { @[probefunc, probename] = max(arg0); d = 1; }
                       later*:::served { @n[probeprov] = count(); }
                       later$target:::served /a && b && c && d && !n++/ { printf("enough\\n"); }""", "-Z", "-p", app.pid) as script:
            app.say("")
            script.until("enough")
            app.say("")
            last = int(app.line()) - 1
            out = script.stop()
        assert app.is_alive()
        app.kill()
    seen = {(m.group(1), m.group(2)): int(m.group(3))
            for m in re.finditer(r"^  (\S+) +(entry|return|served) +(\d+)$", out, re.M)}
    assert seen == {("serve", "entry"): last, ("serve", "return"): 2 * last, ("libserve.so.1", "return"): 2 * last,
                    ("serve", "served"): last}, (last, out)
    assert 0 < table(out)[own("later%d" % app.pid)] <= last + 1, out


def test_what_the_command_loads_later_is_probed():
    """It is there from the start, held by us, and runs when the library comes."""
    need_root()
    with loader() as (path, library):
        file = os.path.join(os.path.dirname(path), "end")
        out, code = run("-q", "-w", "-Z", "-c", "bash -c 'exec \"%s\" \"%s\" \"%s\" < <(sleep 0.2; echo)'" % (path, library, file), "-n", """
            pid$target:libserve:serve:entry { @["pid"] = count(); of_pid++; }
            later$target:::served { @["note"] = count(); of_note++; }
            later$target:::served /of_pid > 100 && of_note > 100 && !n++/ { system("touch '%s'"); }""" % file)
    seen = table(out)
    assert code == 0 and seen.get("pid", 0) > 100 and seen.get("note", 0) > 100, out


def test_a_clause_runs_once_for_each_description_that_finds_what_is_loaded_later():
    """Neither description of a clause means all that the other one means, so none is known at the start to run twice. One is
    in place a little before the other one, and so it is at the end: in between, each call counts twice."""
    need_root()
    with loader() as (path, library), Process([path, library]) as app:
        app.line()
        with Script("""pid$target:libs*:serve:entry, pid$target:libserve:ser*:entry { @["entry", arg0] = count(); }
                       pid$target:libserve:serve:return, pid$target:lib*:serve:return { @["return", arg1 / 2] = count(); }
                       later$target:lib*:serve:served, later$target::serve:ser* { @["served", arg0] = count(); }
                       later$target:::served /++served == 300/ { exit(0); }
                       END { printa("%s %d %@d\\n", @); }""", "-q", "-Z", "-p", app.pid) as script:
            app.say("")
            wait_until("300 calls are seen", lambda: not script.is_alive())
            out = script.stop()
        app.kill()
    rows = [(m.group(1), int(m.group(2)), int(m.group(3))) for m in re.finditer(r"^(entry|return|served) (\d+) (\d+)$", out, re.M)]
    for what in ("entry", "return", "served"):
        times = {call: count for name, call, count in rows if name == what}
        twice = [call for call, count in times.items() if count == 2]
        assert set(times.values()) <= {1, 2} and len(twice) > 50, (what, out)
        assert all(times.get(call) == 2 for call in range(min(twice), max(twice) + 1)), (what, out)


def test_a_program_that_starts_later_is_probed_by_a_pattern():
    need_root()
    with loader() as (path, library):
        with Script("later*:::served { @[probeprov] = count(); }" + enough("later*:::served", 50), "-Z") as script:
            with Process([path, library]) as first, Process([path, library]) as second:
                for app in (first, second):
                    app.line()
                    app.say("")
                for app in (first, second):
                    script.until("%d has enough" % app.pid)
                first.kill(), second.kill()
            seen = table(script.stop())
    assert set(seen) == {own("later%d" % first.pid), own("later%d" % second.pid)} and min(seen.values()) >= 50, seen


def test_a_library_is_not_waited_for_where_nothing_asks_for_it():
    need_root()
    with loader() as (path, library), Process([path, library]) as app:
        app.line()
        out, code = run("-n", "pid%d:libserve:serve:entry" % app.pid)
        assert code == 1 and "has not mapped a file named libserve" in out, out
        with Script("pid$target:a.out:main:entry { @ = count(); }", "-p", app.pid) as script:
            files = os.listdir("/proc/%d/fd" % script.pid)
            events = [f for f in files if "perf_event" in os.readlink("/proc/%d/fd/%s" % (script.pid, f))]
            assert not events, events
            script.stop()
        app.kill()


@over(JIT_VMS)
def test_a_nif_that_a_node_loads_later_is_probed(vm):
    need_root()
    with Node(vm) as node:
        with Script("noted*:::work-done { @[copyinstr(arg1)] = sum(arg0); }", "-Z", "-p", node.pid) as script:
            node.eval("noted:load()")
            wait_until("the probe is wanted", lambda: node.eval('noted:work(0, "zero")') == "1")
            node.eval('noted:work(41, "later")')
            assert table(script.stop())["later"] == 41
