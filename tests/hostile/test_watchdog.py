"""What a node answers that is asked for breakpoints (calls --via vm): its own socket leads to a node of ours, by way of an
epmd of ours. And how a node of another user would get at what is not its own."""
import contextlib
import hashlib
import os
import socket
import struct
import tempfile
import threading

from hostile import check_clean, times
from lib import BUILD, LIMIT, STOCK, Node, Trace, erlbpf, over, rename, unique

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
    """An epmd, and a node of this name. `answer` makes bytes of the number of the question; None: the connection ends.
    `port` is what the epmd says of any node, at first where that node listens."""

    def __init__(self, name):
        self.name = name
        self.answer = self.after = None
        self.hangs_up = False  # after an answer
        self.called = 0
        self.epmd, self.node = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        self.env = {"ERL_EPMD_PORT": str(self.epmd.getsockname()[1])}
        self.own_port = self.port = self.node.getsockname()[1]
        for serve, server in ((self.serve_epmd, self.epmd), (self.serve_node, self.node)):
            threading.Thread(target=self.accept, args=(server, serve), daemon=True).start()

    def accept(self, server, serve):
        while True:
            connection, _ = server.accept()
            connection.settimeout(LIMIT)
            threading.Thread(target=self.serve, args=(connection, serve), daemon=True).start()

    @staticmethod
    def serve(connection, serve):
        with connection, contextlib.suppress(OSError, AssertionError):
            serve(connection)

    def serve_epmd(self, connection):
        asked = read(connection, struct.unpack(">H", read(connection, 2))[0])
        if asked[:1] == b"x":  # a node that registers itself, and stays as long as the connection
            connection.sendall(b"v\0" + struct.pack(">I", 1))
            connection.settimeout(None)
            connection.recv(1)
        else:
            connection.sendall(b"w\0" + struct.pack(">HBBHHH", self.port, 77, 0, 6, 6, 3) + b"far\0\0")

    def serve_node(self, connection):
        self.called += 1
        hello, name = packet(connection), self.name.encode()
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
            if self.hangs_up:
                return
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
    """A node with a socket that leads to one of ours, and an epmd that says so."""
    name = unique("far")
    far = Far(name + "@localhost")
    with Node(vm, "-sname", far.name, "-setcookie", COOKIE, env=far.env) as node:
        far.port = int(node.eval("relay:start(%d)" % far.own_port))
        yield node, far


ASKED = ("calls", "lists:map/2", "--via", "vm")


def ask(node, far):
    said = erlbpf(*ASKED, "-p", node.pid, "-d", "1", code=3)[1]
    assert "is not traced" in said, said
    return check_clean(said)


@over([STOCK])
def test_a_node_that_lies_is_refused_and_breaks_nothing(vm):
    with far_node(vm) as (node, far):
        for name, lie in HOSTILE.items():
            for step in (2, 1, 0)[:3 if name == "nothing" else times(1, 3)]:
                far.answer = lambda asked, step=step, lie=lie: message(lie) if asked == step else GOOD[asked]
                if name == PASSED_ON and step < 2:
                    erlbpf(*ASKED, "-p", node.pid, "-d", "100ms")
                    continue
                said = ask(node, far)
                assert ("is traced by" if name == "escapes" and step == 2 else "is not understood") in said, (name, step, said)
        # A packet without a message is passed over, so an answer is waited for until the node ends the connection.
        for lie in (None, b"\0\0\0\1p", b"\0\0\0\5p\x83h\3a"):
            far.answer = lambda asked, lie=lie: lie
            far.hangs_up = True
            assert "ended the connection" in ask(node, far)
        far.hangs_up = False
        for lie in (b"\xff\xff\xff\xffp", b"\x7f\xff\xff\xf0p"):
            far.answer = lambda asked, lie=lie: lie
            assert "is not understood" in ask(node, far)
        assert node.is_alive()


@over([STOCK])
def test_what_a_node_says_later_ends_the_trace_at_most(vm):
    with far_node(vm) as (node, far):
        far.answer = GOOD.__getitem__
        for lie in (message(HOSTILE["nested"]), message(HOSTILE["no term"])):
            far.after = lie + message(b"\x83" + atom("limit"))
            running = Trace(*ASKED, "-p", node.pid)
            running.wait_for("called too often")
            running.stop()
        far.after = b"\xff\xff\xff\xffp"
        running = Trace(*ASKED, "-p", node.pid)
        running.wait_for("the connection is over")
        running.stop()
        assert node.is_alive()


