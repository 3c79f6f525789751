"""The programs of the DTrace guide, chapter by chapter: for each sort of program that a chapter shows, one of ours in
tests/d/guide/, with what it must print. Where that varies, it is in tests/d/guide/varying/, and CHECKS says what must
hold. ABSENT has those that cannot run here, with the reason, and the program of tests/d/differences/ that shows it."""
import functools
import os
import re
import shlex
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, ROOT, STOCK, Skip, in_group, over, shared
from test_d import need_root, runner
from test_d_scripts import Script

FOLDER = os.path.join(ROOT, "tests", "d", "guide")
VARYING = os.path.join(FOLDER, "varying")

# Each name is CHAPTER-PROGRAM, in the order of the guide.
CHAPTERS = {
    "Introduction": """introduction-probe introduction-hello introduction-counter introduction-countdown introduction-calls
        introduction-read-write introduction-time-of-calls""",
    "Types, Operators, and Expressions": """types-arithmetic types-relations types-bits types-constants types-choice
        types-sizes""",
    "Variables": "variables-scalars variables-associative variables-thread-local variables-clause-local variables-built-in",
    "D Program Structure": "structure-predicate structure-order structure-preprocessor",
    "Pointers and Arrays": "pointers-memory pointers-invalid pointers-arrays",
    "Strings": "strings-values",
    "Structs and Unions": "structs-calls structs-unions structs-bit-fields structs-kernel",
    "Type and Constant Definitions": "definitions-typedef definitions-enum definitions-inline",
    "Aggregations": """aggregations-count aggregations-functions aggregations-quantize aggregations-lquantize
        aggregations-normalize aggregations-rate aggregations-trunc aggregations-order aggregations-keys""",
    "Actions and Subroutines": """actions-trace actions-tracemem actions-ustack actions-ustack-key actions-stack
        actions-symbols actions-copy actions-scratch actions-paths actions-texts actions-network actions-progenyof
        actions-raise actions-system actions-destructive actions-exit actions-rand actions-freopen""",
    "Buffers and Buffering": "buffers-size",
    "Output Formatting": """output-conversions output-flags output-dates output-printa output-printa-several
        output-too-few""",
    "Speculative Tracing": "speculation-failed-open speculation-none-left",
    "dtrace(1M) Utility": "command-target command-flow command-flow-clauses command-compile command-nothing",
    "Scripting": """scripting-arguments scripting-too-few scripting-default scripting-macros
        scripting-write-sizes""",
    "Options and Tunables": "options-pragma options-unknown",
    "dtrace Provider": "dtrace-begin-end dtrace-error dtrace-error-kinds",
    "lockstat Provider": "",
    "profile Provider": "profile-tick profile-units profile-processes profile-functions profile-priorities",
    "fbt Provider": "",
    "syscall Provider": "syscall-arguments syscall-pattern syscall-times",
    "sdt Provider": "",
    "sysinfo Provider": "",
    "vminfo Provider": "",
    "proc Provider": "proc-exec proc-signals proc-lifetime proc-threads proc-creations",
    "sched Provider": "sched-switches sched-wakeups sched-time-off sched-time-on sched-queue",
    "io Provider": "io-requests io-sizes",
    "mib Provider": "",
    "fpuinfo Provider": "",
    "pid Provider": "pid-flow pid-instructions pid-library pid-results",
    "plockstat Provider": "",
    "User Process Tracing": """user-text user-struct user-registers beam-collections beam-messages
        beam-calls""",
    "Statically Defined Tracing for User Applications": "usdt-requests",
    "Security": "",
    "Anonymous Tracing": "",
    "Postmortem Tracing": "",
    "Performance Considerations": "performance-predicate",
    "Stability": "stability-attributes stability-too-low",
    "Translators": "translators-own translators-process",
    "Versioning": "versioning-binding",
}

