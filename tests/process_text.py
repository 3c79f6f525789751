"""What the kernel's probes change in a process: the code of its executable, and the semaphores of its notes. Both are
compared with the file, without erlbpf's help."""
import struct

PF_X = 1
SHT_NOBITS = 8


class ProcessText:
    """Of a process that runs. What the file holds is read once."""

    def __init__(self, pid):
        self.pid = pid
        with open("/proc/%d/exe" % pid, "rb") as exe:
            data = exe.read()
        self.pieces = []  # (address, what the file holds there)
        self.semaphores = []
        self.read_segments(data, self.read_base(data))
        self.read_probes(data)

    def read_base(self, data):
        """What is added to the addresses of a file that can be loaded anywhere."""
        self.base = 0
        if struct.unpack_from("<H", data, 16)[0] == 3:
            with open("/proc/%d/maps" % self.pid) as maps:
                self.base = int(maps.readline().split("-")[0], 16)
        return self.base

    def read_segments(self, data, base):
        offset, = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, flags, start, address, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
            if kind == 1 and flags & PF_X:
                self.pieces.append((base + address, data[start:start + length]))

    def read_probes(self, data):
        offset, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        sections = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
        for name, kind, _, address, start, length in sections:
            name = data[sections[names][4] + name:].split(b"\0", 1)[0] if count else b""
            if name == b".probes":
                rest = bytes(length) if kind == SHT_NOBITS else data[start:start + length]
                self.semaphores.append((self.base + address, rest))

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
