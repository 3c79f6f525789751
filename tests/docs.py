#!/usr/bin/env python3
"""Writes the generated references below a folder: `docs.py BUILD FOLDER`. `make docs` writes them into
the tree, and tests/docs-fresh.sh compares."""
import glob
import os
import re
import subprocess
import sys

import differences
import examples
from lib import ROOT

CATALOGUE = sorted(glob.glob("probes/*.d", root_dir=ROOT))
REFERENCE = re.compile(r"(<!-- d reference: made by `make docs` -->\n).*?(<!-- end of d reference -->)", re.S)
DIFFERENCES = re.compile(r"(<!-- differences: made by `make docs` -->\n).*?(<!-- end of differences -->)", re.S)
MAN = re.compile(r"(; begin of (\S+), made by `make docs`\n).*?(; end of \2\n)", re.S)
LIST = re.compile(r"(<!-- tools: made by `make docs` -->\n).*?(<!-- end of tools -->)", re.S)


def output(*argv):
    return subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")


def example(match):
    tool = match.group(1)
    if not all(os.path.exists(examples.path_of(tool, kind)) for kind in ("toml", "txt")):
        return "There is no example yet.\n"
    text = examples.recipe_of(tool)["text"]
    return "%s\n\n```\n%s```\n%s" % (text, examples.output_of(tool), picture(tool))


def picture(tool):
    """Of a tool that has a screen."""
    return "\n![On a terminal](%s.svg)\n" % tool if os.path.exists(os.path.join(ROOT, "docs", tool + ".svg")) else ""


def tools_page(bare):
    return re.sub(r"<!-- example of (\S+) -->\n", example, bare)


def readme(bare):
    with open(os.path.join(ROOT, "README.md")) as file:
        old = file.read()
    rows = ["| [%s](docs/tools.md#%s) | %s |\n" % (name, name, summary)
            for name, summary in re.findall(r"^## (\S+)\n\nAnswers: (.*)\.$", bare, re.M)]
    new, found = LIST.subn(lambda m: "%s\n| tool | answers |\n|---|---|\n%s\n%s" % (
        m.group(1), "".join(rows), m.group(2)), old)
    assert found == 1, "README.md has no place for the list of tools: %s" % LIST.pattern
    return new


def language(functions):
    with open(os.path.join(ROOT, "docs", "d-language.md")) as file:
        old = file.read()
    new, found = REFERENCE.subn(lambda m: m.group(1) + "\n" + functions + m.group(2), old)
    assert found == 1, "docs/d-language.md has no place for its reference: %s" % REFERENCE.pattern
    new, found = DIFFERENCES.subn(lambda m: m.group(1) + "\n" + differences.markdown() + "\n" + m.group(2), new)
    assert found == 1, "docs/d-language.md has no place for differences: %s" % DIFFERENCES.pattern
    return new


def man_page(erlbpf, path):
    """A page of docs/man/ with its generated parts, which stand between comments."""
    with open(os.path.join(ROOT, path)) as file:
        old = file.read()
    new, found = MAN.subn(lambda m: m.group(1) + "\n" + output(erlbpf, "help", "--man-" + m.group(2)) + m.group(3), old)
    assert found, "%s has no place for what is generated: %s" % (path, MAN.pattern)
    return new


def references(build):
    """{path: text} of all."""
    erlbpf = os.path.join(build, "erlbpf")
    bare = output(erlbpf, "help", "--markdown-tools")
    return {
        "docs/d-language.md": language(output(erlbpf, "help", "--markdown-d")),
        "docs/probes.md": output(os.path.join(build, "gen"), "docs", *CATALOGUE),
        "docs/tools.md": tools_page(bare),
        "docs/translators.md": output(erlbpf, "help", "--markdown-translators"),
        "README.md": readme(bare),
        **{"docs/man/%s.8.scd" % page: man_page(erlbpf, "docs/man/%s.8.scd" % page)
           for page in ("erlbpf", "erlbpf-export", "erlbpf-profile")},
    }


def main():
    build, folder = sys.argv[1:]
    for path, text in references(os.path.abspath(build)).items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)) or ".", exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
