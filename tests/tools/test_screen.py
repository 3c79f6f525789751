"""The screen of top, on a pseudo-terminal that pyte draws."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

# Debian's python3-pyte, whichever python3 this is.
sys.path.append("/usr/lib/python3/dist-packages")
import pyte

from lib import ERLBPF, LIMIT, STOCK, Node, over, wait_line

LINES, COLUMNS = 24, 132
FOOT = 1  # the line of the keys


class Terminal:
    """erlbpf on a terminal of its own. pyte draws what is sent to a Linux console; that has no other screen
    to return from, so what is left on the terminal is looked at with xterm."""

    def __init__(self, *args, term="linux"):
        self.master, self.slave = pty.openpty()
        self.resize(LINES, COLUMNS)
        self.before = termios.tcgetattr(self.slave)
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.child = subprocess.Popen([ERLBPF] + [str(a) for a in args], stdin=self.slave, stdout=self.slave,
                                      stderr=subprocess.PIPE, bufsize=0, start_new_session=True,
                                      env=dict(os.environ, TERM=term, LC_ALL="C.UTF-8"))

    def resize(self, lines, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        """What there is, or comes soon."""
        while select.select([self.master], [], [], 0.02)[0]:
            data = os.read(self.master, 65536)
            self.raw += data
            self.stream.feed(data)

    def wait(self, what, condition, may_end=False):
        """Until the screen is as wanted."""
        end = time.monotonic() + LIMIT
        while not condition(self.screen.display):
            assert time.monotonic() < end and (may_end or self.child.poll() is None), "%s: %s" % (
                what, "\n".join(self.screen.display))
            self.read()

    def press(self, keys):
        os.write(self.master, keys.encode())

    def end(self, codes):
        """The terminal is as it was, whatever ended erlbpf."""
        self.child.wait(LIMIT)
        assert self.child.returncode in codes, self.child.returncode
        assert termios.tcgetattr(self.slave) == self.before
        # What it wrote may be on its way.
        self.wait("it has left its screen", lambda _: self.raw.rfind(b"\x1b[?1049l") >= self.raw.rfind(b"\x1b[?1049h"), may_end=True)
        self.wait("there is a cursor", lambda _: self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l"), may_end=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait(LIMIT)
        self.child.stderr.close()
        os.close(self.master)
        os.close(self.slave)


def has(text):
    return lambda display: any(text in line for line in display)


def is_full(display):
    """A table with as many rows as there is room for below its titles. The facts above them take a line or two: as long as
    their numbers are."""
    titles = [number for number, line in enumerate(display) if line.startswith("PID")]
    return bool(titles) and len(names(display)) == len(display) - titles[0] - 1 - FOOT


def names(display):
    return [re.split(r"\s{2,}", line[15:])[0] for line in display[3:-1] if line.startswith("<")]


def test_the_screen_shows_a_table_that_keys_sort_filter_and_pause():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms") as terminal:
        node.eval("Ps = crowd:named(\"walrus_\", 9), "
                  "[[P ! x || _ <- lists:seq(1, N)] || {P, N} <- lists:zip(Ps, lists:seq(1, 9))], ok")
        terminal.wait("a table", has("PID"))
        terminal.wait("help", has("q quit"))
        terminal.wait("rows", is_full)
        terminal.press(">>")
        terminal.wait("longest queue first", lambda d: names(d)[:3] == ["walrus_9", "walrus_8", "walrus_7"])
        terminal.press("/rus_4\n")
        terminal.wait("only what was asked for", lambda d: names(d) == ["walrus_4"] and has('with "rus_4"')(d))
        terminal.press("/\x7f\x7f\x7f\x7f\x7f\n")
        terminal.press("r")
        terminal.wait("shortest queue first", lambda d: is_full(d) and "walrus_9" not in names(d))
        terminal.press("p")
        terminal.wait("paused", has("paused"))
        node.eval("register(seal, spawn(fun() -> receive stop -> ok end end)), "
                  "[seal ! x || _ <- lists:seq(1, 50)], ok")
        # Sorted again, and not read again.
        terminal.press("r")
        terminal.wait("the longest queue as it was", lambda d: names(d)[:1] == ["walrus_9"])
        terminal.press("p")
        terminal.wait("the new one", lambda d: names(d)[:1] == ["seal"])
        terminal.press("q")
        terminal.end((0,))


def test_the_screen_follows_the_size_of_the_terminal():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms") as terminal:
        terminal.wait("a table", is_full)
        terminal.resize(12, 60)
        terminal.screen.resize(12, 60)
        os.kill(terminal.child.pid, signal.SIGWINCH)
        terminal.wait("a smaller table", lambda d: len(d) == 12 and is_full(d) and has("q quit")(d[-1:]))
        terminal.press("q")
        terminal.end((0,))


def test_the_line_of_keys_never_cuts_a_word():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms") as terminal:
        terminal.wait("a table", is_full)
        words = terminal.screen.display[-1].split()
        for columns in 50, 43, 37:
            terminal.resize(12, columns)
            terminal.screen.resize(12, columns)
            os.kill(terminal.child.pid, signal.SIGWINCH)
            terminal.wait("fewer keys", lambda d: len(d[-1]) == columns and d[-1].split()
                          and d[-1].split() == words[:len(d[-1].split())])
        terminal.press("q")
        terminal.end((0,))


def test_neither_ctrl_s_nor_ctrl_z_leaves_probes_to_themselves():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms") as terminal:
        terminal.wait("a table", has("PID"))
        terminal.press("\x13\x1a>>")
        node.eval("register(seal, spawn(fun() -> receive stop -> ok end end)), seal ! x, seal ! x, ok")
        terminal.wait("the table goes on", lambda d: names(d)[:1] == ["seal"])
        terminal.press("q")
        terminal.end((0,))


def ends(sig, code, times=1):
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", term="xterm-256color") as terminal:
        terminal.wait("a table", has("PID"))
        for _ in range(times):
            terminal.child.send_signal(sig)
        terminal.end(code)


@over(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGSEGV"])
def test_signals_end_the_screen_and_restore_the_terminal(sig):
    ends(getattr(signal, sig), (0 if sig in ("SIGINT", "SIGTERM") else -getattr(signal, sig),))


def test_a_second_signal_restores_the_terminal_too():
    # The first ends it politely; which of the two it was that did is a matter of time.
    for _ in range(2):
        ends(signal.SIGTERM, (0, -signal.SIGTERM), times=2)


def test_the_end_of_the_node_restores_the_terminal():
    node = Node(STOCK)
    with Terminal("top", "-p", node.pid, "-i", "200ms") as terminal:
        terminal.wait("a table", has("PID"))
        node.close()
        terminal.end((0,))
        assert "has ended" in wait_line(terminal.child.stderr) + wait_line(terminal.child.stderr)


def test_names_cannot_write_to_the_screen():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--sort", "queue") as terminal:
        node.eval(r'''P = spawn(fun() -> receive stop -> ok end end), '''
                  r'''register(list_to_atom("\e[31m\e]0;owned\a\nx\x{1F600}\x{202E}y"), P), '''
                  r'''[P ! x || _ <- [1, 2, 3]], ok''')
        terminal.wait("the name", lambda d: names(d) and "owned" in names(d)[0])
        # Another table.
        node.eval("P ! x, ok")
        terminal.wait("the name again", lambda d: re.search(r" 4 ", d[3]) and "owned" in names(d)[0])
        assert b"\x1b[31m" not in terminal.raw and b"\x1b]0;" not in terminal.raw and b"\x07" not in terminal.raw
        assert terminal.screen.display[4].startswith("<")
        terminal.press("q")
        terminal.end((0,))


def test_an_unknown_terminal_is_refused_with_what_to_do():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, term="no-such-terminal") as terminal:
        terminal.child.wait(LIMIT)
        lines = terminal.child.stderr.read().decode()
        assert terminal.child.returncode == 1 and "TERM=no-such-terminal" in lines, lines
        assert termios.tcgetattr(terminal.slave) == terminal.before
