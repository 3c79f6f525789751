"""Processes whose files or memory are made to harm the one who reads them: the agent goes on, answers, and measures the
node beside them; a tool says what is the matter."""
import json
import os
import shutil
import struct
import tempfile
import threading
import time

from lib import BUILD, LIMIT, STOCK, Node, Process, Skip, erlbpf, over, state_of, status_of, unique, wait_until
from test_export import Agent

LOOKS = 20  # so often it is asked while it measures
MEMORY = 256 << 20


class Hostile(Process):
    """build/hostile-beam, from a file of its own if it is to be changed."""

    def __init__(self, how, change=None):
        self.folder = tempfile.mkdtemp()
        path = shutil.copy(os.path.join(BUILD, "hostile-beam"), self.folder)
        if change:
            with open(path, "r+b") as file:
                change(file)
        super().__init__([path, how])
        said = self.line()
        if not said.startswith("ready"):
            self.close()
            raise Skip("no userfaultfd: " + said)

    def close(self):
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


# Offsets in an ELF header and in a section header.
E_SHOFF, E_SHNUM = 40, 60
SH_TYPE, SH_OFFSET, SH_SIZE, SH_LINK = 4, 24, 32, 40
SECTION, SYMBOL = 64, 24
SHT_SYMTAB = 2


def change_symbols(file, count, strings, symbol):
    """The file's .symtab has `count` symbols and that string table; `symbol` says what the i-th is: (name, address)."""
    image = file.read()
    sections, = struct.unpack_from("<Q", image, E_SHOFF)
    number, = struct.unpack_from("<H", image, E_SHNUM)
    table = next(sections + i * SECTION for i in range(number)
                 if struct.unpack_from("<I", image, sections + i * SECTION + SH_TYPE)[0] == SHT_SYMTAB)
    names = sections + struct.unpack_from("<I", image, table + SH_LINK)[0] * SECTION
    at = len(image)
    for section, size in (table, count * SYMBOL), (names, len(strings) if strings else 4 << 30):
        file.seek(section + SH_OFFSET)
        file.write(struct.pack("<QQ", at, size))
        at += size
    file.seek(len(image))
    if symbol:
        file.write(b"".join(struct.pack("<IBBHQQ", name, 0x12, 0, 1, address, 1)
                            for name, address in map(symbol, range(count))))
        file.write(strings)
    file.truncate(at)


def one_long_string(file):
    """5.9 MB of symbols, all in one string."""
    change_symbols(file, 245000, b"a" * 600000 + b"\0", lambda i: (i, 0x1000 + i))


def holes(file):
    """A file of holes that says that it has as many symbols as were ever allowed, and 4 GB of their names."""
    change_symbols(file, (1 << 20) - 1000, None, None)


def many_names(file):
    """As many symbols with names of their own as fit into 25 MB."""
    change_symbols(file, 500000, b"".join(b"name_%08d\0" % i for i in range(500000)), lambda i: (i * 14, 0x1000 + i))


HOSTILE = {
    "nothing bad": lambda: Process(["cat"]),
    "memory": lambda: Hostile("memory"),
    "atoms": lambda: Hostile("atoms"),
    "cycle": lambda: Hostile("cycle"),
    "one long string": lambda: Hostile("cycle", one_long_string),
    "holes": lambda: Hostile("cycle", holes),
    "many names": lambda: Hostile("cycle", many_names),
}


class Watch:
    """Asks all the time: the longest answer."""

    def __init__(self, agent, path, is_right):
        self.agent, self.path, self.is_right = agent, path, is_right
        self.longest = self.count = 0  # the longest answer, in seconds; answers
        self.problem = None
        self.is_over = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over:
            begin = time.monotonic()
            try:
                assert self.is_right(self.agent.get(self.path, limit=120)), self.path
            except (OSError, AssertionError, ValueError) as problem:
                self.problem = problem
                return
            self.longest = max(self.longest, time.monotonic() - begin)
            self.count += 1
            time.sleep(0.01)

    def stop(self):
        self.is_over = True
        self.thread.join(130)
        assert not self.problem, self.problem
        return self.longest


def quarantined(agent, pid):
    return [entry for entry in json.loads(agent.get("/targets"))["quarantined"] if entry["os_pid"] == pid]


