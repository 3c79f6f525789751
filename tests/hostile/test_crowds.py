"""Many processes that look like nodes, and files that take much memory: what each may cost is bounded, and so is what
all of them may."""
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time

from elf_file import SHT_SYMTAB
from hostile import Copy, original, times
from lib import ERLBPF, VM, Fake, Node, Process, peak_mib, wait_line, wait_until
from test_export import Agent
from test_match import beam_of, start_of

LONG = 4090          # bytes of a name, which may have 4096
NAMES = 15 << 20     # of a file: an agent takes 16 MiB of one
AGENT_MIB = 100      # its unit has 256, which its readers and its maps need too
NOBODY = 65534
GRACE_S = times(5, 30)  # docs/safety.md: 30 are long enough for hundreds of nodes


def with_long_names(number):
    """The fake BEAM with thousands of symbols whose names are long and share their bytes: 100 KB that become 15 MiB."""
    data = original()
    headers, = struct.unpack_from("<Q", data, 0x28)
    size, count, _ = struct.unpack_from("<HHH", data, 0x3a)
    table = next(headers + i * size for i in range(count) if struct.unpack_from("<I", data, headers + i * size + 4)[0] == SHT_SYMTAB)
    strings = headers + struct.unpack_from("<I", data, table + 40)[0] * size
    text = b"\0" + b"%08d" % number + b"x" * (LONG - 8) + b"\0"
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", 1 + i % 8, 0x12, 0, 1, 0x1000 + i, 8) for i in range(NAMES // LONG))
    for header, content in ((strings, text), (table, symbols)):
        data += bytes(-len(data) % 16)
        struct.pack_into("<QQ", data, header + 24, len(data), len(content))
        data += content
    struct.pack_into("<I", data, table + 44, 1)
    return data


class Crowd:
    """Copies of such files that run."""

    def __init__(self, count):
        self.folder = tempfile.TemporaryDirectory()
        self.copies = [Copy(self.folder.name, "copy%d" % i, with_long_names(i)) for i in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for copy in self.copies:
            copy.close()
        self.folder.cleanup()


def test_an_agent_that_finds_many_files_of_long_names_stays_small():
    with Crowd(times(12, 40)) as crowd:
        with Agent("--tools", "spawn-exit", node="*") as agent:
            # They are looked at when it starts, to see whether a tracer has left anything in them.
            agent.metrics()
            assert peak_mib(agent.pid) < AGENT_MIB, "%.0f MiB" % peak_mib(agent.pid)
        assert all(copy.do("semaphores") == "0" for copy in crowd.copies)


MAPS = r"""
import mmap, os, sys
kept = []
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        kept.append(mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC))
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_process_that_maps_many_files_of_long_names_costs_a_d_program_bounded_memory():
    count = times(50, 150)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            with open(os.path.join(folder, "library%d.so" % i), "wb") as file:
                file.write(with_long_names(i))
        with Process(["python3", "-c", MAPS, folder]) as process:
            assert process.line() == "ready"
            most = 0
            with subprocess.Popen([ERLBPF, "-q", "-p", str(process.pid), "-l", "-n", "pid$target:library*::entry"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
                while program.poll() is None:
                    try:
                        most = max(most, peak_mib(program.pid))
                    except (FileNotFoundError, ProcessLookupError, KeyError):
                        break
                    time.sleep(0.01)
    assert 100 < most < 700, "%.0f MiB" % most


def test_an_agent_of_many_nodes_takes_its_probes_away_within_the_time_that_a_container_has():
    fakes = [Fake(name="crowd%d@host" % i) for i in range(times(80, 300))]
    with Agent("--tools", "spawn-exit,gc,ports", node="crowd*") as agent:
        wait_until("all nodes are traced", lambda: agent.value("erlbpf_targets") >= len(fakes))
        begin = time.monotonic()
        agent.child.terminate()
        assert agent.child.wait(60) == 0
        took = time.monotonic() - begin
    assert all(fake.do("semaphores") == "0" for fake in fakes)
    assert took < GRACE_S, "%.1f s" % took


class Strangers:
    """Nodes of somebody else, each of a file of its own that has to be compared with known builds."""

    def __init__(self, count):
        path = beam_of("stripped")
        self.folders = [tempfile.TemporaryDirectory() for _ in range(count)]
        self.nodes = []
        for folder in self.folders:
            copy = os.path.join(folder.name, "beam.smp")
            shutil.copy(path, copy)
            os.chown(copy, NOBODY, NOBODY)
            self.nodes.append(VM("stranger", start_of(folder.name, path), notes=False, otp=29, has_symbols=False))

    def __enter__(self):
        self.nodes = [Node(vm, "+S", "1") for vm in self.nodes]
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.close()
        for folder in self.folders:
            folder.cleanup()


def said_so_far(agent):
    lines = list(agent.stderr)
    while select.select([agent.child.stderr], [], [], 0)[0]:
        lines.append(wait_line(agent.child.stderr))
    return lines


def test_who_runs_many_files_that_take_long_delays_a_node_of_others_by_one():
    """The agent answers before it knows what all of them are. In the two seconds that it looks for what tracers have left, it
    compares two or three."""
    count = times(12, 40)
    with Strangers(count), Fake(name="late@host"), Agent("--tools", "spawn-exit", node="late@host") as agent:
        wait_until("the node is traced", lambda: agent.value("erlbpf_targets"))
        compared = [line for line in said_so_far(agent) if "compared with known builds" in line]
        assert len(compared) < count * 2 / 3, compared


def test_a_node_that_is_not_selected_is_compared_once():
    with Strangers(1), Agent("--tools", "spawn-exit", node="another@host") as agent:
        time.sleep(6)  # it is looked at every second or two, as long as it may get a name
        compared = [line for line in said_so_far(agent) if "compared with known builds" in line]
    assert len(compared) == 1, compared
