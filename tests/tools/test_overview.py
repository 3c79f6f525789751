"""erlbpf without arguments: the nodes that it sees, and what to type next."""
import subprocess

from lib import ERLBPF, STOCK, Node, unique


def overview(*prefix):
    return subprocess.run([*prefix, ERLBPF], check=True, capture_output=True, text=True)


def test_nodes_are_listed_and_what_to_type_next():
    name = unique("overview")
    with Node(STOCK, "-sname", name) as node:
        done = overview()
    assert [line for line in done.stdout.splitlines() if name + "@" in line and "process %d " % node.pid in line and "OTP 25" in line], done
    assert "sudo erlbpf why" in done.stdout and "erlbpf help" in done.stdout and not done.stderr, done


def test_where_there_is_no_node_it_says_what_may_be_the_cause():
    done = overview("unshare", "--pid", "--fork", "--mount-proc")
    assert "No running node is seen. Start one, or use sudo" in done.stdout and "sudo erlbpf why" in done.stdout, done
