#!/usr/bin/env python3
"""The examples of docs/tools.md: for each tool a recipe, docs/examples/TOOL.toml, and what it printed,
TOOL.txt. `examples.py [TOOL...]` runs the recipes on real nodes and stores what they print (`make
examples`); tests/tools/test_docs.py runs them again and compares.

A recipe (docs/adding-a-tool.md has one):
  text     what happens on the node, for the reader of the page
  command  the tool and its options; -p is added; {Name} is the value of what `before` binds
  before   an Erlang expression, evaluated before the trace; what it binds, `during` can use
  during   the same while the trace runs; the trace ends with it. Without it, the command has a -d
  module   a workload of tests/erl instead of ctl; it has a main/0 that prints "ready" and goes on
  vm       "stock" (OTP 25), "usdt" or "emu" (with notes), for what needs them
  erl      more words for the command line of erl
  peer     true: a second node, connected, whose name is bound to Peer; both have names
"""
import os
import re
import shlex
import sys
import tomllib

from lib import LIMIT, ROOT, VMS, Node, Trace

FOLDER = os.path.join(ROOT, "docs", "examples")
KEYS = {"text", "command", "before", "during", "module", "vm", "erl", "peer"}
MAX_ROWS = 8     # of a table or of events in a row
MAX_LINES = 40


def tools():
    """Names of all tools, in the order of the help."""
    with open(os.path.join(ROOT, "tools", "tools.def")) as file:
        return [name.replace("_", "-") for name in re.findall(r"^TOOL\((\w+)\)", file.read(), re.M)]


def path_of(tool, kind):
    return os.path.join(FOLDER, "%s.%s" % (tool, kind))


def recipe_of(tool):
    assert os.path.exists(path_of(tool, "toml")), "%s has no recipe: write %s" % (tool, path_of(tool, "toml"))
    with open(path_of(tool, "toml"), "rb") as file:
        recipe = tomllib.load(file)
    unknown = set(recipe) - KEYS
    assert not unknown, "%s: there is no %s" % (path_of(tool, "toml"), ", ".join(sorted(unknown)))
    assert recipe.get("command", "").split()[:1] == [tool], "%s: its command is another tool's" % tool
    assert recipe.get("text"), "%s: no text" % path_of(tool, "toml")
    return recipe


def output_of(tool):
    with open(path_of(tool, "txt")) as file:
        return file.read()


class Nodes:
    """The nodes of a recipe, ready to be traced. Names end in `suffix`."""

    def __init__(self, recipe, suffix):
        vm = [vm for vm in VMS if vm.name == recipe.get("vm", "stock")][0]
        module = recipe.get("module", "ctl")
        words = shlex.split(recipe.get("erl", ""))
        self.nodes = []
        if recipe.get("peer"):
            words += ["-name", "alice%s@127.0.0.1" % suffix]
            self.nodes.append(Node(vm, "-name", "bob%s@127.0.0.1" % suffix))
        self.traced = Node(vm, *words, run=(module, "main"))
        self.nodes.append(self.traced)
        if recipe.get("peer"):
            self.traced.eval("Peer = %s" % self.nodes[0].eval("node()"))
            assert self.traced.eval("net_kernel:connect_node(Peer)") == "true"
        if "before" in recipe:
            # Where recipes find files of this repository, wherever the tests run.
            self.traced.eval("file:set_cwd(\"%s\")" % ROOT)
            self.traced.eval(recipe["before"])

    def close(self):
        for node in self.nodes:
            node.close()


def terminal(command, trace, out):
    """What a terminal would show, but for lines that are left out."""
    live = [i for i, line in enumerate(trace.stderr) if "Tracing" in line][0] + 1
    return "\n".join([command] + trace.stderr[:live] + cut(out) + trace.stderr[live:]) + "\n"


