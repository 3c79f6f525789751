"""The page of `erlbpf export` in a real browser, Debian's chromium-headless-shell: what it shows is what /metrics says,
it can be used on a phone, with the keyboard and by who hears it, and nothing is written to the console. With
ERLBPF_PICTURE=docs/page.png, that becomes a picture of it, and files beside it of the hour, of a process and of a phone
(`make docs/page.png`)."""
import json
import os
import re
import tempfile
import urllib.error
import urllib.parse

from browser import Browser, press
from lib import STOCK, Node, unique, wait_until
from test_export import PREFIX, Agent, load, need, node_name, run_load, samples

NAME = "erlbpf_sched_latency_seconds"


def take_picture(browser, suffix="", scheme="light", to="body"):
    """If they are wanted, of what begins with that element."""
    path = os.environ.get("ERLBPF_PICTURE")
    if not path:
        return
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.value("document.querySelector(%s).scrollIntoView()" % json.dumps(to))
    browser.screenshot(path.replace(".png", suffix + ".png"))
    browser.ask("Emulation.setEmulatedMedia", features=[])


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
               sum(history_of(agent, node)[1]["count"]) == sum(n for (name, _), n in counts(agent).items() if name == node))
    all_of, line = history_of(agent, node)
    assert all_of["every_s"] == 10 and len(all_of["times"]) == len(line["count"]) == len(line["p99"]), all_of
    at = max(range(len(line["count"])), key=lambda i: line["count"][i])
    assert 0 < line["p50"][at] <= line["p90"][at] <= line["p99"][at], line
    assert [line["p50"][i] is None for i in range(len(line["count"]))] == [not n for n in line["count"]], line
    wait_until("the page has it", lambda: (browser.value("hour && hour.times.length") or 0) >= len(all_of["times"]))
    browser.value("showPoint(%d)" % at)
    assert browser.value("at") == at
    said = browser.value("document.getElementById('point').textContent")
    assert node in said and browser.value("shown(%r, 'seconds')" % line["p99"][at]) in said, said
    assert browser.value("document.querySelectorAll('#history canvas').length") > 0
    check_numbers(browser, all_of, at, node)
    take_picture(browser, "-hour", to="#h-hour")


# What the charts below say, and how.
NUMBERS = [("Schedulers busy", "erlbpf_node_schedulers_busy_ratio", "percent"), ("Run queue", "erlbpf_node_run_queue_length", "few"),
           ("Reductions per second", "erlbpf_node_reductions", "few"), ("Processes", "erlbpf_node_processes", "few"),
           ("Memory", "erlbpf_node_resident_memory_bytes", "bytes"),
           ("Most messages that wait for one name", "erlbpf_mailbox_most_waiting_messages", "few")]


def check_numbers(browser, all_of, at, node):
    said = dict(browser.value("[...document.querySelectorAll('#numbers figure')].map(f => [...f.children].filter(e => !e.className.includes('chart'))"
                              ".map(e => e.textContent))"))
    assert set(said) == {title for title, _, _ in NUMBERS} | {"Messages per second"}, said
    kept = {n["metric"]: n["values"] for n in all_of["numbers"] if n["node"] == node}
    assert kept["erlbpf_node_processes"][at] > 30, kept
    for title, metric, form in NUMBERS:
        value = kept[metric][at]
        if value is not None:
            assert said[title].endswith("%s: %s" % (node, browser.value("%s(%r)" % (form, value)))), (title, said, value)
    line = [s for s in all_of["series"] if s["node"] == node and s["metric"] == NAME][0]
    assert said["Messages per second"].endswith(": " + browser.value("few(%r)" % (line["count"][at] / 10))), said
    # A brush in one chart is one in all.
    left, top, wide, high = browser.value("(() => { const a = charts[1].graph.getArea();"
                                          "charts[1].div.scrollIntoView(); const s = charts[1].div.getBoundingClientRect();"
                                          "return [s.left + a.x, s.top + a.y, a.w, a.h]; })()")
    for kind, x in (("mousePressed", .2), ("mouseMoved", .5), ("mouseReleased", .8)):
        browser.ask("Input.dispatchMouseEvent", type=kind, x=left + wide * x, y=top + high / 2, button="left", clickCount=1)
    zoomed = "charts.filter(c => c.graph).map(c => c.graph.isZoomed('x'))"
    assert len(browser.value(zoomed)) >= 6 and all(browser.value(zoomed)), browser.value(zoomed)
    browser.value("charts[0].graph.resetZoom()")
    assert not any(browser.value(zoomed)), browser.value(zoomed)


