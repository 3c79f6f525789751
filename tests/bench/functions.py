"""What is left of the throughput of a node while calls of an Erlang function are measured or counted: erlbpf calls --via vm, dbg,
and recon_trace."""
import contextlib
import glob
import os

import lib
from measure import Column, Row
from tracers import Nothing, Tool

NAME, TITLE, BUDGET = "functions", "Calls of an Erlang function", 600
COLUMNS = [Column("rate", "calls a second", better="more"), Column("cpu", "us of CPU per call", digits=2)]
ABOUT = """A process wants to call `load:leaf/1`, which does nothing, so often a second. `calls --via vm` measures calls by
breakpoints of the VM, within its budget: for a part of the time, and the VM counts all calls; `--exact` measures each of them.
`--entry --via vm` has the VM count them, and no probe. dbg gets two messages of each call in a process that only counts them, or
whose handler prints them as it does by default, to a file that keeps nothing. recon_trace prints them there, too: all, or the first
100 and then no more. CPU time is that of the whole node, which is idle otherwise; each row is a trace of its own, from its beginning,
when the budget of a second is spent at once. redbug is in no package of Debian, recon_trace comes with RabbitMQ."""

RATES = (1000, 100000, 1000000)
LONGER = 8 # than other rows: windows come every second or every few
LIMIT = 100000000
VM = lib.VMS[-1] if os.environ.get("ERLBPF_OTP") else lib.STOCK
RECON = [path[len(VM.root):] for path in glob.glob(VM.root + "/usr/lib/rabbitmq/lib/*/plugins/recon-*/ebin")]
PACED = "load:paced(%d, %d)"


def erlbpf(*options, program=lib.ERLBPF):
    """With its budget, which tests are without."""
    return lambda pid: Tool("calls", "load:leaf/1", "--via", "vm", "-p", pid, *options, env=dict(os.environ, **lib.BUDGET),
                            program=program)


def nothing(_):
    return Nothing()


# name, what starts beside it (of the pid), what is called
ROWS = [
    ("untraced", nothing, PACED),
    ("erlbpf calls --via vm", erlbpf(), PACED),
    ("erlbpf calls --entry --via vm", erlbpf("--entry"), PACED),
    ("erlbpf calls --via vm --exact", erlbpf("--exact", "--call-limit", LIMIT), PACED),
    ("dbg, a handler that counts", nothing, "load:paced_by_dbg(count, %d, %d)"),
    ("dbg, its own handler", nothing, "load:paced_by_dbg(print, %d, %d)"),
]
if os.path.exists(lib.SLOW):
    ROWS.insert(2, ("erlbpf calls --via vm, traps of 5 us more", erlbpf(program=lib.SLOW), PACED))
if RECON:
    ROWS += [("recon_trace", nothing, 'load:paced_by_recon("%s", 100000000, %%d, %%d)' % RECON[0]),
             ("recon_trace, of 100 calls", nothing, 'load:paced_by_recon("%s", 100, %%d, %%d)' % RECON[0])]


def take(rate, ms, start, call):
    """A node of its own, as what a tracer has not yet printed when it ends would weigh on the next one."""
    with lib.Node(VM, "-sname", "bench%d" % os.getpid(), "-setcookie", "bench") as node:
        node.eval("code:ensure_loaded(load)")
        traced = start(node.pid)
        before = lib.cpu_seconds(node.pid)
        got = float(node.eval(call % (rate, ms), 120))
        used = lib.cpu_seconds(node.pid) - before
        traced.stop()
    return {"rate": got, "cpu": used * 1e6 / (got * ms / 1000)}


@contextlib.contextmanager
def section(scale, rate):
    on = "" if VM is lib.STOCK else ", OTP %d" % VM.otp
    yield "%s, %d a second wanted%s" % (TITLE, rate, on), [
        Row(name, lambda s=start, c=call: take(rate, LONGER * scale.ms, s, c)) for name, start, call in ROWS]


def sections(scale):
    return [lambda rate=rate: section(scale, rate) for rate in scale.sizes(RATES, RATES[1:2], RATES[:1])]
