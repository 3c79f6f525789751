"""What the kernel's probes change in a process: the code of its executable, and the semaphores of its notes. Both are
compared with the file, without erlbpf's help."""
from elf_file import PF_X, PT_LOAD, SHT_NOBITS, is_movable, sections, segments


class ProcessText:
    """Of a process that runs. What the file holds is read once."""

    def __init__(self, pid):
        self.pid = pid
        with open("/proc/%d/exe" % pid, "rb") as exe:
            data = exe.read()
        self.pieces = []  # (address, what the file holds there)
        self.semaphores = []
        base = self.first_address() if is_movable(data) else 0
        self.read_segments(data, base)
        self.read_probes(data, base)

    def first_address(self):
        with open("/proc/%d/maps" % self.pid) as maps:
            return int(maps.readline().split("-")[0], 16)

    def read_segments(self, data, base):
        for part in segments(data):
            if part.kind == PT_LOAD and part.flags & PF_X:
                self.pieces.append((base + part.address, data[part.offset:part.offset + part.filled]))

    def read_probes(self, data, base):
        probes = sections(data).get(".probes")
        if probes:
            rest = bytes(probes.size) if probes.kind == SHT_NOBITS else data[probes.offset:probes.offset + probes.size]
            self.semaphores.append((base + probes.address, rest))

    def changed(self):
        """How many bytes of code, and how many semaphores, differ from the file."""
        with open("/proc/%d/mem" % self.pid, "rb", buffering=0) as mem:
            return differing(mem, self.pieces), differing(mem, self.semaphores, 2)

    def is_clean(self):
        return self.changed() == (0, 0)


def read_at(mem, address, size):
    mem.seek(address)
    found = b""
    while len(found) < size:
        more = mem.read(size - len(found))
        if not more:
            break
        found += more
    return found


def differing(mem, pieces, unit=1):
    count = 0
    for address, wanted in pieces:
        found = read_at(mem, address, len(wanted))
        if found != wanted:
            count += sum(wanted[i:i + unit] != found[i:i + unit] for i in range(0, len(wanted), unit))
    return count
