"""VMs of Debian for aarch64: what is found in them, without running them. `make test-kernels` runs one."""
import glob
import os
import re
import struct
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")]
from lib import BUILD
import packages
import elf_file

SUITES = {25: "bookworm", 27: "trixie", 29: "sid"}


def test_functions_and_instructions_of_debians_vms_for_aarch64_are_what_they_are():
    vms = ["%d=%s" % (otp, glob.glob(packages.erlang("arm64", suite) + "/usr/lib/erlang/erts-*/bin/beam.smp")[0])
           for otp, suite in SUITES.items()]
    done = subprocess.run([os.path.join(BUILD, "unit"), "-j1", "--filter=arm64_binaries/*", "--tap"], capture_output=True,
                          timeout=300, env=dict(os.environ, ERLBPF_ARM64_VMS=" ".join(vms)))
    text = done.stdout.decode("utf-8", "replace")
    mine = [line for line in text.splitlines() if "arm64_binaries::" in line]
    assert len(mine) >= 4 and all(line.startswith("ok ") and "# SKIP" not in line for line in mine), text[-4000:]


class Binary:
    """A position-independent one: what is at an address of it, and what the loader puts there."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.loads = [s for s in elf_file.segments(self.data) if s.kind == elf_file.PT_LOAD]
        text = subprocess.run(["readelf", "-rW", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        self.relative = {int(at, 16): int(to, 16) for at, to in
                         re.findall(r"^([0-9a-f]+) .* R_AARCH64_RELATIV\S* +([0-9a-f]+)$", text, re.M)}

    def words(self, address, count):
        at = next(s.offset + address - s.address for s in self.loads if 0 <= address - s.address < s.filled)
        return struct.unpack_from("<%dI" % count, self.data, at)


def loaded_address(binary, function, register):
    """What a function first puts into a register: adrp, then add or a load from the table of addresses."""
    for i, (first, second) in enumerate(zip(words := binary.words(function, 16), words[1:])):
        if first & 0x9f00001f != 0x90000000 | register or second & 0x3ff != register << 5 | register:
            continue
        page = (first >> 5 & 0x7ffff) << 2 | first >> 29 & 3
        page = (page - (1 << 21) if page >> 20 else page) << 12
        base = (function + 4 * i & ~0xfff) + page
        if second >> 22 == 0x3e5:  # ldr
            return binary.relative[base + (second >> 10 & 0xfff) * 8]
        assert second >> 22 == 0x244, hex(second)  # add
        return base + (second >> 10 & 0xfff)
    raise AssertionError("%x loads no address into x%d" % (function, register))


def test_the_tables_of_processes_and_ports_of_a_hidden_vm_are_those_that_its_bifs_use():
    beam = glob.glob(packages.erlang("arm64", SUITES[29]) + "/usr/lib/erlang/erts-*/bin/beam.smp")[0]
    out = subprocess.run([os.path.join(BUILD, "match-names"), beam], capture_output=True, text=True, timeout=120, check=True).stdout
    named = {name: int(address, 16) for address, _, name in (line.split() for line in out.splitlines())}
    binary = Binary(beam)
    # erlang:processes/0 and ports/0 are erts_ptab_list(process, &erts_proc), and the same of erts_port.
    for bif, table in ("processes_0", "erts_proc"), ("ports_0", "erts_port"):
        assert loaded_address(binary, named[bif], 1) == named[table], (bif, table)