# (chapter, what its program does, why it cannot run here, the program of tests/d/differences/ or None)
ABSENT = [
    ("Variables", "reads a variable of the kernel by its name", "this kernel may list functions only", "kernel-symbols"),
    ("Structs and Unions", "looks at statistics that a function of the kernel is called with", "there is no fbt", "fbt"),
    ("Aggregations", "counts functions of the kernel", "there is no fbt", "fbt"),
    ("Actions and Subroutines", "panic()", "it would harm the machine", "panic"),
    ("Actions and Subroutines", "breakpoint()", "it would harm the machine", "breakpoint"),
    ("Actions and Subroutines", "chill()", "a BPF program cannot wait", "chill"),
    ("Actions and Subroutines", "stops a thread and lets it go on by prun(1)", "all threads stop, as by SIGSTOP", "stop"),
    ("Actions and Subroutines", "copyout() on a kernel that is locked down", "the kernel does not allow it", "copyout"),
    ("Actions and Subroutines", "mutex_owned(), rw_read_held()", "Linux has other locks", "mutex-functions"),
    ("Actions and Subroutines", "msgsize(), ddi_pathname()", "Linux has no STREAMS", "message-functions"),
    ("Buffers and Buffering", "keeps the last records in a ring", "records are printed as they come", "buffer-options"),
    ("Buffers and Buffering", "ends when a buffer is full", "records are printed as they come", "buffer-options"),
    ("dtrace(1M) Utility", "-G", "no object is needed", "g-option"),
    ("dtrace(1M) Utility", "-32", "BPF has 64 bits", "data-model"),
    ("lockstat Provider", "counts waits for locks of the kernel", "there is no lockstat", "lockstat"),
    ("fbt Provider", "shows a function of the kernel and all that it calls", "there is no fbt", "fbt"),
    ("sdt Provider", "measures interrupts", "Linux' probes are those of rawtp", "other-providers"),
    ("sysinfo Provider", "counts events by kstat's names", "Linux has no such probes", "other-providers"),
    ("vminfo Provider", "counts page faults by kstat's names", "Linux has no such probes", "other-providers"),
    ("proc Provider", "counts hardware faults", "Linux sends a signal, which has its probes", "missing-probes"),
    ("sched Provider", "watches priorities and schedctl", "they are of Solaris' dispatcher", "missing-probes"),
    ("io Provider", "names the file that is read", "a request does not say it", "io-file"),
    ("mib Provider", "counts events of the network", "Linux has no such probes", "other-providers"),
    ("fpuinfo Provider", "counts what the FPU leaves to software", "it is of SPARC", "other-providers"),
    ("plockstat Provider", "counts waits for locks of a process", "they are functions of the C library", "plockstat"),
    ("Security", "gives a user dtrace_user", "Linux has no such privileges, see docs/safety.md", None),
    ("Anonymous Tracing", "-A and -a", "tracing begins when the command does", "anonymous-tracing"),
    ("Postmortem Tracing", "::dtrace of mdb", "it is a command of mdb, and no D", None),
    ("Versioning", "hides a name that is bound to a later version", "there is one version", "binding-versions"),
]


def distribution(name=r"\n"):
    """One that has a value."""
    return name + r"[\s\S]*value  -+ Distribution -+ count[\s\S]*@ +[1-9]\d*"


# What the output of a program must hold, by patterns that must be found one behind the other.
CHECKS = {
    "actions-ustack": [r"target`leaf\n", r"target`work\+0x", r"target`main\+0x"],
    "actions-ustack-key": [r"target`leaf\n +target`work\+0x[0-9a-f]+\n +target`main\+0x[0-9a-f]+\n +3\n"],
    "actions-stack": [r"^\s*vmlinux`\w+", r"\n +vmlinux`\w+"],
    "actions-symbols": [r"^target`work\+0x[0-9a-f]+\|"],
    "profile-processes": [r"\n  target +[1-9]"],
    "profile-functions": [r"\n  target`spin +[1-9]\d+\n\s*$"],
    "profile-priorities": [r"\n +-?\d+ +[1-9]\d+\n"],
    "pid-flow": [r"-> work", r"  -> leaf", r"  <- leaf", r"  -> leaf", r"<- work"],
    "pid-instructions": [r"^(0\n)?([0-9a-f]+\n){4,}", r"returns -5"],
    "pid-library": [r"\n +8192 \|@+ +4 *\n"],
    "pid-results": [r"\n +0 +0 +1\n", r" +1 +2 +1\n", r" +2 +4 +1\n"],
    "user-text": [r"^good morning\n\s*$"],
    "user-struct": [r"^3 4\n\s*$"],
    "user-registers": [r"^1 1\n *target`leaf"],
    "sched-switches": [r"\n  target +\d+\n"],
    "sched-wakeups": [r"\n  target +\d+\n"],
    "sched-time-off": [distribution(r"\n  ns")],
    "sched-time-on": [distribution(r"\n  ns")],
    "sched-queue": [distribution(r"\n  ns")],
    "proc-threads": [distribution(r"\n  threads")],
    "proc-creations": [r"\n  target +1 +1\n"],
    "io-requests": [distribution(r"\n  \w+ +W")],
    "io-sizes": [distribution(r"\n  write")],
    "syscall-times": [distribution(r"\n  clock_nanosleep")],
    "usdt-requests": [r"^1 apples\n2 apples\n3 apples\n", r"\n +1 +3\n"],
    "beam-collections": [distribution(r"\n  ns")],
    "beam-messages": [r"\n  another +[1-9]\d*"],
    "beam-calls": [r"\n  write +[1-9]\d*"],
}


