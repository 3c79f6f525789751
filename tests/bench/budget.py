"""RabbitMQ under full load with tools as they are by default, whose probes have a budget (--max-overhead). All other groups
measure what probes cost that are always on."""
import contextlib
import os

import lib
from measure import Column, Row
from rabbit import loaded
from tracers import D, Nothing, Tool

NAME, TITLE, BUDGET = "budget", "RabbitMQ under tools with their default budget", 750
COLUMNS = [Column("left", "% of the work left", "more", digits=1), Column("messages", "messages/s", "more")]
ABOUT = """The load is that of the previous table. What is left is messages per second of the server's CPU time, which other work of
the machine disturbs less than messages per second, beside the same of the untraced server half the time before and half the
time after: it changes by more than a budget while it runs. The row "untraced" says how well that can be told. A trace begins
with what a second may cost, which is spent before. "Slow traps" is the build of the tests, where each hit takes 5 us more."""

TOOLS = ["sched-latency", "mailbox", "messages", "slices", "run-queue", "calls", "ets", "sockets", "count", "copy", "top"]
ON_SLOW_TRAPS = ["sched-latency", "slices", "calls", "ets"]
SENDS = "erlang*:::message-send { @[copyinstr(arg0)] = count(); @sizes = quantize(arg2); }"  # of a D program
SPEND_MS = 1500  # the first window
LONGER = 10  # than other rows: windows come about once a second, with slow traps every few seconds, and one must not decide


def run(server, clients, ms):
    """Messages, and the seconds that the server needed for them."""
    before = lib.cpu_seconds(server.pid)
    messages = int(clients.eval("amqp_load:run(%d)" % ms))
    return messages, lib.cpu_seconds(server.pid) - before


def take(server, clients, ms, start, watch=None):
    """`watch(tracer)` is called when it has begun, and what that returns when it ends: further figures."""
    before = run(server, clients, ms // 2)
    traced = start()
    clients.eval("amqp_load:run(%d)" % SPEND_MS)
    watched = watch and watch(traced)
    messages, used = run(server, clients, ms)
    more = watched() if watched else {}
    traced.stop()
    after = run(server, clients, ms // 2)
    free = sum(messages for messages, _ in (before, after)) / sum(seconds for _, seconds in (before, after))
    return dict({"left": 100 * messages / used / free, "messages": messages * 1000 / ms}, **more)


def tool(server, name, program=lib.ERLBPF):
    return Tool(name, *(["*"] if name == "calls" else []), "-p", server.pid, env=dict(os.environ, **lib.BUDGET), program=program)


def agent(server):
    """With its default tools, and nobody who scrapes."""
    return Tool("export", "--listen", "127.0.0.1:0", "--node", "%s*" % NAME, env=dict(os.environ, **lib.BUDGET), word="Serving", output=())


@contextlib.contextmanager
def section(scale):
    with loaded("budget") as (server, clients):
        starts = [("untraced", Nothing)]
        starts += [(name, lambda name=name: tool(server, name)) for name in scale.table(TOOLS, 3)]
        starts += [("a D program", lambda: D(server.pid, SENDS, env=lib.BUDGET)), ("the agent", lambda: agent(server))]
        starts += [(name + ", slow traps", lambda name=name: tool(server, name, lib.SLOW))
                   for name in scale.table(ON_SLOW_TRAPS, 0)]
        yield TITLE, [Row(name, lambda start=start: take(server, clients, LONGER * scale.ms, start), limit=60)
                      for name, start in starts]


def sections(scale):
    return [lambda: section(scale)]