def check_tables(browser, agent):
    tools = {row[0]: row for row in rows(browser, "tools")}
    assert set(tools) == {tool["tool"] for tool in json.loads(agent.get("/targets"))["tools"]}, tools
    assert all(row[1] == "full" and row[4] == "0" for row in tools.values()), tools
    wait_until("hits are those of /metrics", lambda: int([row for row in rows(browser, "tools") if row[0] == "mailbox"][0][3]) ==
               agent.value("erlbpf_probe_hits_total", tool="mailbox"))
    assert all(re.fullmatch(r"[0-9]+([.][0-9]{2})? %", row[2]) for row in tools.values()), tools


def point_at(browser, x, y):
    """A place of the heat map, in its pixels."""
    left, top = browser.value("(() => { const r = document.getElementById('heat').getBoundingClientRect(); return [r.left, r.top]; })()")
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=left + x, y=top + y)
    return browser.value("document.getElementById('cell').textContent")


HEAT_CELLS = """heat.flatMap((column, x) => buckets.map((bucket, y) => ({ x, y, n: column.buckets.get(bucket.le) || 0, where: placeOf(heatChart, { column, bucket }) })))"""
# From a copy: who reads a canvas often is warned by the browser.
PIXEL = """((x, y) => {
  const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }), from = ground.canvas;
  copy.drawImage(from, -Math.floor(x * from.width / from.clientWidth), -Math.floor(y * from.height / from.clientHeight));
  return [...copy.getImageData(0, 0, 1, 1).data];
})(%r, %r)"""
FRAMED = """(() => {
  const above = document.querySelectorAll('#heat canvas')[1], copy = new OffscreenCanvas(above.width, above.height).getContext('2d');
  copy.drawImage(above, 0, 0);
  return copy.getImageData(0, 0, above.width, above.height).data.some(v => v);
})()"""


# The darkest cell of the heat map has the colour as it is.
IS_DRAWN_SO = """(() => {
  const darkest = %s.reduce((a, b) => b.n > a.n ? b : a), [left, top, wide, high] = darkest.where;
  const hex = %s.slice(0, 3).map(c => c.toString(16).padStart(2, '0')).join('');
  return '#' + hex === colour('--bar');
})()""" % (HEAT_CELLS, PIXEL.replace("%r, %r", "left + wide / 2, top + high / 2"))


