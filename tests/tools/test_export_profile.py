"""Profiles of the agent: what it answers is what `erlbpf profile` finds, and others are answered meanwhile."""
import contextlib
import gzip
import http.client
import json
import re
import socket
import tempfile

from browser import Browser
from lib import LIMIT, STOCK, Node, unique, wait_until
from test_export import Agent, need, node_name

SUFFIX = re.compile(r"_\[[a-z]\]$")


def ask(agent, path, headers=None, method="GET"):
    """(status, headers, body)."""
    connection = http.client.HTTPConnection("127.0.0.1", agent.port, timeout=LIMIT)
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
    node.eval("[register(burner, spawn(shares, shares, [10])), register(waiter, spawn(shares, waits, [10]))]")


def profile_with(agent, path, *words):
    """The first profile that has all these words: a node that others keep from its processors is in none. It is counted
    how many were made: (headers, body, number)."""
    answers = []

    def ask_for_one():
        status, headers, body = ask_until_free(agent, path)
        assert status == 200, (path, status, headers, body)
        answers.append((headers, body))
        plain = gzip.decompress(body) if "pprof" in path else body
        return all(word.encode() in plain for word in words)

    wait_until("%s has %s" % (path, words), ask_for_one)
    return *answers[-1], len(answers)


def processor_time(agent, node):
    """Shares that agree with what burns are in timing/test_export_profile.py."""
    headers, body, made = profile_with(agent, "/profile?seconds=1&hz=997&format=folded&node=" + node, "shares:burn/2")
    assert headers["Content-Type"].startswith("text/plain"), (headers, body)
    stacks = stacks_of(body)
    burning = {f: w for f, w in stacks.items() if "shares:shares/1" in f}
    assert burning and all(weight > 0 for weight in stacks.values()), stacks
    # Who burns is below one of these.
    callers = ("shares:sixty/1", "shares:thirty/1", "shares:ten/1")
    burners = {f: w for f, w in burning.items() if "shares:burn/2" in f}
    assert burners and all(len([name for name in callers if name in f]) == 1 for f in burners), stacks
    # Of one node that was asked for, no frame says which it is.
    assert all(frames[0] == "shares:shares/1" for frames in burning), stacks
    return made


@contextlib.contextmanager
def being_made(agent):
    """While a profile of five minutes is made. Who asked for it goes away then."""
    with socket.create_connection(("127.0.0.1", agent.port)) as client:
        client.sendall(b"GET /profile?seconds=300&mode=off-cpu HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until("it is made", lambda: ask(agent, "/profile?seconds=0.1&format=folded&node=nobody")[0] == 429)
        yield


def answered(agent):
    """While one is made, others are answered, and another profile is refused."""
    before = outcomes(agent, "cancelled"), outcomes(agent, "done")
    with being_made(agent):
        assert agent.get("/-/healthy") == b"healthy\n" and b"erlbpf_build_info" in agent.get("/metrics")
        status, headers, body = ask(agent, "/profile?seconds=0.1&node=nobody")
        assert status == 429 and 1 <= int(headers["Retry-After"]) <= 300 and b"only one" in body, (status, headers, body)
        assert (outcomes(agent, "cancelled"), outcomes(agent, "done")) == before, "it is not made any more"
    wait_until("it is given up", lambda: outcomes(agent, "cancelled") == before[0] + 1)


def waiting(agent, node):
    _, body, made = profile_with(agent, "/profile?seconds=1&mode=off-cpu&format=folded&node=" + node, "shares:wait/1")
    stacks = {f: w for f, w in stacks_of(body).items() if "shares:wait/1" in f}
    assert any(f[-1] == "waiting for a message_[s]" for f in stacks), stacks
    _, _, more = profile_with(agent, "/profile?seconds=0.5&mode=wall&format=folded&node=" + node, "shares:burn/2", "shares:wait/1")
    return made + more


def formats(agent, node):
    query, made = "/profile?seconds=0.3&node=%s&format=" % node, 0
    for name, kind, begins in (("html", "text/html", b"<!doctype html>"), ("svg", "image/svg+xml", b"<"),
                               ("speedscope", "application/json", b"{"), ("text", "text/plain", b"processor time"),
                               ("json", "application/x-ndjson", b"{")):
        headers, body, more = profile_with(agent, query + name, "shares:")
        made += more
        assert headers["Content-Type"].startswith(kind) and body.lower().startswith(begins), (name, headers, body[:200])
        assert "sandbox" in headers["Content-Security-Policy"], headers
    lines = [json.loads(line) for line in body.splitlines()]
    assert lines[-1]["type"] == "summary" and lines[-1]["total"] > 0, lines[-1]
    return made


def pprof(agent, node):
    """What Pyroscope and Parca ask for. Of all nodes, each has a frame."""
    headers, _, made = profile_with(agent, "/debug/pprof/profile?seconds=0.3", "shares:burn/2", node)
    assert headers["Content-Type"] == "application/octet-stream", headers
    return made


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


def gone(agent, node):
    """Makes one. Who goes away has his profile ended, and does not keep others from theirs."""
    answered(agent)
    assert ask_until_free(agent, "/profile?seconds=0.2&format=folded&node=" + node)[0] == 200


def test_profiles_are_made_one_at_a_time_while_others_are_answered():
    own = unique("export_profile")
    with Node(STOCK, "-sname", own) as node:
        begin(node)
        agent = Agent("--tools", "gc", node=own)
        try:
            name = node_name(own)
            made = processor_time(agent, name) + waiting(agent, name) + formats(agent, name) + pprof(agent, name) + 1
            mistakes(agent)
            gone(agent, name)
            # One of nobody fails, and so does each that comes before or after the other that it is to be refused for.
            wait_until("they are counted", lambda: outcomes(agent, "done") == made and outcomes(agent, "failed") >= 1 and
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
    own = unique("export_flame")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Node(STOCK, "-sname", own) as node:
        begin(node)
        agent = Agent("--tools", "gc", node=own)
        browser = Browser(folder, 900, 1200)
        try:
            agent.wait_for_node(node_name(own), tool="gc")
            check_page(browser, agent, node_name(own))
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
    names = unique("export_kept"), unique("export_kept")
    agent = Agent("--tools", "gc", "--profile-hz", 97)
    first, second = map(node_name, names)
    try:
        assert ask(agent, "/profile?last=10m&mode=off-cpu")[0] == 400
        with Node(STOCK, "-sname", names[0]) as node:
            begin(node)
            wait_until("a node that starts later is sampled", lambda: first in nodes_of(hour(agent)))
        with Node(STOCK, "-sname", names[1]) as node:
            begin(node)
            wait_until("the next one is", lambda: second in nodes_of(hour(agent)))
            assert first in nodes_of(hour(agent)), "what has ended is forgotten"
            alone = hour(agent, "last=10m&node=" + names[1])
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
    agent = Agent("--tools", "gc")
    try:
        status, _, body = ask(agent, "/profile?last=10m")
        assert status == 400 and b"--profile-hz" in body, (status, body)
    finally:
        agent.stop()
