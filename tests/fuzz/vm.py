#!/usr/bin/env python3
"""
Writes the memory of a small VM as an input for the fuzzers of foreign.h, so that they begin with structures that make
sense: two processes with names, atoms, drivers, NIFs, BIFs, a scheduler. Usage: vm.py FILE 25|27 [code]
"""
import struct
import sys

# As in foreign.h.
SYMBOLS = ["erts_atom_table", "erts_proc", "erts_port", "erts_this_dist_entry", "erts_this_node_sysname", "bif_table",
           "driver_list", "erts_static_nif_tab", "spawn_driver", "forker_driver", "fd_driver", "vanilla_driver",
           "prim_socket_nif_init", "erts_aligned_scheduler_data", "erts_no_schedulers",
           "erts_aligned_dirty_cpu_scheduler_data", "erts_no_dirty_cpu_schedulers",
           "erts_aligned_dirty_io_scheduler_data", "erts_no_dirty_io_schedulers",
           "erts_visible_dist_entries", "erts_hidden_dist_entries", "erts_allctrs_info"]
SIZE = 9216  # of the memory, which is there over and over
HEAP = SIZE  # the address of its beginning that can be read
JIT = 0x7f0000000000
ATOMS = ["", "true", "false", "$initial_call", "proc_lib", "init_p", "my_server", "init", "reg name", "$process_label",
         "erlang", "\u6f22\u00e9"]
FIELDS = {  # probes/fields.def, without notes
    25: {"reg": 48, "initial": 448, "dictionary": 416, "state": 640, "heap_sz": 152, "reds": 280, "queue_len": 392},
    27: {"reg": 32, "initial": 440, "dictionary": 408, "state": 624, "heap_sz": 216, "reds": 272, "queue_len": 336},
}


class Memory:
    def __init__(self, release):
        self.bytes = bytearray(SIZE)
        self.release = release

    def words(self, address, *values):
        for i, value in enumerate(values):
            struct.pack_into("<Q", self.bytes, (address + 8 * i) % SIZE, value)

    def half(self, address, *values):
        struct.pack_into("<%dI" % len(values), self.bytes, address % SIZE, *values)

    def text(self, address, text):
        data = text.encode() + b"\0"
        self.bytes[address % SIZE:address % SIZE + len(data)] = data
        return len(data)


def symbol(name):
    return 4096 + 256 * SYMBOLS.index(name)


def atom(text):
    return ATOMS.index(text) << 6 | 0x0b


def write_atoms(m):
    pages, page, structs, text = HEAP + 2560, HEAP + 2304, HEAP + 2568, HEAP + 3048
    m.half(symbol("erts_atom_table") + 116, len(ATOMS))
    m.words(symbol("erts_atom_table") + 120, pages)
    m.words(pages, page)
    for i, name in enumerate(ATOMS):
        m.words(page + 8 * i, structs + 40 * i)
        m.words(structs + 40 * i + 24, len(name.encode()))
        m.words(structs + 40 * i + 32, text)
        text += m.text(text, name)


def write_table(m):
    table = symbol("erts_proc")
    m.words(table + 192, HEAP)
    m.half(table + 208, 64)
    if m.release == 25:
        m.half(table + 212, 63, 7, 3, 7, 3)
    else:
        m.words(table + 216, 63, 7, 7)
        m.half(table + 240, 3, 3)


def write_process(m, number):
    at, fields = HEAP + 512 + 800 * (number - 1), FIELDS[m.release]
    slot = number << 3
    m.words(HEAP + 8 * slot, at)
    m.words(at, (number if m.release == 25 else slot) << 4 | 3)
    m.words(at + fields["initial"], atom("proc_lib"), atom("init_p"), 5)
    m.words(at + fields["dictionary"], HEAP + 2160)
    m.words(at + fields["heap_sz"], 233)
    m.words(at + fields["reds"], 1000 * number)
    m.words(at + fields["queue_len"], number)
    if number == 1:
        m.words(at + fields["reg"], HEAP + 2112)
        m.words(HEAP + 2112, 0, 0, at, 0, atom("reg name"))


