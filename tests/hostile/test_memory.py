"""Memory of a VM that makes no sense: pointers in circles, into nowhere, lengths without end (what a fake VM shows, or a torn read)."""
import os
import struct
import subprocess
import tempfile
import time

from hostile import chance, check_clean, check_json, times
from lib import ERLBPF, LIMIT, STOCK, USDT, Node, hold, over, peak_mib

PAGE = 4096
MOST_MIB = 256
QUESTIONS = (["doctor", "-j"], ["list", "-j"], ["top", "-i", "200ms", "-d", "500ms", "-j"], ["top", "-i", "200ms", "-d", "400ms"],
             ["slices", "--min", "1ns", "-d", "200ms"], ["calls", "*", "-d", "200ms"], ["drivers", "-d", "200ms"],
             ["spawn-exit", "-d", "200ms"])


def regions(pid):
    """[(start, end, is of the executable or its bss)] of what it may write to."""
    found, was_exe = [], False
    inode = str(os.stat("/proc/%d/exe" % pid).st_ino)
    with open("/proc/%d/maps" % pid, encoding="utf-8", errors="replace") as maps:
        for line in maps:
            fields = line.split(maxsplit=5)
            start, end = (int(x, 16) for x in fields[0].split("-"))
            is_exe = fields[4] == inode or was_exe and fields[4] == "0" and len(fields) == 5
            if fields[1].startswith("rw") and not (len(fields) == 6 and fields[5].startswith("[stack")):
                found.append((start, end, is_exe))
            was_exe = is_exe
    return found


def pages(pid, start, end):
    """Addresses of pages that are there; others are zeros, and would only take memory."""
    with open("/proc/%d/pagemap" % pid, "rb", buffering=0) as map_:
        map_.seek(start // PAGE * 8)
        entries = map_.read((end - start) // PAGE * 8)
    return [start + i * PAGE for i in range(len(entries) // 8) if entries[i * 8 + 7] & 0x80]


def spoil_page(rng, data, address, share):
    words = list(struct.unpack("<512Q", data))
    for _ in range(max(1, int(512 * share))):
        i = rng.randrange(512)
        words[i] = rng.choice((0, (1 << 64) - 1, address + 8 * i, address + 8 * i + 1, address, words[rng.randrange(512)], rng.getrandbits(64),
                               rng.getrandbits(16), words[i] + 8, words[i] ^ 1 << rng.randrange(64), 0xffff888000000000, 1 << 31, 1 << 62))
        words[i] &= (1 << 64) - 1
    return struct.pack("<512Q", *words)


def spoil(rng, pid, exe_share, other_share):
    """Some words of each page; few of those of the rest, or nobody would get as far as there."""
    spoiled = 0
    with open("/proc/%d/mem" % pid, "r+b", buffering=0) as mem:
        for start, end, is_exe in regions(pid):
            share = exe_share if is_exe else other_share
            for address in pages(pid, start, end) if share else ():
                if not is_exe and rng.random() > 0.3:
                    continue
                mem.seek(address)
                data = mem.read(PAGE)
                if len(data) < PAGE:
                    continue
                mem.seek(address)
                spoiled += mem.write(spoil_page(rng, data, address, share))
    return spoiled


def peak(pid):
    """So far; 0 if it has ended. getrusage(2) would count what this very process had when it forked."""
    try:
        return peak_mib(pid)
    except (FileNotFoundError, ProcessLookupError, KeyError):
        return 0


def ask(pid, words):
    """Whatever it finds, it ends, in bounded time and memory, and what it prints is clean."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([ERLBPF] + words + ["-p", str(pid)], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        end, most = time.monotonic() + 2 * LIMIT, 0
        while child.poll() is None:
            most = max(most, peak(child.pid))
            if time.monotonic() > end:
                child.kill()
                child.wait()
                raise AssertionError("%s does not end" % words)
            time.sleep(0.01)
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read()
    assert child.returncode in (0, 1, 3), (words, child.returncode, said[-2000:])
    assert most < MOST_MIB, (words, most)
    (check_json if "-j" in words else check_clean)(text.decode("utf-8"))
    check_clean(said.decode("utf-8"))


@over((STOCK, USDT))
def test_a_vm_whose_memory_makes_no_sense_is_read_to_an_end(vm):
    rng = chance()
    for turn in range(times(1, 15)):
        with Node(vm) as node:
            node.eval("[register(list_to_atom(\"n\" ++ integer_to_list(N)), spawn(fun() -> receive ok -> ok end end)) || "
                      "N <- lists:seq(1, 2000)], ok")
            hold(node.pid)
            # All of it, or only what is on its heaps and in its tables.
            exe, other = rng.choice(((0, 0.002), (0, 0.02), (0, 0.2), (0.002, 0.01), (0.02, 0), (0.5, 0)))
            assert spoil(rng, node.pid, exe, other) > PAGE
            questions = QUESTIONS if times(0, 1) else QUESTIONS[:4]
            for words in questions:
                ask(node.pid, words)
            assert os.path.exists("/proc/%d" % node.pid)
            node.kill()
