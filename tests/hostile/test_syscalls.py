"""All system calls, in all roles of the sandbox (user/base/process/privileges.h)."""
import os
import subprocess

from lib import BUILD, LIMIT

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "syscalls.txt")


def syscalls(what):
    return subprocess.run([os.path.join(BUILD, "syscalls"), what], stdout=subprocess.PIPE, timeout=LIMIT, check=True, text=True).stdout


def test_no_call_is_allowed_that_the_list_does_not_name():
    """`make syscalls` writes it anew: read what has changed, and say in the commit who needs it."""
    with open(LIST, encoding="utf-8") as file:
        assert syscalls("list").splitlines() == [line.rstrip("\n") for line in file if not line.startswith("#")]


def test_calls_that_are_refused_are_not_made():
    assert syscalls("live") == ""
