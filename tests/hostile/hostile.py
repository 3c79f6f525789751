"""What the tests of hostile input share. `make test-hostile` runs all of each; with ERLBPF_SAMPLE=1 in the environment, a sample."""
import json
import os
import random
import re
import stat

from lib import BUILD, Process

WHOLE = "ERLBPF_SAMPLE" not in os.environ
SEED = int(os.environ.get("ERLBPF_SEED", "1"))


def times(sample, whole):
    """How often something is tried."""
    return whole if WHOLE else sample


def whole_only(function):
    """Not in the sample: it takes its time."""
    return function if WHOLE else None


def chance():
    """Numbers that are the same in every run; ERLBPF_SEED=N gives others."""
    return random.Random(SEED)


# Text.

UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]")


def check_clean(text):
    """No byte of it controls a terminal, and it is UTF-8."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "strict")
    found = UNSAFE.search(text)
    assert not found, "%r in %r" % (found.group(), text[max(0, found.start() - 60):found.end() + 60])
    return text


def check_json(text):
    for line in check_clean(text).splitlines():
        json.loads(line)


SPECIAL = ["\x1b[31m", "\x1b]0;title\x07", "\r\n", "\n@[fake]: 999\n", "\x9b0m", "\x7f", "\u202e", "\u2066", "\u200f", "%n%s%99999d",
           "../../../etc/passwd", '"}', "\\", "'", "=cmd()", "{a=\"b\"} 1\nerlbpf_forged 1\n", "\u2028", "\ufeff", "\ud7ff",
           "\U0001f600", "${x}", "`id`", "\x08\x08", "\t", "e\u0301", "\u0085", "<script>alert(1)</script>", "*", "?", "~p~n"]


def hostile_text(rng, most=40):
    """Characters of every kind that forges what is read."""
    text = ""
    while len(text) < rng.randint(1, most):
        kind = rng.random()
        if kind < 0.5:
            text += rng.choice(SPECIAL)
        elif kind < 0.7:
            text += chr(rng.randint(1, 0xff))
        elif kind < 0.8:
            text += chr(rng.choice([rng.randint(0x100, 0xd7ff), rng.randint(0xe000, 0xfffd), rng.randint(0x10000, 0x10ffff)]))
        else:
            text += rng.choice("abcXYZ019_-@. ")
    return text[:most]


def erlang_list(text):
    """The text as a list of code points, which needs no quoting."""
    return "[%s]" % ",".join(str(ord(c)) for c in text)


# Executables.

def original(program="fake-beam"):
    with open(os.path.join(BUILD, program), "rb") as file:
        return bytearray(file.read())


class Copy(Process):
    """A process of a changed copy of the fake BEAM. It runs, whatever its notes say."""

    def __init__(self, folder, name, data, **more):
        self.path = os.path.join(folder, name)
        with open(self.path, "wb") as copy:
            copy.write(data)
        os.chmod(self.path, stat.S_IRWXU)
        # Nothing of it changes by itself when it works.
        super().__init__([self.path], env=dict(os.environ, LD_BIND_NOW="1"), **more)
        assert self.line().startswith("ready")

    def do(self, command):
        self.say(command)
        return self.line()


def mapped(pid):
    """[(start, end, rights, offset)] of the process's own executable."""
    inode = str(os.stat("/proc/%d/exe" % pid).st_ino)
    found = []
    with open("/proc/%d/maps" % pid) as maps:
        for line in maps:
            fields = line.rstrip("\n").split(maxsplit=5)
            if len(fields) == 6 and fields[4] == inode:
                start, end = (int(x, 16) for x in fields[0].split("-"))
                found.append((start, end, fields[1], int(fields[2], 16)))
    return found


def snapshot(pid):
    """{start: (rights, offset, bytes)} of what is mapped of the executable."""
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as mem:
        found = {}
        for start, end, rights, offset in mapped(pid):
            mem.seek(start)
            data = b""
            while len(data) < end - start:
                data += mem.read(end - start - len(data))
            found[start] = (rights, offset, data)
        return found


def differences(before, after):
    """(rights, offset in the file, before, after) of each byte that is another one now."""
    for start, (rights, offset, old) in before.items():
        new = after[start][2]
        if new != old:
            for i, (a, b) in enumerate(zip(old, new)):
                if a != b:
                    yield rights, offset + i, a, b
