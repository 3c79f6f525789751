"""VMs that hide functions, as OTP 29 does: what cannot be counted is refused with a reason, and never a zero."""
import glob
import json
import os
import shutil
import struct
import tempfile
import zlib

import elf_file
from lib import STOCK, VM, Node, Trace, erlbpf, over, unique, wait_until
from pods import Agent

ERTS = glob.glob("/usr/lib/erlang/erts-*/bin")[0]
START = """#!/bin/sh
ROOTDIR=/usr/lib/erlang BINDIR=%s EMU=beam PROGNAME=erl
export ROOTDIR BINDIR EMU PROGNAME
exec "$BINDIR/erlexec" "$@"
"""


class Hiding:
    """The stock VM, in a copy whose functions of these names have others."""

    def __init__(self, *names, change=lambda data: None):
        self.names, self.change = names, change

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="erlbpf-hiding-")
        for name in os.listdir(ERTS):
            if name not in ("beam.smp", "erl"):  # these are written, and not through a link
                os.symlink(os.path.join(ERTS, name), os.path.join(self.folder, name))
        with open(os.path.join(ERTS, "beam.smp"), "rb") as file:
            data = bytearray(file.read())
        table = elf_file.sections(data)[".dynstr"]
        for name in self.names:
            at = data.index(b"\0" + name.encode() + b"\0", table.offset, table.offset + table.size) + 1
            data[at:at + 1] = b"X"
        self.change(data)
        for path, content, mode in (("beam.smp", data, 0o755), ("erl", (START % self.folder).encode(), 0o755)):
            with open(os.path.join(self.folder, path), "wb") as file:
                file.write(content)
            os.chmod(file.name, mode)
        return VM("hiding", os.path.join(self.folder, "erl"), notes=False, otp=25)

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


# Who looks at all nodes meanwhile, without these debug files, keeps what it has found of a VM by comparison.
KEEPS_NOTHING = {"ERLBPF_MATCHED": "/nonexistent"}


class Debug:
    """A folder with a debug file of the stock VM, by its build-id: the symbols that it exports, as a file has static ones."""

    def __init__(self, build_id=None, mode=0o644, is_fetched=False):
        self.build_id, self.mode, self.is_fetched = build_id, mode, is_fetched

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="erlbpf-debug-")
        with open(os.path.join(ERTS, "beam.smp"), "rb") as file:
            data = bytearray(file.read())
        note = elf_file.sections(data)[".note.gnu.build-id"]
        at, size = note.offset + 16, note.size - 16
        name = data[at:at + size].hex()
        if self.build_id:
            data[at:at + size] = self.build_id * size
        elf_file.set_type(data, ".dynsym", elf_file.SHT_SYMTAB)
        path = os.path.join(self.folder, *([name, "debuginfo"] if self.is_fetched else
                                           [".build-id", name[:2], name[2:] + ".debug"]))
        os.makedirs(os.path.dirname(path))
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, self.mode)
        return {**KEEPS_NOTHING, "DEBUGINFOD_CACHE_PATH" if self.is_fetched else "ERLBPF_DEBUG_FILES": self.folder}

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def last_json(text):
    return json.loads(text.splitlines()[-1])


@over([["sched-latency", "erts_schedule", "process-scheduled"], ["messages", "erts_send_message", "message-send"],
       ["mailbox", "erts_save_message_in_proc", "message-removed"], ["slices", "erts_schedule", "process-scheduled"]])
def test_a_tool_that_lacks_a_probe_is_refused_in_text_and_json(case):
    tool, function, probe = case
    with Hiding(function) as vm, Node(vm, "-sname", unique("hiding")) as node:
        out, err = erlbpf(tool, "-p", node.pid, "-d", "1ms", code=3)
        assert "process %d" % node.pid in err and probe in err and "does not export " + function in err, err
        assert "erlbpf doctor" in err and not out, (out, err)
        out, _ = erlbpf(tool, "-p", node.pid, "-d", "1ms", "-j", code=3)
        target = last_json(out)["targets"][0]
        assert target["source"] == "none" and probe in target["refused"] and function in target["refused"], target


def test_a_probe_of_which_one_function_is_hidden_counts_no_part():
    """NIFs send by another function, which is there."""
    with Hiding("erts_send_message") as vm, Node(vm) as node:
        _, err = erlbpf("count", "message-send", "-p", node.pid, "-d", "1ms", code=3)
        assert "does not export erts_send_message" in err, err
        _, err = erlbpf("-p", node.pid, "-n", "erlang*:::message-send { @ = count(); }", code=1)
        assert "erts_send_message" in err or "does not match any probes" in err, err


def test_one_node_is_traced_and_of_the_other_it_is_said_why_not():
    with Hiding("erts_schedule") as vm, Node(vm, "-sname", unique("hiding")) as hiding, Node(STOCK, "-sname", unique("telling")) as telling:
        trace = Trace("sched-latency", "-p", hiding.pid, "-p", telling.pid, "-j")
        first = next(line for line in trace.stderr if line.startswith("Tracing "))
        assert "on 1 node, not on hiding_" in first and "process-scheduled" in first, first
        lines = trace.stop_json()
        targets = {target["os_pid"]: target for target in lines[-1]["targets"]}
        assert targets[telling.pid]["refused"] is None and targets[telling.pid]["source"] == "symbol", targets
        assert "erts_schedule" in targets[hiding.pid]["refused"] and targets[hiding.pid]["source"] == "none", targets


def profiled(option, *nodes, code=0):
    pids = [word for node in nodes for word in ("-p", node.pid)]
    return erlbpf("profile", option, *pids, "--folded", "1ms", code=code)[1]