def check_heat(browser, agent):
    """The library draws what was counted where its axes say, each cell of which has words; it is as much as /metrics has more."""
    wait_until("two readings", lambda: browser.value("heat.length > 1 && buckets.length > 1"))
    browser.value("document.getElementById('heat').scrollIntoView(); paused = true")
    total, cells = browser.value("[heat.reduce((sum, c) => sum + [...c.buckets.values()].reduce((a, b) => a + b, 0), 0), %s]" % HEAT_CELLS)
    assert sum(cell["n"] for cell in cells) == total > 0, (total, cells)
    assert total <= sum(counts(agent).values()), (total, counts(agent))
    for cell in cells:
        left, top, wide, high = cell["where"]
        said = point_at(browser, left + wide / 2, top + high / 2)
        assert said.endswith(": %d" % cell["n"]) and "up to" in said, (said, cell)
        # Alpha: more is darker, nothing is nothing. Lines of the grid are below.
        drawn = browser.value(PIXEL % (left + wide / 2, top + high / 2))[3]
        assert (drawn > 25) >= bool(cell["n"]), (drawn, cell)
    darkest = max(cells, key=lambda cell: cell["n"])
    left, top, wide, high = darkest["where"]
    for scheme in "light", "dark":
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        wait_until("what is drawn has its colours", lambda: browser.value(IS_DRAWN_SO))
    browser.ask("Emulation.setEmulatedMedia", features=[])
    # Words of the axis are of numbers that can be read, upwards.
    words = browser.value("[...document.querySelectorAll('#heat .dygraph-axis-label-y')].map(e => e.textContent)")
    assert words and all(re.fullmatch(r"[125]0{0,2} (ns|µs|ms|s)", word) for word in words), words
    # A brush leads into it.
    box = browser.value("(() => { const r = document.getElementById('heat').getBoundingClientRect(), a = heatChart.getArea();"
                        "return [r.left + a.x, r.top + a.y, a.w, a.h]; })()")
    for kind, x in (("mousePressed", .5), ("mouseMoved", .7), ("mouseReleased", .99)):
        browser.ask("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * x, y=box[1] + box[3] / 2, button="left", clickCount=1)
    assert browser.value("heatChart.isZoomed('x')")
    browser.value("drawHeat('seconds')")
    assert browser.value("heatChart.isZoomed('x')")
    browser.value("heatChart.resetZoom(); paused = false")
    assert not browser.value("heatChart.isZoomed('x')")


def processes(agent, **query):
    return json.loads(agent.get("/processes?" + urllib.parse.urlencode(query)))


def check_processes(browser, agent, node, name):
    """The table is that of the node's memory; a click shows a process by itself, and the histogram of its name."""
    pid = node.child.pid
    wait_until("reductions, of two readings", lambda: processes(agent, os_pid=pid)["rows"][0]["reds"] is not None)
    answer = processes(agent, node=name, sort="pid", rows=1000)
    assert answer["os_pid"] == pid and answer["processes"] == answer["matching"] == len(answer["rows"]) > 30, answer
    rows_of = {row["pid"]: row for row in answer["rows"]}
    assert rows_of["<0.0.0>"]["name"] == "init" and rows_of["<0.0.0>"]["status"] == "waiting" and rows_of["<0.0.0>"]["heap"] > 1000
    assert [row["name"] for row in processes(agent, os_pid=pid, filter="kernel_sup", sort="pid")["rows"]][:1] == ["kernel_sup"]
    assert len(processes(agent, os_pid=pid, rows=3, sort="-queue")["rows"]) == 3
    for wrong in "os_pid=1", "node=nobody", "", "os_pid=%d&pid=<9.9.9>" % pid, "os_pid=%d&pid=%%00" % pid:
        try:
            agent.get("/processes?" + wrong)
            raise AssertionError(wrong)
        except urllib.error.HTTPError as refused:
            assert refused.code == 404, (wrong, refused.code)
    one = processes(agent, os_pid=pid, pid="<0.0.0>")
    assert one["heap"] >= 1000 and one["binaries"] % 8 == 0 and one["queue"] == 0, one
    assert one["name"] == "init" and ["stack", "init:boot_loop/2"] in one["lines"], one
    # On the page.
    wait_until("the table of the page", lambda: len(rows(browser, "live")) == 20)
    browser.value("[...document.querySelectorAll('#live th button')].find(b => b.textContent === 'pid').click()")
    wait_until("by pid", lambda: rows(browser, "live")[0][:2] == ["<0.0.0>", "init"])
    assert browser.value("document.querySelector('#live th[aria-sort]').textContent") == "pid"
    browser.value("document.getElementById('filter').value = 'kernel_sup'; document.getElementById('filter').dispatchEvent(new Event('input'))")
    wait_until("the rows that match", lambda: rows(browser, "live") and len(rows(browser, "live")) < 20 and
               rows(browser, "live")[0][1] == "kernel_sup")
    browser.value("document.querySelector('#live tbody button').click()")
    wait_until("its page", lambda: ["stack", "gen_server:loop/7"] in rows(browser, "lines"))
    assert [row[0] for row in rows(browser, "lines")[:4]] == ["queue", "heap", "binaries", "parent"], rows(browser, "lines")
    assert browser.value("document.activeElement.id") == "h-process" and "kernel_sup" in browser.value("document.activeElement.textContent")
    # A name that is clicked: its histogram alone.
    alive = {row["name"] for row in answer["rows"]}
    known = [row[1] for row in rows(browser, "names") if row[1] in alive][0]
    browser.value("[...document.querySelectorAll('#names tbody button')].find(b => b.textContent === %s).click()" % json.dumps(known))
    wait_until("the histogram of that name", lambda: "of " + known in browser.value("document.getElementById('chosen').textContent"))
    assert browser.value("chosen.name") == known
    wait_until("a process of that name", lambda: known in browser.value("document.getElementById('h-process').textContent"))
    browser.value("chooseName(%s, 'nobody at all')" % json.dumps(name))
    wait_until("that there is none", lambda: "no process" in browser.value("document.getElementById('chosen').textContent"))
    browser.value("document.getElementById('close').click()")
    assert browser.value("chosen") is None and browser.value("document.getElementById('process').hidden")


def is_traced(agent, pid):
    try:
        return processes(agent, os_pid=pid)
    except urllib.error.HTTPError:
        return None


def check_senders(browser, agent, other):
    """A process whose mailbox grows, and the shares of those that feed it."""
    with Node(STOCK, "+S", "1", "-sname", unique(PREFIX + "senders")) as node:
        node.eval("Full = spawn(fun() -> receive never -> ok end end)")
        node.eval("Loop = fun L(Pause) -> Full ! x, timer:sleep(Pause), L(Pause) end")
        node.eval("begin [register(N, spawn(fun() -> Loop(P) end)) || {N, P} <- [{often, 1}, {seldom, 10}]], ok end")
        full = node.eval("pid_to_list(Full)").strip('"')
        wait_until("it is traced", lambda: is_traced(agent, node.pid))
        wait_until("the page knows the node", lambda: browser.value(
            "[...document.getElementById('live-node').options].some(o => o.value === '%d')" % node.pid))
        browser.value("openProcess(%d, %s)" % (node.pid, json.dumps(full)))

        def senders():
            lines = rows(browser, "lines")
            titles = [line[0] for line in lines]
            return [line[1] for line in lines[titles.index("senders"):]] if "senders" in titles else []

        # The first look may have seen a message of each.
        wait_until("its senders on the page", lambda: [text.split()[2] for text in senders()[1:]] == ["often", "seldom"])
        wait_until("who sends more", lambda: float(senders()[1].split()[0]) > float(senders()[2].split()[0]))
        wait_until("how many messages", lambda: senders()[0].endswith("messages per second"))
        rate, often, seldom = (float(text.split()[0]) for text in senders())
        # Both are rounded.
        assert rate > 0 and 99 <= often + seldom <= 101, senders()
        take_picture(browser, "-process", "dark", "#h-process")
        # The node ends: nothing may ask for it any more.
        browser.value("document.getElementById('close').click()")
        browser.value("document.getElementById('live-node').value = %d" % other.pid)
        browser.ask("Runtime.evaluate", expression="readLive()", awaitPromise=True)


ILL = {"watches": True, "nodes": [{"os_pid": 7, "node": "a@b", "age_s": 1, "findings": [
    {"rule": "mailbox-grows", "severity": "critical", "process": "stuck", "text": "<b>stuck</b> grows", "command": "mailbox -p PID"}]},
    {"os_pid": 9, "node": "c@d", "age_s": 2, "findings": []}]}


def check_health(browser, agent, name):
    """What was found comes first, the worst node before others; what nodes say is text."""
    said = json.loads(agent.get("/findings"))
    assert said["watches"] is True, said
    draw = "drawHealth(%s, [{os_pid: 9, node: 'c@d'}, {os_pid: 7, node: 'a@b'}, {os_pid: 8, node: 'e@f'}])"
    browser.value(draw % json.dumps(ILL))
    assert rows(browser, "health") == [["a@b", "critical", "<b>stuck</b> grows", "stuck", "erlbpf mailbox -p 7"],
                                       ["c@d", "healthy", "", "", ""], ["e@f", "not watched yet", "", "", ""]], rows(browser, "health")
    assert browser.value("document.querySelector('h2').textContent").startswith("Health"), "it is not first"
    wait_until("the node has been watched", lambda: [n for n in json.loads(agent.get("/findings"))["nodes"] if n["node"] == name])

    def found():
        own = [n for n in json.loads(agent.get("/findings"))["nodes"] if n["node"] == name]
        return [[f["severity"], f["text"]] for f in own[0]["findings"]] or [["healthy", ""]] if own else None

    # The node is watched again and again.
    wait_until("the page says what was found", lambda: found() == [row[1:3] for row in rows(browser, "health") if row[0] == name])


# Of all text that is shown: its contrast with what is behind it, as WCAG 2.1 computes it.
CONTRASTS = """(() => {
  const number = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = number(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3]) return c; } return matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255]; };
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.tagName === 'SCRIPT' || e.tagName === 'B') continue;
    const [a, b] = [light(number(getComputedStyle(e).color)), light(behind(e))];
    found.push([(Math.max(a, b) + .05) / (Math.min(a, b) + .05), walk.currentNode.data.trim().slice(0, 30)]);
  }
  return found;
})()"""
CONTROLS = {"button", "combobox", "textbox", "searchbox", "radio", "checkbox", "link", "image", "img", "table", "region", "main", "heading",
            "application"}
# Who hears the page jumps between these by their names.
LANDMARKS = {"region", "banner", "main", "navigation", "complementary", "contentinfo", "search", "form"}


def check_accessibility(browser):
    """Names, landmarks and contrast, from the browser's own tree of the page; test_export_axe.py has what axe-core checks."""
    for scheme in "light", "dark":
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        contrasts = browser.value(CONTRASTS)
        assert len(contrasts) > 60 and not [c for c in contrasts if c[0] < 4.5], (scheme, sorted(contrasts)[:5])
    browser.value("document.getElementById('process').hidden = false")
    tree = browser.ask("Accessibility.getFullAXTree")["nodes"]
    browser.value("document.getElementById('process').hidden = true")
    named = [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in tree if not n["ignored"] and "role" in n]
    assert len([role for role, _ in named if role == "main"]) == 1 and len([role for role, _ in named if role == "banner"]) == 1
    need_names = CONTROLS - {"main", "table"}
    assert not [n for n in named if n[0] in need_names and not n[1].strip()], named
    landmarks = [n for n in named if n[0] in LANDMARKS]
    assert len(landmarks) > 10 and len(landmarks) == len(set(landmarks)), sorted(landmarks)
    assert len([n for n in named if n[0] in ("button", "combobox", "searchbox", "radio")]) > 15, named
    assert not [n for n in named if n[0] == "columnheader" and not n[1].strip()], named
    assert browser.value("(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                         "return ids.length === new Set(ids).size; })()")
    assert browser.value("[...document.querySelectorAll('h1, h2')].map(h => h.tagName)[0]") == "H1"
    assert browser.value("document.documentElement.lang") == "en"
    assert not browser.value("document.querySelector('[tabindex]:not([tabindex=\"0\"]):not([tabindex=\"-1\"])')")


