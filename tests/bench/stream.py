"""Events a second: the highest rate at which one busy thread's hits all arrive at the reader of the output. A tracer that loses
events at full speed is tried at half of it, and so on."""
import contextlib
import time

import lib
from hits import usdt
from measure import Column, Row
from tracers import Bpftrace, D

NAME, TITLE, BUDGET = "stream", "Events a second without loss", 110
COLUMNS = [Column("rate", "events/s", "more"), Column("full", "% lost at full speed", digits=2),
           Column("told", "% of it reported", None)]
ABOUT = """One thread hits a probe without pause, and each hit is printed. "% of it reported" is how much of a loss the tracer
said: below 100, it lost events and was silent. Erlang's tracing loses nothing; the traced process waits instead."""

PRINTF = [
    # name, probe, clause of D, clause of bpftrace
    ("a number", "copy-struct", '{ printf("%d\\n", arg0); }', '{ printf("%d\\n", arg0); }'),
    ("a number and two texts", "message-send", '{ printf("%s %s %d\\n", copyinstr(arg0), copyinstr(arg1), arg2); }',
     '{ printf("%s %s %d\\n", str(arg0), str(arg1), arg2); }'),
]
# name, call of tests/erl/load.erl
ERLANG = [("Erlang: trace messages to a process", "process"), ("Erlang: trace to a file, as ttb does", "file")]
SECONDS = {"full": 10, "quick": 1, "sample": 0.2}
BATCH = 20000
SLOWEST = 1000


def fire(fake, probe, seconds, pause):
    """For so long, batches with a pause between: (hits, hits a second)."""
    begin, hits = time.monotonic(), 0
    while time.monotonic() < begin + seconds:
        fake.do("fire %s %d" % (probe, BATCH))
        hits += BATCH
        time.sleep(pause)
    return hits, hits / (time.monotonic() - begin)


def run_at(fake, probe, seconds, pause, start):
    """(events a second, share lost, share of the loss that was reported)"""
    traced = start()
    hits, rate = fire(fake, probe, seconds, pause)
    traced.output.settle()
    traced.stop()
    lost = hits - min(hits, traced.lines)
    return rate, lost / hits, min(1, traced.drops / lost) if lost else 1


def highest(fake, probe, seconds, start):
    rate, full, told = run_at(fake, probe, seconds, 0, start)
    lost = full
    while lost and rate > SLOWEST:
        rate, lost, _ = run_at(fake, probe, seconds / 2, 2 * BATCH / rate - BATCH / rate, start)
    return {"rate": 0 if lost else rate, "full": 100 * full, "told": 100 * told}


@contextlib.contextmanager
def printed(scale):
    seconds = SECONDS[scale.name]
    with lib.Fake() as fake:
        def row(name, probe, start):
            return Row(name, lambda: highest(fake, probe, seconds, start), limit=10 * seconds + 40)

        yield TITLE, [
            made for name, probe, d, bpftrace in scale.table(PRINTF, 1) for made in (
                row("%s: erlbpf D" % name, probe, lambda p=probe, d=d: D(fake.pid, "erlang*:::%s %s" % (p, d))),
                row("%s: bpftrace" % name, probe, lambda p=probe, b=bpftrace: Bpftrace(fake.pid, usdt(fake, p, b))))]


@contextlib.contextmanager
def erlang(scale):
    """Function calls of a node, which its own tracing tells of."""
    ms = 1000 * SECONDS[scale.name] / 5
    with lib.Node(lib.STOCK) as node:
        def rate(to):
            return {"rate": int(node.eval("load:streamed(%s, %d)" % (to, ms), 120)) * 1000 / ms, "full": 0, "told": 100}

        yield "Events a second, Erlang's tracing of calls", [Row(name, lambda to=to: rate(to)) for name, to in ERLANG]


def sections(scale):
    return [lambda: printed(scale), lambda: erlang(scale)]
