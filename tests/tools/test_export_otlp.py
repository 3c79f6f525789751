"""erlbpf export --otlp: what is pushed is what is served, whatever the receiver does, and nobody waits for it.
VictoriaMetrics, which is not written by us, understands it."""
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from lib import ERLBPF, LIMIT, ROOT, STOCK, Node, Process, Skip, status_of, wait_until
from otlp import FAMILY, PROFILES_PATH, Receiver, authority, delimited
from pods import Agent, samples
from test_export import NATIVE, own_address
from test_export_privileges import NEEDED, only

HOST = socket.gethostname()
# Each test that runs at once is a process.
PREFIX = "otlp%d_" % os.getpid()
TOOLS = "sched-latency,mailbox,gc,dist,births"


def pushing(url, *more, prefix=(), tools="mailbox"):
    return Agent("--tools", tools, "--node", PREFIX + "*", "--otlp", url, "--otlp-interval", "1s", *more, prefix=prefix)


def talk(node, times=1000):
    assert node.eval("begin [begin self() ! X, receive X -> ok end end || X <- lists:seq(1, %d)], "
                     "[spawn(fun() -> lists:seq(1, 1000) end) || _ <- lists:seq(1, 100)], "
                     "[garbage_collect(P) || P <- processes()], ok end" % times) == "ok"


def test_a_profile_that_did_not_arrive_is_sent_again_and_one_that_is_refused_is_not():
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "again") as node:
        node.eval("spawn(shares, shares, [10])")
        receiver.profile_answers.put((503, {"Retry-After": "1"}, b""))
        receiver.profile_answers.put((200, {}, b""))
        receiver.profile_answers.put((400, {}, b""))
        with profiling(receiver.url) as agent:
            wait_until("it is sent again", lambda: len(receiver.all_profiles) >= 3)
            log = agent.stop()
    name = PREFIX + "again@" + HOST.split(".")[0]
    first, second, third = (push.nodes[name] for push in receiver.all_profiles[:3])
    assert first == second and first["id"] != third["id"], "the same one is sent again"
    assert log.count("push of profiles failed: the reply has HTTP status 503; they are sent again") == 1, log
    assert "Pushing profiles works again." in log, log


# What is pushed.

def native(agent):
    """{metric: {labels: its value, or (count, sum, zeros, {number of bucket: count})}} of /metrics in protobuf."""
    request = urllib.request.Request("http://127.0.0.1:%d/metrics" % agent.port, headers={"Accept": NATIVE})
    with urllib.request.urlopen(request, timeout=LIMIT) as answer:
        families = list(delimited(answer.read(), FAMILY))
    return {family["name"]: {frozenset((l["key"], l["value"]) for l in metric["labels"]): native_value(metric)
                             for metric in family["metrics"]} for family in families}


def native_value(metric):
    if "histogram" not in metric:
        return (metric.get("gauge") or metric.get("counter") or {}).get("value", 0.0)
    h = metric["histogram"]
    buckets, number, count, deltas = {}, 0, 0, iter(h["deltas"])
    for span in h["spans"]:
        number += span.get("offset", 0)
        for _ in range(span["length"]):
            count += next(deltas)
            buckets[number], number = count, number + 1
    return h["count"], h.get("sum", 0.0), h.get("zero_count", 0), buckets


def pushed_value(point):
    if "scale" not in point:
        return point["value"]
    assert point["scale"] == 3 and point["zero_threshold"] > 0
    first = point["positive"].get("offset", 0) + 1 if "positive" in point else 0
    counts = point["positive"]["counts"] if "positive" in point else []
    assert point["count"] == sum(counts) + point.get("zero_count", 0), "count is the sum of the buckets"
    return point["count"], point["sum"], point.get("zero_count", 0), {first + i: n for i, n in enumerate(counts) if n}


def all_pushed(push):
    return {name: {labels: pushed_value(point) for kind in ("sum", "gauge", "exponential") if kind in metric
                   for labels, point in push.points(name, kind).items()} for name, metric in push.metrics.items()}


