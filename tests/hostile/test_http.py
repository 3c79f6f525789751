"""Requests that are none (T13), and receivers of OTLP that answer what they like."""
import os
import re
import socket
import threading
import time

from hostile import chance, check_clean, times, whole_only
from lib import alone, wait_until
from test_export import Agent, check_answers, connect, fds, resident
from test_export_otlp import Raw, pushing, read_request, result

LINE = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
REQUESTS = {
    "two lengths": b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nContent-Length: 5\r\n\r\n0\r\n\r\nG",
    "length and chunks": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /targets HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a body of a GET": LINE + b"Content-Length: 45\r\n\r\nGET /targets HTTP/1.1\r\nHost: localhost\r\n\r\nxxxx",
    "a length below 0": LINE + b"Content-Length: -1\r\n\r\n",
    "a length beyond all": LINE + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "chunks without end": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + b"x" * 100000,
    "a huge path": b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a huge query": b"GET /metrics?" + b"a=b&" * 30000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a huge header": LINE + b"X: " + b"y" * 1000000 + b"\r\n\r\n",
    "many headers": LINE + b"".join(b"X%d: y\r\n" % i for i in range(100000)) + b"\r\n",
    "a header that goes on": LINE + b"X: y\r\n" + b" z\r\n" * 10000 + b"\r\n",
    "no line end": b"GET /metrics HTTP/1.1" + b" " * 100000,
    "bare line feeds": b"GET /metrics HTTP/1.1\nHost: localhost\n\n",
    "zeros": b"\0" * 100000,
    "a zero in the path": b"GET /metrics\0/../../etc/shadow HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "out of the root": b"GET /../../../../etc/shadow HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "escaped out of the root": b"GET /%2e%2e/%2e%2e/etc/shadow%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a whole address": b"GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a forged header in the path": b"GET /x%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "two hosts": LINE + b"Host: evil.example\r\n\r\n",
    "a host of controls": b"GET / HTTP/1.1\r\nHost: \x1b[31m\xff\r\n\r\n",
    "no host": b"GET /metrics HTTP/1.1\r\n\r\n",
    "HTTP 0.9": b"GET /metrics\r\n",
    "HTTP 9.9": b"GET /metrics HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "HTTP 2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": bytes.fromhex("1603010200010001fc0303") + b"\x41" * 500,
    "another protocol": b"SSH-2.0-OpenSSH_9\r\n",
    "a hundred at once": (LINE + b"\r\n") * 100,
    "an upgrade": LINE + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    "a range": LINE + b"Range: bytes=0-0,1-1,2-2,18446744073709551615-\r\n\r\n",
    "accepts": LINE + b"Accept: " + b"text/plain;q=0." + b"9" * 3000 + b"\r\n\r\n",
    "accepts what is none": LINE + b"Accept: ;;;,,,;q=,;=\"\\\xff/\r\nAccept-Encoding: gzip;q=nan\r\n\r\n",
}
METHODS = ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "GETX", "get", "\x1b[2J", "A" * 1000)


def ask(agent, request, limit=30):
    """All that comes back until the other side ends it, or says nothing for a while."""
    with socket.create_connection(("127.0.0.1", agent.port), 30) as s:
        s.settimeout(limit)
        answer = b""
        try:
            s.sendall(request)
            s.shutdown(socket.SHUT_WR)
            while True:
                data = s.recv(65536)
                s.settimeout(min(limit, 0.5))
                if not data:
                    break
                answer += data
        except OSError:
            pass  # the other side has had enough
        return answer


COUNTS = "it counts the descriptors of an agent, which keeps the executables of all nodes open"


def check_alive(agent, before):
    assert agent.is_alive()
    assert agent.get("/-/healthy")
    assert resident(agent) < 64 << 20, resident(agent)
    wait_until("descriptors are given back", lambda: fds(agent) <= before + 2)


@alone(COUNTS)
def test_requests_that_smuggle_or_are_too_large_get_an_error_and_nothing_of_ours():
    with Agent("--tools", "births") as agent:
        before = fds(agent)
        for name, request in REQUESTS.items():
            answer = ask(agent, request, times(0.1, 1))
            statuses = [int(s) for s in re.findall(rb"HTTP/1\.[01] (\d\d\d) ", answer)]
            assert b"root:" not in answer and b"Set-Cookie" not in answer, (name, answer)
            assert all(100 <= status < 600 for status in statuses), (name, statuses)
            if name in ("two lengths", "length and chunks", "a body of a GET", "a length below 0"):
                # What is behind the first request is a body, or nothing at all.
                assert len([status for status in statuses if status != 400]) <= 1 and b"\"targets\"" not in answer, (name, answer)
            if name in ("out of the root", "escaped out of the root", "a forged header in the path"):
                assert statuses in ([404], [400], []), (name, answer)
        check_alive(agent, before)
        agent.stop()


