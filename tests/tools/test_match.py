"""Names for the functions that OTP 29 hides: against builds that say what theirs are called."""
import glob
import json
import os
import re
import struct
import subprocess
import tempfile

import elf_file
from lib import (BUILD, CACHE, ROOT, Skip, VM, Node, Trace, cached, children_of, cpu_seconds, erlbpf, name_of, of_type, over, unique, vm_of,
                 peak_mib, wait_until)
from test_export import Agent, node_name, samples

# Some are references of the comparison (probes/otp/references.sh), the others were built otherwise.
KINDS = [kind for kind in ("stock", "usdt", "emu", "musl", "static-nifs", "no-plt", "clang", "o3", "lto")
         if os.path.exists(cached("otp-29-" + kind))]
LTO = vm_of("29-lto")  # with link-time optimization
COPY = re.compile(r"\.(isra|constprop|part|cold|lto_priv)\b.*")


def beam_of(kind, release="29"):
    folder = os.path.join(CACHE, "otp-%s-%s" % (release, kind))
    erts = [name for name in os.listdir(folder) if name.startswith("erts-")][0]
    return os.path.join(folder, erts, "bin", "beam.smp")


FUNCTIONS, DATA = "tTwW", "bBdDrRvV"  # of nm


def truth_of(path, kinds=FUNCTIONS):
    """What the linker called what is at each address."""
    names = {}
    for line in subprocess.run(["nm", path], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines():
        address, kind, name = line.split(None, 2) if line[0] != " " else (None, "", "")
        if kind in kinds and kind:
            names.setdefault(int(address, 16), set()).add(name)
    return names


def needed():
    """The functions that translators name, most of them by macros. BIFs are in a table."""
    out = subprocess.run(["cc", "-E", "-P", "-x", "c", os.path.join(ROOT, "probes", "translators.def")],
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    return set(re.findall(r'\.function = "(\w+)"\s*[,}]', out)) - {"bif_table"}


def read():
    """The data that is read from nodes: their names are texts of the programs that do. The release, too, is found by its
    text, which is where the variable refers to."""
    texts = set()
    for path in glob.glob(os.path.join(ROOT, "user", "node", "*.[ch]")) + glob.glob(os.path.join(ROOT, "user", "target", "*.c")):
        with open(path) as file:
            texts.update(re.findall(r'"(\w+)"', file.read()))
    return {text for text in texts if not text.startswith("etp_")}


def names_of(path):
    """(functions, data): the addresses of what comparison names in a file of which nothing but its code and data is left."""
    with tempfile.TemporaryDirectory() as folder:
        bare = os.path.join(folder, "beam.smp")
        subprocess.run(["strip", "--strip-unneeded", "-o", bare, path], check=True)
        out = subprocess.run([os.path.join(BUILD, "match-names"), bare], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = [line.split(None, 2) for line in out.splitlines()]
    return [{name: int(address, 16) for address, its, name in rows if its == kind} for kind in ("function", "object")]


def others_of(wanted, found, truth):
    """What was found by a name and is called otherwise."""
    return {name: truth.get(found[name]) for name in wanted if name in found and name not in truth.get(found[name], ())}


@over("otp29-" + kind for kind in KINDS)
def test_no_function_that_probes_need_is_another_and_no_data_that_is_read(vm):
    kind = vm.partition("-")[2]
    path = beam_of(kind)
    truth, data = truth_of(path), truth_of(path, DATA)
    found, found_data = names_of(path)
    there = set().union(*truth.values())
    wrong, wrong_data = others_of(needed(), found, truth), others_of(read(), found_data, data)
    assert not wrong and not wrong_data, (wrong, wrong_data)
    assert kind == "lto" or len(read() & set(found_data)) > 20, read() & set(found_data)
    missed = {name for name in needed() if name in there and name not in found}
    # Link-time optimization leaves functions that are unlike those of any other build.
    assert kind == "lto" or len(missed) <= 8, missed
    others = {name for name, address in found.items()
              if name not in {COPY.sub("", its) for its in truth.get(address, ())} and name in there}
    assert len(others) <= len(found) / 100, others
    print("%s: %d functions named, %d needed ones missed, %d others elsewhere" % (kind, len(found), len(missed), len(others)))


def stripped_node(*args):
    path = cached("otp-29-stripped")
    if not os.path.exists(path):
        raise Skip("there is no stripped OTP 29: probes/otp/build-otp.sh 29 stripped")
    return Node(VM("stripped", path, notes=False, otp=29, has_symbols=False), *args)


def test_what_was_found_is_kept_and_nobody_elses():
    with stripped_node() as node, \
            tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, ERLBPF_MATCHED=folder)
        said = "compared with known builds"
        out, err = erlbpf("list", "-p", node.pid, env=env)
        assert said in err and "matched" in out, (out, err)
        kept, = os.listdir(folder)
        again, err = erlbpf("list", "-p", node.pid, env=env)
        assert said not in err and again == out, err
        # One that anybody can write is not believed, and one that makes no sense is made again.
        with open(os.path.join(folder, kept), "r+b") as file:
            file.truncate(os.path.getsize(file.name) // 2)
        again, err = erlbpf("list", "-p", node.pid, env=env)
        assert said in err and again == out, err
        os.chmod(folder, 0o777)
        again, err = erlbpf("list", "-p", node.pid, env=env)
        assert said in err and again == out, err


MOST_BYTES = 200e6  # to attach to a VM that was never seen


def with_descendants(pid):
    return [pid] + [each for child in children_of(pid) for each in with_descendants(child)]


def most_data(pid):
    """What it may have at most, in bytes."""
    with open("/proc/%d/limits" % pid) as limits:
        return int(re.search(r"^Max data size +(\d+)", limits.read(), re.M)[1])


def test_a_vm_that_was_never_seen_takes_less_than_200_mb():
    with stripped_node() as node, tempfile.TemporaryDirectory() as folder:
        trace = Trace("count", "message-send", "-p", node.pid, env={"ERLBPF_MATCHED": folder})
        assert any("compared with known builds" in line for line in trace.stderr), trace.stderr
        pids = with_descendants(trace.pid)
        readers = [pid for pid in pids if name_of(pid) == "erlbpf-reader"]
        peaks = {pid: peak_mib(pid) * (1 << 20) for pid in pids}
        largest = max(readers, key=peaks.get)
        most = sum(peaks.values()) - peaks[largest] + most_data(largest)
        trace.stop()
    # So much for this one; and no file, whatever is in it, takes more than the reader of files may have.
    assert sum(peaks.values()) < MOST_BYTES and most < MOST_BYTES, (peaks, most)


def test_doctor_says_how_many_functions_were_found():
    with stripped_node() as node:
        text = erlbpf("doctor", "-p", node.pid)[0]
        target = json.loads(erlbpf("doctor", "-p", node.pid, "-j")[0].splitlines()[-1])["targets"][0]
        trace = Trace("count", "message-send", "-p", node.pid, "-j")
        source = trace.stop_json()[-1]["targets"][0]["source"]
    # All were found, so there is no line about that, nor anything to do.
    assert "(matched)" in text and not re.search(r"^  (presumed|matched|to do) ", text, re.M), text
    assert target["presumed"] is False, target
    assert target["functions_found"] == target["functions_wanted"] > 100 and target["probes_matched"] > 20, target
    assert source == "matched", source


def test_the_agent_counts_on_a_vm_that_hides_its_functions():
    own = unique("export_matched")
    name, times = node_name(own), 1000
    with stripped_node("-sname", own) as node, Agent() as agent:
        def counted(since=(0, 0)):
            return [agent.value("erlbpf_%s_seconds_count" % what, node=name) - was
                    for what, was in zip(("mailbox_wait", "gc_pause"), since)]

        def collections():
            return int(node.eval("element(1, erlang:statistics(garbage_collection))"))

        up = []

        def all_are_up():  # tools come one after the other
            up[:] = [(labels, value) for labels, value in samples(agent.metrics(), "erlbpf_target_up") if labels["node"] == name]
            return len(up) >= 5 and all(value == 1 for _, value in up)

        wait_until("its tools are up", all_are_up)
        assert all(labels["source"] == "matched" for labels, _ in up), up
        before, own = counted(), collections()
        # The receiver collects, too, until its end.
        node.eval("{P, M} = spawn_monitor(fun() -> F = fun F(0) -> ok; F(N) -> receive go -> F(N - 1) end end, F(%d) end), "
                  "[begin P ! go, erlang:garbage_collect() end || _ <- lists:seq(1, %d)], "
                  "receive {'DOWN', M, _, _, _} -> ok end" % (times, times))
        own = collections() - own
        wait_until("all is counted", lambda: all(seen >= least for seen, least in zip(counted(before), (times, own))))
        messages, pauses = counted(before)
        agent.stop()
    # The node does a little more than it was told, and asking it is some of that.
    assert messages < times + 200, messages
    assert times <= own <= pauses < own + 200, (pauses, own)


def start_of(folder, path):
    """What starts a node of the VM that is going to be in the folder, with all else that is beside that one."""
    beside = os.path.dirname(path)
    for name in os.listdir(beside):
        if name not in ("beam.smp", "start"):  # these are written, and not through a link
            os.symlink(os.path.join(beside, name), os.path.join(folder, name))
    start = os.path.join(folder, "start")
    with open(start, "w") as file:
        file.write("#!/bin/sh\nROOTDIR=%s BINDIR=%s EMU=beam PROGNAME=erl\nexport ROOTDIR BINDIR EMU PROGNAME\n"
                   'exec "$BINDIR/erlexec" "$@"\n' % (os.path.dirname(os.path.dirname(beside)), folder))
    os.chmod(start, 0o755)
    return start


class Renumbered:
    """A copy of a VM with symbols whose file says that it is of another release."""

    def __init__(self, path, release):
        self.path, self.release = path, release

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-release-")
        with open(self.path, "rb") as file:
            data = bytearray(file.read())
        place = self.place(data)
        data[place:place + 2] = b"%d" % self.release
        start = start_of(self.folder.name, self.path)
        with open(os.path.join(self.folder.name, "beam.smp"), "wb") as file:
            file.write(data)
        os.chmod(file.name, 0o755)
        return VM("renumbered", start, notes=False, otp=self.release, has_symbols=True)

    def place(self, data):
        """Where the file says its release: at the symbol, which is in the only segment of constants at its address."""
        out = subprocess.run(["nm", self.path], stdout=subprocess.PIPE, text=True).stdout + \
            subprocess.run(["nm", "-D", self.path], stdout=subprocess.PIPE, text=True).stdout
        address = int(re.search(r"^([0-9a-f]+) \w etp_otp_release$", out, re.M)[1], 16)
        for section in elf_file.sections(data).values():
            if section.address and section.address <= address < section.address + section.size:
                return section.offset + address - section.address
        raise AssertionError("no section has etp_otp_release")

    def __exit__(self, *_):
        self.folder.cleanup()


class RenumberedHidden(Renumbered):
    """The same of a VM without symbols: the texts by which its release is known."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-release-")
        with open(self.path, "rb") as file:
            data = file.read()
        texts = {b"(Erlang/OTP 29)": b"(Erlang/OTP %d)" % self.release, b"\x0017.": b"\0%d." % (self.release - 12)}
        assert all(text in data for text in texts), texts
        for text, other in texts.items():
            data = data.replace(text, other)
        start = start_of(self.folder.name, self.path)
        with open(os.path.join(self.folder.name, "beam.smp"), "wb") as file:
            file.write(data)
        os.chmod(file.name, 0o755)
        return VM("renumbered", start, notes=False, otp=self.release, has_symbols=False)


def expect_presumed(vm, said):
    with Node(vm) as node:
        trace = Trace("count", "process-spawn", "-p", node.pid, "-j")
        node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 100)], ok")
        lines = trace.stop_json()
        assert lines[-1]["targets"][0]["otp"] == str(vm.otp) and lines[-1]["probes"]["process-spawn"]["events"] >= 100, lines[-1]
        text = erlbpf("doctor", "-p", node.pid)[0]
        assert "presumed  " + said in text, text
        assert json.loads(erlbpf("doctor", "-p", node.pid, "-j")[0].splitlines()[-1])["targets"][0]["presumed"] is True
        listed = erlbpf("list", "-v", "process-spawn", "-p", node.pid)[0]
        assert "presumed for OTP %d: no test ran on this release" % vm.otp in listed and vm.functions in listed, listed


def test_a_release_that_nobody_knows_is_taken_for_the_newest_and_said_so():
    if "stock" not in KINDS:
        raise Skip("there is no OTP 29: probes/otp/build-otp.sh 29 stock")
    with Renumbered(beam_of("stock"), 33) as vm:
        expect_presumed(vm, "to be like OTP 29: its processes are")


def test_a_hidden_vm_of_a_release_that_nobody_knows_is_compared_with_the_newest():
    with RenumberedHidden(beam_of("stripped"), 30) as vm:
        expect_presumed(vm, "to be like OTP 29: its processes are")


@over([26, 28])
def test_a_release_between_known_ones_has_what_their_sources_share_and_says_so(release):
    with Renumbered(glob.glob("/usr/lib/erlang/erts-*/bin/beam.smp")[0], release) as vm:
        expect_presumed(vm, "from the sources of other releases: erlbpf was not tested on OTP %d" % release)


@over([vm_of("29-emu")])
def test_what_cannot_be_seen_is_said_and_not_that_there_was_none(_):
    with Stripped("emu") as vm, Node(vm) as node:
        out, err = erlbpf("calls", "prim_buffer:*", "-p", node.pid, "-d", "1")
        assert "calls of NIFs are not seen: nif-entry: " in err and "erts_pre_nif" in err, err
        assert "nothing was seen of what can be seen" in out and "NIF was called" not in out, out


def test_a_release_whose_processes_are_others_is_refused_with_what_was_seen():
    with Renumbered(glob.glob("/usr/lib/erlang/erts-*/bin/beam.smp")[0], 33) as vm, Node(vm) as node:
        out, err = erlbpf("count", "process-spawn", "-p", node.pid, "-d", "1", code=3)
        assert "OTP 33 is not known, and its processes differ from those of the newest known release" in err, err


@over([LTO])
def test_what_the_linker_has_inlined_is_not_counted_in_part(vm):
    with Node(vm) as node:
        out, err = erlbpf("gc", "-p", node.pid, "-d", "1", code=3)
        assert "inlines calls of its functions" in err, err
        # BIFs are called through a table.
        trace = Trace("calls", "lists:*", "-p", node.pid, "-j", "--by", "function")
        node.eval("[lists:reverse([N], []) || N <- lists:seq(1, 100)], ok")
        counts = {hist["key"]: hist["count"] for hist in of_type(trace.stop_json(), "hist")}
    assert counts["lists:reverse/2"] >= 100, counts


HEADER, SEGMENT, SECTION, SYMBOL = "<2Q7I64s4xQ", 40, 32, "<4Q"  # of user/target/image/image_flat.h


def swap(path, *wanted):
    """In an image that was kept, two functions change their places."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        _, _, _, segments, sections, symbols, *_, names = struct.unpack_from(HEADER, data)
        begin = struct.calcsize(HEADER) + segments * SEGMENT + sections * SECTION
        at = {}
        for place in range(begin, begin + symbols * struct.calcsize(SYMBOL), struct.calcsize(SYMBOL)):
            name = len(data) - names + struct.unpack_from("<Q", data, place)[0]
            at[data[name:data.index(0, name)].decode()] = place + 8
        one, other = (struct.unpack_from("<2Q", data, at[name]) for name in wanted)
        struct.pack_into("<2Q", data, at[wanted[0]], *other)
        struct.pack_into("<2Q", data, at[wanted[1]], *one)
        file.seek(0)
        file.write(data)


def test_functions_that_the_jit_does_not_call_are_not_believed():
    with stripped_node() as node, \
            tempfile.TemporaryDirectory() as folder:
        env = {"ERLBPF_MATCHED": folder}
        out, _ = erlbpf("list", "process-scheduled", "-p", node.pid, env=env)
        assert "matched" in out, out
        kept, = os.listdir(folder)
        # Both are the beginnings of functions.
        swap(os.path.join(folder, kept), "erts_schedule", "erts_resume")
        out, err = erlbpf("sched-latency", "-p", node.pid, "-d", "1", env=env, code=3)
        assert "the functions found by comparison were rejected" in err, err


class Stripped:
    """A copy of a VM without its symbols."""

    def __init__(self, kind):
        self.path, self.has_jit = beam_of(kind), kind != "emu"

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-stripped-")
        start = start_of(self.folder.name, self.path)
        subprocess.run(["strip", "--strip-unneeded", "-o", os.path.join(self.folder.name, "beam.smp"), self.path], check=True)
        return VM("stripped-copy", start, notes=False, otp=29, has_symbols=False, has_jit=self.has_jit)

    def __exit__(self, *_):
        self.folder.cleanup()


@over([LTO])
def test_what_is_left_of_a_vm_that_cannot_be_compared_is_no_answer(_):
    with Stripped("lto") as vm, Node(vm) as node:
        for words in (["count"], ["trace"], ["gc"], ["calls", "*"]):
            _, err = erlbpf(*words, "-p", node.pid, "-d", "1", code=3)
            assert "differs too much from all known builds" in err, err


@over([LTO])
def test_a_build_that_inlines_its_functions_says_which_probe_it_lacks(vm):
    with Node(vm) as node:
        out, err = erlbpf("calls", "-p", node.pid, "-d", "1")
        assert "calls of NIFs are not seen: nif-entry: " in err and "inlines calls of its functions" in err, err
        assert "`erlbpf doctor` says what to do" in err, err
        out, err = erlbpf("calls", "prim_buffer:*", "-p", node.pid, "-d", "1", code=3)
        assert not out and "not all probes that calls needs: nif-entry: " in err and "inlines calls of its functions" in err, err
