"""Names that write to terminals, forge lines or break JSON (T5, T6, T12; G8): wherever they come from, and in whatever form
they are printed, served or pushed."""
import base64
import json
import os
import pty
import re
import subprocess
import tempfile

from elf_file import notes_of, sections
from hostile import Copy, chance, check_clean, check_json, erlang_list, hostile_text, original, times
from lib import ERLBPF, LIMIT, STOCK, USDT, Node, Trace, erlbpf, of_type, over, rename, unique, wait_until
from otlp import Receiver
from pods import Agent, cgroup2
from test_all import tools, words_of_recipe


def check_csv(text):
    """As many fields in each row as in the header before it; none a formula."""
    import csv
    width = None
    for row in csv.reader(check_clean(text).splitlines()):
        assert row and (width in (None, len(row)) or row[0].isidentifier()), row
        width = len(row)
        assert not any(field[:1] in "=+-@" and not is_number(field) for field in row if field), row


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return text == "-"


FORMS = {"text": check_clean, "json": check_json, "csv": check_csv}
# What shows most of what a process calls itself.
SAMPLE = (("spawn-exit", "text"), ("trace", "json"), ("trace", "text"), ("ports", "csv"), ("births", "text"), ("ets", "json"),
          ("messages", "csv"), ("files", "text"))
MORE = {"messages": ["--show"], "files": ["--min", "1ns"], "slices": ["--min", "1ns"], "uprobe": ["erts_schedule"],
        "calls": ["*", "--min", "1ns"], "trace": ["*"], "user-trace": [], "ets": ["--min", "1ns"]}