def attached(*words):
    """Once all probes are live: very many of some tools, which costs seconds of processor time."""
    # Complete, also where hits take long.
    trace = Trace(*words, wait=False, env={"ERLBPF_MAX_OVERHEAD": "0"})
    trace.wait_for("Tracing", 5 * LIMIT)
    return trace


def run(tool, suffix="", with_json=False):
    """(text, its JSON lines or None) of one run."""
    recipe = recipe_of(tool)
    nodes = Nodes(recipe, suffix)
    try:
        command = re.sub(r"\{([A-Z]\w*)\}", lambda m: shlex.quote(nodes.traced.eval(m.group(1))),
                         recipe["command"]) + " -p %d" % nodes.traced.pid
        words = shlex.split(command)
        traces = [attached(*words)] + ([attached(*words, "-j")] if with_json else [])
        if "during" in recipe:
            nodes.traced.eval(recipe["during"])
            text, *lines = [trace.stop() if i == 0 else trace.stop_json() for i, trace in enumerate(traces)]
        else:
            text, *lines = [trace.stop(None) if i == 0 else trace.stop_json(None)
                            for i, trace in enumerate(traces)]
        return terminal("$ erlbpf " + command, traces[0], text), lines[0] if lines else None
    finally:
        nodes.close()


def is_header(line):
    return re.fullmatch(r"[A-Z%][A-Z0-9_%/#.-]*( +[A-Z%][A-Z0-9_%/#.-]*)*", line.rstrip()) is not None


def cut(out):
    """Lines of the output: of long tables the beginning, of long outputs too."""
    lines, rows = [], None
    for line in out.splitlines():
        line = line.rstrip()
        rows = 0 if is_header(line) else None if not line or rows is None else rows + 1
        if rows is None or rows <= MAX_ROWS:
            lines.append(line)
        elif rows == MAX_ROWS + 1:
            lines.append("...")
    return lines if len(lines) <= MAX_LINES else lines[:MAX_LINES] + ["..."]


def normal(line):
    """A line without what differs from run to run."""
    for pattern, name in (
            (r"\S+@[^\s,)]+", "NODE"),
            (r"<\d+(\.\d+)+>|#Port<[\d.]+>|#Ref<[\d.]+>", "PID"),
            (r"\d\d:\d\d:\d\d(\.\d+)?", "N"),
            (r"-?\b\d+(\.\d+)?(ns|us|ms|s)?\b", "N"),
            (r"\|@* *", "| "),
            (r"< ?N", "N"),
            (r" +", " ")):
        line = re.sub(pattern, name, line)
    return line.strip()


def command_in(text):
    """The command of an output, but for what the node chose: its process, its pids."""
    return re.sub(r" -p \d+$|(?<=')<[\d.]+>(?=')", "", text.splitlines()[0])


def form(text):
    """What must not change from run to run: the set of titles and headers, and of what is below them."""
    found, header = set(), None
    for line in text.splitlines():
        if is_header(line):
            header = " ".join(line.split())
            found.add(header)
        elif not line:
            header = None
        elif header:
            found.add("rows below " + header)
        elif line == "..." or re.match(r"\d+ [a-z]|lost: ", line):
            continue    # accounts: only what is not 0 is printed
        elif re.match(r"while watched, |< \S+ \(probe cost\) ", line):
            continue    # depends on what a hit costs here
        elif line.startswith("  ") and line[2] != " " and not re.search(r" \([a-z/ ]+\)$", line):
            found.add("a key")
        else:
            found.add(normal(line))
    return found


def store(tool):
    text, _ = run(tool)
    with open(path_of(tool, "txt"), "w") as file:
        file.write(text)
    print("%s: %d lines" % (path_of(tool, "txt"), text.count("\n")))


def main():
    for tool in sys.argv[1:] or tools():
        if os.path.exists(path_of(tool, "toml")):
            store(tool)
        else:
            print("%s has no recipe yet" % tool, file=sys.stderr)


if __name__ == "__main__":
    main()
