"""What holds the tree itself to its promises: documentation that is up to date, and checks that find what they look for."""
import os
import subprocess

from lib import BUILD, ROOT, over

CHECKS = {
    "the generated references in docs are up to date": ["tests/docs-fresh.sh", BUILD],
    "the tests that docs/threats.md names exist": ["tests/threats.py"],
    "commands and options and files and functions that pages name exist": ["tests/doc_names.py", BUILD],
    "the check of rooms finds circles and forbidden includes": ["tests/arrows_check.py"],
    "the check of sizes finds what is too large": ["tests/sizes_check.py"],
    "the check of unused code finds a function and a member": ["tests/unused_check.py"],
    "the check of errno finds a read after a call that does not set it": ["tests/stale_errno_check.py"],
    "the man pages are well-formed": ["mandoc", "-T", "lint", "-W", "error"] +
                                     [os.path.join(BUILD, "man", page)
                                      for page in ("erlbpf.8", "erlbpf-export.8", "erlbpf-profile.8")],
    "the layering check is clean": ["tests/arrows.py", "--objects", BUILD],
    "the check of sizes is clean": ["tests/sizes.py"],
    "the C is formatted": ["make", "--no-print-directory", "-s", "format-check"],
    "make install puts everything below DESTDIR": ["tests/install.sh", BUILD],
}


@over(CHECKS)
def test_tree(check):
    done = subprocess.run(CHECKS[check], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-4000:]