def of_nodes(values):
    """Without what is of the agent itself, and changes while one looks."""
    return {name: series for name, series in values.items()
            if not name.startswith(("erlbpf_agent_", "erlbpf_otlp_", "erlbpf_overhead_", "erlbpf_bpf_run_"))}


def quantile(buckets, q):
    """The bounds of the bucket that it is in; `buckets` are (from, to, count), ascending."""
    rank, below = q * sum(count for _, _, count in buckets), 0
    for low, high, count in buckets:
        below += count
        if count and below >= rank:
            return low, high
    raise AssertionError(buckets)


def served_buckets(agent):
    """{(metric, labels): buckets} of the text, which are powers of two of nanoseconds or bytes."""
    found = {}
    for name, labels, value in samples(agent.get("/metrics")):
        if name.endswith("_bucket"):
            bound = float(labels.pop("le"))
            buckets = found.setdefault((name[:-7], frozenset(labels.items())), [])
            below, before = (buckets[-1][1], sum(count for _, _, count in buckets)) if buckets else (0.0, 0)
            buckets.append((below, bound, value - before))
    return found


def pushed_buckets(point):
    first = point["positive"].get("offset", 0) if "positive" in point else 0
    counts = point["positive"]["counts"] if "positive" in point else []
    return [(0.0, point["zero_threshold"], point.get("zero_count", 0))] + [
        (2 ** ((first + i) / 8), 2 ** ((first + i + 1) / 8), count) for i, count in enumerate(counts)]


def check_quantiles(agent, push):
    """Coarse buckets of the text and fine ones that were pushed agree. How many quantiles were looked at."""
    checked = 0
    for (name, labels), served in served_buckets(agent).items():
        pushed = pushed_buckets(push.points(name, "exponential")[labels])
        for q in (0.01, 0.5, 0.9, 0.99, 1):
            (low, high), (from_, to) = quantile(pushed, q), quantile(served, q)
            # A slot goes to the bucket that its middle is in, which may begin half a slot later.
            assert low <= to * 1.033 and high >= from_ / 1.033, (name, labels, q, low, high, from_, to)
            checked += 1
    return checked


def test_every_series_and_bucket_is_pushed_as_it_is_served():
    began = time.time_ns()
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "a") as node, \
            pushing(receiver.url, "--otlp-header", "X-Scope-OrgID=shop", tools=TOOLS, prefix=[
                "env", "OTEL_RESOURCE_ATTRIBUTES=k8s.node.name=machine%2D7",
                "OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20abc,X-Scope-OrgID=none"]) as agent:
        wait_until("it is traced", lambda: agent.series("erlbpf_target_up", tool="mailbox"))
        talk(node)
        wait_until("all is counted", lambda: agent.value("erlbpf_mailbox_wait_seconds_count") >= 1000)
        # One that has ended counts no more, and is counted for an hour.
        node.kill()
        wait_until("it is gone", lambda: not agent.series("erlbpf_target_up"))
        push = receiver.fresh()
        served, pushed = of_nodes(native(agent)), of_nodes(all_pushed(push))
        assert {"erlbpf_mailbox_wait_seconds", "erlbpf_gc_pause_seconds", "erlbpf_processes_spawned_total",
                "erlbpf_probe_hits_total", "erlbpf_build_info"} <= set(served), set(served)
        assert pushed == served, {name: (pushed.get(name), served.get(name)) for name in set(pushed) | set(served)
                                  if pushed.get(name) != served.get(name)}
        assert set(all_pushed(push)) >= set(native(agent)) - {"erlbpf_otlp_last_success_timestamp_seconds"}
        assert check_quantiles(agent, push) >= 50
        check_envelope(push)
        check_times(receiver, push, began)
        agent.stop()


