"""What the kernel itself takes for one hit of a probe on this machine: an empty BPF program on a uprobe, attached by plain
system calls. No line of erlbpf is in it, so it says of two results whether they come from machines that compare. The layouts
are those of the unions and structs in <linux/bpf.h> and <linux/perf_event.h>."""
import ctypes
import fcntl
import os
import platform
import re
import struct
import subprocess

SYSCALLS = {"x86_64": {"bpf": 321, "perf_event_open": 298}, "aarch64": {"bpf": 280, "perf_event_open": 241}}
BPF_PROG_LOAD, BPF_LINK_CREATE = 5, 28
BPF_PROG_TYPE_KPROBE, BPF_TRACE_UPROBE_MULTI = 2, 48
PERF_FLAG_FD_CLOEXEC = 8
PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_SET_BPF = 0x2400, 0x40042408
EMPTY = struct.pack("<BBhi", 0xb7, 0, 0, 0) + struct.pack("<BBhi", 0x95, 0, 0, 0)  # r0 = 0; exit

libc = ctypes.CDLL(None, use_errno=True)


def syscall(name, *args):
    value = libc.syscall(SYSCALLS[platform.machine()][name], *args)
    if value < 0:
        raise OSError(ctypes.get_errno(), name + ": " + os.strerror(ctypes.get_errno()))
    return value


def bpf(command, attr):
    return syscall("bpf", command, ctypes.create_string_buffer(attr, len(attr)), len(attr))


def load_empty(attach_type):
    code, license_name = ctypes.create_string_buffer(EMPTY), ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("<IIQQ", BPF_PROG_TYPE_KPROBE, len(EMPTY) // 8, ctypes.addressof(code), ctypes.addressof(license_name))
    return bpf(BPF_PROG_LOAD, attr.ljust(68, b"\0") + struct.pack("<I", attach_type))


def link(path, pid, places):
    """One uprobe_multi link on all places (Linux 6.6 and later)."""
    numbers = ctypes.c_uint64 * len(places)
    name = ctypes.create_string_buffer(path.encode())
    sites, semaphores = numbers(*[site for site, _ in places]), numbers(*[semaphore for _, semaphore in places])
    program = load_empty(BPF_TRACE_UPROBE_MULTI)
    try:
        return bpf(BPF_LINK_CREATE, struct.pack(
            "<IIIIQQQQIII4x", program, 0, BPF_TRACE_UPROBE_MULTI, 0, ctypes.addressof(name), ctypes.addressof(sites),
            ctypes.addressof(semaphores), 0, len(places), 0, pid))
    finally:
        os.close(program)


def event(path, pid, site, semaphore):
    """A perf event of the uprobe at a file offset, with the program on it."""
    with open("/sys/bus/event_source/devices/uprobe/type") as file:
        kind = int(file.read())
    name = ctypes.create_string_buffer(path.encode())
    attr = struct.pack("<IIQ", kind, 120, semaphore << 32).ljust(56, b"\0")
    attr = (attr + struct.pack("<QQ", ctypes.addressof(name), site)).ljust(120, b"\0")
    fd = syscall("perf_event_open", ctypes.create_string_buffer(attr, len(attr)), pid, -1, -1, PERF_FLAG_FD_CLOEXEC)
    program = load_empty(0)
    try:
        fcntl.ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)
        fcntl.ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)
    finally:
        os.close(program)
    return fd


def segments(path):
    """(address, file offset, length) of what is loaded of an ELF file."""
    text = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    return [(int(address, 16), int(offset, 16), int(size, 16))
            for offset, address, size in re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", text)]


def offset_in_file(path, address):
    for begin, offset, size in segments(path):
        if begin <= address < begin + size:
            return address - begin + offset
    raise LookupError("0x%x is not in %s" % (address, path))


def sites(path, name):
    """(site, semaphore) of each note of a name, as file offsets."""
    text = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"Name: %s\n +Location: (0x\w+), Base: 0x\w+, Semaphore: (0x\w+)" % name, text)
    return [tuple(offset_in_file(path, int(address, 16)) for address in pair) for pair in found]


class EmptyProbe:
    """On all sites of a note of one process."""

    def __init__(self, path, pid, name, past_nop=0):
        places = [(site + past_nop, semaphore) for site, semaphore in sites(path, name)]
        try:
            self.fds = [link(path, pid, places)]
        except OSError:
            self.fds = [event(path, pid, *place) for place in places]

    def stop(self):
        for fd in self.fds:
            os.close(fd)