# The utility's options: what is given to the command, its status, and what it prints.
COMMANDS = {
    "-l -n dtrace:::": (0, r"^ +\d+ +dtrace +BEGIN *$[\s\S]* END *$[\s\S]* ERROR *$"),
    "-l -P proc": (0, r" proc +vmlinux +exec-success *$"),
    "-l -f read": (0, r" syscall +vmlinux +read entry *$"),
    "-l -m sched -n sched_switch": (0, r" rawtp +sched +sched_switch *$"),
    "-l -v -n syscall::read:entry": (0, r"Probe Description Attributes\n\t\tIdentifier Names: "),
    "-q -i '1 { trace(probename); exit(0); }'": (0, r"^BEGIN$"),
    "-q -P dtrace'/probename == \"BEGIN\"/ { trace(1); exit(0); }'": (0, r"^1$"),
    "-q -n 'BEGIN { trace(1); }' -n 'BEGIN { trace(2); exit(0); }'": (0, r"^12$"),
    "-q -p $PID -n 'BEGIN { printf(\"%d\", $target == $$PID); exit(0); }'": (0, r"^1$"),
    "-q -b 1m -x strsize=8 -n 'BEGIN { trace(sizeof (string)); exit(0); }'": (0, r"^8$"),
    "-q -D N=5 -C -n 'BEGIN { trace(N); exit(0); }'": (0, r"^5$"),
    "-q -U linux -C -n 'BEGIN { trace(1); exit(0); }'": (0, r"^1$"),
    "-n BEGIN -n nothing:::here": (1, r"nothing:::here does not match any probes"),
    "-e -S -n 'BEGIN { exit(0); }'": (0, r"BEGIN"),
    "-V": (0, r"^\w+:? .*\d+\.\d+"),
}


def names():
    return [name for chapter in CHAPTERS.values() for name in chapter.split()]


def programs_in(folder):
    return {file[:-2] for file in os.listdir(folder) if file.endswith(".d")} - {"shop"}


def test_each_chapter_has_its_programs_or_the_reason_why_not():
    listed = names()
    assert len(listed) == len(set(listed)), "twice: %s" % [name for name in listed if listed.count(name) > 1]
    assert set(listed) == programs_in(FOLDER) | programs_in(VARYING)
    assert programs_in(VARYING) == set(CHECKS)
    chapters = {chapter for chapter, _, _, _ in ABSENT}
    assert chapters <= set(CHAPTERS), chapters - set(CHAPTERS)
    assert all(text or chapter in chapters for chapter, text in CHAPTERS.items())
    shown = {shown for _, _, _, shown in ABSENT if shown}
    folder = os.path.join(ROOT, "tests", "d", "differences")
    assert shown <= {file.rsplit(".", 1)[0] for file in os.listdir(folder)}, shown


@over(name for name in names() if name not in CHECKS)
def test_a_program_of_the_guide_prints_what_it_documents(name):
    need_root()
    wrong = runner.Case("guide/" + name).run(ERLBPF)
    assert not wrong, wrong


@functools.cache
def programs():
    """A folder of what is compiled once."""
    return tempfile.TemporaryDirectory(prefix="erlbpf-guide-")


@functools.cache
def target():
    return compiled(os.path.join(VARYING, "target.c"), programs().name, "-pthread")


def compiled(source, folder, *options):
    path = os.path.join(folder, os.path.basename(source).rsplit(".", 1)[0])
    subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", *options, "-o", path, source],
                   check=True)
    return path


