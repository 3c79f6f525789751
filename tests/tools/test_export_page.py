"""The page of `erlbpf export` in a real browser, Debian's chromium-headless-shell: what it shows is what /metrics says,
it can be used on a phone and with the keyboard, and nothing is written to the console. With ERLBPF_PICTURE=FILE, FILE
becomes a picture of it (`make docs/page.png`)."""
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