def test_only_get_and_head_are_answered_and_head_without_a_body():
    with Agent("--tools", "births") as agent:
        for method in METHODS:
            for path in ("/metrics", "/targets", "/", "/-/healthy", "*"):
                answer = ask(agent, ("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % (method, path)).encode())
                assert not answer or re.match(rb"HTTP/1\.[01] (4|5)\d\d ", answer), (method, path, answer)
                assert b"erlbpf_build_info" not in answer
        answer = ask(agent, b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n"), answer
        agent.stop()


@alone(COUNTS)
def test_random_bytes_are_no_requests():
    rng = chance()
    pieces = [b"GET", b" ", b"/metrics", b"/", b"HTTP/1.1", b"\r\n", b"\n", b"Host:", b"localhost", b"\0", b"\xff", b"Content-Length:",
              b"Transfer-Encoding: chunked", b"1", b":", b"%", b"..", b"\r\n\r\n", b"Accept:", b"application/openmetrics-text", b";", b","]
    with Agent("--tools", "births") as agent:
        before = fds(agent)
        for _ in range(times(30, 2000)):
            request = b"".join(rng.choice(pieces) if rng.random() < 0.9 else rng.randbytes(rng.randint(1, 20))
                               for _ in range(rng.randint(1, 40)))
            if rng.random() < 0.5:
                request = LINE + request
            ask(agent, request, 0.2)
        check_alive(agent, before)
        agent.stop()


@whole_only
def test_who_sends_a_letter_at_a_time_is_let_go_and_delays_nobody():
    with Agent("--tools", "births") as agent:
        before, stop = fds(agent), threading.Event()

        def drip(s):
            try:
                for byte in LINE + b"X: " + b"y" * 1000:
                    if stop.wait(0.2):
                        return
                    s.send(bytes([byte]))
            except OSError:
                pass

        held = [connect(agent) for _ in range(180)]
        threads = [threading.Thread(target=drip, args=(s,)) for s in held]
        for thread in threads:
            thread.start()
        check_answers(agent)
        # A letter now and then keeps nobody connected.
        wait_until("they are let go", lambda: fds(agent) <= before + 2)
        stop.set()
        for s, thread in zip(held, threads):
            thread.join()
            s.close()
        agent.stop()


# Receivers.

def dripping(connection):
    """An answer, a letter a second."""
    read_request(connection)
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000:
        connection.sendall(bytes([byte]))
        time.sleep(1)


def compressed(connection):
    """A gigabyte of zeros in a megabyte."""
    import zlib
    packer = zlib.compressobj(9, wbits=31)
    body = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1024)) + packer.flush()
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: application/x-protobuf\r\n"
                       b"Content-Length: %d\r\n\r\n" % len(body) + body)


def nonsense(rng):
    """Answers that are of the right form and make no sense."""
    heads = [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 503 Later\r\n", b"HTTP/1.1 429 No\r\n", b"HTTP/1.1 400 \x1b[31m\xff\r\n", b"HTTP/1.1 999 ?\r\n",
             b"HTTP/0.9 200\r\n", b"HTTP/1.1 -1 x\r\n", b"HTTP/1.1 20000000000000 x\r\n", b"HTTP/2 200\r\n", b"\0\0\0", b"HTTP/1.1 101 Switching\r\n"]
    fields = [b"Retry-After: -1\r\n", b"Retry-After: 99999999999999999999\r\n", b"Retry-After: Wed, 31 Feb 9999 99:99:99 GMT\r\n",
              b"Content-Length: 99999999999\r\n", b"Content-Length: x\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: br, gzip\r\n",
              b"Location: file:///etc/shadow\r\n", b"Set-Cookie: a=\x1b[2J\r\n", b"\xff: \xff\r\n", b"Connection: Upgrade\r\n",
              b"Content-Type: application/x-protobuf\r\n", b"WWW-Authenticate: Negotiate\r\n"]
    while True:
        yield rng.choice(heads) + b"".join(rng.choice(fields) for _ in range(rng.randint(0, 4))) + b"\r\n" + rng.randbytes(rng.randint(0, 200))


def test_a_receiver_that_answers_nonsense_gets_nothing_said_on_the_terminal():
    rng = chance()
    answers = nonsense(rng)

    def act(connection):
        while True:
            read_request(connection)
            connection.sendall(next(answers))
            if rng.random() < 0.7:
                connection.shutdown(socket.SHUT_RDWR)

    with Raw(act) as raw, pushing(raw.url) as agent:
        wait_until("some have come", lambda: raw.count >= times(2, 10), 300)
        assert agent.get("/-/healthy")
        log = agent.stop()
    check_clean(log)
    assert "Sanitizer" not in log and len(log) < 20000, log


@whole_only
def test_a_receiver_that_answers_a_letter_a_second_delays_nobody():
    with Raw(dripping) as raw, pushing(raw.url) as agent:
        wait_until("it is called", lambda: raw.count)
        for _ in range(20):
            begin = time.monotonic()
            agent.get("/-/healthy")
            assert time.monotonic() - begin < 5
        wait_until("it is given up", lambda: result(agent, "failed"))
        agent.stop()


@whole_only
def test_a_gigabyte_in_a_megabyte_is_not_unpacked():
    with Raw(compressed) as raw, pushing(raw.url) as agent:
        wait_until("it is answered", lambda: result(agent, "failed") + result(agent, "ok"))
        assert agent.value("erlbpf_agent_resident_memory_bytes") < 64 << 20
        check_clean(agent.stop())


def test_an_agent_without_open_connections_costs_what_it_did():
    """All of the above at once, and then nothing is left."""
    with Agent("--tools", "births") as agent:
        agent.get("/metrics")
        before = fds(agent), resident(agent)
        held = [connect(agent, request[:1000]) for request in REQUESTS.values() for _ in range(times(2, 30))]
        check_answers(agent)
        for s in held:
            s.close()
        wait_until("descriptors are given back", lambda: fds(agent) <= before[0] + 2)
        assert resident(agent) < before[1] + (16 << 20), (before, resident(agent))
        assert os.path.exists("/proc/%d" % agent.pid)
        agent.stop()
