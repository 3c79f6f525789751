"""Profiles of the agent: what it answers is what `erlbpf profile` finds, and others are answered meanwhile."""
import gzip
import http.client
import json
import re
import socket
import tempfile
import threading
import time

from browser import Browser
from lib import STOCK, Node, wait_until
from test_export import Agent, need, node_name

SUFFIX = re.compile(r"_\[[a-z]\]$")


def ask(agent, path, headers=None, method="GET"):
    """(status, headers, body)."""
    connection = http.client.HTTPConnection("127.0.0.1", agent.port, timeout=60)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def ask_until_free(agent, path):
    """One that others ask for meanwhile may come first."""
    while True:
        answer = ask(agent, path)
        if answer[0] != 429:
            return answer


def stacks_of(body):
    """{frames: ns} of folded lines."""
    lines = [line.rpartition(" ") for line in body.decode().splitlines()]
    return {tuple(frames.split(";")): int(weight) for frames, _, weight in lines}


def share(stacks, function):
    return 100.0 * sum(w for f, w in stacks.items() if "shares:" + function in f) / sum(stacks.values())


def begin(node):
    node.eval("[register(burner, spawn(shares, shares, [])), register(waiter, spawn(shares, waits, [10]))]")


def processor_time(agent, node):
    answer = []
    asking = threading.Thread(target=lambda: answer.append(ask_until_free(agent, "/profile?seconds=2&hz=997&format=folded&node=" + node)))
    asking.start()
    answered(agent, asking)
    asking.join()
    status, headers, body = answer[0]
    assert status == 200 and headers["Content-Type"].startswith("text/plain"), (status, headers, body)
    stacks = stacks_of(body)
    burning = {f: w for f, w in stacks.items() if "shares:shares/0" in f}
    for function, wanted in (("sixty/1", 60), ("thirty/1", 30), ("ten/1", 10)):
        assert abs(share(burning, function) - wanted) < 5, (function, stacks)
    # Of one node that was asked for, no frame says which it is.
    assert all(frames[0] == "shares:shares/0" for frames in burning), stacks


def answered(agent, asking):
    """While one is made, others are answered at once, and another profile is refused."""
    answers, refused = 0, None
    while asking.is_alive():
        assert agent.get("/-/healthy") == b"healthy\n"
        answers += 1
        if refused is None or refused[0] != 429:
            refused = ask(agent, "/profile?seconds=0.1&node=nobody")
            time.sleep(0.1)
    assert refused[0] == 429 and 1 <= int(refused[1]["Retry-After"]) <= 3 and b"only one" in refused[2], refused
    # If it did not answer before the profile is made, there was one.
    assert answers >= 5, answers


def waiting(agent, node):
    status, _, body = ask(agent, "/profile?seconds=1&mode=off-cpu&format=folded&node=" + node)
    assert status == 200, body
    stacks = {f: w for f, w in stacks_of(body).items() if "shares:wait/1" in f}
    assert any(f[-1] == "waiting for a message_[s]" for f in stacks) and sum(stacks.values()) > 0.3e9, stacks
    status, _, body = ask(agent, "/profile?seconds=0.5&mode=wall&format=folded&node=" + node)
    both = stacks_of(body)
    assert share(both, "burn/2") > 0 and share(both, "wait/1") > 0, both


def formats(agent, node):
    query = "/profile?seconds=0.3&node=%s&format=" % node
    for name, kind, begins in (("html", "text/html", b"<!doctype html>"), ("svg", "image/svg+xml", b"<"),
                               ("speedscope", "application/json", b"{"), ("text", "text/plain", b"processor time")):
        status, headers, body = ask(agent, query + name)
        assert status == 200 and headers["Content-Type"].startswith(kind), (name, status, headers, body[:200])
        assert body.lower().startswith(begins) and b"shares:" in body, (name, body[:200])
        assert "sandbox" in headers["Content-Security-Policy"], headers
    lines = [json.loads(line) for line in ask(agent, query + "json")[2].splitlines()]
    assert lines[-1]["type"] == "summary" and lines[-1]["total"] > 0, lines[-1]


def pprof(agent, node):
    """What Pyroscope and Parca ask for. Of all nodes, each has a frame."""
    status, headers, body = ask(agent, "/debug/pprof/profile?seconds=0.3")
    plain = gzip.decompress(body)
    assert status == 200 and headers["Content-Type"] == "application/octet-stream", headers
    assert b"shares:burn/2" in plain and node.encode() in plain


