"""The exporter: Debian's Prometheus scrapes it, promtool and a strict parser of OpenMetrics read it."""
import contextlib
import http.client
import itertools
import json
import math
import os
import re
import shutil
import signal
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

# Debian's python3-prometheus-client, whichever python3 this is.
sys.path.append("/usr/lib/python3/dist-packages")

from lib import ERLBPF, LIMIT, STOCK, Node, Process, Skip, Trace, of_type, rename, shared, unique, wait_line, wait_until

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
# Each test that runs at once is a process. Names of lib.unique("export_...") are of its nodes, too.
PREFIX = "export_t_%d_" % os.getpid()
NODES = "export_*_%d_*" % os.getpid()
TEXT = "text/plain"
OPENMETRICS = "application/openmetrics-text; version=1.0.0"


class Agent(Process):
    """erlbpf export on a port that the kernel chooses."""

    def __init__(self, *args, node=NODES, listen="127.0.0.1:0", prefix=()):
        super().__init__([*prefix, ERLBPF, "export", "--listen", listen, "--node", node] + [str(a) for a in args],
                         stderr=subprocess.PIPE)
        self.stderr = []
        while True:
            line = wait_line(self.child.stderr)
            assert line, "the agent ended: %s" % self.stderr
            self.stderr.append(line)
            found = re.search(r"\(port (\d+)\)", line)
            if found:
                self.port = int(found.group(1))
                break

    def get(self, path, accept=TEXT, limit=LIMIT):
        request = urllib.request.Request("http://127.0.0.1:%d%s" % (self.port, path),
                                         headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=limit) as answer:
            return answer.read()

    def metrics(self, accept=TEXT):
        return self.get("/metrics", accept).decode("utf-8")

    def value(self, name, **labels):
        """Sum of all series of that name that have these labels."""
        return sum(v for l, v in samples(self.metrics(), name)
                   if all(l.get(k) == w for k, w in labels.items()))

    def wait_for_node(self, node, tool="sched-latency"):
        wait_until("%s is traced" % node, lambda: self.value("erlbpf_target_up", node=node, tool=tool))

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(LIMIT)
        assert self.child.returncode == 0, self.child.returncode
        self.close()


def samples(text, name):
    """(labels, value) of every sample of that name."""
    for line in text.splitlines():
        found = re.fullmatch(re.escape(name) + r"(?:\{(.*)\})? (\S+)", line)
        if found:
            labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found.group(1) or "")
            yield dict(labels), float(found.group(2))


MESSAGES = 300


def load(name, messages=MESSAGES, competitors=5):
    """A node that measures how long its messages wait; it starts at the first line, and says when it is done."""
    return Node(STOCK, "+S", "1", "-sname", name, run=("waits", "main"), words=(messages, competitors, 1))


def node_name(name):
    return "%s@%s" % (name, socket.gethostname().split(".")[0])


def run_load(node):
    node.say("go")
    assert node.line().startswith("done")


def own_address(number=0):
    """One of three of this machine that no other process of the tests uses, so that each port of it is free."""
    pid = os.getpid()
    return "127.%d.%d.%d" % (64 * (1 + number) + (pid >> 16), pid >> 8 & 255, pid & 255)


def need(program):
    found = shutil.which(program)
    if not found:
        raise Skip("there is no %s; `make setup-test` installs it" % program)
    return found


class Prometheus(Process):
    """Debian's, with nothing to scrape but the agent, each second."""

    def __init__(self, agent, *args):
        self.folder = tempfile.mkdtemp(prefix="erlbpf-prometheus-")
        self.address = own_address() + ":9090"
        with open(self.folder + "/prometheus.yml", "w") as config:
            config.write("global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
                         "scrape_configs:\n- job_name: erlbpf\n  static_configs:\n"
                         "  - targets: ['127.0.0.1:%d']\n" % agent.port)
        super().__init__([need("prometheus"), "--config.file", self.folder + "/prometheus.yml",
                          "--storage.tsdb.path", self.folder + "/data", "--log.level", "error",
                          "--web.listen-address", self.address] + list(args),
                         stderr=subprocess.DEVNULL)
        wait_until("Prometheus scrapes", lambda: self.query("up") == [({}, 1.0)])

    def query(self, expression):
        """[(labels, value)], without the labels that every series has."""
        url = "http://%s/api/v1/query?%s" % (self.address, urllib.parse.urlencode({"query": expression}))
        try:
            with urllib.request.urlopen(url, timeout=LIMIT) as answer:
                found = json.load(answer)["data"]["result"]
        except OSError:
            return None
        return [({k: v for k, v in series["metric"].items() if k not in ("__name__", "job", "instance")},
                 float(series["value"][1])) for series in found]

    def one(self, expression):
        found = self.query(expression)
        return found[0][1] if found and len(found) == 1 else None

    def close(self):
        if self.is_alive():
            self.child.send_signal(signal.SIGTERM)
            self.child.wait(LIMIT)
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


