"""erlbpf without arguments: the nodes that it sees, and what to type next."""
import contextlib
import os
import shutil
import subprocess
import tempfile

from lib import ERLBPF, STOCK, Node, unique


def overview(*prefix, program=ERLBPF, code=0):
    done = subprocess.run([*prefix, program], check=False, capture_output=True, text=True)
    assert done.returncode == code, done
    return done


def test_nodes_are_listed_and_what_to_type_next():
    name = unique("overview")
    with Node(STOCK, "-sname", name) as node:
        done = overview()
    assert [line for line in done.stdout.splitlines() if name + "@" in line and "process %d " % node.pid in line and "OTP 25" in line], done
    assert "sudo erlbpf why" in done.stdout and "erlbpf help" in done.stdout and not done.stderr, done


def test_where_there_is_no_node_it_says_what_may_be_the_cause():
    done = overview("unshare", "--pid", "--fork", "--mount-proc")
    assert "No running node is seen. Start one, or use sudo" in done.stdout and "sudo erlbpf why" in done.stdout, done


AS_USER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all"]


@contextlib.contextmanager
def program_of_user():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy(ERLBPF, folder)


def test_who_may_not_look_at_all_nodes_is_told_so():
    with program_of_user() as program, Node(STOCK, prefix=AS_USER, env={"HOME": "/"}) as node:
        done = overview(*AS_USER, program=program)
    assert "process %d " % node.pid in done.stdout and "sudo shows those of other users" in done.stdout, done


def test_processes_that_cannot_be_listed_are_no_absence_of_nodes():
    with program_of_user() as program:
        done = overview("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o mode=000 none /proc && exec "$@"', "sh", *AS_USER,
                        program=program, code=1)
    assert "cannot look for running nodes" in done.stderr and not done.stdout, done
