"""What one hit costs the thread that is traced: a process that does nothing but fire a probe, by its time on a CPU."""
import contextlib
import os

import lib
from lib import cpu_ns
from measure import Column, Row
from tracers import Bpftrace, D, Nothing, Tool
from trap import EmptyProbe

NAME, TITLE, BUDGET = "hits", "Cost of one hit", 130
COLUMNS = [Column("ns", "ns per hit"), Column("lost", "% lost", digits=1)]
ABOUT = """The ratio is to an empty BPF program, which is what the kernel itself takes: the rest is the tracer's. Texts are copied
from the traced process. "Streamed" is one line of output for each hit, which a reader throws away as fast as it can."""

EMPTY = "empty BPF program"
# question, probe, erlbpf's tool, clause of D, clause of bpftrace
QUESTIONS = [
    ("count", "copy-struct", ["count", "copy-struct"], "{ @ = count(); }", "{ @ = count(); }"),
    ("histogram by process", "process-heap_grow", ["heap", "--by", "pid"], "{ @[copyinstr(arg0)] = quantize(arg2); }",
     "{ @[str(arg0)] = hist(arg2); }"),
    ("streamed number", "copy-struct", None, '{ printf("%d\\n", arg0); }', '{ printf("%d\\n", arg0); }'),
    ("histogram", "copy-struct", None, "{ @ = quantize(arg0); }", "{ @ = hist(arg0); }"),
    ("count by a number", "copy-struct", None, "{ @[arg0] = count(); }", "{ @[arg0] = count(); }"),
    ("count by two texts", "message-send", None, "{ @[copyinstr(arg0), copyinstr(arg1)] = count(); }",
     "{ @[str(arg0), str(arg1)] = count(); }"),
    ("false predicate", "copy-struct", None, "/arg0 == -1/ { }", "/arg0 == 1/ { @ = count(); }"),
    ("streamed number and two texts", "message-send", None,
     '{ printf("%s %s %d\\n", copyinstr(arg0), copyinstr(arg1), arg2); }',
     '{ printf("%s %s %d\\n", str(arg0), str(arg1), arg2); }'),
    ("streamed event with all arguments", "message-send", ["trace", "message-send"], None, None),
]


def lost_percent(program, times):
    """What of the lines did not come, beside the few that a tracer prints of itself."""
    return max(0.0, 100 * (1 - program.lines / times))


def hit(fake, probe, times, start):
    traced = start()
    fake.do("fire %s %d" % (probe, times // 10))
    before = cpu_ns(fake.pid)
    fake.do("fire %s %d" % (probe, times))
    cost = (cpu_ns(fake.pid) - before) / times
    if isinstance(traced, (D, Bpftrace)):
        traced.output.settle()
    traced.stop()
    return traced, {"ns": cost}


def streamed(fake, probe, times, start):
    traced, values = hit(fake, probe, times, start)
    return dict(values, lost=lost_percent(traced, times + times // 10))


def usdt(fake, probe, clause):
    return "usdt:%s:erlang:%s %s" % (os.readlink("/proc/%d/exe" % fake.pid), probe.replace("-", "__"), clause)


def starts(fake, probe, tool, d, bpftrace):
    """(who, start) of each tracer that can answer the question."""
    if tool:
        yield "erlbpf " + " ".join(tool), lambda: Tool(*tool, "-p", fake.pid)
    if d:
        yield "erlbpf D", lambda: D(fake.pid, "erlang*:::%s %s" % (probe, d))
    if bpftrace:
        yield "bpftrace", lambda: Bpftrace(fake.pid, usdt(fake, probe, bpftrace))


def rows(fake, scale, empty):
    times = scale.hits
    yield Row(EMPTY, lambda: hit(fake, "copy-struct", times, empty)[1])
    # Nobody has raised the semaphore then: a test and a jump.
    yield Row("untraced", lambda: hit(fake, "copy-struct", times, Nothing)[1], base=EMPTY)
    for question, probe, tool, d, bpftrace in scale.table(QUESTIONS, 3):
        for who, start in starts(fake, probe, tool, d, bpftrace):
            is_streamed = question.startswith("streamed") and not who.startswith("erlbpf trace")
            take = streamed if is_streamed else lambda *args: hit(*args)[1]
            yield Row("%s: %s" % (question, who), lambda p=probe, s=start, t=take: t(fake, p, times, s), base=EMPTY)


def section(scale, program, title):
    @contextlib.contextmanager
    def make():
        with lib.Fake(program) as fake:
            path = os.path.join(lib.BUILD, program)
            yield title, list(rows(fake, scale, lambda: EmptyProbe(path, fake.pid, "copy__struct")))
    return make


def sections(scale):
    return [section(scale, "fake-beam", "Cost of one hit")]
