"""RabbitMQ (Debian's rabbitmq-server) under each tool: messages a second that clients publish and get. Server and clients are nodes
of ours, with a folder and a port of their own; a server of the machine is not touched."""
import contextlib
import glob
import os
import shutil
import socket
import subprocess
import tempfile

import lib
from measure import Column, Row
from questions import TOOLS, starts

NAME, TITLE, BUDGET = "rabbit", "RabbitMQ under each question", 290
COLUMNS = [Column("messages", "messages/s", "more")]
ABOUT = """Four clients on the same machine, each with a queue, 100 bytes a message, 50 messages on their way in each queue. Clients and
server share the cores, so that the ratio says what a loaded machine as a whole loses."""

SERVERS = "/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins"
CLIENTS, ON_THEIR_WAY = 4, 50
SETTLE_MS = 500
HERE = os.path.dirname(os.path.abspath(__file__))


def plugins():
    found = sorted(glob.glob(SERVERS))
    if not found:
        raise lib.Skip("there is no rabbitmq-server")
    return found[-1]


def free_ports(number):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Server(lib.Node):
    """A node that runs RabbitMQ; it prints more than answers."""

    def __init__(self, folder, name):
        self.port, dist_port = free_ports(2)
        where = plugins()
        env = {
            "HOME": folder, "RABBITMQ_NODENAME": name, "RABBITMQ_HOME": os.path.dirname(where), "RABBITMQ_PLUGINS_DIR": where,
            "RABBITMQ_MNESIA_BASE": folder + "/mnesia", "RABBITMQ_LOG_BASE": folder + "/log",
            "RABBITMQ_ENABLED_PLUGINS_FILE": folder + "/enabled_plugins", "RABBITMQ_CONFIG_FILE": folder + "/rabbitmq",
            "RABBITMQ_ADVANCED_CONFIG_FILE": folder + "/advanced", "RABBITMQ_CONF_ENV_FILE": folder + "/none",
            "RABBITMQ_GENERATED_CONFIG_DIR": folder + "/config", "RABBITMQ_PID_FILE": folder + "/pid",
            "RABBITMQ_NODE_PORT": str(self.port), "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_DIST_PORT": str(dist_port),
        }
        super().__init__(lib.STOCK, "-sname", name, "-pa", *sorted(glob.glob(where + "/*/ebin")), env=env)
        self.eval("rabbit:boot()", 60)

    def eval(self, expression, limit=lib.LIMIT):
        self.say(expression + ".")
        while True:
            line = self.line(limit).rpartition("\a")[2]  # behind the title of a terminal's window
            assert self.is_alive() and not line.startswith("! "), "%s -> %s" % (expression, line)
            if line.startswith("= "):
                return line[2:]


def compile_load(folder):
    subprocess.run(["erlc", "-o", folder, os.path.join(HERE, "amqp_load.erl")], check=True, capture_output=True, timeout=60,
                   env=dict(os.environ, ERL_LIBS=plugins()))


def take(clients, ms, start):
    traced = start()
    clients.eval("timer:sleep(%d)" % min(ms, SETTLE_MS))
    messages = int(clients.eval("amqp_load:run(%d)" % ms)) * 1000 / ms
    traced.stop()
    return {"messages": messages}


@contextlib.contextmanager
def section(scale):
    plugins()
    folder = tempfile.mkdtemp()
    try:
        compile_load(folder)
        with Server(folder, "bench%d@localhost" % os.getpid()) as server, \
                lib.Node(lib.STOCK, "-pa", folder, *glob.glob(plugins() + "/*/ebin")) as clients:
            clients.eval("amqp_load:start(%d, %d, %d)" % (server.port, CLIENTS, ON_THEIR_WAY), 60)
            yield TITLE, [Row(name, lambda start=start: take(clients, scale.ms, start), limit=40)
                          for name, start in starts(server, lib.STOCK, scale.table(TOOLS, 2))]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sections(scale):
    return [lambda: section(scale)]
