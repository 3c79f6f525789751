"""What the kernel's verifier has to look at before a tool begins: who starts one waits for it."""
import re

from lib import STOCK, Node, erlbpf, over
from test_all import tools

# Instructions of one program. What is looked at once more for each way out of a loop is soon ten times as many.
MOST = 45000
# Walks whole stacks.
PROFILE_MOST = 120000
NAMED = ["births --by name", "calls * --by name", "gc --by name", "locks --by name", "mailbox --by name", "messages --by name", "messages --show",
         "slices --by mfa", "sockets --by name"]
LOOKED_AT = re.compile(r"^erlbpf: (\w+):\\x0averification time .*\\x0aprocessed (\d+) insns", re.M)


def programs_of(node, words):
    """Instructions that were looked at, of each program."""
    _, err = erlbpf(*words.split(), "-p", node.pid, "-d", 0.1, "-vv", code=None)
    return [(int(count), words, name) for name, count in LOOKED_AT.findall(err)]


@over([STOCK])
def test_no_program_takes_the_verifier_long(vm):
    with Node(vm) as node:
        seen = [program for words in set(tools()) - {"calls"} | set(NAMED) for program in programs_of(node, words)]
    assert len({words for _, words, _ in seen}) > 25, "few say what was looked at: %s" % seen
    long = [row for row in seen if row[0] > (PROFILE_MOST if row[1] == "profile" else MOST)]
    assert not long, long
