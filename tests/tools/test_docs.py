"""The tool reference: every tool has its place in each text, and its example is what it prints."""
import glob
import os
import re
import shutil
import subprocess
import tempfile

import examples
from lib import ERLBPF, ROOT, Skip, erlbpf, of_type, over

HERE = "to see how: docs/adding-a-tool.md, \"The example\""


def text_of(path):
    with open(os.path.join(ROOT, path)) as file:
        return file.read()


def section_of(tool):
    return re.search(r"^## %s\n.*?(?=^## |\Z)" % tool, text_of("docs/tools.md"), re.M | re.S).group(0)


def names_in(text):
    return re.findall(r"`(\w+)`", text)


def offered_by_bash(*words, last=""):
    """What the completion of bash offers as the last word, of which this is there already."""
    script = ('. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _erlbpf; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script, "bash", os.path.join(ROOT, "docs/completion/erlbpf.bash"),
                           ERLBPF, *words, last], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split()


def given_to_zsh(command):
    """The specifications of options that the completion of zsh makes for a command."""
    if not shutil.which("zsh"):
        raise Skip("there is no zsh")
    script = ('compdef() { : }; _arguments() { print -l -- "$@" }; words=($1 $3 ""); CURRENT=3; '
              'source <(sed \'/^_erlbpf "\\$@"/d\' "$2"); _erlbpf')
    done = subprocess.run(["zsh", "-fc", script, "zsh", ERLBPF, os.path.join(ROOT, "docs/completion/_erlbpf"), command],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert not done.stderr, done.stderr
    return done.stdout.decode().splitlines()


@over(examples.tools())
def test_every_text_about_tools_has_this_one(tool):
    man = text_of("docs/man/erlbpf.8.scd").split("\n# OPTIONS")[0]
    lacks = [what for is_there, what in (
        (os.path.exists(examples.path_of(tool, "toml")),
         "docs/examples/%s.toml: write the recipe of its example; %s" % (tool, HERE)),
        (os.path.exists(examples.path_of(tool, "txt")),
         "docs/examples/%s.txt: run `make examples TOOLS=%s`" % (tool, tool)),
        (re.search(r"^\*%s\*( |$)" % tool, man, re.M),
         "docs/man/erlbpf.8.scd, COMMANDS: run `make docs`"),
        ("(docs/tools.md#%s)" % tool in text_of("README.md"), "README.md, list of tools: run `make docs`"),
        ("\n## %s\n" % tool in text_of("docs/tools.md"), "docs/tools.md: run `make docs`"),
        (tool in offered_by_bash(), "docs/completion/erlbpf.bash does not offer it"),
    ) if not is_there]
    assert not lacks, "%s is missing in:\n%s" % (tool, "\n".join(lacks))


def test_the_version_stands_in_one_file():
    version = text_of("VERSION").strip()
    found = re.fullmatch(r"erlbpf (\S+)(?: \(([0-9a-f]{7})\))?\n", erlbpf("--version")[0])
    assert found and found.group(1) == version, erlbpf("--version")
    for path in ("docs/deploy/README.md", "docs/deploy/base/daemonset.yaml", "packaging/Dockerfile"):
        named = set(re.findall(r"erlbpf[:_](\d+\.\d+\.\d+)", text_of(path)))
        assert named == {version}, "%s names %s" % (path, named)


def test_the_version_has_the_commit_with_and_without_git():
    with tempfile.TemporaryDirectory() as folder:
        for path in ["Makefile", "VERSION", *glob.glob("**/*.mk", root_dir=ROOT, recursive=True)]:
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
        header = os.path.join(folder, "build", "version.h")

        def made():
            subprocess.run(["make", "-s", "-C", folder, "build/version.h"], check=True)
            with open(header) as file:
                return re.findall('"(.*)"', file.read())

        version = text_of("VERSION").strip()
        assert made() == [version, ""]
        before = os.stat(header).st_mtime_ns
        assert made() == [version, ""] and os.stat(header).st_mtime_ns == before
        with open(os.path.join(folder, ".commit"), "w") as file:
            file.write("1234567\n")
        assert made() == [version, "1234567"]


def test_no_example_is_without_its_tool():
    known = set(examples.tools())
    files = os.listdir(examples.FOLDER)
    assert files and all(os.path.splitext(file)[0] in known for file in files), files


def test_the_completion_for_bash_offers_the_keys_of_by_that_a_tool_takes():
    keys = re.search(r"--by KEY +one result per (.*)", erlbpf("help", "gc")[0]).group(1)
    assert offered_by_bash("gc", "--by") == re.split(", | or ", keys)


def described_options(text):
    """{name of an option: does it take a value}."""
    found = {}
    for line in text.splitlines():
        names, value = re.match(r"  +((?:-\w, )?--?[\w-]+)(?: (\S+))?  ", line + "  ").groups() \
            if re.match(r"  +-", line) else ("", None)
        found.update({name: bool(value) for name in names.split(", ") if name})
    return found


def names_in_help(command):
    """The same, of a command: its own options are described, and the names of the common ones are listed."""
    own, common = erlbpf("help", command)[0].split("Options:\n")[1].split("\nCommon options ")
    shared = described_options(erlbpf("help", "options")[0])
    listed = re.findall(r"--?[\w-]+", common.split("\n", 1)[1].split("\n\n")[0])
    return {**described_options(own), **{name: shared[name] for name in listed}}


def test_the_completions_offer_the_options_of_help():
    for command in ("gc", "top", "uprobe", "list", "doctor", "export"):
        expected = names_in_help(command)
        assert set(offered_by_bash(command, last="-")) == set(expected), command
        specs = [re.match(r"(?:\(.*?\)|\*)?(--?[\w-]+)=?\[[^]]*\](:.*)?$", spec) for spec in given_to_zsh(command)
                 if not spec.startswith("1:") and spec != "-s"]
        assert {spec.group(1): bool(spec.group(2)) for spec in specs} == expected, command


def test_the_completion_for_zsh_offers_all_tools():
    if not shutil.which("zsh"):
        raise Skip("there is no zsh")
    # Its functions, without the call at the end and what zsh brings to show the words.
    script = ('compdef() { : }; _describe() { print -l "${(@P)4}" }; program=$1; '
              'source <(sed \'/^_erlbpf "\\$@"/d\' "$2"); _erlbpf_commands')
    done = subprocess.run(["zsh", "-fc", script, "zsh", ERLBPF, os.path.join(ROOT, "docs/completion/_erlbpf")],
                          stdout=subprocess.PIPE, check=True)
    offered = [line.split(":")[0] for line in done.stdout.decode().splitlines()]
    assert offered[:len(examples.tools())] == examples.tools(), offered


@over(examples.tools())
def test_the_example_has_the_form_of_what_the_tool_prints(tool):
    text, lines = examples.run(tool, suffix=str(os.getpid()), with_json=True)
    stored = examples.output_of(tool)
    was, found = examples.form(stored), examples.form(text)
    assert was == found, "%s: no longer printed: %s; new: %s; if that is meant, `make examples TOOLS=%s`" % (
        tool, sorted(was - found), sorted(found - was), tool)
    assert examples.command_in(stored) == examples.command_in(text), (
        "the recipe has another command: `make examples TOOLS=%s`" % tool)
    check_fields(tool, lines)


def check_fields(tool, lines):
    """Are the fields of JSON lines those that the reference says?"""
    head, section = text_of("docs/tools.md").split("\n## %s\n" % examples.tools()[0])[0], section_of(tool)
    common, sometimes = {}, {}
    for kind, fields in re.findall(r"^\| `(\w+)` \| (.*?) \|", head, re.M):
        common.setdefault(kind, {"type", "tool"}).update(names_in(fields))
    # A tool may have other columns for other ways to ask.
    columns = cells_below(section, "column")
    accounts = set().union(*cells_below(section, "in the summary"))
    for kinds, fields in re.findall(r"^\| ((?:`\w+`, )+)(?:of|if) .*? \| (.*?) \|", head, re.M):
        for kind in names_in(kinds):
            sometimes.setdefault(kind, set()).update(names_in(fields))
    more = {"event": [set(table) for table in columns], "summary": [accounts],
            "table": [set().union(*cells_below(section, "in each table"))]}
    for line in lines:
        fields = set(line) - {"schema"} - sometimes.get(line["type"], set())
        expected = [common[line["type"]] | some for some in more.get(line["type"], [set()])]
        assert fields in expected, "a %s has %s, and the reference says %s" % (
            line["type"], sorted(fields), expected)
        for row in [line] if line["type"] == "event" else line.get("rows", []):
            assert any(is_row_of(table, row) for table in columns), (row, columns)
    assert of_type(lines, "event") or of_type(lines, "hist") or of_type(lines, "table")


def is_row_of(table, row):
    return all(name in row and (row[name] is None or isinstance(row[name], str if "text" in kind else (int, float)))
               for name, kind in table.items())


def cells_below(section, title):
    """{name: second cell} of each table with that title, but for those that are only in text."""
    tables = re.findall(r"^\| %s \|.*\n\|---.*\n((?:\|.*\n)*)" % title, section, re.M)
    return [{name: cell for name, cell in re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.M)
             if cell != "in the fields of every event"} for table in tables]
