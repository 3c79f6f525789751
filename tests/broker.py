"""RabbitMQ as a node of ours, with a folder and ports of its own; a server of the machine is not touched."""
import glob
import os
import shutil
import socket
import subprocess
import tempfile

import lib

SERVERS = "/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins"


def plugins(root=""):
    """Their folder in that root, as it is named there."""
    found = sorted(glob.glob(root + SERVERS))
    if not found:
        raise lib.Skip("there is no rabbitmq-server")
    return found[-1][len(root):]


def code(root=""):
    """The folders of all modules of the server and its clients."""
    return [path[len(root):] for path in sorted(glob.glob(root + plugins(root) + "/*/ebin"))]


def free_ports(number):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class TalkingNode(lib.Node):
    """A node that prints more than answers."""

    def eval(self, expression, limit=lib.LIMIT):
        self.say(expression + ".")
        while True:
            line = self.line(limit).rpartition("\a")[2]  # behind the title of a terminal's window
            assert self.is_alive() and not line.startswith("! "), "%s -> %s" % (expression, line)
            if line.startswith("= "):
                return line[2:]


class Server(TalkingNode):
    def __init__(self, name, vm=lib.STOCK, args=()):
        self.port, dist_port = free_ports(2)
        self.folder = tempfile.mkdtemp()
        where = plugins(vm.root)
        env = {
            "HOME": self.folder, "RABBITMQ_NODENAME": name, "RABBITMQ_HOME": os.path.dirname(where), "RABBITMQ_PLUGINS_DIR": where,
            "RABBITMQ_NODE_PORT": str(self.port), "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_DIST_PORT": str(dist_port),
        }
        for key, path in (("MNESIA_BASE", "mnesia"), ("LOG_BASE", "log"), ("ENABLED_PLUGINS_FILE", "enabled_plugins"),
                          ("CONFIG_FILE", "rabbitmq"), ("ADVANCED_CONFIG_FILE", "advanced"), ("CONF_ENV_FILE", "none"),
                          ("GENERATED_CONFIG_DIR", "config"), ("PID_FILE", "pid")):
            env["RABBITMQ_" + key] = os.path.join(self.folder, path)
        super().__init__(vm, *args, "-sname", name, "-pa", *code(vm.root), env=env)
        self.eval("rabbit:boot()", 120)

    def close(self):
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


def compile_clients(folder, vm=lib.STOCK):
    """amqp_load.erl, against the headers of RabbitMQ's client."""
    subprocess.run(vm.command("erlc") + ["-o", folder, os.path.join(lib.ROOT, "tests", "bench", "amqp_load.erl")], check=True,
                   capture_output=True, timeout=60, env=dict(os.environ, ERL_LIBS=plugins(vm.root)))