def focus_by_tab(browser, wanted):
    for _ in range(60):
        press(browser, "Tab")
        if browser.value("document.activeElement.id") == wanted:
            return
    raise AssertionError("Tab does not lead to " + wanted)


def check_heat_by_keys(browser):
    """From cell to cell, with the words that the pointer gets."""
    focus_by_tab(browser, "heat")
    wait_until("two readings", lambda: browser.value("heat.length > 1 && buckets.length > 1"))
    browser.value("paused = true")
    columns, bounds = browser.value("[heat.length, buckets.length]")

    def where():
        return browser.value("[heat.indexOf(cell.column), buckets.findIndex(b => b.le === cell.bucket.le)]")

    browser.value("lookAt()")
    press(browser, "ArrowUp")
    assert where()[0] == columns - 1, (where(), columns)
    for key, left, up in (("Home", -columns, 0), ("End", columns, 0), ("ArrowLeft", -1, 0), ("ArrowRight", 1, 0), ("ArrowRight", 1, 0),
                          *[("ArrowDown", 0, -1)] * bounds, ("ArrowUp", 0, 1)):
        x, y = where()
        press(browser, key)
        assert where() == [min(columns - 1, max(0, x + left)), min(bounds - 1, max(0, y + up))], (key, x, y, where())
    said = browser.value("document.getElementById('cell').textContent")
    assert "up to" in said, said
    # A frame is around it, where the pointer would say the same.
    left, top, wide, high = browser.value("placeOf(heatChart, cell)")
    assert browser.value(FRAMED)
    browser.value("lookAt()")
    assert not browser.value(FRAMED)
    assert not browser.value("document.getElementById('cell').textContent").strip()
    assert point_at(browser, left + wide / 2, top + high / 2) == said
    browser.ask("Input.dispatchKeyEvent", type="keyDown", key="+", text="+")
    assert browser.value("heatChart.isZoomed('x')")
    press(browser, "Escape")
    assert not browser.value("heatChart.isZoomed('x')")
    # What has left the map has no words.
    browser.value("paused = false; document.getElementById('metric').dispatchEvent(new Event('change'))")
    assert browser.value("cell") is None and not browser.value("document.getElementById('cell').textContent").strip()


