#!/usr/bin/env python3
"""
Writes inputs for tests/fuzz/walk.c as they are in a real node: what a profile knows of it, and of some of its threads
the registers, and of the memory what the walk reads. Usage, as root: record.py DIRECTORY VM [COUNT]
VM is a name of lib.VMS, to which ERLBPF_OTP=29-stripped adds; the program is what `make` has built.
"""
import ctypes
import json
import os
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lib import VMS, Node, Trace

ATTACH, DETACH, GETREGS = 16, 17, 12
WORD = 8
C_WORDS, ERLANG_WORDS = 256, 512
SP, IP = 19, 16  # of struct user_regs_struct


def ptrace(what, tid, data=None):
    if ctypes.CDLL(None, use_errno=True).ptrace(what, tid, None, data) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def registers_of(tid):
    """It stops for that long only."""
    registers = (ctypes.c_uint64 * 27)()
    ptrace(ATTACH, tid)
    os.waitpid(tid, 0x40000000)  # __WALL
    ptrace(GETREGS, tid, ctypes.byref(registers))
    return list(registers)[:21]


def map_of(name):
    """{key: value} as bytes."""
    entries = json.loads(subprocess.run(["bpftool", "-j", "map", "dump", "name", name], check=True, capture_output=True).stdout)
    entries = entries[0] if entries and isinstance(entries[0], list) else entries
    return {struct.unpack("<I", octets(e["key"]))[0]: octets(e["value"]) for e in entries}


def octets(texts):
    return bytes(int(text, 16) for text in texts)


class Memory:
    def __init__(self, pid):
        self.fd, self.pieces = os.open("/proc/%d/mem" % pid, os.O_RDONLY), []

    def take(self, address, size):
        try:
            data = os.pread(self.fd, size, address)
        except (OSError, OverflowError):
            return b""
        self.pieces.append(struct.pack("<QQ", address, len(data)) + data)
        return data

    def word(self, address):
        data = self.take(address, WORD)
        return struct.unpack("<Q", data)[0] if len(data) == WORD else 0


def words(data):
    return struct.unpack("<%dQ" % (len(data) // WORD), data[:len(data) // WORD * WORD])


def record(pid, tid, node, thread):
    """The input, or None: the thread runs no process."""
    registers = registers_of(tid)
    try:
        memory = Memory(pid)
        made = [node[i:i + 16] for i in range(0, 6 * 16, 16)]
        heap, stop = struct.unpack_from("<QQ", node, 14 * 16)
        process = memory.word(struct.unpack_from("<Q", thread)[0])
        if not process:
            return None
        data = memory.take(process, 1024)
        begin, end = struct.unpack_from("<QQ", data, heap)
        newest = struct.unpack_from("<Q", data, stop)[0]
        for at in {newest, registers[SP], registers[4]}:
            if begin <= at < end:
                memory.take(at & ~7, min(end - (at & ~7), ERLANG_WORDS * WORD))
        stack = memory.take(registers[SP], C_WORDS * WORD)
        for word in words(stack):
            if any(lo <= word < hi for lo, hi in map(words, made)):
                memory.take(word, WORD)
        memory.take(registers[IP], 2 * WORD)
    finally:
        ptrace(DETACH, tid)
    return node + thread + struct.pack("<21Q", *registers) + struct.pack("<QHHBBBB", 0, 0, 0, 1, 0, 0, 0) + b"".join(memory.pieces)


def main():
    folder, vm, count = sys.argv[1], [vm for vm in VMS if vm.name == sys.argv[2]][0], int(sys.argv[3]) if len(sys.argv) > 3 else 4
    os.makedirs(folder, exist_ok=True)
    with Node(vm, "+S", "1") as node:
        for what in "mixed", "bifs", "garbage", "deep":
            worker = node.eval("spawn(shares, %s, %s)" % (what, "[40]" if what == "deep" else "[]"))
            trace = Trace("profile", "-p", node.pid, "30", wait=False)
            trace.wait_for("Sampling")
            time.sleep(0.3)
            config, threads = map_of("profile_nodes")[node.pid], map_of("profile_threads")
            written = 0
            for _ in range(100 * count):
                time.sleep(0.003)
                for tid, thread in threads.items():
                    made = record(node.pid, tid, config, thread) if written < count else None
                    if made:
                        with open(os.path.join(folder, "%s-%s-%d" % (sys.argv[2], what, written)), "wb") as file:
                            file.write(made)
                        written += 1
            trace.stop()
            node.eval("exit(list_to_pid(\"%s\"), kill)" % worker)


main()