def check_envelope(push):
    assert push.path == "/v1/metrics" and push.headers["Content-Type"] == "application/x-protobuf"
    assert push.headers["Authorization"] == "Bearer abc" and push.headers["X-Scope-OrgID"] == "shop"
    assert push.headers.get_all("X-Scope-OrgID") == ["shop"] and push.headers["User-Agent"].startswith("erlbpf/")
    version = subprocess.run([ERLBPF, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert push.resource == {"service.name": "erlbpf", "service.version": version, "host.name": HOST,
                             "service.instance.id": HOST, "k8s.node.name": "machine-7"}, push.resource
    assert push.scope == {"name": "erlbpf", "version": version}
    hist, hits = push.metrics["erlbpf_mailbox_wait_seconds"], push.metrics["erlbpf_probe_hits_total"]
    assert hist["unit"] == "s" and hist["description"] and hist["exponential"]["temporality"] == 2
    assert hits["sum"]["temporality"] == 2 and hits["sum"]["is_monotonic"] == 1
    assert push.metrics["erlbpf_agent_resident_memory_bytes"]["unit"] == "By"


def starts(push):
    return {(name, labels): point["start"] for name, metric in push.metrics.items()
            for kind in ("sum", "exponential") if kind in metric for labels, point in push.points(name, kind).items()}


def check_times(receiver, push, began):
    """A start that moved would look like a counter that began again. All times are between `began` and now."""
    later = receiver.fresh()
    assert starts(push).items() <= starts(later).items()
    for name, metric in later.metrics.items():
        for kind in ("sum", "gauge", "exponential"):
            for point in later.points(name, kind).values() if kind in metric else ():
                assert ("start" in point) == (kind != "gauge")
                assert began <= point.get("start", point["time"]) <= point["time"] <= time.time_ns(), (name, began, point)


def test_a_pushed_series_that_comes_later_begins_later():
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "first") as first, pushing(receiver.url) as agent:
        wait_until("it is traced", lambda: agent.series("erlbpf_target_up"))
        talk(first)
        wait_until("it is counted", lambda: receiver.next().value("erlbpf_mailbox_wait_seconds", "exponential") >= 1000)
        # One that was pushed before there was the second node.
        before = max(point["time"] for point in receiver.next().points("erlbpf_mailbox_wait_seconds", "exponential").values())
        with Node(STOCK, "-sname", PREFIX + "second") as second:
            name = PREFIX + "second@" + HOST.split(".")[0]
            wait_until("it is traced", lambda: agent.series("erlbpf_target_up", node=name))
            talk(second)
            wait_until("it is counted",
                       lambda: receiver.next().value("erlbpf_mailbox_wait_seconds", "exponential", node=name) >= 1000)
        push = receiver.next()
        begun = {dict(labels)["node"]: point["start"]
                 for labels, point in push.points("erlbpf_mailbox_wait_seconds", "exponential").items()}
        assert begun[name] > begun[PREFIX + "first@" + HOST.split(".")[0]]
        assert begun[name] >= before
        agent.stop()


# VictoriaMetrics.

class Victoria(Process):
    """VictoriaMetrics of Debian 13 with nothing in it."""

    def __init__(self):
        done = subprocess.run([os.path.join(ROOT, "tests", "victoria.sh")], capture_output=True, text=True)
        if done.returncode:
            raise Skip(done.stderr.strip())
        self.folder, address = tempfile.mkdtemp(prefix="erlbpf-victoria-"), own_address() + ":8428"
        super().__init__([done.stdout.strip(), "-storageDataPath=" + self.folder, "-loggerLevel=ERROR",
                          "-httpListenAddr=" + address, "-search.latencyOffset=0s"],
                         stderr=subprocess.DEVNULL)
        self.url = "http://" + address
        wait_until("VictoriaMetrics answers", lambda: self.query("1") is not None)

    def query(self, expression):
        """[(labels, value)]; labels of the resource, which have dots in their names, are looked at and left out."""
        url = "%s/api/v1/query?%s" % (self.url, urllib.parse.urlencode({"query": expression, "nocache": "1"}))
        assert self.is_alive()
        try:
            with urllib.request.urlopen(url, timeout=LIMIT) as answer:
                found = json.load(answer)["data"]["result"]
        except OSError:
            return None
        return [(frozenset((k, v) for k, v in series["metric"].items() if "." not in k and k != "__name__"),
                 float(series["value"][1])) for series in found]

    def close(self):
        self.kill(signal.SIGTERM)
        super().close()
        shutil.rmtree(self.folder)


def test_victoria_metrics_takes_what_is_pushed_and_answers_the_same_quantiles():
    with Victoria() as victoria, Node(STOCK, "-sname", PREFIX + "v") as node, \
            pushing(victoria.url + "/opentelemetry/v1/metrics", tools=TOOLS) as agent:
        wait_until("it is traced", lambda: agent.series("erlbpf_target_up", tool="mailbox"))
        talk(node)
        wait_until("all is counted", lambda: agent.value("erlbpf_mailbox_wait_seconds_count") >= 1000)
        node.kill()
        wait_until("it is gone", lambda: not agent.series("erlbpf_target_up"))
        served = served_buckets(agent)
        names = {name for name, _ in served}
        assert len(served) >= 10 and "erlbpf_mailbox_wait_seconds" in names, names
        for metric in [name + "_count" for name in names] + ["erlbpf_probe_hits_total", "erlbpf_processes_spawned_total"]:
            own = {frozenset(labels.items()): value for labels, value in agent.series(metric)}
            wait_until("%s has arrived" % metric, lambda: dict(
                victoria.query('%s{service.name="erlbpf",host.name="%s"}' % (metric, HOST))) == own)
        assert check_answers(victoria, served) >= 30
        assert result(agent, "ok") >= 1 and not agent.value("erlbpf_otlp_refused_points_total")
        agent.stop()


def check_answers(victoria, served):
    """Every series: the answer is in the bucket of the text, or less than a pushed bucket (9 %) beside it."""
    checked = 0
    for q in (0.5, 0.9, 0.99):
        for name in {name for name, _ in served}:
            answers = dict(victoria.query("histogram_quantile(%g, %s_bucket)" % (q, name)))
            le = dict(victoria.query("histogram_quantile(%g, prometheus_buckets(%s_bucket))" % (q, name)))
            assert answers == le and set(answers) == {labels for other, labels in served if other == name}
            for labels, seen in answers.items():
                low, high = quantile(served[name, labels], q)
                assert low / 1.091 <= seen <= high * 1.091, (name, labels, q, low, seen, high)
                checked += 1
    return checked


# Receivers that fail.

def result(agent, which):
    return agent.value("erlbpf_otlp_pushes_total", result=which)


def test_a_receiver_that_is_overloaded_gets_everything_later_and_is_told_of_once():
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "b") as node:
        for _ in range(3):
            receiver.answers.put((503, {}, b"later"))
        began = time.time()
        with pushing(receiver.url) as agent:
            wait_until("it is traced", lambda: agent.series("erlbpf_target_up"))
            talk(node)
            wait_until("it has arrived", lambda: receiver.next().value(
                "erlbpf_mailbox_wait_seconds", "exponential") >= 1000)
            wait_until("it is told", lambda: result(agent, "ok") >= 1)
            assert result(agent, "failed") == 3
            assert agent.value("erlbpf_otlp_sent_bytes_total") > 100
            assert began <= agent.value("erlbpf_otlp_last_success_timestamp_seconds") <= time.time()
            log = agent.stop()
    assert log.count("push failed: the reply has HTTP status 503") == 1 and log.count("Pushing works again") == 1, log


