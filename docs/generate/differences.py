"""How D of erlbpf differs from DTrace, as docs/d-language.md says it. Each difference is a test: a D program of
tests/d/differences/ that shows it, or NAME.test, which names another test. At the head of each stands

    /*
     * @KIND: what differs
     * @dtrace: What DTrace does.
     * @erlbpf: What erlbpf does, and why.
     */

The kinds are those of TITLES; what is only added needs no @dtrace. Of the kind `compat` there are two programs, one with
@oracle and one with @illumos."""
import glob
import os
import re

from places import ROOT, read

FOLDER = "tests/d/differences"
COMPAT = "compat"
TITLES = {
    "adds": "erlbpf adds to the language of DTrace on Linux:",
    "language": "In the language:",
    "probes": "In the probes:",
    "command": "In the command:",
}
NEEDED = {kind: {"erlbpf"} if kind == "adds" else {"dtrace", "erlbpf"} for kind in TITLES}
HEAD = re.compile(r"/\*\n((?: \* .*\n)+) \*/\n")
TAG = re.compile(r"^ \* @(\w+): (.*(?:\n \*   .*)*)", re.M)


class Difference:
    def __init__(self, path):
        self.path = path
        head = HEAD.match(read(path))
        assert head, "%s does not begin with what differs; see docs/generate/differences.py" % path
        self.tags = {tag: re.sub(r"\n \* +", " ", text) for tag, text in TAG.findall(head.group(1))}
        self.kind = next(iter(self.tags))
        self.what = self.tags.pop(self.kind)
        self.test = self.tags.pop("test", None)

    def check(self):
        tags = set(self.tags)
        assert self.kind in TITLES or self.kind == COMPAT, "%s: no kind @%s" % (self.path, self.kind)
        wanted = [{"oracle"}, {"illumos"}] if self.kind == COMPAT else [NEEDED[self.kind]]
        assert tags in wanted, "%s has @%s, not @%s" % (self.path, " @".join(sorted(tags)), " @".join(sorted(wanted[0])))
        if self.path.endswith(".test"):
            assert self.test and is_a_test(self.test), "%s: there is no test %s" % (self.path, self.test)
        return self

    def place(self):
        if not self.test:
            return "../" + self.path
        return "../tests/tools/test_%s.py" % self.test.split(": ")[0]

    def item(self):
        return "* [%s](%s): %s\n" % (self.what, self.place(), self.tags["erlbpf"])

    def row(self):
        cells = "[%s](%s)" % (self.what, self.place()), self.tags["dtrace"], self.tags["erlbpf"]
        return "| %s |\n" % " | ".join(cell.replace("|", "\\|") for cell in cells)


def is_a_test(test):
    area, name = test.split(": ", 1)
    path = "tests/tools/test_%s.py" % area
    return os.path.exists(os.path.join(ROOT, path)) and "def test_%s(" % name.replace(" ", "_") in read(path)


def all_of_them():
    paths = sorted(path for ending in ("d", "test")
                   for path in glob.glob("%s/*.%s" % (FOLDER, ending), root_dir=ROOT))
    return [Difference(path).check() for path in paths]


def compat_table(differences):
    rows = {}
    for one in differences:
        rows.setdefault(one.what, {}).update(one.tags)
    for what, row in rows.items():
        assert set(row) == {"oracle", "illumos"}, "%s: only what one DTrace does is tested" % what
    return "| what | `-x compat=oracle` | `-x compat=illumos` |\n|---|---|---|\n" + "".join(
        "| %s | %s | %s |\n" % (what, row["oracle"], row["illumos"]) for what, row in rows.items())


def part(kind, differences):
    if kind == "adds":
        return "".join(one.item() for one in differences)
    return "| what | DTrace | erlbpf |\n|---|---|---|\n" + "".join(one.row() for one in differences)


def markdown():
    found = all_of_them()
    of_kind = {kind: [one for one in found if one.kind == kind] for kind in (COMPAT, *TITLES)}
    return "\n".join(
        ["Each difference is a test, which its name leads to. Where DTrace of Oracle and that of illumos differ, erlbpf does "
         "what\nthat of Oracle does, or what `-x compat` says:\n\n" + compat_table(of_kind[COMPAT])] +
        ["%s\n\n%s" % (title, part(kind, of_kind[kind])) for kind, title in TITLES.items()])
