"""Notes that lie (T1, T8, T9; G5): whatever they say, only nops change and nothing but semaphores counts."""
import struct
import subprocess
import tempfile

from elf_file import notes_of, sections
from hostile import Copy, chance, differences, original, snapshot, times
from lib import ERLBPF, LIMIT, over, wait_until

SHIFTS = [shift for shift in range(-8, 9) if shift]


def check_changes(data, before, after):
    """How many sites were changed. In code, a nop of one byte; in data, what is in .probes."""
    probes = sections(data)[".probes"]
    sites = 0
    for rights, offset, old, new in differences(before, after):
        if "x" not in rights:
            # The page of the file may be mapped at other offsets too, so the offset is that of the section itself.
            assert "w" in rights and 0 <= offset - probes.offset < probes.size, "data changed at 0x%x: %x to %x" % (offset, old, new)
        else:
            assert data[offset] == 0x90, "code changed at 0x%x: %x to %x" % (offset, old, new)
            sites += 1
    return sites


def check_copy(copy, data):
    """Attach to all that its notes name. The number of sites that were changed."""
    before, sites = snapshot(copy.pid), 0
    trace = subprocess.Popen([ERLBPF, "count", "*", "--unsafe", "--source", "usdt", "-p", str(copy.pid)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    for line in trace.stderr:
        said.append(line)
        if "Tracing" in line:
            sites = check_changes(data, before, snapshot(copy.pid))
            trace.terminate()
    trace.stderr.close()
    code = trace.wait(LIMIT)
    assert len(said) < 200, len(said)
    assert code == (0 if sites else 3) or any("cannot attach" in line for line in said), (code, sites, said)
    wait_until("all is as it was", lambda: not list(differences(before, snapshot(copy.pid))))
    assert copy.do("fire-all") == "ok" and copy.is_alive()
    return sites


def moved(data, shift):
    for body in notes_of(data):
        struct.pack_into("<Q", data, body, struct.unpack_from("<Q", data, body)[0] + shift & (1 << 64) - 1)
    return data


@over(("fake-beam", "fake-beam-nop5"))
def test_no_note_that_is_moved_by_up_to_8_bytes_changes_what_is_no_nop(program):
    with tempfile.TemporaryDirectory() as folder:
        for shift in [0] + SHIFTS if times(0, 1) else [0, -3, -1, 1]:
            data = moved(original(program), shift)
            with Copy(folder, "moved%d" % shift, data) as copy:
                sites = check_copy(copy, data)
                assert sites or shift, "without a change all attach"


def mutate(rng, data):
    """Each note in one of many ways. How many there are."""
    where = sections(data)
    text, probes = where[".text"], where[".probes"]
    some = [lambda v: v, lambda v: v + rng.randint(-8, 8), lambda v: v + rng.randint(-5000, 5000), lambda v: rng.getrandbits(64),
            lambda v: v + (1 << 32), lambda v: -v, lambda v: 0, lambda v: text.address + rng.randint(0, text.size),
            lambda v: probes.address + rng.randint(-4, probes.size + 4), lambda v: v ^ 1 << rng.randint(0, 63)]
    bodies = list(notes_of(data))
    for body in bodies:
        for field in rng.sample((0, 0, 0, 8, 16), rng.choice((1, 1, 1, 2, 3))):
            value = struct.unpack_from("<Q", data, body + field)[0]
            struct.pack_into("<Q", data, body + field, rng.choice(some)(value) & (1 << 64) - 1)
        if rng.random() < 0.1:
            data[body + 24 + rng.randint(0, 9)] = rng.randint(0, 255)
    return len(bodies)


@over(("fake-beam", "fake-beam-nop5"))
def test_of_thousands_of_mutated_notes_none_changes_what_is_no_nop(program):
    rng, notes = chance(), 0
    with tempfile.TemporaryDirectory() as folder:
        while notes < times(2000, 20000):
            data = original(program)
            some = mutate(rng, data)
            notes += some
            with Copy(folder, "mutated%d" % notes, data) as copy:
                assert check_copy(copy, data) > some / 20, "what is left of the notes is to be attached"


def semaphores(data):
    """The file's ideas of where a semaphore may not be, each for all notes at once."""
    where = sections(data)
    first = where[".probes"].address
    behind = first + where[".probes"].size
    for name, value in (("an odd address", first + 1), ("below", first - 2), ("behind", behind), ("half behind", behind - 1),
                        ("code", where[".text"].address), ("read-only data", where[".rodata"].address),
                        ("data", where[".data"].address), ("bss", where[".bss"].address), ("the GOT", where[".got"].address),
                        ("the kernel", 0xffff888000000000),
                        ("nowhere", 0x10), ("the top", (1 << 64) - 2)):
        changed = bytearray(data)
        for body in notes_of(changed):
            struct.pack_into("<Q", changed, body + 16, value)
        yield name, changed


def test_no_semaphore_counts_in_memory_that_is_none():
    with tempfile.TemporaryDirectory() as folder:
        for name, data in semaphores(original()):
            with Copy(folder, name.replace(" ", "-"), data) as copy:
                assert check_copy(copy, data) == 0, name


def test_two_notes_of_one_site_with_each_others_semaphores_harm_nobody():
    with tempfile.TemporaryDirectory() as folder:
        data = original()
        bodies = list(notes_of(data))
        first = bytes(data[bodies[0]:bodies[0] + 24])
        for body in bodies[1:]:
            data[body:body + 8] = first[:8]
        with Copy(folder, "one-site", data) as copy:
            assert check_copy(copy, data) == 1, "the first of them has the site"


def headers(data):
    shoff, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    strings = struct.unpack_from("<IIQQQQIIQQ", data, shoff + names * size)[4]
    for i in range(count):
        at = shoff + i * size
        name = struct.unpack_from("<I", data, at)[0]
        yield data[strings + name:data.index(b"\0", strings + name)], at


def test_a_section_of_notes_of_any_size_and_place_is_read_or_refused_in_time():
    """More than there is, more than 64 MiB, a million empty notes: an answer within bounded memory."""
    with tempfile.TemporaryDirectory() as folder:
        for name, size, fill in (("4GiB", 1 << 32, b""), ("all", (1 << 64) - 1, b""), ("million", 24000000, struct.pack("<III8sI", 8, 4, 3, b"stapsdt\0", 0)),
                                 ("zeros", 48 << 20, b"\0" * 12), ("too-many", 65 << 20, b"\0" * 12)):
            data = original()
            at = len(data) + 7 & ~7
            data += bytes(at - len(data)) + (fill * (size // len(fill)) if fill else b"")
            for section, header in headers(bytes(data[:at])):
                if section == b".note.stapsdt":
                    struct.pack_into("<QQ", data, header + 24, at if fill else 0, size)
            with Copy(folder, name, data) as copy:
                done = subprocess.run(["prlimit", "--as=%d" % (1 << 30), ERLBPF, "list", "process-*", "-p", str(copy.pid)],
                                      capture_output=True, text=True, timeout=LIMIT)
                assert done.returncode in (0, 3), (name, done.returncode, done.stderr[-500:])
                assert len(done.stderr) < 20000, (name, len(done.stderr))
                assert copy.do("fire-all") == "ok"
