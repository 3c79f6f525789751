"""The page of `erlbpf export` has nothing that axe-core, which tests/third_party/axe/ has, finds to be wrong by WCAG 2.1 A and AA:
with nodes, findings, a name and a process that were opened, light and dark, on a phone and on a desk."""
import json
import os
import tempfile

from browser import Browser
from lib import unique, wait_until
from test_export import PREFIX, Agent, load, need, node_name, run_load
from test_export_page import ILL, rows

AXE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "third_party", "axe", "axe.min.js")
# What it found: {"violations": [[rule, element, why]...], "passes": [rule...]}.
RUN = """axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then(found => ({
  violations: found.violations.flatMap(v => v.nodes.map(n => [v.id, n.target.join(' '), n.failureSummary])),
  passes: found.passes.map(p => p.id),
}))"""
# Of these a page of this kind has something: that they pass says that it was looked at.
LOOKED_AT = {"aria-allowed-attr", "aria-required-attr", "aria-valid-attr-value", "button-name", "color-contrast", "document-title", "html-has-lang",
             "label", "link-name", "meta-viewport", "nested-interactive", "select-name"}
ON_PHONES = {"scrollable-region-focusable"}


def look(browser):
    said = browser.ask("Runtime.evaluate", expression=RUN, awaitPromise=True, returnByValue=True)["result"]
    assert "value" in said, said
    return said["value"]


def check(browser, state):
    for width, is_phone in ((375, True), (1280, False)):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=is_phone)
        for scheme in "light", "dark":
            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            found = look(browser)
            assert not found["violations"], (state, width, scheme, found["violations"][:5], len(found["violations"]))
            missing = LOOKED_AT.union(ON_PHONES if is_phone else ()) - set(found["passes"])
            assert not missing, (state, width, scheme, missing)


def check_that_it_finds(browser):
    """A test of the test: what is broken is found."""
    for rule, breaking, mending in (
            ("color-contrast", "document.getElementById('state').style.color = colour('--line')", "document.getElementById('state').style.color = ''"),
            ("select-name", "document.querySelector('#node').parentElement.firstChild.data = ''",
             "document.querySelector('#node').parentElement.firstChild.data = 'node '"),
            ("aria-valid-attr-value", "document.getElementById('pause').setAttribute('aria-pressed', 'perhaps')",
             "document.getElementById('pause').setAttribute('aria-pressed', 'true')")):
        browser.value(breaking)
        assert [v[0] for v in look(browser)["violations"]] == [rule], (rule, look(browser)["violations"])
        browser.value(mending)
        assert not look(browser)["violations"], rule


def open_all(browser, agent, node):
    browser.ask("Page.navigate", url="http://127.0.0.1:%d/" % agent.port)
    wait_until("the page lists the node", lambda: node in [row[0] for row in rows(browser, "targets")])
    wait_until("names", lambda: len(rows(browser, "names")) > 1)
    wait_until("processes", lambda: len(rows(browser, "live")) == 20)
    wait_until("two readings", lambda: browser.value("heat.length > 1"))
    wait_until("a point of the hour", lambda: browser.value("hour && hour.times.length"))
    with open(AXE) as script:
        browser.value(script.read())
    # Nothing is drawn anew while it is looked at.
    browser.value("paused = true")


def test_axe_finds_nothing_wrong_with_the_page():
    need("chromium-headless-shell")
    name = unique(PREFIX + "axe")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, load(name) as node:
        agent = Agent("--findings")
        browser = Browser(folder, 1280, 900)
        try:
            agent.wait_for_node(node_name(name))
            run_load(node)
            open_all(browser, agent, node_name(name))
            check(browser, "nodes")
            browser.value("drawHealth(%s, [{os_pid: 9, node: 'c@d'}, {os_pid: 7, node: 'a@b'}, {os_pid: 8, node: 'e@f'}])" % json.dumps(ILL))
            check(browser, "findings")
            browser.ask("Runtime.evaluate", expression="chooseName(%s, 'init')" % json.dumps(node_name(name)), awaitPromise=True)
            assert browser.value("chosen.name") == "init"
            check(browser, "a name")
            browser.ask("Runtime.evaluate", expression="openProcess(%d, '<0.0.0>')" % node.child.pid, awaitPromise=True)
            assert ["stack", "init:boot_loop/2"] in rows(browser, "lines"), rows(browser, "lines")
            check(browser, "a process")
            check_that_it_finds(browser)
            assert not browser.problems, browser.problems
        finally:
            browser.close()
            agent.stop()
