"""The page of `erlbpf export` in a real browser, Debian's chromium-headless-shell: what it shows is what /metrics says,
it can be used on a phone and with the keyboard, and nothing is written to the console. With ERLBPF_PICTURE=FILE, FILE
becomes a picture of it (`make docs/page.png`)."""
import json
import os
import tempfile

from browser import Browser, press
from lib import wait_until
from test_export import Agent, load, need, node_name, run_load, samples

NAME = "erlbpf_sched_latency_seconds"


def rows(browser, table):
    return browser.value("[...document.querySelectorAll('#%s tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
                         % table) or []


def counts(agent):
    return {(l["node"], l["name"]): int(v) for l, v in samples(agent.metrics(), NAME + "_count")}


def check_page(browser, agent, node):
    browser.ask("Page.navigate", url="http://127.0.0.1:%d/" % agent.port)
    wait_until("the page lists the node", lambda: node in [row[0] for row in rows(browser, "targets")])
    wait_until("the page shows what /metrics says", lambda: counts(agent) and {
        (row[0], row[1]): int(row[2]) for row in rows(browser, "names")} == counts(agent))


def history_of(agent, node):
    all_of = json.loads(agent.get("/history"))
    line = [s for s in all_of["series"] if s["node"] == node and s["metric"] == NAME]
    return all_of, line[0] if line else None


def check_history(browser, agent, node):
    """The hour has what was counted, to the last message; the page says of each moment what /history says."""
    wait_until("/history has all that /metrics has", lambda: history_of(agent, node)[1] and
               sum(history_of(agent, node)[1]["count"]) == sum(n for (name, _), n in counts(agent).items() if name == node), 40)
    all_of, line = history_of(agent, node)
    assert all_of["every_s"] == 10 and len(all_of["times"]) == len(line["count"]) == len(line["p99"]), all_of
    at = max(range(len(line["count"])), key=lambda i: line["count"][i])
    assert 0 < line["p50"][at] <= line["p90"][at] <= line["p99"][at] < 10, line
    assert [line["p50"][i] is None for i in range(len(line["count"]))] == [not n for n in line["count"]], line
    wait_until("the page has it", lambda: browser.value("hour && hour.times.length") == len(all_of["times"]), 30)
    browser.value("showPoint(%d)" % at)
    said = browser.value("document.getElementById('point').textContent")
    assert node in said and browser.value("shown(%r, 'seconds')" % line["p99"][at]) in said, said
    assert browser.value("document.querySelectorAll('#history canvas').length") > 0


def check_tables(browser, agent):
    tools = {row[0]: row for row in rows(browser, "tools")}
    assert set(tools) == {tool["tool"] for tool in json.loads(agent.get("/targets"))["tools"]}, tools
    assert all(row[1] == "full" and row[4] == "0" for row in tools.values()), tools
    wait_until("hits are those of /metrics", lambda: int([row for row in rows(browser, "tools") if row[0] == "mailbox"][0][3]) ==
               agent.value("erlbpf_probe_hits_total", tool="mailbox"))
    # Each pixel of the map has words.
    wait_until("the map has something", lambda: browser.value("heatPlan().bounds.length"))
    browser.value("showCell({offsetX: document.getElementById('heat').clientWidth - 2, offsetY: 5})")
    assert "up to" in browser.value("document.getElementById('cell').textContent")


def focus_by_tab(browser, wanted):
    for _ in range(10):
        press(browser, "Tab")
        if browser.value("document.activeElement.id") == wanted:
            return
    raise AssertionError("Tab does not lead to " + wanted)


def check_keyboard(browser):
    focus_by_tab(browser, "node")
    before = browser.value("document.activeElement.value")
    press(browser, "ArrowDown")
    assert browser.value("document.activeElement.value") not in ("", before), before
    focus_by_tab(browser, "history")
    newest = browser.value("hour.times.length - 1")
    for back in range(2):
        press(browser, "ArrowLeft")
        assert browser.value("at") == max(0, newest - back), (newest, back)
    focus_by_tab(browser, "pause")
    press(browser, " ", "Space")
    assert browser.value("document.getElementById('pause').getAttribute('aria-pressed')") == "true"


def check_phone(browser):
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    assert browser.value("document.documentElement.scrollWidth <= innerWidth"), "wider than a phone"


def test_the_page_shows_what_metrics_say():
    need("chromium-headless-shell")
    name = "export_page"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, load(name, 3000) as node:
        agent = Agent()
        browser = Browser(folder, 900, 1200)
        try:
            agent.wait_for_node(node_name(name))
            look(browser, agent, node)
            check_page(browser, agent, node_name(name))
            check_tables(browser, agent)
            check_history(browser, agent, node_name(name))
            check_keyboard(browser)
            check_phone(browser)
            assert not browser.problems, browser.problems
        finally:
            browser.close()
            agent.stop()


def look(browser, agent, node):
    browser.ask("Page.navigate", url="http://127.0.0.1:%d/" % agent.port)
    run_load(node)
    if os.environ.get("ERLBPF_PICTURE"):
        browser.screenshot(os.environ["ERLBPF_PICTURE"])