def promtool(text):
    done = subprocess.run([need("promtool"), "check", "metrics"], input=text.encode(), capture_output=True)
    return done.returncode, (done.stdout + done.stderr).decode()


COUNT = 'sum(erlbpf_sched_latency_seconds_count{node="%s"})'
QUANTILE = 'histogram_quantile(%g, sum by (le) (erlbpf_sched_latency_seconds_bucket{node="%s"}))'


def buckets_of(agent, node):
    """[(bound, how many are not above it)], of all its names."""
    found = {}
    for labels, value in samples(agent.metrics(), "erlbpf_sched_latency_seconds_bucket"):
        if labels["node"] == node:
            found[float(labels["le"])] = found.get(float(labels["le"]), 0) + value
    return sorted(found.items())


def bucket_of(buckets, q):
    """(from, to, below, up to there) of the bucket that a quantile is in."""
    rank = q * buckets[-1][1]
    for (low, below), (high, count) in itertools.pairwise([(0.0, 0)] + buckets):
        if count >= rank and count > below:
            return low, high, below, count
    raise AssertionError((buckets, q))


def quantile_of(buckets, q):
    """As Prometheus finds it: it interpolates in the bucket."""
    low, high, below, count = bucket_of(buckets, q)
    return low if high == math.inf else low + (high - low) * (q * buckets[-1][1] - below) / (count - below)


def has_quantiles(agent, prometheus, node):
    """Prometheus finds the quantiles of what the agent serves."""
    buckets = buckets_of(agent, node)
    seen = [prometheus.one(QUANTILE % (q, node)) for q in QUANTILES.values()]
    return prometheus.one(COUNT % node) == buckets[-1][1] and all(
        math.isclose(one, quantile_of(buckets, q), rel_tol=1e-9) for one, q in zip(seen, QUANTILES.values(), strict=True))


def runs_of_two(prometheus_args, check, names=("a", "b"), tools="sched-latency"):
    """check(agent, Prometheus, nodes by their whole names, what the tool said of each) once two nodes have run."""
    sort = {node_name(PREFIX + name): PREFIX + name for name in names}
    with contextlib.ExitStack() as stack:
        agent = stack.enter_context(Agent("--tools", tools, node=PREFIX + "*"))
        nodes = {full: stack.enter_context(load(name)) for full, name in sort.items()}
        prometheus = stack.enter_context(Prometheus(agent, *prometheus_args))
        for full in nodes:
            agent.wait_for_node(full)
        tool = Trace("sched-latency", "-j", "--by", "node", "--node", PREFIX + "*")
        for node in nodes.values():
            run_load(node)
        own = {h["node"]: h for h in of_type(tool.stop_json(), "hist")}
        assert set(own) == set(nodes) and all(h["count"] >= MESSAGES for h in own.values()), own
        check(agent, prometheus, nodes, own)


def test_prometheus_quantiles_are_those_of_the_agent_and_a_node_that_restarts_keeps_its_series():
    """That they are also those of the tool is in timing/test_export.py: it measures with probes of its own."""
    def check(agent, prometheus, nodes, own):
        for name in nodes:
            # A message or two came between the starts and ends of the two.
            wait_until("Prometheus has counted %s" % name, lambda: (prometheus.one(COUNT % name) or 0) >= own[name]["count"])
            wait_until("it finds the quantiles of %s" % name, lambda: has_quantiles(agent, prometheus, name))
        restart(agent, prometheus, nodes[node_name(PREFIX + "a")], PREFIX + "a")

    runs_of_two((), check, tools="sched-latency,mailbox,gc,dist")


