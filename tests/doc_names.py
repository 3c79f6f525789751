#!/usr/bin/env python3
"""Do the names in the documentation exist? `doc_names.py BUILD [--tree DIR]`.

In every page, what stands in `backticks`, in code blocks and in *bold* of a man page is read:
  commands   erlbpf gc          must be one that the help lists
  options    --name             must be in the help of the command before it; without one, in any help. So must -x NAME
  files      user/run/run.c     must be in the tree; a bare run.c must be the name of some file in it
  functions  run_event()        must be defined in our C or Python, or be a function of D
  types      struct tool        must be defined in our C
Names of others (of the kernel, of Erlang, of programs that a page runs) are listed below. CHANGELOG.md is not read,
because it names what is gone. Of comments in C, the paths are read. First a bad name of each kind is put into a page of its own, and must be found.
Prints what is wrong; exits 1 if anything is."""
import argparse
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from tags import tags

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ("*.md", "docs/**/*.md", "docs/man/*.scd", "tools/**/*.md", "packaging/**/*.md", "vmlinux/*.md")
UNREAD = ("CHANGELOG.md",)
FOLDERS = ("bpf", "docs", "packaging", "probes", "tests", "tools", "user", "vmlinux")
ENDINGS = ("bpf.c", "bpf.h", "c", "h", "py", "def", "sh", "scd", "toml", "proto", "md")

FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
BOLD = re.compile(r"\*([^*\n]+)\*")
HEADING = re.compile(r"^#+ .*$", re.M)