@over(HOSTILE)
def test_the_agent_answers_and_measures_beside_a_process_with(case):
    watch_beside(case, lambda watches: wait_until(
        "all have answers", lambda: all(watch.count >= LOOKS or watch.problem for watch in watches), limit=2 * LIMIT))


def watch_beside(case, wait):
    """The longest time that it took to say that it is healthy."""
    with Agent(prefix=("prlimit", "--data=%d" % MEMORY)) as agent:
        with HOSTILE[case]() as hostile, Node(STOCK, "-sname", unique("export_good")) as node:
            agent.wait_for_node(node.eval("node()"))
            watch = Watch(agent, "/-/healthy", lambda answer: answer == b"healthy\n")
            # What needs more than a breath is answered later, but answered.
            others = [Watch(agent, "/targets", json.loads), Watch(agent, "/metrics", lambda answer: b"erlbpf_" in answer)]
            wait([watch, *others])
            if case == "memory":
                # It is let out now and then, and tried again.
                seen = []
                wait_until("it is in quarantine", lambda: seen.extend(quarantined(agent, hostile.pid)) or seen)
                assert {entry["why"] for entry in seen} == {"reading its memory or files timed out"}, seen
                assert agent.value("erlbpf_quarantines_total") >= 1
                wait_until("it is counted", lambda: agent.value("erlbpf_quarantined_processes") >= 1)
            longest = watch.stop()
            for other in others:
                other.stop()
        agent.stop()
    return longest


LOOKED_AT = ["atoms", "cycle", "one long string", "holes", "many names"]


@over(LOOKED_AT)
def test_doctor_looks_at_a_process_with(case):
    with HOSTILE[case]() as hostile:
        out, _ = erlbpf("doctor", "-p", hostile.pid, "-j")
        assert json.loads(out)["targets"][0]["os_pid"] == hostile.pid


def test_doctor_says_that_memory_does_not_answer():
    with Hostile("memory") as hostile:
        out, _ = erlbpf("doctor", "-p", hostile.pid, "-j")
        assert json.loads(out)["unread"] == [{"os_pid": hostile.pid,
                                             "why": "reading its memory or files timed out"}], out


def readers_of(pid):
    """The keeper and its readers."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry) as stat:
                name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if name == "erlbpf-reader" and rest.split()[0] != "Z":
            found.append((int(entry), int(rest.split()[1])))
    keepers = [child for child, parent in found if parent == pid]
    return keepers, [child for child, parent in found if parent in keepers]


def test_a_reader_has_no_rights_but_to_look():
    with Agent() as agent, Node(STOCK, "-sname", unique("export_good")) as node:
        agent.wait_for_node(node.eval("node()"))
        keepers, readers = readers_of(agent.pid)
        assert len(keepers) == 1 and readers, (keepers, readers)
        for reader in readers:
            # CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE
            assert int(status_of(reader)["CapEff"], 16) & ~(1 << 2 | 1 << 19 | 1 << 40) == 0
            assert status_of(reader)["Seccomp"] == "2" and status_of(reader)["NoNewPrivs"] == "1"
        agent.stop()
        wait_until("readers have ended", lambda: not any(os.path.exists("/proc/%d/exe" % p) and
                                                         state_of(p) != "Z" for p in keepers + readers))


def test_a_reader_that_is_held_up_is_ended():
    """By its keeper: the agent may signal nobody."""
    with Agent() as agent, Node(STOCK, "-sname", unique("export_good")) as node:
        agent.wait_for_node(node.eval("node()"))
        readers = readers_of(agent.pid)[1]
        with Hostile("memory") as hostile:
            wait_until("it is in quarantine", lambda: quarantined(agent, hostile.pid))
            wait_until("there is another", lambda: set(readers_of(agent.pid)[1]) - set(readers))
            wait_until("one has ended", lambda: len(readers_of(agent.pid)[1]) <= 2)
        agent.stop()


def test_a_reader_that_is_killed_is_replaced():
    with Agent() as agent, Node(STOCK, "-sname", unique("export_good")) as node:
        agent.wait_for_node(node.eval("node()"))
        for reader in readers_of(agent.pid)[1]:
            os.kill(reader, 9)
        with Node(STOCK, "-sname", unique("export_next")) as other:
            agent.wait_for_node(other.eval("node()"))
        agent.stop()