NATIVE = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"


def first_family(raw):
    """The name of the first of delimited messages: their length, then field 1, a text, and its length."""
    start = re.match(rb"[\x80-\xff]*[\x00-\x7f]\x0a(.)", raw, re.DOTALL)
    return raw[start.end():][:start[1][0]].decode()


NATIVE_COUNT = 'histogram_count(sum(erlbpf_sched_latency_seconds{node="%s"}))'
NATIVE_QUANTILE = 'histogram_quantile(%g, sum(erlbpf_sched_latency_seconds{node="%s"}))'


def is_in_its_bucket(seen, buckets, q):
    """A slot goes to the fine bucket that its middle is in, which may begin half a slot later."""
    low, high, _, _ = bucket_of(buckets, q)
    return seen is not None and low / 1.091 <= seen <= high * 1.091


def test_native_histograms_have_every_count_and_quantiles_in_the_buckets_of_the_text():
    def check(agent, prometheus, nodes, own):
        [name] = nodes

        def has_all():
            buckets = buckets_of(agent, name)
            return buckets and prometheus.one(NATIVE_COUNT % name) == buckets[-1][1] >= own[name]["count"] and all(
                is_in_its_bucket(prometheus.one(NATIVE_QUANTILE % (q, name)), buckets, q) for q in QUANTILES.values())

        wait_until("Prometheus has all", has_all)
        # The buckets hold all that the count says, to the last.
        assert prometheus.one('histogram_fraction(0, +Inf, sum(erlbpf_sched_latency_seconds{node="%s"}))'
                              % name) == 1
        assert first_family(agent.get("/metrics", NATIVE + ";q=0.9," + OPENMETRICS)).startswith("erlbpf_")

    runs_of_two(["--enable-feature=native-histograms"], check, names=("n",))


def restart(agent, prometheus, node, name):
    full = node_name(name)
    labels = {tuple(sorted(l.items())) for l, _ in
              prometheus.query('erlbpf_sched_latency_seconds_count{node="%s"}' % full)}
    before = prometheus.one(COUNT % full)
    node.kill()
    wait_until("the node is gone", lambda: not agent.value("erlbpf_target_up", node=full))
    with load(name) as again:
        agent.wait_for_node(full)
        run_load(again)
        wait_until("its series goes on",
                   lambda: (prometheus.one(COUNT % full) or 0) >= before + MESSAGES)
        now = {tuple(sorted(l.items())) for l, _ in
               prometheus.query('erlbpf_sched_latency_seconds_count{node="%s"}' % full)}
        assert labels <= now, (labels, now)
        assert prometheus.one('max_over_time(resets(sum(erlbpf_sched_latency_seconds_count{node="%s"})[1m:1s])'
                              '[1m:1s])' % full) == 0


def test_a_name_that_is_no_utf8_and_controls_terminals_spoils_neither_targets_nor_labels():
    name = PREFIX.encode() + b"\xff\x1b[31m\x7f\xc2\x9b\xe2\x80\xae@h"
    with Node(STOCK) as node, Agent("--tools", "spawn-exit") as agent:
        rename(node, name)
        targets = lambda: json.loads(agent.get("/targets"))["targets"]
        wait_until("it is traced", targets)
        raw = agent.get("/targets").decode("utf-8")
        assert all(ord(c) in range(0x20, 0x7f) or c == "\ufffd" for c in raw.rstrip("\n")), raw
        assert targets()[0]["node"] == PREFIX + "\ufffd\x1b[31m\x7f\x9b\u202e@h", targets()
        assert targets()[0]["os_pid"] == node.pid
        metrics = agent.metrics()
        assert 'node="%s??[31m??????@h"' % PREFIX in metrics, metrics
        assert all(c == "\n" or c.isprintable() for c in metrics), metrics
        agent.stop()


