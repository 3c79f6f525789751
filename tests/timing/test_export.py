"""How fast the exporter answers, whatever others do to it, and how near its durations are to those of the tool."""
import http.client
import resource
import threading
import time

from lib import STOCK, Node, cpu_seconds, unique, wait_until
from test_export import (HALVES, NATIVE_COUNT, NATIVE_QUANTILE, COUNT, PREFIX, QUANTILE, QUANTILES, Agent, check_processes_of_a_crowd,
                         check_that_nothing_stays, connect, crowd, fds, flood, nodes_up, descriptor_failures, fewest_descriptors, limit_descriptors, resident, runs_of_two, ten_at_once)


def test_prometheus_quantiles_are_those_of_the_tool():
    """Prometheus interpolates in a bucket from one power of two to the next; the tool's value is in the same."""
    def check(agent, prometheus, nodes, own):
        for node, hist in own.items():
            wait_until("Prometheus has counted %s" % node, lambda: (prometheus.one(COUNT % node) or 0) >= hist["count"])
            for name, q in QUANTILES.items():
                seen = prometheus.one(QUANTILE % (q, node)) * 1e9
                assert hist[name] / 2.07 <= seen <= hist[name] * 2.07, (node, name, seen, hist)

    runs_of_two((), check, tools="sched-latency,mailbox,gc,dist")


def test_native_histograms_have_finer_quantiles():
    def check(agent, prometheus, nodes, own):
        [(name, hist)] = own.items()
        wait_until("Prometheus has counted", lambda: (prometheus.one(NATIVE_COUNT % name) or 0) >= hist["count"])
        # The agent has seen a few messages more, those of the node's start, which are among the slowest.
        for q, least, most in (0.5, "p50", "p50"), (0.9, "p90", "p90"), (0.99, "p90", "p999"):
            seen = prometheus.one(NATIVE_QUANTILE % (q, name))
            assert hist[least] / 1.1 <= seen * 1e9 <= hist[most] * 1.1, (q, seen, hist)

    runs_of_two(["--enable-feature=native-histograms"], check, names=("n",))


def test_what_fails_for_want_of_descriptors_is_not_tried_too_often():
    with Agent("--tools", "sched-latency", node=PREFIX + "fd_*") as agent, Node(STOCK, "-sname", unique(PREFIX + "fd")):
        wait_until("it is traced", lambda: nodes_up(agent))
        limit_descriptors(agent, fewest_descriptors(agent) + 3)
        nodes = [Node(STOCK, "-sname", unique(PREFIX + "fd")) for _ in range(3)]
        wait_until("descriptors are short", lambda: descriptor_failures(agent))
        # After 1, 2, 4 and 8 seconds: a node is tried twice at most in these ten, other processes now and then.
        time.sleep(5)
        first = descriptor_failures(agent)
        time.sleep(10)
        assert descriptor_failures(agent) - first <= 5 * len(nodes), (first, descriptor_failures(agent))
        agent.stop()


def times(agent, path="/-/healthy", count=20):
    """Seconds that requests take, each on a connection of its own; infinite for one that is closed to make room for others:
    who connects while thousands do may be the one that has said nothing for longest."""
    seen = []
    for _ in range(count):
        begin = time.monotonic()
        try:
            agent.get(path)
            seen.append(time.monotonic() - begin)
        except (http.client.RemoteDisconnected, ConnectionResetError):
            seen.append(float("inf"))
    return seen


def check_answers(agent, path="/-/healthy"):
    """Within 50 ms; the machine may do other work now and then."""
    for _ in range(3):
        seen = sorted(times(agent, path))
        if seen[len(seen) * 8 // 10] < 0.05:
            return
    raise AssertionError("answers to %s took %s s" % (path, seen))


def test_clients_that_say_nothing_or_half_a_request_do_not_delay_others():
    with Agent("--tools", "sched-latency") as agent:
        held = [flood(agent, 100, say) for say in HALVES]
        check_answers(agent)
        check_answers(agent, "/metrics")
        del held
        agent.stop()


def test_ten_thousand_connections_delay_nobody():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))
    try:
        with Agent("--tools", "sched-latency") as agent:
            before, held = fds(agent), []
            thread = threading.Thread(target=lambda: held.extend(flood(agent, min(10000, hard - 1000), b"GET / HT")))
            thread.start()
            check_answers(agent)
            thread.join()
            check_answers(agent)
            assert fds(agent) <= before + 300
            for s in held:
                s.close()
            agent.stop()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_who_asks_and_does_not_read_delays_nobody():
    with Agent("--tools", "sched-latency") as agent:
        held = [connect(agent, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20) for _ in range(100)]
        check_answers(agent, "/metrics")
        del held
        agent.stop()


def seconds_of_ten(agent):
    time.sleep(1)
    begin = time.monotonic()
    ten_at_once(agent)
    return time.monotonic() - begin


def test_ten_scrapes_of_a_node_of_a_hundred_thousand_processes_take_50_ms():
    with Node(STOCK, "+P", "200000", "-sname", unique(PREFIX + "crowd")) as node, Agent() as agent:
        crowd(agent, node, 100000, talk="spawn(fun() -> (fun L() -> All(), L() end)() end)", pause=20)
        assert min(seconds_of_ten(agent) for _ in range(5)) < 0.05
        assert resident(agent) < 64 << 20
        before = cpu_seconds(agent.pid)
        check_processes_of_a_crowd(agent, node, 100000)
        # A reading takes some 60 ms and what is picked of it 20 ms.
        assert cpu_seconds(agent.pid) - before < 3, cpu_seconds(agent.pid) - before
        agent.stop()


def test_a_day_of_scrapes_leaves_nothing_behind():
    """As many as in a day, one every 15 s."""
    check_that_nothing_stays(1000, 4760)