def test_a_profile_says_of_which_nodes_waits_are_not_known():
    with Hiding("erts_schedule") as vm, Node(vm, "-sname", unique("hiding")) as hiding, Node(STOCK, "-sname", unique("telling")) as telling:
        for option, begin in (("--off-cpu", "Tracing on 1 node"), ("--wall", "Sampling all nodes, tracing on 1 node")):
            first = profiled(option, hiding, telling).splitlines()[0]
            assert first.startswith(begin + ", not on hiding_") and "does not export erts_schedule" in first, first
            err = profiled(option, hiding, code=3)
            assert "hiding_" in err and "does not export erts_schedule" in err and "erlbpf doctor" in err, err
        assert profiled("--gc", hiding, telling).startswith("Tracing on 2 nodes. ")
        assert profiled("--wall", telling).startswith("Tracing and sampling 1 node. ")


def test_the_agent_says_of_a_node_which_tool_it_does_not_serve_and_why():
    name = unique("export_hiding")
    with Hiding("erts_schedule") as vm, Agent("--node", name) as agent, Node(vm, "-sname", name) as node:
        wait_until("it is found", lambda: agent.series("erlbpf_target_up", tool="sched-latency"))
        (labels, up), = agent.series("erlbpf_target_up", tool="sched-latency")
        assert up == 0 and "erts_schedule" in labels["reason"] and labels["source"] == "none", labels
        (labels, up), = agent.series("erlbpf_target_up", tool="gc")
        assert up == 1 and "reason" not in labels, labels
        target = next(t for t in agent.targets() if t["tool"] == "sched-latency")
        assert target["os_pid"] == node.pid and "erts_schedule" in target["refused"], target
        agent.stop()


def test_doctor_names_each_tool_once_and_each_reason_once():
    with Hiding("erts_schedule", "erts_send_message") as vm, Node(vm) as node:
        out, _ = erlbpf("doctor", "-p", node.pid)
        begin = next(i for i, line in enumerate(out.splitlines()) if line.startswith("  does not"))
        lines = [line[12:] for line in out.splitlines()[begin:] if line[:2] == "  " and "to do" not in line[:12]]
        reasons = [line.rsplit(": ", 1)[1] for line in lines]
        assert len(set(reasons)) == len(reasons) and len(reasons) >= 2, lines
        failing = [tool["tool"] for tool in last_json(erlbpf("doctor", "-j", "-p", node.pid)[0])["targets"][0]["fails"]]
        named = [word.split(" (")[0] for line in lines for word in line.rsplit(": ", 1)[0].split("), ")]
        assert sorted(named) == sorted(failing), (named, failing)


@over([{}, {"is_fetched": True}])
def test_a_debug_file_tells_what_the_vm_hides(how):
    with Hiding("erts_schedule", "erts_send_message") as vm, Node(vm) as node, Debug(**how) as env:
        out, _ = erlbpf("sched-latency", "-p", node.pid, "-d", "1ms", "-j", env=env)
        assert last_json(out)["targets"][0]["source"] == "symbol", out
        trace = Trace("count", "message-send", "-p", node.pid, env=dict(os.environ, **env))
        assert node.eval("[self() ! N || N <- lists:seq(1, 1000)]") is not None
        assert "message-send" in trace.stop()


def take_build_id(data):
    """It has none any more: the note is of another kind."""
    note = elf_file.sections(data)[".note.gnu.build-id"]
    data[note.offset + 8:note.offset + 12] = bytes(4)


def linked_debug_file():
    """The symbols that the stock VM exports, and what a file without a build-id has to be made so that this is its debug file."""
    with open(os.path.join(ERTS, "beam.smp"), "rb") as file:
        debug = bytearray(file.read())
    take_build_id(debug)
    elf_file.set_type(debug, ".dynsym", elf_file.SHT_SYMTAB)

    def link(data):
        take_build_id(data)
        section = elf_file.sections(data)[".gnu_debuglink"]
        end = section.offset + section.size
        data[end - 4:end] = struct.pack("<I", zlib.crc32(debug))
    section = elf_file.sections(debug)[".gnu_debuglink"]
    name = bytes(debug[section.offset:section.offset + section.size - 4]).rstrip(b"\0").decode()
    return debug, name, link


@over(["right", "of another checksum", "that anybody may write"])
def test_a_debug_file_is_found_by_a_link_where_there_is_no_build_id(what):
    debug, name, link = linked_debug_file()
    with tempfile.TemporaryDirectory() as folder, Hiding("erts_schedule", change=link) as vm, Node(vm) as node:
        path = os.path.join(folder, os.path.dirname(os.readlink("/proc/%d/exe" % node.pid)).lstrip("/"), name)
        os.makedirs(os.path.dirname(path))
        with open(path, "wb") as file:
            file.write(debug + (b"x" if what == "of another checksum" else b""))
        os.chmod(path, 0o666 if what == "that anybody may write" else 0o644)
        code = 0 if what == "right" else 3
        env = {**KEEPS_NOTHING, "ERLBPF_DEBUG_FILES": folder}
        out, err = erlbpf("sched-latency", "-p", node.pid, "-d", "1ms", "-j", code=code, env=env)
        assert code or last_json(out)["targets"][0]["source"] == "symbol", out
        assert not code or "does not export erts_schedule" in err, err


@over([{"build_id": b"x"}, {"mode": 0o666}])
def test_a_debug_file_of_another_build_or_that_anybody_may_write_is_not_taken(how):
    with Hiding("erts_schedule") as vm, Node(vm) as node, Debug(**how) as env:
        _, err = erlbpf("sched-latency", "-p", node.pid, "-d", "1ms", code=3, env=env)
        assert "does not export erts_schedule" in err, err
