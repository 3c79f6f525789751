"""VMs whose file has lost its section headers, or has some that lie: what segments and the dynamic table say is enough."""
import os
import struct
import tempfile

import elf_file
from lib import STOCK, VM, Node, Trace, cached, cpu_seconds, erlbpf, of_type, over, wait_until
from test_match import beam_of, start_of
from test_missing_probes import ERTS

SHOFF, SHNUM, SHSTRNDX = 0x28, 0x3c, 0x3e  # where the header of the file says where section headers are, and how many


def drop(data):
    """As sstrip(1) and llvm-objcopy --strip-sections do it: what no segment has is gone."""
    end = max(segment.offset + segment.filled for segment in elf_file.segments(data))
    struct.pack_into("<Q", data, SHOFF, 0)
    struct.pack_into("<H", data, SHNUM, 0)
    struct.pack_into("<H", data, SHSTRNDX, 0)
    return data[:end]


def lead_astray(data):
    """Section headers behind the end of the file."""
    struct.pack_into("<Q", data, SHOFF, len(data) + 4096)
    return data


def forget_names(data):
    """Sections without names."""
    struct.pack_into("<H", data, SHSTRNDX, 0xfff0)
    return data


CASES = {"stock": drop, "stock-astray": lead_astray, "stock-nameless": forget_names,
         "stripped of 29": drop, "usdt of 29": drop, "emu of 29": drop, "stock of 27": drop, "usdt of 25": drop}


def build_of(case):
    """The release and the kind that probes/otp/ builds; None: it is the stock VM."""
    kind, of, release = case.partition(" of ")
    return (release, kind) if of else None


CASES = {case: change for case, change in CASES.items()
         if not build_of(case) or os.path.exists(cached("otp-%s-%s" % build_of(case)))}


def original(case):
    """The VM of a case, and its file."""
    if not build_of(case):
        return STOCK, os.path.join(ERTS, "beam.smp")
    release, kind = build_of(case)
    vm = VM(case, cached("otp-%s-%s" % (release, kind)), notes=kind == "usdt", otp=int(release),
            has_symbols=kind != "stripped", has_jit=kind != "emu")
    return vm, beam_of(kind, release)


class Bare:
    """A copy of a VM with its file changed."""

    def __init__(self, case):
        self.vm, self.path = original(case)
        self.change = CASES[case]

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-bare-")
        with open(self.path, "rb") as file:
            data = self.change(bytearray(file.read()))
        start = start_of(self.folder.name, self.path)
        with open(os.path.join(self.folder.name, "beam.smp"), "wb") as file:
            file.write(data)
        os.chmod(file.name, 0o755)
        return VM("bare", start, notes=False, otp=self.vm.otp, has_symbols=False, has_jit=self.vm.has_jit)

    def __exit__(self, *_):
        self.folder.cleanup()


def sites_of(node):
    """{probe: its sites, as they are listed}, of those that are no notes."""
    lines = erlbpf("list", "-v", "-p", node.pid)[0].splitlines()
    return {line.split()[0]: line.split()[2:] for line in lines if line and not line.startswith(" ")
            if line.split()[1:2] in (["symbol"], ["matched"])}


@over(case for case in CASES if "usdt" not in case)
def test_a_vm_without_section_headers_has_the_same_probes(case):
    with Bare(case) as vm, Node(vm) as node, Node(original(case)[0]) as whole:
        bare, same = sites_of(node), sites_of(whole)
    # Functions that are found by comparison are fewer than those that a file names.
    common = bare.keys() & same.keys()
    assert len(common) >= 20 and bare.keys() <= same.keys(), (bare.keys(), same.keys())
    assert {name: bare[name] for name in common} == {name: same[name] for name in common}


@over(case for case in CASES if "emu" not in case)  # which none of its release is like
def test_events_of_a_vm_without_section_headers_are_counted_exactly(case):
    times = 500
    with Bare(case) as vm, Node(vm) as node:
        trace = Trace("count", "gc_major-start", "-p", node.pid, "-j")
        before = int(node.eval("element(1, erlang:statistics(garbage_collection))"))
        node.eval("[erlang:garbage_collect() || _ <- lists:seq(1, %d)], ok" % times)
        own = int(node.eval("element(1, erlang:statistics(garbage_collection))")) - before
        counted = trace.stop_json()[-1]["probes"]["gc_major-start"]["events"]
        trace = Trace("mailbox", "-p", node.pid, "-j")
        node.eval("Echo = spawn(fun() -> F = fun F() -> receive {From, N} -> From ! {ok, N}, F() end end, F() end), "
                  "[begin Echo ! {self(), N}, receive {ok, N} -> ok end end || N <- lists:seq(1, %d)], ok" % times)
        received, = of_type(trace.stop_json(), "hist")
    # The node does a little more than it was told.
    assert times <= counted <= own + 100, (counted, own)
    # To be told to do so, and to answer, are messages too.
    assert 2 * times <= received["count"] <= 2 * times + 100, received


@over(["stock"])
def test_the_stacks_of_a_vm_without_section_headers_are_read(case):
    with Bare(case) as vm, Node(vm) as node:
        node.eval("spawn(fun() -> F = fun F() -> lists:sort(lists:seq(1, 10000)), F() end, F() end), ok")
        trace = Trace("profile", "-p", node.pid, "--folded", wait=False)
        trace.wait_for("Ctrl-C ends it")
        # Samples are of the processor's time.
        begin = cpu_seconds(node.pid)
        wait_until("the node has worked", lambda: cpu_seconds(node.pid) >= begin + 1)
        profile = trace.stop()
    stacks = [line.rsplit(" ", 1)[0].split(";") for line in profile.splitlines()]
    assert any("lists:reverse/2_[b]" in stack[:-1] and stack[0].startswith("erl_eval:") for stack in stacks), profile