def write_dictionary(m):
    """Slot 3: a list with {'$initial_call', {my_server, init, 1}}. Slot 1: {'$process_label', true}."""
    at = HEAP + 2160
    m.half(at, 7, 8, 8)
    m.words(at + 24 + 8 * 3, HEAP + 3400 + 1)
    m.words(at + 24 + 8 * 1, HEAP + 3416 + 2)
    m.words(HEAP + 3400, HEAP + 2248 + 2, 0x3b)
    m.words(HEAP + 2248, 2 << 6, atom("$initial_call"), HEAP + 2272 + 2)
    m.words(HEAP + 2272, 3 << 6, atom("my_server"), atom("init"), 1 << 4 | 0xf)
    m.words(HEAP + 3416, 2 << 6, atom("$process_label"), atom("true"))


def write_natives(m):
    first, second, name = HEAP + 3500, HEAP + 3692, HEAP + 3048
    m.words(symbol("driver_list"), first)
    for at, following in (first, second), (second, first):
        m.words(at, following, 0, 0, name + 10)
        m.words(at + 72, *[0x400000 + 16 * i for i in range(6)])
    m.words(symbol("erts_static_nif_tab"), 0x400000, 0, 0, HEAP + 3900)
    m.words(HEAP + 3900, 2, name + 30, 2, HEAP + 3936)
    m.words(HEAP + 3936, name + 40, 2, 0x400010, 0)
    m.words(HEAP + 3968, name + 50, 3, 0x400010, 0)
    for i in range(4):
        m.words(symbol("bif_table") + 48 * i, atom("erlang"), atom(ATOMS[i + 4]), i, 0x400000, 0x400000 + 16 * i, 0)


def write_scheduler(m):
    m.words(symbol("erts_no_schedulers"), 1)
    m.words(symbol("erts_aligned_scheduler_data"), HEAP + 3840)
    m.words(HEAP + 3840 + 168, HEAP + 512, 0, 1)


def write_allocators(m):
    """One without instances for schedulers, and one with two. They share a place, whose name is a text."""
    info, instances, place = symbol("erts_allctrs_info"), HEAP + 4600, HEAP + 4400
    m.half(info, 1, 1, 0, 0)
    m.words(info + 16, place)
    m.half(info + 24, 1, 1, 1, 0)
    m.words(info + 40, instances)
    m.half(instances, 1, 0, 0, 2)
    m.words(instances + 16, instances + 24)
    m.words(instances + 24, place, place)


def write_module(m):
    """In the JIT's memory: two functions, with a line each in two files. FIELDS of the code are the same but for one."""
    at = JIT + (6144 - JIT) % SIZE
    functions, table = at + (96 if m.release == 25 else 136), at + 320
    first, second, end, cells = at + 168, at + 232, at + 296, at + 480
    m.words(at, 2)
    m.words(at + 72, table)
    m.words(functions, first, second, end)
    for function in (first, second):
        m.words(function, 0x90, 0, atom("erlang"), atom("init"), 2)
    m.words(table, at + 440, 4, at + 424, at + 400, at + 408, at + 416)  # files, size, locations, where each begins
    m.words(at + 400, first + 48, second + 48)
    m.half(at + 424, 1 << 24 | 7, 2 << 24 | 9)
    m.words(at + 440, cells + 1, cells + 16 + 1)
    for i, character in enumerate("ab.erl"):
        m.words(cells + 16 * i, ord(character) << 4 | 15, cells + 16 * (i + 1) + 1 if i < 5 else 0x3b)


def main():
    release = int(sys.argv[2])
    m = Memory(release)
    write_atoms(m)
    write_table(m)
    write_process(m, 1)
    write_process(m, 2)
    write_dictionary(m)
    write_natives(m)
    write_scheduler(m)
    write_allocators(m)
    m.words(8960, 0x90, 0, atom("erlang"), atom("init"), 2)  # a function of code
    m.words(symbol("erts_this_dist_entry"), HEAP)
    address = 9040
    if len(sys.argv) > 3:
        write_module(m)
        address = 3 << 48  # so many pages of code
    head = struct.pack("<QHHIBBBB", 0, 8, 8191, 0, release == 27, 0, 0, 0)
    head += struct.pack("<BBxxQ", 4, release == 27, address)
    with open(sys.argv[1], "wb") as file:
        file.write(head + m.bytes)


main()
