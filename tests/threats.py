#!/usr/bin/env python3
"""Do the tests that docs/threats.md names exist? Prints those that do not, and exits 1 if there are any."""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(HERE), "docs", "threats.md")
SAMPLED = ("faults", "hostile", "kernels")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def named(part):
    """What a part of the page names as tests: "area: words", or "unit: suite::"."""
    text = read(PAGE).split("\n## %s\n" % part)[1].split("\n## ")[0]
    spans = re.findall(r"`([^`]+)`", "\n".join(line for line in text.splitlines() if line.startswith("|")))
    files = [re.fullmatch(r"tests/(\w+)/test_(\w+)\.py", span) for span in spans]
    return sorted({span for span in spans if re.match(r"\w+: ", span)} |
                  {area_of(found.group(1), found.group(2)) + ": " for found in files if found})


def area_of(folder, name):
    return (folder + "_" if folder in SAMPLED else "") + name


def labels():
    """Names of all tests."""
    for path in glob.glob(os.path.join(HERE, "*", "test_*.py")):
        area = area_of(os.path.basename(os.path.dirname(path)), os.path.basename(path)[5:-3])
        for name in re.findall(r"^def test_(\w+)", read(path), re.M):
            yield "%s: %s" % (area, name.replace("_", " "))
    for path in glob.glob(os.path.join(HERE, "unit", "*.c")):
        for suite, name in re.findall(r"^Test\((\w+), (\w+)", read(path), re.M):
            yield "unit: %s::%s" % (suite, name)


def main():
    have = list(labels())
    missing = [name for part in ("Threats", "Goals") for name in named(part)
               if not any(label == name or name.endswith((": ", "::")) and label.startswith(name) for label in have)]
    for name in missing:
        print("%s: there is no test %s" % (PAGE, name), file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
