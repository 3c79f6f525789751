#!/usr/bin/env python3
"""Random distributions: what quantize(), lquantize() and llquantize() print, beside what DTrace's rules say.

`distributions.py [--build DIR] [--count N] [--seed N]`. Bounds, steps, factors and values are random, and often at the
edges of the buckets. The rules:

* quantize(): a bucket begins at 0 or at a power of two, and below 0 ends there
* lquantize(): steps from the base on; as many as end before the limit or at it. All above is in the last bucket
* llquantize(): between factor^n and factor^(n+1) steps of factor^(n+1)/steps, of 1 at least; below factor^low is 0
"""
import random
import subprocess
import sys

import random_run

LIMIT = 60
AT_A_TIME = 12  # distributions in one program


def numbers(pick, edges):
    """Some that are of the edges, or beside them, and some that are not."""
    some = [pick.choice(edges) + pick.randint(-1, 1) for _ in range(pick.randint(1, 8))]
    some += [pick.randint(-10 ** 6, 10 ** 6), pick.choice([0, 2 ** 63 - 1, -2 ** 63 + 1, pick.randint(-2 ** 62, 2 ** 62)])]
    return some


class Quantize:
    def __init__(self, pick):
        self.values = numbers(pick, [0] + [sign * 2 ** n for n in range(0, 62, 3) for sign in (1, -1)])

    def call(self, value, weight):
        return "quantize(%dLL, %d)" % (value, weight)

    def label(self, value):
        power = 1 << (abs(value).bit_length() - 1) if value else 0
        return str(power if value > 0 else -power)

    def read(self, label):
        return label


class Lquantize:
    def __init__(self, pick):
        self.base, self.step = pick.randint(-60, 60), pick.randint(1, 9)
        self.limit = self.base + self.step * pick.randint(1, 40) + pick.randint(0, self.step - 1)
        self.levels = (self.limit - self.base) // self.step
        self.values = numbers(pick, [self.base, self.limit, self.base + self.levels * self.step,
                                     self.base + pick.randint(0, self.levels) * self.step])

    def call(self, value, weight):
        return "lquantize(%dLL, %d, %d, %d, %d)" % (value, self.base, self.limit, self.step, weight)

    def label(self, value):
        level = min((value - self.base) // self.step, self.levels)
        if level < 0:
            return "< %d" % self.base
        return "%s%d" % (">= " if level == self.levels else "", self.base + level * self.step)

    def read(self, label):
        return label


class Llquantize:
    def __init__(self, pick):
        self.factor, self.low = pick.choice([2, 3, 4, 5, 8, 10]), pick.randint(0, 3)
        self.high = self.low + pick.randint(0, 3)
        self.steps = pick.choice([self.factor, self.factor ** 2])
        powers = [self.factor ** n for n in range(self.low, self.high + 2)]
        step = max(1, powers[-1] // self.steps)
        self.values = numbers(pick, [0] + powers + [-power for power in powers] + [step * 2, -step * 3])

    def call(self, value, weight):
        return "llquantize(%dLL, %d, %d, %d, %d, %d)" % (value, self.factor, self.low, self.high, self.steps, weight)

    def label(self, value):
        sign, most, n = "-" if value < 0 else "", self.factor ** (self.high + 1), self.low
        if abs(value) < self.factor ** self.low:
            return "0"
        if abs(value) >= most:
            return "%s %s%d" % ("<=" if sign else ">=", sign, most)
        while self.factor ** (n + 1) <= abs(value):
            n += 1
        step = max(1, self.factor ** (n + 1) // self.steps)
        return "%s%d" % (sign, abs(value) // step * step)

    def read(self, label):
        """What is around 0 is called by what it is below."""
        return "0" if label.startswith(("abs()", "< ")) else label


def program(distributions, pick):
    """A program of all, and what each of them must count: {label: count}."""
    text, wanted = "", []
    for number, distribution in enumerate(distributions):
        counts = {}
        for value in distribution.values:
            weight = pick.choice([1, 1, 1, 5])
            text += "@a%d = %s; " % (number, distribution.call(value, weight))
            label = distribution.label(value)
            counts[label] = counts.get(label, 0) + weight
        text += "printf(\"= %d\\n\"); printa(@a%d);\n" % (number, number)
        wanted.append(counts)
    return "BEGIN { %s exit(0); }" % text, wanted


def printed(text, distribution):
    """{label: count} of the buckets that are not empty."""
    found = {}
    for row in text.splitlines():
        label, bar, rest = row.partition("|")
        if bar and int(rest.split()[-1]):
            found[distribution.read(label.strip())] = int(rest.split()[-1])
    return found


def differences(erlbpf, pick, count):
    chosen = [pick.choice([Quantize, Lquantize, Lquantize, Llquantize])(pick) for _ in range(count)]
    text, wanted = program(chosen, pick)
    done = subprocess.run([erlbpf, "-q", "-n", text], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    if done.returncode:
        return ["status %d: %s" % (done.returncode, done.stderr[:600])]
    parts = ("\n" + done.stdout).split("\n= ")[1:]
    return ["%s: %s, not %s" % (chosen[i].call(0, 1), printed(part, chosen[i]), wanted[i])
            for i, part in enumerate(parts) if printed(part, chosen[i]) != wanted[i]]


def run(erlbpf, count, seed):
    pick, bad = random.Random(seed), []
    for first in range(0, count, AT_A_TIME):
        bad += differences(erlbpf, pick, min(AT_A_TIME, count - first))
    return bad


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, "distributions", 600, run, keeps=False))
