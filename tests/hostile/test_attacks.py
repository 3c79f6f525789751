"""What an intruder does who has taken over a sandboxed process: each attack works without the filter, and in no role with it."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile

from lib import BUILD, LIMIT, ROOT, over

ATTACKS = os.path.join(BUILD, "attacks")

# They end what they are told to, and read nothing that others wrote but that.
MAY_SIGNAL = ("keeper", "signal")


def roles():
    """Their names, as the product has them."""
    with open(os.path.join(ROOT, "user/base/process/privileges_filter.c"), encoding="utf-8") as source:
        return re.findall(r'\[ROLE_\w+\] = \{ "(\w+)"', source.read())


def attack(name, role, target):
    """Did all of its calls work? One that ends the attacker did not."""
    code = subprocess.run([ATTACKS, name, role, str(target)], stdin=subprocess.DEVNULL, timeout=LIMIT, check=False).returncode
    assert code in (0, 1, -signal.SIGSYS, -signal.SIGSEGV), (name, role, code)
    return code == 0


def kills(name, role):
    victim = subprocess.Popen(["sleep", "1000"])
    attack(name, role, victim.pid)
    # SIGKILL comes before it, if it was sent.
    victim.terminate()
    return victim.wait(LIMIT) == -signal.SIGKILL


@contextlib.contextmanager
def listening(kind):
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, kind) as server:
        server.bind(os.path.join(folder, "socket"))
        server.setblocking(False)
        yield server


def leaks(name, role):
    with listening(socket.SOCK_DGRAM) as server:
        attack(name, role, server.getsockname())
        try:
            fds = socket.recv_fds(server, 1, 1)[1]
        except BlockingIOError:
            return False
        for fd in fds:
            os.close(fd)
        return bool(fds)


def calls(name, role):
    with listening(socket.SOCK_STREAM) as server:
        server.listen()
        attack(name, role, server.getsockname())
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return False
        return True


def opens(name, role):
    return attack(name, role, os.getpid())


def harms(name, role):
    """A process that is nobody else's."""
    victim = subprocess.Popen(["sleep", "1000"])
    try:
        return attack(name, role, victim.pid)
    finally:
        victim.kill()
        victim.wait(LIMIT)


EFFECTS = {
    "signal-by-descriptor": kills,
    "signal-by-request": kills,
    "signal-by-pidfd": kills,
    "signal-by-kill": kills,
    "signal-by-thread": kills,
    "signal-by-queue": kills,
    "signal-by-thread-queue": kills,
    "descriptor-by-pair": leaks,
    "descriptor-by-many": leaks,
    "call": calls,
    "memory": opens,
    "theft": harms,
    "limit": harms,
    "priority": harms,
    "typing": opens,
    "namespace": opens,
    "code": opens,
    "changed-code": opens,
    "code-in-file": opens,
}

EXCEPTED = {("signal-by-pidfd", role) for role in MAY_SIGNAL}


@over(EFFECTS)
def test_in_no_role_an_intruder_has_success_by(case):
    has_effect = EFFECTS[case]
    assert has_effect(case, "none"), "it does not work without a filter, so this test would show nothing"
    names = roles()
    assert len(names) >= 10, names
    for role in names:
        assert has_effect(case, role) == ((case, role) in EXCEPTED), role
