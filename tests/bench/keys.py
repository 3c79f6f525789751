"""How the cost of a hit grows with the number of keys of a table: random numbers below 10 to 10^7."""
import contextlib
import time

import lib
from lib import cpu_ns, memlock_mib, peak_mib
from hits import usdt
from measure import Column, Row
from tracers import Bpftrace, D

NAME, TITLE, BUDGET = "keys", "Cost by number of keys", 170
COLUMNS = [Column("ns", "ns per hit"), Column("first", "ns, most keys new"), Column("stop", "ms to print and end"),
           Column("rss", "MiB", digits=1), Column("memlock", "MiB of BPF", digits=1), Column("dropped", "% in no key", digits=1)]
ABOUT = """`@[rand() % keys] = count()`. Memory is bounded: an aggregation of D holds 65,536 keys, and counts what has no room in
it as a drop ("% in no key"). bpftrace gets up to a million
(BPFTRACE_MAP_KEYS_MAX); by default it has room for 4,096. "ns, most keys new" is the cost while the table fills."""

POWERS = ([1, 2, 3, 4, 5, 6, 7], [1, 3, 5], [1, 4])
ROOM = 65536  # keys that an aggregation of D holds
MOST = 1000000  # for bpftrace, which makes all elements when it starts
FEW = 1000  # hits, too few to say what one costs
HITS_PER_KEY = 5  # until nearly each has been there


def cost(fake, hits):
    before = cpu_ns(fake.pid)
    fake.do("fire copy-struct %d" % hits)
    return (cpu_ns(fake.pid) - before) / hits


def take(fake, keys, hits, start):
    traced = start()
    new = min(keys, ROOM)
    first = cost(fake, new)
    values = {"first": first} if new >= FEW else {}
    cost(fake, new * HITS_PER_KEY)
    values["ns"] = cost(fake, hits)
    values.update(memlock=memlock_mib(traced.pid), rss=peak_mib(traced.pid))
    begin = time.monotonic()
    traced.stop()
    dropped = 100 * traced.drops / (hits + new + new * HITS_PER_KEY)
    return dict(values, stop=(time.monotonic() - begin) * 1000, dropped=dropped)


def ours(fake, keys):
    return D(fake.pid, "erlang*:::copy-struct { @[rand() %% %d] = count(); }" % keys)


def theirs(fake, keys):
    return Bpftrace(fake.pid, usdt(fake, "copy-struct", "{ @[rand %% %d] = count(); }" % keys),
                    env={"BPFTRACE_MAP_KEYS_MAX": str(min(2 * keys + 1000, MOST))})


@contextlib.contextmanager
def section(scale, who, start):
    with lib.Fake() as fake:
        yield "Cost by number of keys, %s" % who, [
            Row("10^%d keys" % power, lambda keys=10 ** power: take(fake, keys, scale.hits, lambda: start(fake, keys)))
            for power in scale.sizes(*POWERS)]


def sections(scale):
    return [lambda: section(scale, "erlbpf D", ours), lambda: section(scale, "bpftrace", theirs)]
