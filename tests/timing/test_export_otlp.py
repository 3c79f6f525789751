"""Nobody waits for a receiver or a name server that says nothing, and profiles that are pushed have the shares of what burns."""
import os
import socket
import tempfile
import time

from lib import LIMIT, STOCK, Node, wait_until
from otlp import Receiver
from test_export import own_address
from test_export_otlp import BURNERS, HOST, PREFIX, Raw, mounted, profiling, pushing, result, sums_of


def stop_soon(agent, said):
    begin = time.monotonic()
    assert said in agent.stop()
    assert time.monotonic() - begin < 8


def test_nobody_waits_for_a_receiver_that_says_nothing():
    with Raw(lambda connection: None) as silent, pushing(silent.url) as agent:
        wait_until("it is called", lambda: silent.count)
        begin, slowest = time.monotonic(), 0
        while not result(agent, "failed"):
            before = time.monotonic()
            agent.get("/-/healthy")
            slowest = max(slowest, time.monotonic() - before)
            assert time.monotonic() - begin < LIMIT
            time.sleep(0.1)
        # Less than what the receiver took, by far, on a machine however busy.
        assert slowest < 3, slowest
        assert result(agent, "skipped") >= 3
        wait_until("it is called again", lambda: silent.count >= 2)
        stop_soon(agent, "push failed")


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
            stop_soon(agent, "push failed: Resolving timed out")


def test_profiles_have_the_shares_of_what_burns():
    with Receiver() as receiver, Node(STOCK, "-sname", PREFIX + "burner") as node, profiling(receiver.url) as agent:
        name = PREFIX + "burner@" + HOST.split(".")[0]
        node.eval("register(burner, spawn(shares, shares, []))")
        wait_until("functions have names and time", lambda: sums_of(receiver, name).get("shares:burn/2", 0) > 2e9)
        sums = sums_of(receiver, name)
        for function, wanted in zip(BURNERS, (.6, .3, .1), strict=True):
            assert abs(sums[function] / sums["shares:burn/2"] - wanted) < .12, sums
        agent.stop()