def test_a_receiver_is_not_asked_again_before_it_wants_to_be():
    with Receiver() as receiver:
        receiver.answers.put((429, {"Retry-After": "3"}, b""))
        with pushing(receiver.url) as agent:
            receiver.next()
            assert receiver.times[1] - receiver.times[0] >= 3, receiver.times
            agent.stop()


def test_a_receiver_that_does_not_listen_is_found_when_it_does():
    with socket.socket() as held:
        # Nobody else is given the port meanwhile.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        check_that_it_is_found(held.getsockname()[1])


def check_that_it_is_found(port):
    with pushing("http://127.0.0.1:%d" % port) as agent:
        wait_until("pushes fail", lambda: result(agent, "failed") >= 2)
        assert "erlbpf_otlp_last_success" not in agent.get("/metrics")
        with Receiver(("127.0.0.1", port)) as receiver:
            receiver.next()
            wait_until("pushes arrive", lambda: result(agent, "ok") >= 1)
            log = agent.stop()
    assert log.count("push failed") == 1 and "Pushing works again" in log, log


class Raw:
    """A listener that does to each connection what a function says."""

    def __init__(self, act):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url, self.held, self.count = "http://127.0.0.1:%d" % self.listener.getsockname()[1], [], 0
        self.act = act
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            self.held.append(connection)
            threading.Thread(target=self.run, args=(connection,), daemon=True).start()

    def run(self, connection):
        try:
            self.act(connection)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.held:
            connection.close()


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, body = data.split(b"\r\n\r\n", 1)
    size = int([line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")][0])
    while len(body) < size:
        body += connection.recv(65536)


def test_nobody_waits_for_a_receiver_that_says_nothing():
    """How long others wait meanwhile is in timing/test_export_otlp.py."""
    with Raw(lambda connection: None) as silent, pushing(silent.url) as agent:
        wait_until("it is called", lambda: silent.count)
        # What would be pushed meanwhile is skipped, and said to who asks.
        wait_until("others are answered before it is given up", lambda: result(agent, "skipped") and not result(agent, "failed"))
        wait_until("it is given up", lambda: result(agent, "failed"))
        wait_until("it is called again", lambda: silent.count >= 2)
        assert "push failed" in agent.stop()


def endless(connection):
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def endless_headers(connection):
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-A: %s\r\n" % (b"b" * 1000) * 10)


def endless_continues(connection):
    read_request(connection)
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def test_answers_without_end_are_cut():
    for act in (endless, endless_headers, endless_continues):
        with Raw(act) as raw, pushing(raw.url) as agent:
            wait_until("%s fails" % act.__name__, lambda: result(agent, "failed") >= 2)
            assert agent.value("erlbpf_agent_resident_memory_bytes") < 64 << 20
            assert "push failed: the reply is longer than 65536 bytes" in agent.stop()


def test_half_answers_and_other_protocols_are_failures():
    def garbage(connection):
        read_request(connection)
        connection.sendall(b"220 smtp\r\n")
        connection.shutdown(socket.SHUT_RDWR)

    def half(connection):
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        connection.shutdown(socket.SHUT_RDWR)

    for act in (garbage, half):
        with Raw(act) as raw, pushing(raw.url) as agent:
            wait_until("it fails", lambda: result(agent, "failed") >= 2)
            assert not result(agent, "ok")
            agent.stop()


def test_a_receiver_may_say_100_continue():
    def polite(connection):
        while True:
            read_request(connection)
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with Raw(polite) as raw, pushing(raw.url) as agent:
        wait_until("it arrives", lambda: result(agent, "ok") >= 2)
        assert not result(agent, "failed")
        agent.stop()


def test_a_redirection_is_not_followed():
    with Receiver() as elsewhere, Receiver() as receiver:
        for status in (301, 302, 307, 308):
            receiver.answers.put((status, {"Location": elsewhere.url + "/v1/metrics"}, b""))
        with pushing(receiver.url) as agent:
            wait_until("all are failures", lambda: result(agent, "failed") >= 4)
            receiver.next()
            agent.stop()
        assert elsewhere.count == 0


PARTIAL = b"\x0a\x0f\x08\x05\x12\x0btoo \x1b[31old"


def test_what_a_receiver_refuses_is_counted_and_told_of_once():
    with Receiver() as receiver:
        for _ in range(3):
            receiver.answers.put((200, {"Content-Type": "application/x-protobuf"}, PARTIAL))
        with pushing(receiver.url) as agent:
            wait_until("it has arrived", lambda: result(agent, "ok") >= 4)
            assert agent.value("erlbpf_otlp_refused_points_total") == 15
            log = agent.stop()
    assert log.count("the receiver rejected 5 data points: too \\x1b[31old") == 1, log
    assert log.count("The receiver accepts all data points again") == 1, log


# Profiles.

def profiling(url, *more):
    """Sends each second what would be a minute."""
    return pushing(url, "--profile-hz", 97, *more, prefix=["env", "ERLBPF_SLICE=2", "OTEL_RESOURCE_ATTRIBUTES=service.name=shop"])


def sums_of(receiver, node):
    """{function: time of all stacks that it is on} of all that came, of stacks of the test's process."""
    sums = {}
    for push in receiver.all_profiles[:]:
        for stack, value in (push.stacks(node) if node in push.nodes else {}).items():
            names = {frame[0] for frame in stack}
            if "shares:burn/2" in names:
                for name in names:
                    sums[name] = sums.get(name, 0) + value
    return sums


def check_profile(push, node, began):
    profile = push.nodes[node]
    assert push.headers["Content-Type"] == "application/x-protobuf" and push.headers["User-Agent"].startswith("erlbpf/")
    assert push.type(node, "sample_type") == push.type(node, "period_type") == ("cpu", "nanoseconds")
    assert profile["period"] == 10**9 // 97 and len(profile["id"]) == 16 and any(profile["id"])
    # It is of the time since it was asked for.
    assert profile["duration"] > 0 and began <= profile["time"] <= profile["time"] + profile["duration"] <= time.time_ns(), (began, profile)
    assert profile["resource"]["service.name"] == "shop" and profile["resource"]["host.name"] == HOST
    assert profile["scope"]["name"] == "erlbpf"


def frames_of(pushes, node):
    return {frame for push in list(pushes) if node in push.nodes for stack in push.stacks(node) for frame in stack}


def check_frames(frames):
    burn = {frame[1:2] + frame[3:] for frame in frames if frame[0] == "shares:burn/2"}
    assert ("shares.erl", "beam") in burn and burn <= {("shares.erl", "beam"), ("", "beam")}, burn
    assert any(frame[0] == "shares:burn/2" and frame[2] > 0 for frame in frames), frames
    assert any(frame[3] == "native" for frame in frames), frames
    # What it belongs to is said by the resource.
    assert not any(frame[0].startswith(PREFIX) for frame in frames), frames


BURNERS = ("shares:sixty/1", "shares:thirty/1", "shares:ten/1")


def test_profiles_are_pushed_as_they_are_kept():
    """That shares are those of what burns is in timing/test_export_otlp.py."""
    began = time.time_ns()
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "burner") as node, profiling(receiver.url) as agent:
        name = PREFIX + "burner@" + HOST.split(".")[0]
        node.eval("register(burner, spawn(shares, shares, [10]))")
        wait_until("all that burn have names", lambda: set(BURNERS) <= set(sums_of(receiver, name)))
        sums = sums_of(receiver, name)
        assert sums["shares:burn/2"] == sum(sums[burner] for burner in BURNERS), sums
        push = [push for push in receiver.all_profiles if name in push.nodes][-1]
        check_profile(push, name, began)
        # Before the node's code is read again, what was loaded since has names alone.
        wait_until("functions have lines", lambda: any(frame[0] == "shares:burn/2" and frame[2]
                                                       for frame in frames_of(receiver.all_profiles, name)))
        # Native code is seen when a sample meets it.
        node.eval("spawn(fun F() -> erlang:md5(binary:copy(<<0>>, 1000000)), timer:sleep(5), F() end)")
        wait_until("there is native code", lambda: any(frame[3] == "native" for frame in frames_of(receiver.all_profiles, name)))
        check_frames(frames_of(receiver.all_profiles, name))
        # On a busy machine the first may have had all that was waited for.
        wait_until("a second one was sent", lambda: agent.value("erlbpf_otlp_profile_pushes_total", result="ok") >= 2)
        assert agent.value("erlbpf_otlp_profile_lost_minutes_total") == 0
        assert agent.value("erlbpf_otlp_profile_sent_bytes_total") > 0
        assert PROFILES_PATH in agent.stop()
    ids = [push.nodes[name]["id"] for push in receiver.all_profiles if name in push.nodes]
    times = [push.nodes[name]["time"] for push in receiver.all_profiles if name in push.nodes]
    assert len(set(ids)) == len(ids) and times == sorted(set(times)), "each once, in their order"


def test_a_receiver_without_profiles_is_asked_once():
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "none") as node:
        node.eval("spawn(shares, shares, [10])")
        for status in (404, 404):
            receiver.profile_answers.put((status, {}, b""))
        with profiling(receiver.url) as agent:
            wait_until("it is asked", lambda: agent.value("erlbpf_otlp_profile_pushes_total", result="refused") == 1)
            minutes = agent.value("erlbpf_profile_stored_minutes")
            wait_until("there would be more to send", lambda: agent.value("erlbpf_profile_stored_minutes") >= minutes + 3)
            wait_until("metrics arrive all the same", lambda: result(agent, "ok") >= 3)
            log = agent.stop()
    assert len(receiver.all_profiles) == 1
    assert log.count("does not take profiles (HTTP status 404)") == 1 and "push failed" not in log, log