@over([STOCK])
def test_who_listens_at_a_port_that_epmd_names_but_is_not_the_node_is_not_called(vm):
    """He would get a proof of the cookie, to try others on."""
    with far_node(vm) as (node, far):
        far.port = far.own_port
        assert "where this process does not listen" in ask(node, far)
        assert far.called == 0, "he was called"


# Another user's nodes.

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
OTHERS = "ANOTHERSSECRET"


@contextlib.contextmanager
def node_of_nobody(vm, home, name, env=()):
    """It is not distributed, so no cookie is in its memory; but its memory says that it has a name."""
    modules = os.path.join(BUILD, "erl")
    with Node(vm, prefix=NOBODY, env=dict({"HOME": home}, **dict(env)), modules=modules) as node:
        rename(node, name.encode())
        yield node


@contextlib.contextmanager
def link_to_cookie():
    """The home of a user whose cookie is a link to a file that only root may read."""
    with tempfile.TemporaryDirectory() as roots, tempfile.TemporaryDirectory() as home:
        with open(os.path.join(roots, "cookie"), "w", opener=lambda path, flags: os.open(path, flags, 0o400)) as file:
            file.write(OTHERS)
        os.chmod(roots, 0o755)
        os.chmod(home, 0o755)
        os.symlink(os.path.join(roots, "cookie"), os.path.join(home, ".erlang.cookie"))
        yield home


@over([STOCK])
def test_a_link_to_a_cookie_that_the_user_of_the_node_may_not_read_leads_nowhere(vm):
    with link_to_cookie() as home, node_of_nobody(vm, home, unique("n") + "@localhost") as node:
        said = erlbpf(*ASKED, "-p", node.pid, "-d", "1", code=3)[1]
        assert "its cookie is not known" in said, said


@over([STOCK])
def test_who_relays_to_a_node_of_root_is_not_let_in_there(vm):
    """All that the node itself chooses leads to root's: the link, HOME, its epmd, its socket, the name in its memory."""
    name = unique("root") + "@localhost"
    far = Far(name)
    with Node(vm, "-sname", name, "-setcookie", OTHERS) as roots, link_to_cookie() as home, \
         node_of_nobody(vm, home, name, far.env) as node:
        real = int(roots.eval("element(2, erl_epmd:port_please(\"%s\", \"localhost\"))" % name.split("@")[0]))
        far.port = int(node.eval("relay:start(%d)" % real))
        said = erlbpf(*ASKED, "-p", node.pid, "-d", "1", code=3)[1]
        assert "is not traced" in said, said
        assert roots.eval("nodes(hidden)") == "[]"


@over([STOCK])
def test_our_own_cookie_is_offered_to_nobody(vm):
    with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
        with open(os.path.join(ours, ".erlang.cookie"), "w") as file:
            file.write(OTHERS)
        os.chmod(theirs, 0o755)
        with node_of_nobody(vm, theirs, unique("n") + "@localhost") as node:
            said = erlbpf(*ASKED, "-p", node.pid, "-d", "1", code=3, env={"HOME": ours})[1]
            assert "its cookie is not known" in said, said


@over([STOCK])
def test_a_cookie_behind_links_is_read_where_its_owner_may_read_it(vm):
    """As Kubernetes mounts secrets: .erlang.cookie -> ..data/cookie -> ..2026/cookie."""
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "..2026")
        os.mkdir(folder)
        with open(os.path.join(folder, "cookie"), "w") as file:
            file.write(COOKIE)
        os.chown(os.path.join(folder, "cookie"), 65534, 65534)
        os.chmod(os.path.join(folder, "cookie"), 0o400)
        os.symlink("..2026", os.path.join(home, "..data"))
        os.symlink("..data/cookie", os.path.join(home, ".erlang.cookie"))
        os.chmod(home, 0o755)
        name = unique("linked") + "@localhost"
        far = Far(name)
        far.answer = GOOD.__getitem__
        with node_of_nobody(vm, home, name, far.env) as node:
            far.port = int(node.eval("relay:start(%d)" % far.own_port))
            Trace(*ASKED, "-p", node.pid).stop()
            assert far.called == 1
