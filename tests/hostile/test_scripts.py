"""D programs, and folders of them, of somebody who means ill. (Depth, size and time of compiling: test_sizes.py.)"""
import json
import os
import subprocess
import tempfile

from hostile import chance, check_clean, hostile_text, times
from lib import ERLBPF, LIMIT, STOCK, Node, wait_until
from pods import Agent

SECRET = "a-line-of-a-file-that-is-nobodys-business"


def compiled(program, *more):
    done = subprocess.run([ERLBPF, "-e", *more, "-s", "/dev/stdin"], input=program, capture_output=True, timeout=LIMIT)
    assert done.returncode in (0, 1), (done.returncode, program[:200], done.stderr[-500:])
    check_clean(done.stdout), check_clean(done.stderr)
    return done


INCLUDES = ["/dev/null/x", "/etc", "/nonexistent/x.h", "../../../../etc/passwd"]


def test_what_a_program_includes_ends_and_is_not_printed():
    with tempfile.TemporaryDirectory() as folder:
        circle, secret = (os.path.join(folder, name) for name in ("circle.h", "secret"))
        with open(circle, "w", encoding="ascii") as file:
            file.write('#include "%s"\n' % circle)
        with open(secret, "w", encoding="ascii") as file:
            file.write(SECRET + "\n")
        for path in INCLUDES + [circle]:
            done = subprocess.run([ERLBPF, "-C", "-e", "-s", "/dev/stdin"], input=('#include "%s"\nBEGIN { exit(0); }\n' % path).encode(),
                                  capture_output=True, timeout=LIMIT)
            assert done.returncode != 0 and done.stderr, (path, done)
            check_clean(done.stderr)
        # Without -C nothing is included, whatever a program says.
        done = compiled(b'#include "' + secret.encode() + b'"\nBEGIN { exit(0); }\n')
        assert SECRET.encode() not in done.stdout + done.stderr


NAMES = [b"\x1b[31m", b"\xff\xfe", "\u202e".encode(), b"\x9b0m", b"\0", b"a" * 100000, b"%n%s", b"\r\n", b"'", b'"', b"\\"]


def test_names_and_texts_of_a_program_cannot_write_to_the_terminal_through_its_errors():
    rng = chance()
    forms = [b"%s", b"BEGIN { %s = 1; exit(0) }", b'BEGIN { printf("%s %%s"); }', b"%s:::entry { }", b"BEGIN { trace(%s); }",
             b"struct %s { int x; }; BEGIN { }", b"#pragma D option %s", b"#line 1 \"%s\"\nBEGIN { nothing }", b"BEGIN /%s/ { }",
             b"inline int %s = 1; BEGIN { %s }", b"BEGIN { @%s = count() }", b"/* %s", b"'%s'", b"erlang%s*:::process-spawn { }",
             b"#error %s", b"#define %s\nBEGIN { %s }", b"BEGIN { %s(1); }", b"typedef int %s; %s x; BEGIN { y }"]
    for form in forms:
        names = NAMES + [hostile_text(rng).encode() for _ in range(times(0, 50))]
        for name in names if times(0, 1) else rng.sample(NAMES, 3):
            compiled(form.replace(b"%s", name).replace(b"%%", b"%"))


def test_a_folder_of_scripts_may_hold_anything():
    rng = chance()
    with tempfile.TemporaryDirectory() as folder, Node(STOCK, "-sname", "scripted") as node:
        os.mkfifo(os.path.join(folder, "fifo.d"))
        os.mkdir(os.path.join(folder, "folder.d"))
        for name, target in (("zero.d", "/dev/zero"), ("random.d", "/dev/urandom"), ("gone.d", "/nonexistent"), ("itself.d", "itself.d"),
                             ("terminal.d", "/dev/tty")):
            os.symlink(target, os.path.join(folder, name))
        write(folder, "good.d", "erlang*:::process-spawn { @spawned = count(); }")
        with open(os.path.join(folder, "huge.d"), "wb") as file:
            file.truncate(1 << 30)
        write(folder, "bytes.d", bytes(range(256)))
        write(folder, "system.d", 'tick-1s { system("touch %s/was-here"); }' % folder)
        write(folder, "copyout.d", "erlang*:::process-spawn { copyout(execname, arg0, 4); }")
        for i in range(times(3, 100)):
            write(folder, "x" + hostile_text(rng, 50).replace("/", "").replace("\0", "") + ".d", "erlang*:::no-such { @ = count(); }")
        with Agent("--node", "scripted", "--tools", "births", "--script", folder) as agent:
            wait_until("it is traced", lambda: agent.targets())
            wait_until("scripts are read", lambda: json.loads(agent.get("/targets"))["scripts"], 120)
            node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 100)], ok")
            for path in ("/metrics", "/targets"):
                check_clean(agent.get(path))
            assert agent.value("erlbpf_agent_resident_memory_bytes") < 128 << 20
            log = agent.stop()
        check_clean(log)
        assert not os.path.exists(os.path.join(folder, "was-here")), log


def write(folder, name, text):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def test_a_program_of_random_pieces_is_compiled_or_refused():
    """Those of the fuzzers' corpus, cut and joined."""
    rng = chance()
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "d")
    texts = []
    for path, _, names in os.walk(folder):
        texts += [os.path.join(path, name) for name in names if name.endswith(".d")]
    texts.sort()
    for _ in range(times(30, 3000)):
        with open(rng.choice(texts), "rb") as one, open(rng.choice(texts), "rb") as other:
            a, b = one.read(), other.read()
        program = a[:rng.randint(0, len(a))] + b[rng.randint(0, len(b)):]
        if b"#include" not in program:
            compiled(program, "-Z")