def test_the_soft_limit_of_descriptors_is_raised_to_the_hard_one():
    with shared(STOCK) as node:
        agent = Agent("--tools", "spawn-exit")
        with open("/proc/%d/limits" % agent.pid) as limits:
            [soft] = re.findall(r"^Max open files +(\d+)", limits.read(), re.M)
        assert int(soft) == resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        agent.stop()
        out = subprocess.run(["sh", "-c", "ulimit -S -n 100; exec \"$@\"", "sh", ERLBPF, "-q", "-p", str(node.pid), "-w",
                              "-n", "BEGIN { system(\"ulimit -n\"); exit(0); }"], capture_output=True, text=True,
                             timeout=LIMIT)
        assert out.stdout.split() == ["100"], out


def metrics_at_last(agent):
    """It may have no descriptor to answer with just then."""
    answers = []

    def ask():
        with contextlib.suppress(OSError, http.client.HTTPException):
            answers.append(agent.metrics())
        return answers

    wait_until("the agent answers", ask)
    return answers[0]


def limit_descriptors(agent, count):
    subprocess.run(["prlimit", "--pid", str(agent.pid), "--nofile=%d:" % count], check=True)


def descriptor_failures(agent):
    return sum(value for labels, value in samples(metrics_at_last(agent), "erlbpf_attach_failures_total") if labels["reason"] == "descriptors")


def nodes_up(agent):
    return {labels["node"] for labels, _ in samples(metrics_at_last(agent), "erlbpf_target_up")}


def fewest_descriptors(agent):
    """Those that it keeps: what it looks at for a moment takes some, too."""
    found = []
    for _ in range(100):
        found.append(len(os.listdir("/proc/%d/fd" % agent.pid)))
        time.sleep(0.01)
    return min(found)


def test_what_fails_for_want_of_descriptors_is_counted_and_tried_again():
    names = [unique(PREFIX + "fd") for _ in range(5)]
    # It stays root then, whose limits root may change without a capability.
    agent = Agent("--tools", "sched-latency", node=PREFIX + "fd_*", prefix=["setpriv", "--bounding-set=-setuid"])
    nodes = [Node(STOCK, "-sname", name) for name in names[:2]]
    wait_until("two are traced", lambda: nodes_up(agent) == {node_name(name) for name in names[:2]})
    # Each other one takes 4, and who asks for the metrics takes one.
    limit_descriptors(agent, fewest_descriptors(agent) + 3)
    nodes += [Node(STOCK, "-sname", name) for name in names[2:]]
    wait_until("they have been tried", lambda: descriptor_failures(agent) >= 3)
    before = nodes_up(agent)
    assert before < {node_name(name) for name in names}, before
    limit_descriptors(agent, 1000)
    # It tries again after a time that doubles: on a busy machine, as long as all that was so far.
    wait_until("all are traced", lambda: nodes_up(agent) >= {node_name(name) for name in names}, 3 * LIMIT)
    agent.stop()


def test_on_loopback_only_its_names_are_answered():
    def ask(agent, host, path="/metrics"):
        connection = http.client.HTTPConnection("127.0.0.1", agent.port, timeout=LIMIT)
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read()

    agent = Agent("--tools", "spawn-exit", "--allow-host", "metrics.example")
    for host in ("localhost", "127.0.0.1:%d" % agent.port, "[::1]:9568", "Metrics.Example:80"):
        assert ask(agent, host)[0] == 200, host
    for path in ("/metrics", "/targets", "/", "/-/healthy"):
        status, kind, body = ask(agent, "attacker.example:%d" % agent.port, path)
        assert (status, kind) == (403, "text/plain") and b"--allow-host" in body, (status, kind, body)
    agent.stop()
    agent = Agent("--tools", "spawn-exit", listen="0.0.0.0:0")
    assert ask(agent, "machine.example")[0] == 200
    agent.stop()