def shop(folder):
    """Its probes are declared in D, from which the header is made."""
    header = os.path.join(folder, "shop.h")
    subprocess.run([ERLBPF, "-h", "-s", os.path.join(VARYING, "shop.d"), "-o", header], check=True)
    return compiled(os.path.join(VARYING, "shop.c"), folder, "-I", folder)


def is_there(name):
    """Not every kernel lets the probe be made."""
    with open(os.path.join(VARYING, name + ".d")) as file:
        probes = re.findall(r"^sched:::[\w-]+", file.read(), re.M)
    return not probes or subprocess.run([ERLBPF, "-l", "-n", ",".join(probes)], capture_output=True).stderr == b""


def run(name, places):
    with open(os.path.join(VARYING, name + ".d")) as file:
        said = runner.said_of(file.read())
    options = [re.sub(r"\$(TARGET|SHOP|FILE)\b", lambda match: places[match.group(1)], word)
               for word in shlex.split(said["options"])]
    return subprocess.Popen([ERLBPF, *options, "-s", os.path.join(VARYING, name + ".d"),
                             *shlex.split(said.get("args", ""))],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def hold(name, out):
    at = 0
    for pattern in CHECKS[name]:
        match = re.compile(pattern, re.M).search(out, at)
        assert match, "%s is not found in %r" % (pattern, out)
        at = max(at, match.end() - 1)


def of_command(name):
    return name in CHECKS and not name.startswith("beam-")


@over(in_group(name, "test_d_guide.py:varying") for name in names() if of_command(name))
def test_a_program_of_the_guide_prints_what_holds(name):
    need_root()
    if not is_there(name):
        raise Skip("this kernel does not let it be traced")
    with tempfile.TemporaryDirectory(prefix="erlbpf-guide-") as folder, \
            tempfile.NamedTemporaryFile(dir="/var/tmp", prefix="erlbpf-guide-") as file:
        places = {"FILE": file.name}
        if name.startswith("usdt-"):
            places["SHOP"] = shop(folder)
        elif not name.startswith("io-"):
            places["TARGET"] = target()
        child = run(name, places)
        out, err = child.communicate(timeout=LIMIT)
    if name.startswith("io-") and ("Invalid argument" in err or "Distribution" not in out):
        raise Skip("/var/tmp is on no disk")
    assert child.returncode == 0, (out, err)
    hold(name, out)


@over(name for name in names() if name.startswith("beam-"))
def test_a_program_of_the_guide_runs_on_a_node(name):
    """It is interrupted, as a user would do it, when the node has done something."""
    need_root()
    with shared(STOCK) as node:
        pid = node.eval("os:getpid()").strip('"')
        with Script(os.path.join(VARYING, name + ".d"), "-p", pid) as script:
            node.eval("[begin spawn(fun() -> ok end), erlang:garbage_collect() end || _ <- lists:seq(1, 50)]")
            node.eval("file:write_file(\"/dev/null\", <<1>>)")
            node.eval("P = self(), spawn(fun() -> P ! hello end), receive hello -> ok end")
            out = script.stop()
    hold(name, out)


@over(in_group(words, "test_d_guide.py:options") for words in COMMANDS)
def test_an_option_of_the_guide_does_what_it_documents(words):
    need_root()
    status, pattern = COMMANDS[words]
    words = words.replace("$$PID", str(os.getpid())).replace("$PID", str(os.getpid()))
    done = subprocess.run([ERLBPF] + shlex.split(words), capture_output=True, timeout=LIMIT, text=True,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == status, done
    assert re.search(pattern, (done.stdout + done.stderr).strip(), re.M), done


def test_a_script_can_begin_with_its_interpreter_and_write_to_a_file():
    need_root()
    with tempfile.TemporaryDirectory(prefix="erlbpf-guide-") as folder:
        script, out = os.path.join(folder, "script"), os.path.join(folder, "out")
        with open(script, "w") as file:
            file.write("#!%s -qs\nBEGIN { printf(\"%%d %%s\\n\", $1, $$2); exit(0); }\n" % ERLBPF)
        os.chmod(script, 0o755)
        assert subprocess.run([script, "7", "word"], capture_output=True, text=True, check=True).stdout == "7 word\n\n"
        for _ in range(2):
            subprocess.run([ERLBPF, "-q", "-o", out, "-n", 'BEGIN { printf("x\\n"); exit(0); }'], check=True)
        with open(out) as file:
            assert file.read().split() == ["x", "x"], "-o appends"