def check_keyboard(browser):
    focus_by_tab(browser, "node")
    before = browser.value("document.activeElement.value")
    press(browser, "ArrowDown")
    assert browser.value("document.activeElement.value") not in ("", before), before
    browser.value("document.getElementById('node').value = 'all'")
    check_heat_by_keys(browser)
    focus_by_tab(browser, "history")
    # The hour is not read while keys move in it.
    browser.value("at = -1; paused = true")
    newest = browser.value("hour.times.length - 1")
    for back in range(2):
        press(browser, "ArrowLeft")
        assert browser.value("at") == max(0, newest - back), (newest, back)
    # The part that is zoomed into stays when the hour is read again.
    if newest > 1:
        browser.ask("Input.dispatchKeyEvent", type="keyDown", key="+", text="+")
        assert browser.value("charts[0].graph.isZoomed('x')")
        browser.value("drawHour()")
        assert browser.value("charts[0].graph.isZoomed('x') && charts[1].graph.isZoomed('x')")
        press(browser, "Escape")
        assert not browser.value("charts[0].graph.isZoomed('x') || charts[1].graph.isZoomed('x')")
    # The charts below, one after the other.
    for chart in range(1, 4):
        press(browser, "Tab")
        assert browser.value("document.activeElement === charts[%d].div" % chart), chart
        press(browser, "Home")
        assert browser.value("at") == 0 and browser.value("charts[%d].words.getAttribute('aria-live')" % chart) == "polite"
    browser.value("paused = false")
    focus_by_tab(browser, "pause")
    press(browser, " ", "Space")
    assert browser.value("document.getElementById('pause').getAttribute('aria-pressed')") == "true"


