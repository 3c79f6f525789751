"""Pods without Kubernetes: nodes in namespaces of their own, with their own copy of the VM at the VM's path, in a control
group and with log files as a kubelet makes them. And the agent that is to find them."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.request
import uuid

from lib import BUILD, ERLBPF, LIMIT, STOCK, Node, Process, Skip, children_of, wait_until

# What the nodes in pods are called, and what their pods are: pods of other tests run beside them.
CART = "cart_%d" % os.getpid()
CART_0, CART_1, CART_9 = ("cart-%d-%d" % (os.getpid(), i) for i in (0, 1, 9))

SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def samples(text):
    """(name, labels, value) of each line of /metrics."""
    for line in text.splitlines():
        found = SAMPLE.match(line) if not line.startswith("#") else None
        if found:
            yield found.group(1), dict(LABEL.findall(found.group(2) or "")), float(found.group(3))


class Agent(Process):
    """erlbpf export on a port that the kernel chooses. What it says is in a file, so it never waits for a reader."""

    def __init__(self, *args, prefix=(), program=ERLBPF):
        self.log_file = tempfile.NamedTemporaryFile(prefix="erlbpf-agent-")
        super().__init__(list(prefix) + [program, "export", "--listen", "127.0.0.1:0"] + [str(a) for a in args],
                         stderr=self.log_file)
        wait_until("the agent serves", lambda: "(port " in self.log() or not self.is_alive())
        assert self.is_alive(), self.log()
        self.port = int(re.search(r"\(port (\d+)\)", self.log()).group(1))

    def log(self):
        with open(self.log_file.name, encoding="utf-8", errors="replace") as log:
            return log.read()

    def get(self, path):
        with urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.port, path), timeout=LIMIT) as answer:
            return answer.read().decode("utf-8")

    def targets(self):
        return json.loads(self.get("/targets"))["targets"]

    def series(self, metric, /, **labels):
        return [(l, v) for n, l, v in samples(self.get("/metrics"))
                if n == metric and all(l.get(k) == w for k, w in labels.items())]

    def value(self, metric, /, **labels):
        return sum(v for _, v in self.series(metric, **labels))

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(LIMIT)
        log = self.log()
        assert self.child.returncode == 0, (self.child.returncode, log)
        self.close()
        return log


def cgroup2():
    """Where the unified hierarchy is mounted."""
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            device, path, kind = line.split()[:3]
            if kind == "cgroup2":
                return path
    raise Skip("no cgroup2 hierarchy is mounted")


# Within the pod: the loopback interface is up, the VM is the pod's own file at the same path, and the node is pid 1.
INIT = r"""
import fcntl, os, socket, struct, subprocess, sys
name, copy, path = sys.argv[1:4]
socket.sethostname(name)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 1))
subprocess.run(["mount", "--bind", copy, path], check=True)
if int(sys.argv[4]):
    os.setgroups([])
    os.setgid(int(sys.argv[4]))
    os.setuid(int(sys.argv[4]))
os.execv(sys.argv[5], sys.argv[5:])
"""


class Kubelet:
    """Its folder of logs, and the control groups that it made."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="erlbpf-pods-")
        self.logs = os.path.join(self.folder, "log")
        os.chmod(self.folder, 0o755)
        # Not every user may read where we are.
        shutil.copy(os.path.join(BUILD, "erl", "ctl.beam"), self.folder)
        os.makedirs(os.path.join(self.logs, "pods"))
        os.makedirs(os.path.join(self.logs, "containers"))
        self.groups = []

    def make_group(self, uid, container_id):
        uid = uid.replace("-", "_")
        path = cgroup2()
        for part in ("kubepods.slice", "kubepods-burstable.slice", "kubepods-burstable-pod%s.slice" % uid,
                     "cri-containerd-%s.scope" % container_id):
            path = os.path.join(path, part)
            try:
                os.mkdir(path)
                self.groups.append(path)
            except FileExistsError:
                pass
            except OSError as error:
                raise Skip("no control group can be made: %s" % error)
        return path

    def write_logs(self, pod):
        folder = os.path.join(self.logs, "pods", "%s_%s_%s" % (pod.namespace, pod.name, pod.uid), "erlang")
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "0.log"), "w").close()
        os.symlink(os.path.join(folder, "0.log"), os.path.join(
            self.logs, "containers", "%s_%s_erlang-%s.log" % (pod.name, pod.namespace, pod.container_id)))

    def close(self):
        for group in reversed(self.groups):
            wait_until("%s is empty" % group, lambda g=group: is_removed(g))
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def is_removed(group):
    try:
        os.rmdir(group)
    except OSError:
        return False
    return True


class Pod(Node):
    def __init__(self, kubelet, namespace, name, *args, uid=None, with_logs=True, user=0, env=None):
        self.namespace, self.name = namespace, name
        self.uid = uid or str(uuid.uuid4())
        self.container_id = uuid.uuid4().hex + uuid.uuid4().hex
        group = kubelet.make_group(self.uid, self.container_id)
        vm = os.path.realpath(subprocess.run(["erl", "-noshell", "-eval", 'io:put_chars(code:root_dir() ++ "/erts-" ++ '
                                              'erlang:system_info(version) ++ "/bin/beam.smp"), halt().'],
                                             capture_output=True, text=True, check=True).stdout)
        copy = os.path.join(kubelet.folder, "beam.smp-" + self.container_id[:12])
        shutil.copy(vm, copy)
        if with_logs:
            kubelet.write_logs(self)
        os.mkdir(copy + ".home")
        os.chown(copy + ".home", user, user)
        env = dict({"HOSTNAME": name, "HOME": copy + ".home"}, **(env or {}))
        super().__init__(STOCK, "-sname", CART, *args, env=env, modules=kubelet.folder, prefix=[
            "sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', group,
            "unshare", "--pid", "--mount", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc",
            "python3", "-c", INIT, name, copy, vm, str(user)])

    def beam(self):
        """Its pid here; within the pod it is 1."""
        return children_of(self.pid)[0]