class Shown:
    """A tool, and what it prints in a file."""

    def __init__(self, folder, pid, tool, form):
        self.tool, self.form = tool, form
        self.path = os.path.join(folder, tool + "." + form)
        for words in (MORE.get(tool, []), words_of_recipe(tool)):
            with open(self.path, "wb") as out:
                self.child = subprocess.Popen([ERLBPF, tool] + words + ["-p", str(pid), "-f", form], stdout=out,
                                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self.said, self.is_live = b"", False
            for line in self.child.stderr:
                self.said += line
                if b"Tracing" in line:
                    self.is_live = True
                    break
            if self.is_live or self.child.wait(LIMIT) != 2:
                break

    def check(self):
        """How much it printed."""
        if self.is_live:
            self.child.terminate()
            self.said += self.child.stderr.read()
            assert self.child.wait(LIMIT) == 0, self.said
        self.child.stderr.close()
        check_clean(self.said)
        with open(self.path, "rb") as out:
            text = out.read()
        FORMS[self.form](text.decode("utf-8"))
        return len(text)


def named_tools():
    if not times(0, 1):
        return [SAMPLE]
    names = tools()
    forms = list(FORMS)
    return [[(name, forms[(i + turn) % 3]) for i, name in enumerate(names)] for turn in range(3)]


@over((USDT, STOCK))
def test_no_name_that_a_node_gives_gets_to_the_terminal_through_a_tool(vm):
    rng = chance()
    for group in named_tools():
        with tempfile.TemporaryDirectory() as folder, Node(vm, "-sname", unique("hostile"), "+fnu") as node:
            node.eval("hostile:quiet()")
            shown = [Shown(folder, node.pid, tool, form) for tool, form in group]
            for _ in range(times(2, 10)):
                texts = ",".join(erlang_list(hostile_text(rng)) for _ in range(10))
                assert node.eval('hostile:use("%s", [%s])' % (folder, texts)) == "ok"
            sizes = {(s.tool, s.form): s.check() for s in shown}
            assert node.is_alive()
        assert sum(1 for size in sizes.values() if size > 1000) >= len(sizes) / 3, sizes


def random_bytes(rng):
    kind = rng.random()
    if kind < 0.4:
        return rng.randbytes(rng.randint(0, 60))
    text = hostile_text(rng, 60).encode("utf-8")
    if kind < 0.6:
        at = rng.randint(0, len(text))
        return text[:at] + rng.randbytes(1) + text[at:]
    return text if kind < 0.9 else text[:rng.randint(0, len(text))]


def test_of_thousands_of_random_texts_json_has_each_and_no_line_is_broken():
    rng = chance()
    texts = [random_bytes(rng).replace(b"\0", b"?") for _ in range(times(1000, 10000))]
    with Node(USDT) as node:
        traces = [Trace("user-trace", "-p", node.pid, "-f", form) for form in ("json", "text", "csv")]
        for at in range(0, len(texts), 100):
            node.eval("hostile:marks([%s])" % ",".join(
                "{%d,base64:decode(<<\"%s\">>)}" % (at + i, base64.b64encode(text).decode())
                for i, text in enumerate(texts[at:at + 100])))
        lines, text, table = traces[0].stop(), traces[1].stop(), traces[2].stop()
    check_clean(text)
    check_csv(table)
    check_json(lines)
    events = of_type([json.loads(line) for line in lines.splitlines()], "event")
    numbers, lost = [event["i1"] for event in events], json.loads(lines.splitlines()[-1])["lost"]
    assert numbers == sorted(set(numbers)) and len(numbers) + lost == len(texts) and lost < len(texts) / 2, (len(numbers), lost)
    for event in events:
        own = texts[event["i1"]]
        try:
            assert event["s1"] == own.decode("utf-8"), (event, own)
        except UnicodeDecodeError:
            assert "\ufffd" in event["s1"], (event, own)
    assert len(text.splitlines()) <= len(texts) + 5, len(text.splitlines())


def test_metrics_targets_and_pushes_of_hostile_names_are_clean():
    rng = chance()
    with tempfile.TemporaryDirectory() as folder, Receiver() as receiver, \
            Node(STOCK, "+fnu") as node:
        rename(node, b"evil\xff\x1b[31m\n\xe2\x80\xae\xc2\x9b\"}@h")
        with Agent("--node", "evil*", "--otlp", receiver.url, "--otlp-interval", "1s") as agent:
            wait_until("it is traced", lambda: agent.targets())
            node.eval("hostile:quiet()")
            for _ in range(times(1, 20)):
                texts = ",".join(erlang_list(hostile_text(rng)) for _ in range(20))
                assert node.eval('hostile:use("%s", [%s])' % (folder, texts)) == "ok"
                check_served(agent)
            check_push(receiver.fresh())
            check_clean(agent.stop())


def check_served(agent):
    check_clean(agent.get("/metrics"))
    assert len(agent.get("/metrics")) < 1 << 20
    check_clean(agent.get("/targets"))
    assert len({target["os_pid"] for target in agent.targets()}) == 1, agent.targets()
    for line in agent.get("/metrics").splitlines():
        assert line.startswith(("# ", "erlbpf_")) and "forged" not in line.split("{")[0], line


def check_push(push):
    """Clean labels in every point. What is no UTF-8 would have been no message."""
    assert push.metrics
    for name, metric in push.metrics.items():
        check_clean(name)
        for kind in ("sum", "gauge", "exponential"):
            for labels in push.points(name, kind) if kind in metric else ():
                for key, value in labels:
                    check_clean(key + value)
                    assert "\n" not in value, value


# What is not in the node: its file, its path, its control group, its functions.

def asked(pid):
    """All that a process is asked for without tracing."""
    for words in (["doctor"], ["doctor", "-j"], ["list"], ["list", "-j"], ["list", "-v"]):
        out, err = erlbpf(*words, "-p", pid)
        (check_json if "-j" in words else check_clean)(out)
        check_clean(err)


def test_the_path_of_the_executable_cannot_write_to_the_terminal():
    rng = chance()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(times(3, 30)):
            name = "x" + hostile_text(rng, 60).replace("/", "").replace("\0", "")
            with Copy(folder, name, original()) as copy:
                asked(copy.pid)


def test_the_control_group_cannot_write_to_the_terminal_or_to_labels():
    rng = chance()
    for i in range(times(1, 20)):
        # The kernel takes all but line ends.
        names = ["kubepods-evil%d-%s" % (os.getpid(), "pod\x1b[31m"), re.sub("[/\0\n]", "", hostile_text(rng, 60)) + "x",
                 "cri-containerd-%064x.scope" % rng.getrandbits(256)]
        with Group(names) as group, Node(STOCK, "-sname", "evil_group", prefix=[
                "sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', group.path]) as node:
            asked(node.pid)
            with Agent("--node", "evil_group", "--tools", "births") as agent:
                wait_until("it is traced", lambda: agent.targets())
                check_served(agent)
                check_clean(agent.stop())


class Group:
    """A control group, each of whose parts has a name of its own."""

    def __init__(self, names):
        self.made, self.path = [], cgroup2()
        for name in names:
            self.path = os.path.join(self.path, name)
            os.mkdir(self.path)
            self.made.append(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for path in reversed(self.made):
            wait_until("the group is empty", lambda: self.is_gone(path))

    @staticmethod
    def is_gone(path):
        try:
            os.rmdir(path)
            return True
        except OSError:
            return False


def test_a_path_of_4_kib_and_a_group_outside_of_the_namespace_are_read():
    with Group(["kubepods"] * 1 + ["y" * 250 for _ in range(14)]) as group, Node(STOCK, "-sname", "evil_deep", prefix=[
            "sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', group.path]) as node:
        asked(node.pid)
    # Seen from a namespace, what is outside of it begins with /..
    with Node(STOCK, "-sname", "evil_out") as node:
        done = subprocess.run(["unshare", "-C", ERLBPF, "doctor", "-j", "-p", str(node.pid)], capture_output=True, timeout=LIMIT)
        assert done.returncode == 0, done
        check_json(done.stdout.decode())


def spoil_names(rng, data):
    """Strings of the notes and of the symbol table, anything but the ends of texts."""
    strings = sections(data)[".strtab"]
    for i in range(strings.offset, strings.offset + strings.size):
        if data[i] and rng.random() < 0.01:
            data[i] = rng.choice([0x1b, 0x9b, 0x0a, 0x0d, 0x7f, 0xff, 0xe2, 0x07, 0x25, rng.randint(1, 255)])
    for body in list(notes_of(data)):
        if rng.random() < 0.2:
            end = data.index(b"\0", data.index(b"\0", body + 24) + 1)
            for i in range(body + 24 + 7, end):
                if data[i] and rng.random() < 0.2:
                    data[i] = rng.choice([0x1b, 0x9b, 0x0a, 0x0d, 0x7f, 0xff])
    return data


def test_names_of_functions_and_probes_cannot_write_to_the_terminal():
    rng = chance()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(times(2, 20)):
            with Copy(folder, "symbols%d" % i, spoil_names(rng, original())) as copy:
                done = subprocess.run([ERLBPF, "doctor", "-j", "-p", str(copy.pid)], capture_output=True, timeout=LIMIT)
                check_clean(done.stdout), check_clean(done.stderr)
                if done.returncode:
                    continue  # what makes a BEAM of it is gone
                asked(copy.pid)
                for words in (["-l", "-n", "pid%d:::entry" % copy.pid], ["-l", "-n", "erlang%d:::" % copy.pid],
                              ["-l", "-j", "-n", "pid%d:::entry" % copy.pid]):
                    said = subprocess.run([ERLBPF] + words, capture_output=True, timeout=LIMIT)
                    check_clean(said.stdout), check_clean(said.stderr)
                said = subprocess.run([ERLBPF, "uprobe", "*e*", "-p", str(copy.pid), "-d", "1"], capture_output=True, timeout=LIMIT)
                check_clean(said.stdout), check_clean(said.stderr)


def on_terminal(argv):
    """What a command writes to its terminal."""
    master, slave = pty.openpty()
    child = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    said = b""
    try:
        while True:
            data = os.read(master, 65536)
            if not data:
                break
            said += data
    except OSError:
        pass
    assert child.wait(LIMIT) == 0, said
    os.close(master)
    return said.decode("utf-8").replace("\r\n", "\n")


def test_a_d_program_shows_no_controls_on_a_terminal_and_valid_json_in_a_file():
    rng = chance()
    texts = [b"\x1b[2J\x1b]0;t\x07", b"\xc2\x9b31m\xff\xe2\x80\xae", b"\n@fake = 999\n"] + [
        random_bytes(rng).replace(b"\0", b"?") for _ in range(times(20, 200))]
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "writes.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import os\nfd = os.open('/dev/null', os.O_WRONLY)\nfor text in %r:\n    os.write(fd, text + b'\\0')\n" % texts)
        program = ('syscall::write:entry /pid == $target/ { printf("<%s> %S", copyinstr(arg1), copyinstr(arg1)); '
                   'trace(copyinstr(arg1)); @[copyinstr(arg1), execname] = count(); @n[ustack(2)] = count(); }')
        command = [ERLBPF, "-q", "-c", "python3 " + script, "-n", program]
        check_clean(on_terminal(command).replace("\t", ""))
        done = subprocess.run(command + ["-j"], capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        check_json(done.stdout.decode("utf-8"))
