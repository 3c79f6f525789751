"""RabbitMQ (Debian's rabbitmq-server) under each tool: messages a second that clients publish and get. Server and clients are nodes
of ours."""
import contextlib
import os
import shutil
import tempfile

import broker
import lib
from measure import Column, Row
from questions import TOOLS, starts

NAME, TITLE, BUDGET = "rabbit", "RabbitMQ under each question", 290
COLUMNS = [Column("messages", "messages/s", "more")]
ABOUT = """Four clients on the same machine, each with a queue, 100 bytes a message, 50 messages on their way in each queue. Clients and
server share the cores, so that the ratio says what a loaded machine as a whole loses."""

CLIENTS, ON_THEIR_WAY = 4, 50
AT_ONCE = 0  # ms after which a message is published again
SETTLE_MS = 500


def take(clients, ms, start):
    traced = start()
    clients.eval("timer:sleep(%d)" % min(ms, SETTLE_MS))
    messages = int(clients.eval("amqp_load:run(%d)" % ms)) * 1000 / ms
    traced.stop()
    return {"messages": messages}


@contextlib.contextmanager
def loaded(name, pause_ms=AT_ONCE, args=()):
    """The server of that name, with these options of the VM, and the node with its clients."""
    broker.plugins()
    folder = tempfile.mkdtemp()
    try:
        broker.compile_clients(folder)
        with broker.Server("%s%d@localhost" % (name, os.getpid()), args=args) as server, \
                lib.Node(lib.STOCK, "-pa", folder, *broker.code()) as clients:
            clients.eval("amqp_load:start(%d, %d, %d, %d)" % (server.port, CLIENTS, ON_THEIR_WAY, pause_ms), 60)
            yield server, clients
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def section(scale):
    with loaded("bench") as (server, clients):
        yield TITLE, [Row(name, lambda start=start: take(clients, scale.ms, start), limit=40)
                      for name, start in starts(server, lib.STOCK, scale.table(TOOLS, 2))]


def sections(scale):
    return [lambda: section(scale)]
