"""Where the parts of an ELF file are that is 64-bit, little-endian and well-formed."""
import collections
import struct

SHT_SYMTAB = 2
SHT_NOBITS = 8
PT_LOAD = 1
PF_X = 1
ET_DYN = 3

Section = collections.namedtuple("Section", "address offset size kind")
Segment = collections.namedtuple("Segment", "kind flags offset address filled")


def is_movable(data):
    """It can be loaded anywhere."""
    return struct.unpack_from("<H", data, 0x10)[0] == ET_DYN


def segments(data):
    at, = struct.unpack_from("<Q", data, 0x20)
    size, count = struct.unpack_from("<HH", data, 0x36)
    for i in range(count):
        kind, flags, offset, address, _, filled = struct.unpack_from("<IIQQQQ", data, at + i * size)
        yield Segment(kind, flags, offset, address, filled)


def sections(data):
    """{name: section}"""
    at, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(count)]
    found = {}
    for name, kind, _, address, offset, length in headers:
        begin = headers[names][4] + name
        found[data[begin:data.index(b"\0", begin)].decode()] = Section(address, offset, length, kind)
    return found


def set_type(data, name, kind):
    """The section becomes one of another kind."""
    at, = struct.unpack_from("<Q", data, 0x28)
    size, = struct.unpack_from("<H", data, 0x3a)
    struct.pack_into("<I", data, at + list(sections(data)).index(name) * size + 4, kind)


def notes_of(data):
    """Offsets in the file of the contents (three addresses, three strings) of each note for SystemTap."""
    section = sections(data)[".note.stapsdt"]
    at, end = section.offset, section.offset + section.size
    while at < end:
        owner, content, _ = struct.unpack_from("<III", data, at)
        body = at + 12 + (owner + 3 & ~3)
        yield body
        at = body + (content + 3 & ~3)