# Controls outside the width, or lower than a finger needs (WCAG 2.5.8); of what is in a label, all of that can be touched.
TOO_SMALL = """[...document.querySelectorAll('select, input, button, a')].filter(e => e.checkVisibility())
  .map(e => [(e.closest('label') || e).getBoundingClientRect(), e.closest('.scroll'), e.id || e.textContent])
  .filter(([r, scrolls]) => r.height < 24 || !scrolls && (r.left < 0 || r.right > innerWidth)).map(([r, , name]) => [name, r.height, r.right])"""


TOO_WIDE = """[...document.querySelectorAll('main *, header *')].filter(e => e.getBoundingClientRect().right > %d && !e.parentElement.closest('.scroll'))
  .map(e => [e.tagName, e.id, e.getBoundingClientRect().right, e.textContent.slice(0, 60)])"""


def check_phone(browser):
    browser.value("document.getElementById('process').hidden = false")
    for width in 320, 375:
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=812, deviceScaleFactor=2, mobile=True)
        assert browser.value("innerWidth") == width, (width, browser.value("innerWidth"), browser.value(TOO_WIDE % width))
        assert browser.value("document.documentElement.scrollWidth") == width, (width, browser.value("document.documentElement.scrollWidth"))
        assert not browser.value(TOO_SMALL), (width, browser.value(TOO_SMALL))
    browser.value("document.getElementById('process').hidden = true")
    take_picture(browser, "-phone")


def test_the_page_shows_what_metrics_say():
    need("chromium-headless-shell")
    name = unique(PREFIX + "page")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, load(name) as node:
        agent = Agent("--findings")
        browser = Browser(folder, 900, 1200)
        try:
            agent.wait_for_node(node_name(name))
            look(browser, agent, node)
            check_page(browser, agent, node_name(name))
            check_tables(browser, agent)
            check_heat(browser, agent)
            check_processes(browser, agent, node, node_name(name))
            check_history(browser, agent, node_name(name))
            check_health(browser, agent, node_name(name))
            check_senders(browser, agent, node)
            check_keyboard(browser)
            check_accessibility(browser)
            check_phone(browser)
            assert not browser.problems, browser.problems
        finally:
            browser.close()
            agent.stop()


def look(browser, agent, node):
    browser.ask("Page.navigate", url="http://127.0.0.1:%d/" % agent.port)
    run_load(node)
    take_picture(browser)