def test_profiles_go_nowhere_if_only_metrics_have_an_address():
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "path") as node:
        node.eval("spawn(shares, shares, [10])")
        with profiling(receiver.url + "/own/path") as agent:
            wait_until("metrics arrive", lambda: result(agent, "ok") >= 2)
            wait_until("minutes are kept", lambda: agent.value("erlbpf_profile_stored_minutes") >= 3)
            assert not agent.series("erlbpf_otlp_profile_pushes_total") and PROFILES_PATH not in agent.stop()
    assert not receiver.all_profiles


# Rights, names, certificates.

def mounted(pairs):
    """The prefix of a command that sees other files in the place of some."""
    script = "".join("mount --bind '%s' '%s' && " % pair for pair in pairs)
    return ["unshare", "--mount", "sh", "-c", script + 'exec "$@"', "sh"]


class Names:
    """A name server for one name, on an address where nobody else is one."""

    def __init__(self, name, address):
        self.question = b"".join(bytes([len(part)]) + part for part in name.encode().split(b".")) + b"\0"
        self.address, self.asked = address, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((own_address(), 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                query, peer = self.socket.recvfrom(512)
            except OSError:
                return
            self.asked += 1
            end = query.index(b"\0", 12) + 5
            is_ours = query[12:end - 4].lower() == self.question
            kind = query[end - 4:end - 2]
            has_answer = is_ours and kind == b"\0\1"
            reply = query[:2] + (b"\x81\x80" if is_ours else b"\x81\x83") + b"\0\1\0%c\0\0\0\0" % has_answer
            reply += query[12:end]
            if has_answer:
                reply += b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(self.address)
            self.socket.sendto(reply, peer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def test_pushes_work_with_four_capabilities_under_the_filter_and_ask_a_name_server():
    with Receiver() as receiver, Names("collector.shop.example", "127.0.0.1") as names, \
            tempfile.NamedTemporaryFile("w", prefix="erlbpf-resolv-") as resolv, Node(STOCK, "-sname", PREFIX + "c") as node:
        resolv.write("nameserver %s\noptions timeout:1\n" % own_address())
        resolv.flush()
        os.chmod(resolv.name, 0o644)
        with pushing("http://collector.shop.example:%d" % receiver.port,
                     prefix=mounted([(resolv.name, "/etc/resolv.conf")]) + only(NEEDED)) as agent:
            wait_until("it is traced", lambda: agent.series("erlbpf_target_up"))
            talk(node)
            wait_until("it has arrived", lambda: receiver.next().value(
                "erlbpf_mailbox_wait_seconds", "exponential") >= 1000)
            assert status_of(agent.pid)["Seccomp"] == "2"
            for task in os.listdir("/proc/%d/task" % agent.pid):
                status = status_of("%d/task/%s" % (agent.pid, task))
                assert status["Seccomp"] == "2" and int(status["CapEff"], 16) == int(status["CapPrm"], 16)
                assert bin(int(status["CapEff"], 16)).count("1") == len(NEEDED), status["CapEff"]
            log = agent.stop()
        assert names.asked and "cannot" not in log, log


def test_nobody_waits_for_a_name_server_that_says_nothing():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent, \
            tempfile.NamedTemporaryFile("w", prefix="erlbpf-resolv-") as resolv:
        silent.bind((own_address(1), 53))
        resolv.write("nameserver %s\n" % own_address(1))
        resolv.flush()
        os.chmod(resolv.name, 0o644)
        with pushing("http://collector.shop.example:4318",
                     prefix=mounted([(resolv.name, "/etc/resolv.conf")])) as agent:
            assert silent.recv(512)
            wait_until("it is given up", lambda: result(agent, "failed"))
            assert silent.recv(512)
            assert "push failed: Resolving timed out" in agent.stop()


def test_certificates_are_checked_by_those_of_the_system():
    with tempfile.TemporaryDirectory(prefix="erlbpf-otlp-") as folder:
        os.chmod(folder, 0o755)
        certificate, context = authority(folder)
        with Receiver(context=context) as receiver:
            with pushing(receiver.url) as agent:
                wait_until("it is not trusted", lambda: result(agent, "failed") >= 2)
                assert "certificate" in agent.stop() and receiver.count == 0
            system = "/etc/ssl/certs/ca-certificates.crt"
            with pushing(receiver.url, prefix=mounted([(certificate, system)]) + only(NEEDED)) as agent:
                receiver.next()
                agent.stop()
            # Another name than the certificate's.
            with pushing(receiver.url.replace("localhost", "127.0.0.1"),
                         prefix=mounted([(certificate, system)])) as agent:
                wait_until("it is not trusted", lambda: result(agent, "failed") >= 2)
                agent.stop()


def libcurl():
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return os.path.realpath([line.split()[-1] for line in listed.splitlines() if "libcurl.so.4 " in line][0])


def test_without_the_library_its_package_is_named_and_who_does_not_push_needs_none():
    hidden = mounted([("/dev/null", libcurl())])
    done = subprocess.run(hidden + [ERLBPF, "export", "--listen", "127.0.0.1:0", "--otlp", "http://127.0.0.1:1"],
                          capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1 and "apt install libcurl4" in done.stderr, done
    with Agent("--tools", "mailbox", "--node", PREFIX + "*", prefix=hidden) as agent:
        assert "erlbpf_otlp" not in agent.get("/metrics")
        with open("/proc/%d/maps" % agent.pid) as maps:
            assert "libcurl" not in maps.read()
        agent.stop()


BAD = [["--otlp", "collector:4318"], ["--otlp", "http://me:secret@collector"], ["--otlp", "http://c", "--otlp-interval", "0"],
       ["--otlp", "http://c", "--otlp-interval", "2h"], ["--otlp", "http://c", "--otlp-header", "X"],
       ["--otlp", "http://c", "--otlp-header", "X=a\nY: b"], ["--otlp-header", "X=y"]]


def test_what_makes_no_sense_is_refused():
    for args in BAD:
        done = subprocess.run([ERLBPF, "export"] + args, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 2 and "otlp" in done.stderr.lower(), (args, done)
    done = subprocess.run([ERLBPF, "export", "--otlp", "http://c"], capture_output=True, text=True, timeout=LIMIT,
                          env=dict(os.environ, OTEL_EXPORTER_OTLP_HEADERS="nonsense"))
    assert done.returncode == 2 and "OTEL_EXPORTER_OTLP_HEADERS" in done.stderr, done
