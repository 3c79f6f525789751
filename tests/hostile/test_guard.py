"""What a node answers that is asked for breakpoints (calls --via vm): an epmd and a node of ours stand where its own would."""
import contextlib
import hashlib
import os
import socket
import struct
import threading

from hostile import check_clean, times
from lib import LIMIT, STOCK, Node, Trace, erlbpf, over

COOKIE = "secret"


def atom(text):
    data = text.encode()
    return b"w" + bytes([len(data)]) + data


PID = b"X" + atom("n@h") + struct.pack(">III", 50, 0, 1)
SET = b"h\2" + PID + b"h\2" + atom("ok") + b"a\1"


def rex(term):
    return b"\x83h\2" + atom("rex") + term


def ok(word, term):
    return rex(b"h\3" + atom(word) + term + b"j")


# Instead of the answer to one of the three questions.
HOSTILE = {
    "nothing": b"",
    "no term": b"\x83?",
    "another version": b"\x82j",
    "elements that are not there": rex(b"h\3" + atom("ok") + b"l\xff\xff\xff\xff"),
    "bytes that are not there": rex(b"h\3" + atom("ok") + b"m\xff\xff\xff\xff"),
    "nested": ok("ok", b"h\1" * 2000000 + b"j"),
    "an error": ok("error", b"j"),
    "a long atom": ok("value", b"v\xff\xff" + b"x" * 65535),
    "text for a pid": ok("value", b"h\2k\0\3abch\2" + atom("ok") + b"a\1"),
    "escapes": ok("value", b"h\2" + atom("traced") + b"h\3" + atom("\x1b[31m\n") + atom("\u202e") + b"a\2"),
}


# A term that the node gets back, as an argument of the next question: erlbpf does not look into it.
PASSED_ON = "nested"


class Far:
    """An epmd and a node. `answer` makes bytes of the number of the question; None: the connection ends."""

    def __init__(self):
        self.answer = self.after = None
        self.epmd, self.node = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        self.env = {"ERL_EPMD_PORT": str(self.epmd.getsockname()[1])}
        for serve, server in ((self.serve_epmd, self.epmd), (self.serve_node, self.node)):
            threading.Thread(target=self.accept, args=(server, serve), daemon=True).start()

    def accept(self, server, serve):
        while True:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError, AssertionError):
                connection.settimeout(LIMIT)
                serve(connection)

    def serve_epmd(self, connection):
        read(connection, struct.unpack(">H", read(connection, 2))[0])
        connection.sendall(b"w\0" + struct.pack(">HBBHHH", self.node.getsockname()[1], 77, 0, 6, 6, 3) + b"far\0\0")

    def serve_node(self, connection):
        hello, name = packet(connection), b"far@localhost"
        assert hello[:1] == b"N", hello
        send(connection, b"sok")
        send(connection, b"N" + hello[1:9] + struct.pack(">IIH", 1, 1, len(name)) + name)
        theirs = struct.unpack(">I", packet(connection)[1:5])[0]
        send(connection, b"a" + hashlib.md5((COOKIE + str(theirs)).encode()).digest())
        asked = 0
        while True:
            size = struct.unpack(">I", read(connection, 4))[0]
            read(connection, size)
            if not size:  # a tick
                continue
            answer = self.answer(asked) if asked < len(GOOD) else b""
            asked += 1
            if answer is None:
                return
            connection.sendall(answer)
            if asked == len(GOOD) and self.after:
                connection.sendall(self.after)


def read(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise OSError("closed")
        data += more
    return data


def packet(connection):
    return read(connection, struct.unpack(">H", read(connection, 2))[0])


def send(connection, data):
    connection.sendall(struct.pack(">H", len(data)) + data)


def message(term):
    data = b"p\x83h\3a\2w\0" + PID + term
    return struct.pack(">I", len(data)) + data


GOOD = [message(ok("ok", b"j")), message(ok("ok", b"j")), message(ok("value", SET))]


@contextlib.contextmanager
def far_node(vm):
    """A node whose own epmd nobody asks, and what is there instead."""
    with Node(vm, "-sname", "far%d@localhost" % os.getpid(), "-setcookie", COOKIE) as node:
        yield node, Far()


ASKED = ("calls", "lists:map/2", "--via", "vm")


def ask(node, far):
    said = erlbpf(*ASKED, "-p", node.pid, "-d", "1", code=3, env=far.env)[1]
    assert "is not traced" in said, said
    return check_clean(said)


@over([STOCK])
def test_a_node_that_lies_is_refused_and_breaks_nothing(vm):
    with far_node(vm) as (node, far):
        for name, lie in HOSTILE.items():
            for step in (2, 1, 0)[:3 if name == "nothing" else times(1, 3)]:
                far.answer = lambda asked, step=step, lie=lie: message(lie) if asked == step else GOOD[asked]
                if name == PASSED_ON and step < 2:
                    erlbpf(*ASKED, "-p", node.pid, "-d", "100ms", env=far.env)
                    continue
                said = ask(node, far)
                assert ("is traced by" if name == "escapes" and step == 2 else "is not understood") in said, (name, step, said)
        cut = [None, b"\xff\xff\xff\xffp", b"\0\0\0\1p", b"\0\0\0\5p\x83h\3a"]
        # This one is waited for as long as a slow answer is.
        for lie in cut + [b"\x7f\xff\xff\xf0p"] * times(0, 1):
            far.answer = lambda asked, lie=lie: lie
            said = ask(node, far)
            assert "ended the connection" in said or "ended the process" in said or "did not answer" in said, said
        assert node.is_alive()


@over([STOCK])
def test_what_a_node_says_later_ends_the_trace_at_most(vm):
    with far_node(vm) as (node, far):
        far.answer = GOOD.__getitem__
        for lie in (message(HOSTILE["nested"]), message(HOSTILE["no term"])):
            far.after = lie + message(b"\x83" + atom("limit"))
            running = Trace(*ASKED, "-p", node.pid, env=far.env)
            running.wait_for("called too often")
            running.stop()
        far.after = b"\xff\xff\xff\xffp"
        running = Trace(*ASKED, "-p", node.pid, env=far.env)
        running.wait_for("the connection is over")
        running.stop()
        assert node.is_alive()
