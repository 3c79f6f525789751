#!/usr/bin/env python3
"""Writes the generated references below a folder: `docs.py BUILD FOLDER`. `make docs` writes them into the tree, and
tests/docs-fresh.sh compares. All is made of `erlbpf help --json` (docs/help-json.md), the examples in docs/examples/ and
the differences in tests/d/differences/."""
import json
import os
import subprocess
import sys

import language
import man
import probes
import readme
import tools
import translators


def described(build):
    """What erlbpf says of itself."""
    done = subprocess.run([os.path.join(build, "erlbpf"), "help", "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def references(what):
    """{path: text} of all."""
    return {
        "README.md": readme.page(what),
        "docs/d-language.md": language.page(what["d"]),
        "docs/probes.md": probes.page(what["probes"]),
        "docs/tools.md": tools.page(what),
        "docs/translators.md": translators.page(what["translators"]),
        **man.pages(what),
    }


def main():
    build, folder = sys.argv[1:]
    for path, text in references(described(os.path.abspath(build))).items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