def test_both_formats_are_clean_for_promtool_and_for_a_strict_parser():
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    with load(PREFIX + "c", 200) as node, Agent("--tools", "sched-latency,mailbox,gc,dist,births,ets,locks,copy",
                                                node=PREFIX + "c") as agent:
        agent.wait_for_node(node_name(PREFIX + "c"))
        run_load(node)
        wait_until("it is counted", lambda: agent.value("erlbpf_sched_latency_seconds_count") >= 200)
        code, said = promtool(agent.metrics())
        assert code == 0 and not said.strip(), said
        text = agent.metrics(OPENMETRICS)
        assert text.endswith("# EOF\n") and text.count("# EOF") == 1
        families = {f.name: f for f in text_string_to_metric_families(text)}
        assert families["erlbpf_sched_latency_seconds"].unit == "seconds"
        assert families["erlbpf_copied_bytes"].unit == "bytes"
        assert families["erlbpf_probe_hits"].type == "counter"
        # OpenMetrics' own names, as promtool knows them.
        code, said = promtool(re.sub(r"^# (HELP|TYPE) (\S+)((?: .*)?)$", as_text(families), text, flags=re.M))
        assert code == 0 and not said.strip(), said
        agent.stop()


def as_text(families):
    """In the text format a counter's name ends in _total where its type is said, too."""
    return lambda m: "# %s %s%s%s" % (m.group(1), m.group(2),
                                      "_total" if families[m.group(2)].type == "counter" else "", m.group(3))


def test_what_tools_only_show_in_tables_is_counted_too():
    a, b = node_name(PREFIX + "p"), node_name(PREFIX + "q")
    with Node(STOCK, "-sname", PREFIX + "p") as node, Node(STOCK, "-sname", PREFIX + "q"), \
            Agent("--tools", "dist,births", node=PREFIX + "*") as agent:
        agent.wait_for_node(a, "births")
        agent.wait_for_node(b, "births")
        assert node.eval("begin {x, '%s'} ! hi, [{x, '%s'} ! binary:copy(<<0>>, 1000) || _ <- lists:seq(1, 100)], "
                         "[spawn(fun() -> ok end) || _ <- lists:seq(1, 500)], ok end" % (b, b)) == "ok"
        wait_until("births are counted", lambda: agent.value("erlbpf_processes_spawned_total", node=a) >= 500)
        wait_until("so are exits", lambda: agent.value("erlbpf_processes_exited_total", node=a) >= 500)
        assert agent.value("erlbpf_processes_exited_total", node=a) < 600
        wait_until("bytes are counted", lambda: agent.value("erlbpf_dist_bytes_total", node=a, peer=b) > 1e5)
        assert agent.value("erlbpf_dist_packets_total", node=a, peer=b) >= 100
        agent.stop()


# Who answers.

def test_programs_are_loaded_by_others_than_who_answers():
    """The kernel holds up whoever loads a program for as long as it verifies it, on a busy machine ten times as long."""
    with Agent("--tools", "births,gc,sched-latency", node=PREFIX + "*") as agent:
        loads = Trace("-q", "-n", "syscall::bpf:entry /pid == %d && arg0 == 5/ { @[tid == pid ? \"answers\" : \"loads\"] = count(); }"
                      % agent.pid, "-n", "BEGIN { printf(\"begun\\n\"); }", wait=False)
        assert loads.line() == "begun"
        with Node(STOCK, "-sname", PREFIX + "late") as node:
            agent.wait_for_node(node.eval("node()"))
            said = loads.stop()
        agent.stop()
    counts = dict(line.split() for line in said.splitlines() if line.strip())
    assert list(counts) == ["loads"] and int(counts["loads"]) > 0, said


# Clients that nobody invited.

def check_answers(agent, path="/-/healthy", count=20):
    """Each on a connection of its own; how fast is in timing/test_export.py."""
    for _ in range(count):
        assert agent.get(path)


def ask_meanwhile(agent, thread):
    """How many answers there were while the thread ran: who connects while thousands do may be the one that has said nothing
    for longest, and is closed to make room for others."""
    count = 0
    while thread.is_alive():
        with contextlib.suppress(http.client.RemoteDisconnected, ConnectionResetError):
            count += agent.get("/-/healthy") == b"healthy\n"
    return count


def connect(agent, say=b""):
    s = socket.create_connection(("127.0.0.1", agent.port), LIMIT)
    s.sendall(say)
    return s


def flood(agent, count, say):
    """Connections that stay, each the agent's problem as long as it likes."""
    held = []
    while len(held) < count:
        try:
            held.append(connect(agent, say))
        except OSError:
            pass
    return held


