"""Constants of D: what the compiler computes is what the same expression gives when it runs, with its operands in
variables. For types (`char a[1 + 1]`) the parser computes, elsewhere the checker."""
import os
import random
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, Skip

TYPES = {"char": (1, True), "unsigned char": (1, False), "short": (2, True), "unsigned short": (2, False),
         "int": (4, True), "unsigned int": (4, False), "long": (8, True), "unsigned long": (8, False)}
BINARY = "+ - * / % & | ^ << >> && || ^^ == != < <= > >=".split()
UNARY = "- + ~ !".split()
AT_A_TIME = 60  # expressions in one program


def values(size, is_signed):
    bits = 8 * size
    if is_signed:
        return [-(1 << (bits - 1)), -7, -1, 0, 1, 5, (1 << (bits - 1)) - 1]
    return [0, 1, 5, (1 << (bits - 1)) - 1, 1 << (bits - 1), (1 << bits) - 1]


def literal(value):
    if value == -(1 << 63):
        return "(-9223372036854775807L - 1)"
    return "%d%s" % (value, "UL" if value >= 1 << 63 else "")


LEAVES = [(kind, value) for kind, shape in TYPES.items() for value in values(*shape)]


class Leaf:
    def __init__(self, number):
        self.kind, self.value = LEAVES[number]
        self.folded, self.computed = "((%s)%s)" % (self.kind, literal(self.value)), "v%d" % number


def unary(operator, a):
    """-1U is 4294967295 and -u is not, as in DTrace: what is negated has a sign."""
    return Node("(%s(%s%%s))" % (operator, "(long)" if operator == "-" else ""), a)


class Node:
    def __init__(self, shape, *of):
        self.folded, self.computed = (shape % tuple(getattr(each, way) for each in of) for way in ("folded", "computed"))


def operation(operator, a, b):
    """A division by 0 is an error, so what divides is odd."""
    return Node("(%%s %s %%s)" % operator.replace("%", "%%") if operator not in "/%" else
                "(%%s %s (%%s | 1))" % operator.replace("%", "%%"), a, b)


def table():
    """Each operator with operands of each pair of types."""
    pick = random.Random(1)
    numbers = {kind: [i for i, leaf in enumerate(LEAVES) if leaf[0] == kind] for kind in TYPES}
    for operator in BINARY:
        for left in TYPES:
            for right in pick.sample(list(TYPES), 3):
                yield operation(operator, Leaf(pick.choice(numbers[left])), Leaf(pick.choice(numbers[right])))
    for number in range(len(LEAVES)):
        yield unary(pick.choice(UNARY), Leaf(number))


def expression(pick, depth):
    if depth == 0:
        return Leaf(pick.randrange(len(LEAVES)))
    what = pick.randrange(10)
    if what == 0:
        return unary(pick.choice(UNARY), expression(pick, depth - 1))
    if what == 1:
        return Node("((%s)%%s)" % pick.choice(list(TYPES)), expression(pick, depth - 1))
    if what == 2:
        return Node("(%s ? %s : %s)", *(expression(pick, depth - 1) for _ in range(3)))
    return operation(pick.choice(BINARY), expression(pick, depth - 1), expression(pick, depth - 1))


# Of a size only some bits are left.
SIZE = "sizeof(char [(((%s) ^ ((%s) >> 31)) & 0xffff) + 1])"
SAME = "(((%s) ^ ((%s) >> 31)) & 0xffff) + 1"


def program(expressions):
    lines = ["%s v%d;" % (kind, number) for number, (kind, _) in enumerate(LEAVES)]
    lines.append("BEGIN {" + " ".join("v%d = %s;" % (number, literal(value))
                                      for number, (_, value) in enumerate(LEAVES)) + "}")
    for number, each in enumerate(expressions):
        lines.append('BEGIN { printf("%d %%d %%d %%d %%d\\n", (long)(%s), (long)(%s), %s, (long)(%s)); }' %
                     (number, each.folded, each.computed, SIZE % (each.folded, each.folded),
                      SAME % (each.computed, each.computed)))
    return "\n".join(lines + ["BEGIN { exit(0); }", ""])


def differences(expressions):
    with tempfile.NamedTemporaryFile("w", suffix=".d") as script:
        script.write(program(expressions))
        script.flush()
        done = subprocess.run([ERLBPF, "-q", "-s", script.name], capture_output=True, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL)
    rows = [line.split() for line in done.stdout.splitlines() if line]
    assert done.returncode == 0 and len(rows) == len(expressions), (done.returncode, done.stderr[:600])
    return ["%s: folded %s, at run time %s; in a type %s, %s" % (expressions[int(row[0])].folded, *row[1:])
            for row in rows if row[1] != row[2] or row[3] != row[4]]


def test_constants_are_what_the_same_expression_gives_at_run_time():
    if os.geteuid() != 0:
        raise Skip("needs root")
    pick = random.Random(2)
    expressions = list(table()) + [expression(pick, pick.choice([2, 3])) for _ in range(300)]
    bad = []
    for first in range(0, len(expressions), AT_A_TIME):
        bad += differences(expressions[first:first + AT_A_TIME])
    assert not bad, "%d of %d\n%s" % (len(bad), len(expressions), "\n".join(bad[:5]))
