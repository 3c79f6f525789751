#!/usr/bin/env python3
"""The worked example of docs/adding-a-tool.md, taken from the page, put into a copy of the tree, built
and tested there: what a newcomer is told must work. `docs-example.py BUILD`."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def files_of(page):
    """{path: content} of the first code block below each heading that names a file."""
    files = {}
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        for path, block in re.findall(r"`([\w./-]+)`[^`]*?\n+```(?:c|python|toml)\n(.*?)^```", section,
                                      flags=re.M | re.S):
            files.setdefault(path, block)
    return files


def main():
    build = os.path.abspath(sys.argv[1])
    with open(os.path.join(ROOT, "docs", "adding-a-tool.md")) as page:
        files = files_of(page.read())
    wanted = {"bpf/turns.bpf.c", "tools/turns.c", "tools/tools.def",
              "tests/tools/test_turns.py", "docs/examples/turns.toml"}
    assert wanted <= set(files), "the page shows only %s" % sorted(files)
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(ROOT, copy, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns(".git", "build", "*.bpf.o.tmp"))
        for path in wanted:
            with open(os.path.join(copy, path), "w") as file:
                file.write(files[path])
        env = dict(os.environ, ERLBPF_BUILD=os.path.join(copy, "build"))
        subprocess.run(["make", "-s", "-j2", "build/erlbpf"], cwd=copy, check=True)
        shutil.copytree(os.path.join(build, "erl"), os.path.join(copy, "build", "erl"))
        subprocess.run(["make", "-s", "examples", "TOOLS=turns"], cwd=copy, check=True)
        done = subprocess.run(["/usr/bin/python3", "-m", "pytest", "tools/test_turns.py", "tools/test_docs.py", "-k", "turns"],
                              cwd=os.path.join(copy, "tests"), env=env, capture_output=True, text=True)
        print(done.stdout)
        assert done.returncode == 0 and " 0 failed" in done.stdout, done.stderr


if __name__ == "__main__":
    main()