HALVES = [b"", b"G", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-Half: ",
          b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nx",
          b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 5000]


def test_clients_that_say_nothing_or_half_a_request_do_not_delay_others():
    with Agent("--tools", "sched-latency") as agent:
        held = [flood(agent, 100, say) for say in HALVES]
        check_answers(agent)
        check_answers(agent, "/metrics")
        del held
        agent.stop()


def test_ten_thousand_connections_harm_nobody():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))
    try:
        with Agent("--tools", "sched-latency") as agent:
            before, held = fds(agent), []
            thread = threading.Thread(target=lambda: held.extend(
                flood(agent, min(10000, hard - 1000), b"GET / HT")))
            thread.start()
            assert ask_meanwhile(agent, thread)
            thread.join()
            assert len(held) >= min(10000, hard - 1000)
            check_answers(agent)
            assert fds(agent) <= before + 300 and resident(agent) < 64 << 20
            for s in held:
                s.close()
            wait_until("descriptors are given back", lambda: fds(agent) <= before + 2)
            agent.stop()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_who_asks_and_does_not_read_costs_no_memory():
    with Agent("--tools", "sched-latency") as agent:
        held = [connect(agent, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20) for _ in range(100)]
        check_answers(agent, "/metrics")
        assert resident(agent) < 64 << 20
        del held
        agent.stop()


CROWD = ("begin F = fun F(N) -> receive {p, P, M} -> P ! M, F(N); _ -> F(N) end end, "
         "Ps = [spawn(fun() -> F(0) end) || _ <- lists:seq(1, %(count)d)], "
         "All = fun() -> [begin [P ! hi || P <- lists:sublist(Ps, I, 500)], timer:sleep(%(pause)d) end || I <- lists:seq(1, %(count)d, 500)] end, "
         "%(talk)s, length(Ps) end")


def crowd(agent, node, count, talk="All()", pause=0):
    """So many processes that the agent has counted messages of."""
    agent.wait_for_node(node.eval("node()").strip("'"))
    assert node.eval(CROWD % {"count": count, "pause": pause, "talk": talk}) == str(count)
    wait_until("they are traced", lambda: agent.value("erlbpf_sched_latency_seconds_count") > 1000)


def test_ten_scrapes_at_once_of_a_crowded_node_are_answered_in_full():
    """In how much time, and of more processes, is in timing/test_export.py."""
    with Node(STOCK, "-sname", unique(PREFIX + "crowd")) as node, Agent() as agent:
        crowd(agent, node, 20000)
        answers = ten_at_once(agent)
        assert all(answer.startswith(b"HTTP/1.1 200 OK") and b"\nerlbpf_sched_latency_seconds_count{" in answer
                   for answer in answers), [answer[:100] for answer in answers]
        assert resident(agent) < 64 << 20
        check_processes_of_a_crowd(agent, node, 20000)
        agent.stop()


def check_processes_of_a_crowd(agent, node, count):
    """Who asks for its processes over and over gets what was read before, a second and a half ago at least where that is
    not so; who asks no more costs nothing."""
    ask = lambda: json.loads(agent.get("/processes?os_pid=%d&rows=1000&sort=pid" % node.pid))
    began = time.monotonic()
    seen = [ask() for _ in range(20)]
    assert all(answer["processes"] > count and len(answer["rows"]) == 100 for answer in seen)
    readings = sum(1 for a, b in zip(seen, seen[1:]) if b["age_s"] < a["age_s"])
    assert readings <= (time.monotonic() - began) / 1.5 + 1, readings
    held = resident(agent)
    wait_until("the node is let go", lambda: resident(agent) < held - 100 * count)