def mistakes(agent):
    for query, said in (("seconds=0", "seconds"), ("seconds=301", "300"), ("seconds=x", "seconds"), ("mode=gpu", "off-cpu"),
                        ("format=gif", "speedscope"), ("hz=0", "hz"), ("hz=1000", "hz"), ("hz=9x", "hz"),
                        ("node=" + "n" * 256, "too long"), ("function=ets:*", "expected seconds, mode"), ("seconds=1&foo", "expected seconds"),
                        ("seconds=0.1&node=%00x", "expected seconds"), ("seconds=0.1&nod%00e=x", "expected seconds")):
        status, headers, body = ask(agent, "/profile?" + query)
        assert status == 400 and said in body.decode() and headers["Content-Type"].startswith("text/plain"), (query, status, body)
    status, headers, body = ask(agent, "/profile?format=json&seconds=x")
    assert status == 400 and headers["Content-Type"] == "application/json" and "seconds" in json.loads(body)["error"], body
    status, _, body = ask(agent, "/profile?seconds=0.1&node=nobody%0a")
    assert status == 404 and b"no node named nobody" in body, (status, body)
    assert ask(agent, "/profile?seconds=0.1", method="HEAD")[0] == 405
    for headers in ({"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert ask(agent, "/profile?seconds=0.1", headers)[0] == 403, headers


def outcomes(agent, outcome):
    return agent.value("erlbpf_profiles_total", outcome=outcome)


def gone(agent):
    """Who goes away has his profile ended, and does not keep others from theirs."""
    before = outcomes(agent, "cancelled")
    with socket.create_connection(("127.0.0.1", agent.port)) as client:
        client.sendall(b"GET /profile?seconds=300&mode=off-cpu HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until("it is made", lambda: ask(agent, "/profile?seconds=0.1&format=folded&node=nobody")[0] == 429)
    wait_until("it is given up", lambda: outcomes(agent, "cancelled") == before + 1)
    assert ask(agent, "/profile?seconds=0.2&format=folded")[0] == 200


def test_profiles_are_made_one_at_a_time_while_others_are_answered():
    with Node(STOCK, "-sname", "export_profile") as node:
        begin(node)
        agent = Agent("--tools", "gc", "--node", "export_profile")
        try:
            name = node_name("export_profile")
            processor_time(agent, name)
            waiting(agent, name)
            formats(agent, name)
            pprof(agent, name)
            mistakes(agent)
            gone(agent)
            # One of nobody fails, and so does each that comes before or after the other that it is to be refused for.
            wait_until("they are counted", lambda: outcomes(agent, "done") == 10 and outcomes(agent, "failed") >= 1 and
                       outcomes(agent, "refused") > 0)
        finally:
            agent.stop()


def check_page(browser, agent, name):
    browser.ask("Page.navigate", url="http://127.0.0.1:%d/" % agent.port)
    wait_until("the page has a link", lambda: browser.value("document.getElementById('profile').href"))
    wait_until("the node can be chosen", lambda: browser.value(
        "[...document.getElementById('profile-node').options].map(o => o.value).includes('%s')" % name))
    browser.value("for (const [id, v] of [['node', '%s'], ['seconds', '1']]) { const s = document.getElementById('profile-' + id);"
                  " s.value = v; s.dispatchEvent(new Event('change')) }" % name)
    link = browser.value("document.getElementById('profile').href")
    browser.ask("Page.navigate", url=link)
    wait_until("the flame graph is there", lambda: "shares:burn/2" in (browser.value("document.documentElement.outerHTML") or ""))
    wait_until("its script has run", lambda: browser.value("document.querySelectorAll('canvas, svg').length"))


def test_the_page_leads_to_a_flame_graph():
    need("chromium-headless-shell")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Node(STOCK, "-sname", "export_flame") as node:
        begin(node)
        agent = Agent("--tools", "gc", "--node", "export_flame")
        browser = Browser(folder, 900, 1200)
        try:
            agent.wait_for_node(node_name("export_flame"), tool="gc")
            check_page(browser, agent, node_name("export_flame"))
            assert not browser.problems, browser.problems
        finally:
            browser.close()
            agent.stop()


def hour(agent, query="last=10m"):
    status, _, body = ask(agent, "/profile?format=folded&" + query)
    assert status == 200, body
    return stacks_of(body)


def nodes_of(stacks):
    return {SUFFIX.sub("", frames[0]) for frames in stacks}


def test_the_last_hour_is_kept_of_nodes_that_come_and_go():
    agent = Agent("--tools", "gc", "--node", "export_kept_*", "--profile-hz", 97)
    first, second = node_name("export_kept_1"), node_name("export_kept_2")
    try:
        assert ask(agent, "/profile?last=10m&mode=off-cpu")[0] == 400
        with Node(STOCK, "-sname", "export_kept_1") as node:
            begin(node)
            wait_until("a node that starts later is sampled", lambda: first in nodes_of(hour(agent)), 40)
        with Node(STOCK, "-sname", "export_kept_2") as node:
            begin(node)
            wait_until("the next one is", lambda: second in nodes_of(hour(agent)), 40)
            assert first in nodes_of(hour(agent)), "what has ended is forgotten"
            alone = hour(agent, "last=10m&node=export_kept_2")
            # Who reads a file with modules is not yet who burns.
            wait_until("functions have names", lambda: any("shares:burn/2" in f for f in hour(agent, "last=1h&node=" + second)))
            assert not {first, second} & nodes_of(alone), alone
        status, _, body = ask(agent, "/profile?from=1000000000&to=1000000060")
        assert status == 404 and b"nothing was sampled" in body, (status, body)
        for query in ("last=x", "last=1m&from=5", "from=x", "from=9&to=8"):
            assert ask(agent, "/profile?" + query)[0] == 400, query
        assert agent.value("erlbpf_profile_up") == 1 and agent.value("erlbpf_profile_samples_lost_total") == 0
        wait_until("samples are counted", lambda: agent.value("erlbpf_profile_samples_total") > 0)
    finally:
        agent.stop()


def test_without_profile_hz_no_hour_is_kept():
    agent = Agent("--tools", "gc", "--node", "export_nobody")
    try:
        status, _, body = ask(agent, "/profile?last=10m")
        assert status == 400 and b"--profile-hz" in body, (status, body)
    finally:
        agent.stop()
