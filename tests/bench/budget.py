"""RabbitMQ under full load with tools as they are by default, whose probes have a budget (--max-overhead). All other groups
measure what probes cost that are always on."""
import contextlib
import os

import lib
from measure import Column, Row
from rabbit import loaded
from tracers import Nothing, Tool

NAME, TITLE, BUDGET = "budget", "RabbitMQ under tools with their default budget", 360
COLUMNS = [Column("per_cpu", "messages per second of its CPU time", "more"), Column("messages", "messages/s", "more")]
ABOUT = """The load is that of the previous table. The ratio is of messages per second of the server's CPU time, which other work of the
machine disturbs less than messages per second. A trace begins with what a second may cost, which is spent before."""

TOOLS = ["sched-latency", "mailbox", "messages", "slices", "run-queue", "calls", "ets", "sockets", "count", "copy"]
SPEND_MS = 1500  # the first window
LONGER = 16  # than other rows: windows come about once a second, with slow traps every few seconds, and one must not decide


def take(server, clients, ms, start):
    traced = start()
    clients.eval("amqp_load:run(%d)" % SPEND_MS)
    before = lib.cpu_seconds(server.pid)
    messages = int(clients.eval("amqp_load:run(%d)" % ms))
    used = lib.cpu_seconds(server.pid) - before
    traced.stop()
    return {"per_cpu": messages / used, "messages": messages * 1000 / ms}


def tool(server, name):
    return Tool(name, "-p", server.pid, env=dict(os.environ, **lib.BUDGET))


@contextlib.contextmanager
def section(scale):
    with loaded("budget") as (server, clients):
        starts = [("untraced", Nothing)]
        starts += [(name, lambda name=name: tool(server, name)) for name in scale.table(TOOLS, 3)]
        yield TITLE, [Row(name, lambda start=start: take(server, clients, LONGER * scale.ms, start), limit=40)
                      for name, start in starts]


def sections(scale):
    return [lambda: section(scale)]