def ten_at_once(agent):
    """What all of them are answered."""
    held = [connect(agent, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") for _ in range(10)]
    return [take_all(s) for s in held]


def take_all(s):
    with s, s.makefile("rb") as answer:
        return answer.read()


def check_that_nothing_stays(first, then):
    """Of so many scrapes; the node works on, and others come and go."""
    name = unique(PREFIX + "day")
    with load(name, 100000, competitors=0) as node, Agent() as agent:
        agent.wait_for_node(node_name(name))
        node.say("go")
        scrape(agent, first)
        come_and_go(agent)
        before = fds(agent), maps(agent), resident(agent)
        scrape(agent, then)
        come_and_go(agent)
        wait_until("descriptors are given back", lambda: fds(agent) <= before[0])
        # The allocator splits and joins its mappings as it likes: a leak is one for a scrape.
        wait_until("mappings are given back", lambda: maps(agent) <= before[1] + then // 100)
        # What an answer is made in comes and goes.
        wait_until("memory is given back", lambda: resident(agent) <= before[2] + (1 << 20))
        agent.stop()


def test_a_thousand_scrapes_leave_nothing_behind():
    """timing/test_export.py has a day of them."""
    check_that_nothing_stays(300, 1000)


def come_and_go(agent):
    passing = unique(PREFIX + "passing")
    name = node_name(passing)
    with Node(STOCK, "-sname", passing):
        agent.wait_for_node(name)
    wait_until("it is gone", lambda: not agent.value("erlbpf_target_up", node=name))


def scrape(agent, count):
    connection = http.client.HTTPConnection("127.0.0.1", agent.port)
    for i in range(count):
        connection.request("GET", "/metrics", headers={"Accept": [TEXT, OPENMETRICS][i % 2]})
        assert connection.getresponse().read()
    connection.close()


def maps(agent):
    with open("/proc/%d/maps" % agent.pid) as text:
        return len(text.readlines())


def fds(agent):
    return len(os.listdir("/proc/%d/fd" % agent.pid))


def resident(agent):
    with open("/proc/%d/statm" % agent.pid) as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def test_the_queue_and_the_oldest_message_of_a_process_that_receives_nothing_are_gauges():
    with Node(STOCK, "-sname", PREFIX + "stuck") as node:
        began = time.monotonic()
        node.eval("register(stuck, spawn(fun() -> receive never -> ok end end)), [stuck ! K || K <- lists:seq(1, 50)], ok")
        name = node.eval("node()").strip("'")
        with Agent("--tools", "mailbox", node=PREFIX + "stuck") as agent:
            agent.wait_for_node(name, "mailbox")
            node.eval("[stuck ! K || K <- lists:seq(1, 50)], ok")

            def of_stuck(metric):
                return sum(v for labels, v in samples(agent.metrics(), metric) if labels.get("name") == "stuck")

            wait_until("it is in the metrics", lambda: of_stuck("erlbpf_mailbox_waiting_messages") == 100)
            wait_until("it grows", lambda: of_stuck("erlbpf_mailbox_waiting_seconds") > 0.3)
            oldest = of_stuck("erlbpf_mailbox_waiting_seconds")
            # What waits has been sent since.
            assert oldest <= time.monotonic() - began, oldest
            assert agent.value("erlbpf_mailbox_oldest_waiting_seconds", node=name) >= oldest
            assert agent.value("erlbpf_mailbox_most_waiting_messages", node=name) == 100


def test_names_of_elixir_are_written_as_elixir_does_unless_asked_otherwise():
    with Node(STOCK, "-sname", PREFIX + "shop") as node:
        node.eval("Ps = 'Elixir.Shop.Cart':start(), ok")
        name = node.eval("node()").strip("'")
        for options, wanted in (((), {"Shop.Cart.init/1", "Shop.Repo"}),
                                (("--names", "erlang"), {"'Elixir.Shop.Cart':init/1", "'Elixir.Shop.Repo'"})):
            with Agent("--tools", "sched-latency", *options, node=PREFIX + "shop") as agent:
                agent.wait_for_node(name)
                node.eval("'Elixir.Shop.Cart':send([P || {_, P} <- Ps])")
                wait_until("they are counted", lambda: wanted <= {labels["name"] for labels, _ in samples(
                    agent.metrics(), "erlbpf_sched_latency_seconds_count") if labels["node"] == name})
                agent.stop()
    out = subprocess.run([ERLBPF, "export", "--names", "ruby"], capture_output=True, text=True, timeout=LIMIT)
    assert out.returncode == 2 and "expected a number from 0 to 1000, or erlang or elixir" in out.stderr, out.stderr