COMMAND = re.compile(r"(?:^|[^\w./-])erlbpf ([a-z][a-z-]+)")
D_OPTION = re.compile(r"(?<![\w-])-x ([a-z]\w*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
PATH = re.compile(r"(?<![\w./$:~<-])(?:%s)/[\w.*/{}-]*" % "|".join(FOLDERS))
BARE = re.compile(r"(?<![\w./*<>-])[\w-]+\.(?:%s)\b(?![\w./(])" % "|".join(end.replace(".", r"\.") for end in ENDINGS))
CALL = re.compile(r"(?<![\w.:>-])([a-z_]\w*)\(\)")
TYPE = re.compile(r"\b(?:struct|enum|union) ([a-z_]\w*)")

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# bpf/ is a folder of libbpf's headers, too.
IN_COMMENT = re.compile(r"(?<![\w./$:~<-])(?:%s)/[\w./-]+\.(?:%s)\b" % (
    "|".join(folder for folder in FOLDERS if folder != "bpf"), "|".join(end.replace(".", r"\.") for end in ENDINGS)))

PLACEHOLDER = re.compile(r"\{[^}]*\}|(?<![a-zA-Z])[A-Z]{2,}(?![a-zA-Z])")  # of NAME.bpf.c, d_NAME()

# Commands of others that pages show; their options are not ours.
OTHERS = re.compile(r"\b(?:kubectl|docker|apt|apt-get|curl|git|make|perf|bpftrace|systemctl|mount|sysctl|podman|"
                    r"configure|dtrace -|build-otp\.sh|tests/\S+\.(?:py|sh)|packaging/\S+|probes/otp/\S+)")
FOREIGN_OPTIONS = {
    "--with-dynamic-trace",  # of OTP's configure
    "--enable-feature", "--web",  # of Prometheus
}
# Functions that our texts name and that others define: libc, the kernel, Erlang and its VM.
FOREIGN_CALLS = re.compile(r"bpf_\w+|erts_\w+|enif_\w+|driver_\w+|perf_event_open|bpf|main|free|malloc|open|close|"
                           r"read|write|fork|exec|kill|longjmp|mmap|process_vm_readv|self")
FOREIGN_TYPES = {"task_struct", "file", "pt_regs"}
# Files of others, and one that the makefile makes.
FOREIGN_FILES = {"sdt.h", "version.h"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def code_of(path, text):
    """(line number, code) of all that a page marks as code."""
    if path.endswith(".scd"):
        spans = [(found.start(), found.group(1).replace("\\", "")) for found in BOLD.finditer(text)]
    else:
        spans = [(found.start(1), found.group(1)) for found in FENCE.finditer(text)]
        bare = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        spans += [(found.start(1), found.group(1)) for found in SPAN.finditer(bare)]
    for at, code in spans:
        first = text.count("\n", 0, at) + 1
        for offset, line in enumerate(code.split("\n")):
            yield first + offset, line


class Names:
    """What there is."""

    def __init__(self, root, build):
        self.files = {path for path in glob.glob("**", root_dir=root, recursive=True, include_hidden=True)
                      if not path.startswith((".git/", "build/"))}
        self.bases = {os.path.basename(path) for path in self.files}
        self.options, self.d_options = {}, set()  # by command; "" has those of all
        self.calls, self.types = set(), set()
        for tag in tags(root, "dfpgsux"):
            (self.types if tag["kind"] in ("struct", "union", "enum") else self.calls).add(tag["name"])
        for path in glob.glob("tests/**/*.py", root_dir=root, recursive=True) + glob.glob("docs/generate/*.py", root_dir=root):
            self.calls |= set(re.findall(r"^\s*def (\w+)", read(os.path.join(root, path)), re.M))
        self.ask(os.path.join(build, "erlbpf"))

    def ask(self, erlbpf):
        """Options, and the functions of D, as the binary knows them."""
        def say(*words):
            return subprocess.run([erlbpf, "help", *words], capture_output=True, text=True, check=True).stdout

        overview = say()
        commands = re.findall(r"^command\t(\S+)", say("--complete"), re.M) + ["dtrace"]
        self.options = {command: set(OPTION.findall(say(command))) for command in commands}
        self.options[""] = set().union(OPTION.findall(overview), *self.options.values())
        self.d_options = set(re.findall(r"^  ([a-z]+)(?:=\S+)?  ", say("dtrace").split("Options of -x:")[1], re.M))
        language = json.loads(say("--json"))["d"]
        self.d_options |= {option["name"] for option in language["options"]}  # those without effect are not in the help
        self.calls |= {function["name"] for function in language["functions"]}

    def has_file(self, name):
        pattern = PLACEHOLDER.sub("*", name.rstrip("/."))
        if "*" not in pattern:
            return pattern in self.files or pattern.replace("/", "") in self.bases
        every = self.files if "/" in pattern else self.bases
        return bool(fnmatch.filter(every, pattern))


class Shown:
    """What a page itself shows how to make: the files that its headings name, the types that its programs define."""

    def __init__(self, text):
        self.stems = {os.path.basename(path).split(".")[0] for path in SPAN.findall("\n".join(HEADING.findall(text)))}
        self.types = set(re.findall(r"\b(?:struct|enum|union) (\w+) [{<]", text))


def wrong_options(code, names, made):
    command = COMMAND.search(code)
    command = command.group(1) if command else ""
    if command not in names.options and command not in made.stems:
        yield "command erlbpf " + command
    for option in OPTION.findall(code):
        if option not in names.options.get(command, names.options[""]) | FOREIGN_OPTIONS:
            yield "option %s%s" % (option, command and " of erlbpf " + command)
    for option in D_OPTION.findall(code):
        if option not in names.d_options:
            yield "option -x " + option


def wrong_in(code, names, made):
    """What of this code does not exist."""
    if not OTHERS.search(code):
        yield from wrong_options(code, names, made)
    for file in PATH.findall(code) + BARE.findall(code):
        stem = os.path.basename(file.rstrip("/")).split(".")[0].replace("test_", "")
        if stem not in made.stems and os.path.basename(file) not in FOREIGN_FILES and not names.has_file(file):
            yield "file " + file
    for call in CALL.findall(code):
        if call not in names.calls and not FOREIGN_CALLS.fullmatch(call) and not PLACEHOLDER.search(call):
            yield "function %s()" % call
    for tag in TYPE.findall(code):
        if tag not in names.types | made.types | FOREIGN_TYPES:
            yield "type " + tag


def pages(root):
    found = {path for pattern in PAGES for path in glob.glob(pattern, root_dir=root, recursive=True)}
    return sorted(path for path in found if path not in UNREAD)


def check(root, names):
    """What is wrong, one line each."""
    for path in pages(root):
        text = read(os.path.join(root, path))
        made = Shown(text)
        for line, code in code_of(path, text):
            for what in wrong_in(code, names, made):
                yield "%s:%d: there is no %s" % (path, line, what)


def check_comments(root, names):
    for folder in FOLDERS:
        for path in glob.glob(folder + "/**/*.[chd]*", root_dir=root, recursive=True):
            if not path.endswith((".c", ".h", ".def", ".d")):
                continue
            text = read(os.path.join(root, path))
            for comment in COMMENT.finditer(text):
                for file in IN_COMMENT.findall(comment.group()):
                    if not names.has_file(file):
                        yield "%s:%d: there is no file %s" % (path, text[:comment.start()].count("\n") + 1, file)


BAD = ("--no-such-option", "erlbpf nosuch", "erlbpf gc --no-seccomp", "-x nosuch", "user/run/no_such_file.c", "no_such_file.c", "no_such_function()", "struct no_such_type")


def self_check(names):
    """Each bad name in a page is found, in a span, a block and a man page."""
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "docs", "man"))
        for bad in BAD:
            for path, form in (("README.md", "see `%s`.\n"), ("docs/a.md", "```\nx %s\n```\n"),
                               ("docs/man/erlbpf.8.scd", "see *%s*.\n")):
                with open(os.path.join(root, path), "w", encoding="utf-8") as page:
                    page.write(form % bad)
                found = list(check(root, names))
                os.unlink(os.path.join(root, path))
                if len(found) != 1:
                    yield "self-check: %s in %s gave %s" % (bad, path, found)
        os.makedirs(os.path.join(root, "user"))
        with open(os.path.join(root, "user", "a.c"), "w", encoding="utf-8") as file:
            file.write("/* see user/run/no_such_file.c */\n")
        if len(list(check_comments(root, names))) != 1:
            yield "self-check: a comment names a file that is not there, and it is not found"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--tree", default=ROOT)
    options = parser.parse_args()
    names = Names(options.tree, options.build)
    wrong = list(self_check(names)) + list(check(options.tree, names)) + \
        list(check_comments(options.tree, names))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
