"""What `erlbpf profile` writes is read by others: the page and the picture in a real browser, pprof by its fields
and by Go's program, speedscope by its schema. Names are a traced node's, and nothing in them is run."""
import contextlib
import gzip
import json
import os
import re
import subprocess
import tempfile
import xml.dom.minidom

from browser import Browser, click, press
from lib import ERLBPF, LIMIT, ROOT, erlbpf, wait_until
from otlp import decode
from test_export import need

BEFORE = """shop@host_[g];a:a/0;f:f/1;ets:lookup/2_[b] 20
shop@host_[g];a:a/0;g:g/1 60
shop@host_[g];busy-wait_[s] 20
"""
AFTER = """shop@host_[g];a:a/0;f:f/1;f:f/1;f:f/1 30
shop@host_[g];a:a/0;f:f/1;ets:lookup/2_[b];memcpy_[l] 90
shop@host_[g];a:a/0;g:g/1 60
shop@host_[g];a:a/0:7;g:g/1 20
"""
HOSTILE = ["</script><script>window.pwned=1</script>", "\"><img src=x onerror=window.pwned=1>", "']]:window.pwned=1//",
           "<!--<script>", "${window.pwned=1}", "]]>", "&lt:b&gt:", "\u202eevil", "\x1b[31mred", "\u2028x", "a\\u003c", "\ufffe"]
SHOWN = HOSTILE[:7] + ["\\u{202e}evil", "\\x1b[31mred", "\\u{2028}x", "a\\u003c", "\ufffe"]


def run(*args, code=0, given=None):
    done = subprocess.run([ERLBPF, "profile", *map(str, args)], input=given, capture_output=True, timeout=LIMIT)
    assert done.returncode == code, (args, done)
    return done


@contextlib.contextmanager
def files(*texts):
    """Paths of files with these texts, and one of a file that is not there yet."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "%d.folded" % i) for i in range(len(texts))]
        for path, text in zip(paths, texts):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        yield (*paths, os.path.join(folder, "out"))


@contextlib.contextmanager
def browser_with(path):
    need("chromium-headless-shell")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder, 1000, 800)
        try:
            browser.ask("Page.navigate", url="file://" + path)
            wait_until("the page is there", lambda: browser.value("location.protocol + document.readyState") == "file:complete")
            yield browser
            assert not browser.problems, browser.problems
        finally:
            browser.close()


def text_of(browser, name):
    return browser.value("document.getElementById('%s').textContent" % name)


def search(browser, text):
    browser.value("$('search').value = %s, $('search').dispatchEvent(new Event('input'))" % json.dumps(text))
    return text_of(browser, "matched")


def box_of(browser, name):
    """(x, y, width) of the first box of that name on the canvas."""
    return browser.value("(([i, x, width]) => { const at = graph.getBoundingClientRect(); return [at.left + x, at.top + "
                         "rowTop(depths[i]), width]; })(shown.find(([i]) => name(i) === %s))" % json.dumps(name))


def names_shown(browser):
    return browser.value("shown.map(([i]) => name(i))")


# --- The page --------------------------------------------------------------------------------------------------------

def test_the_page_has_shares_and_zooms_and_searches():
    with files(AFTER) as (after, out):
        run("show", after, "--html", "-o", out + ".html")
        with browser_with(out + ".html") as browser:
            assert text_of(browser, "title") == after and "200 samples" in text_of(browser, "sums")
            assert text_of(browser, "path") == "all; total 200 samples, 100.00%; self 0 samples, 0.00%"
            assert not browser.value("$('width-label').offsetWidth"), "there is nothing before"
            check_search(browser)
            check_zoom(browser)
            check_functions(browser)


def check_search(browser):
    assert search(browser, "f:f") == "matched 60.00%, 120 samples"
    assert search(browser, "/^(ETS:|g:)/") == "matched 85.00%, 170 samples"
    assert search(browser, "nobody") == "matched 0.00%, 0 samples"
    assert search(browser, "/(/") == "not a regular expression"
    assert search(browser, "") == ""


def check_zoom(browser):
    x, y, width = box_of(browser, "f:f/1")
    whole = box_of(browser, "all")[2]
    assert abs(width / whole - .6) < .01, (width, whole)
    click(browser, x + width / 2, y + 4)
    assert box_of(browser, "f:f/1")[2] == whole
    assert "g:g/1" not in names_shown(browser) and "memcpy" in names_shown(browser)
    assert text_of(browser, "path").startswith("f:f/1; Erlang; total 120 samples, 60.00%; self 0 samples")
    browser.value("$('reset').click()")
    assert "g:g/1" in names_shown(browser)


def check_functions(browser):
    browser.value("document.querySelector('details').open = true")
    wait_until("functions are listed", lambda: browser.value("$('functions').tBodies[0].rows.length") == 5)
    rows = browser.value("[...$('functions').tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))")
    assert rows[0] == ["90 samples", "45.00%", "90 samples", "45.00%", "memcpy"], rows
    assert ["30 samples", "15.00%", "120 samples", "60.00%", "f:f/1"] in rows, rows


def test_the_page_can_be_used_with_the_keyboard():
    with files(AFTER) as (after, out):
        run("show", after, "--html", "-o", out + ".html")
        with browser_with(out + ".html") as browser:
            browser.value("graph.focus()")
            for _ in range(3):
                press(browser, "ArrowDown")
            assert text_of(browser, "path").startswith("f:f/1; "), text_of(browser, "path")
            press(browser, "ArrowRight")
            assert text_of(browser, "path").startswith("g:g/1; "), text_of(browser, "path")
            press(browser, "Enter")
            assert names_shown(browser) == ["a:a/0", "shop@host", "all", "g:g/1"]
            press(browser, "ArrowUp")
            assert text_of(browser, "path").startswith("a:a/0; ") and "f:f/1" in names_shown(browser)
            press(browser, "/", "Slash")
            assert browser.value("document.activeElement.id") == "search"


def test_the_page_has_a_tooltip_a_dark_side_and_room_on_a_phone():
    with files(AFTER) as (after, out):
        run("show", after, "--html", "-o", out + ".html")
        with browser_with(out + ".html") as browser:
            x, y, _ = box_of(browser, "ets:lookup/2")
            browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x + 5, y=y + 5)
            assert text_of(browser, "tip") == "ets:lookup/2\nBIF or NIF\ntotal 90 samples, 45.00%\nself 0 samples, 0.00%"
            assert not browser.value("$('tip').hidden")
            background = "getComputedStyle(document.body).backgroundColor"
            light = browser.value(background)
            browser.value("$('theme').click()")
            assert browser.value(background) != light and browser.value("$('theme').getAttribute('aria-pressed')") == "true"
            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            browser.ask("Page.reload")
            wait_until("the page is dark", lambda: browser.value(background) not in (None, light))
            browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
            assert browser.value("document.documentElement.scrollWidth <= innerWidth"), "wider than a phone"


def test_the_page_of_a_difference_is_red_and_blue():
    with files(BEFORE, AFTER) as (before, after, out):
        run("diff", before, after, "--html", "-o", out + ".html")
        with browser_with(out + ".html") as browser:
            hues = browser.value("Object.fromEntries(shown.map(([i]) => [name(i), colour(i).match(/\\d+/g).map(Number)]))")
            assert hues["ets:lookup/2"][0] == 5 and hues["ets:lookup/2"][1] == 85, hues
            assert hues["g:g/1"][0] == 215 and hues["all"][1] == 0, hues
            assert "busy-wait" not in names_shown(browser)
            browser.value("$('width').value = 'before', $('width').dispatchEvent(new Event('change'))")
            assert "busy-wait" in names_shown(browser)
            browser.value("select(shown.find(([i]) => name(i) === 'g:g/1')[0])")
            assert text_of(browser, "path").endswith(
                "self 80 samples, 40.00%; total before 60.00%, −20.00 points; self before 60.00%, −20.00 points")


def test_the_page_of_many_stacks_draws_only_what_is_seen():
    lines = ["n@h_[g];" + ";".join("m%d:f%d/1" % (i % (7 + depth), i // (3 ** depth) % 100) for depth in range(20)) +
             ";leaf%d:f/0 %d\n" % (i, 1 + i % 5) for i in range(50000)]
    with files("".join(lines)) as (path, out):
        run("show", path, "--html", "-o", out + ".html")
        with browser_with(out + ".html") as browser:
            assert browser.value("count") > 50000
            assert 20 < browser.value("shown.length") < 20000
            assert search(browser, "leaf") == "matched 100.00%, 150,000 samples"
            assert search(browser, "leaf7:") == "matched 0.00%, 3 samples"


# --- The picture -----------------------------------------------------------------------------------------------------

def test_the_picture_can_be_read_without_its_script():
    with files(AFTER) as (after, out):
        run("show", after, "--svg", "-o", out + ".svg")
        tree = xml.dom.minidom.parse(out + ".svg")
        titles = [title.firstChild.data for title in tree.getElementsByTagName("title")]
        # Recursion is folded: f:f/1 calls itself.
        assert "f:f/1\ntotal 120, 60.00%\nself 30, 15.00%" in titles, titles
        assert "f:f/1" in [text.firstChild.data for text in tree.getElementsByTagName("text") if text.firstChild]
        check_picture(out + ".svg")


def check_picture(path):
    with browser_with(path) as browser:
        browser.value("search('f:f')")
        assert text_of(browser, "found") == "matched 60.00%"
        widths = "Object.fromEntries(boxes.filter(b => b.g.style.display !== 'none').map(b => [b.name, b.rect.getAttribute('width')]))"
        assert abs(float(browser.value(widths)["f:f/1"]) - 708) < 1, browser.value(widths)
        browser.value("zoom(boxes.find(b => b.name === 'ets:lookup/2'))")
        zoomed = browser.value(widths)
        assert float(zoomed["memcpy"]) == 1180 and "g:g/1" not in zoomed, zoomed
        browser.value("zoom(root)")
        assert "g:g/1" in browser.value(widths)


# --- Hostile names ----------------------------------------------------------------------------------------------------

def hostile_lines():
    return "".join("root_[g];%s;x:y/1 %d\n" % (name, i + 1) for i, name in enumerate(HOSTILE))


def test_nothing_in_a_name_is_run():
    with files(hostile_lines()) as (path, out):
        for kind in ("html", "svg"):
            run("show", path, "--" + kind, "-o", out + "." + kind)
            with browser_with(out + "." + kind) as browser:
                assert browser.value("window.pwned") is None
                names = browser.value("typeof profile === 'undefined' ? boxes.map(b => b.name) : profile.frames.map(f => f[1])")
                expected = SHOWN if kind == "html" else [name.replace("\ufffe", "\ufffd") for name in SHOWN]
                assert set(expected) <= set(names), (kind, set(expected) - set(names))


# --- Files for others --------------------------------------------------------------------------------------------------

LINE = {1: ("function", "uint"), 2: ("line", "uint")}
TYPE = {1: ("type", "uint"), 2: ("unit", "uint")}
PPROF = {1: ("types", [TYPE]), 2: ("samples", [{1: ("locations", ["uint"]), 2: ("values", ["uint"]),
                                                 3: ("labels", [{1: ("key", "uint"), 2: ("text", "uint")}])}]),
         4: ("locations", [{1: ("id", "uint"), 4: ("lines", [LINE])}]),
         5: ("functions", [{1: ("id", "uint"), 2: ("name", "uint"), 3: ("system_name", "uint"), 4: ("file", "uint")}]),
         6: ("texts", ["text"]), 9: ("time", "uint"), 10: ("duration", "uint"), 11: ("period_type", TYPE), 12: ("period", "uint"),
         13: ("comments", ["uint"])}


def signed(number):
    return number - (1 << 64) if number >> 63 else number


def read_pprof(path):
    """[([function, the root first], value, [label])]"""
    with gzip.open(path) as file:
        profile = decode(file.read(), PPROF)
    texts = profile["texts"]
    functions = {function["id"]: texts[function["name"]] for function in profile["functions"]}
    names = {location["id"]: (functions[location["lines"][0]["function"]], location["lines"][0].get("line", 0))
             for location in profile["locations"]}
    assert texts[0] == "" and 0 not in names and 0 not in functions
    assert [texts[kind[key]] for kind in profile["types"] for key in ("type", "unit")] == ["samples", "count"]
    return [([names[number] for number in reversed(sample["locations"])], signed(sample["values"][0]),
             [(texts[label["key"]], texts[label["text"]]) for label in sample.get("labels", [])])
            for sample in profile["samples"]]


def test_pprof_has_every_stack_with_its_lines():
    with files(AFTER) as (after, out):
        run("show", after, "--pprof", "-o", out)
        assert read_pprof(out) == [
            ([("shop@host", 0), ("a:a/0", 0), ("f:f/1", 0), ("f:f/1", 0), ("f:f/1", 0)], 30, []),
            ([("shop@host", 0), ("a:a/0", 0), ("f:f/1", 0), ("ets:lookup/2", 0), ("memcpy", 0)], 90, []),
            ([("shop@host", 0), ("a:a/0", 0), ("g:g/1", 0)], 60, []),
            ([("shop@host", 0), ("a:a/0", 7), ("g:g/1", 0)], 20, [])]


def test_pprof_of_a_difference_is_what_diff_base_makes():
    with files("a:a/0 3\n", "a:a/0 1\nb:b/0 2\n") as (before, after, out):
        run("diff", before, after, "--pprof", "-o", out)
        assert read_pprof(out) == [([("a:a/0", 0)], 1, []), ([("a:a/0", 0)], -3, [("pprof::base", "true")]),
                                   ([("b:b/0", 0)], 2, [])]


def gos_pprof(*args):
    """What the program of Go says, which is what most people read these files with."""
    program = subprocess.run([os.path.join(ROOT, "tests", "pprof.sh")], capture_output=True, text=True)
    assert program.returncode == 0, program.stderr
    done = subprocess.run([program.stdout.strip(), *args], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def traces_of(path):
    """[(functions, the newest first, value)]"""
    blocks = re.split(r"^-+\+-+\n", gos_pprof("-traces", "-lines", path), flags=re.M)[1:]
    rows = [[line.rstrip() for line in block.splitlines() if not line.startswith("pprof::base")] for block in blocks if block]
    return [(tuple([block[0].split(None, 1)[1]] + [line.strip() for line in block[1:]]), int(block[0].split()[0]))
            for block in rows]


def test_gos_pprof_reads_it():
    with files(AFTER) as (after, out):
        run("show", after, "--pprof", "-o", out)
        assert traces_of(out) == [(("f:f/1", "f:f/1", "f:f/1", "a:a/0", "shop@host"), 30),
                                  (("memcpy", "ets:lookup/2", "f:f/1", "a:a/0", "shop@host"), 90),
                                  (("g:g/1", "a:a/0", "shop@host"), 60), (("g:g/1", "a:a/0 :7", "shop@host"), 20)]
        assert re.search(r"^ +90 +45\.00% .* 90 +45\.00% +memcpy$", gos_pprof("-top", out), re.M)
    with files("a:a/0 3\n", "a:a/0 1\nb:b/0 2\n") as (before, after, out):
        run("diff", before, after, "--pprof", "-o", out)
        top = gos_pprof("-top", out)
        assert re.search(r"^ +-2 .* a:a/0$", top, re.M) and re.search(r"^ +2 .* b:b/0$", top, re.M), top
    with files(hostile_lines()) as (hostile, out):
        run("show", hostile, "--pprof", "-o", out)
        assert [value for _, value in traces_of(out)] == list(range(1, len(HOSTILE) + 1))


def check_speedscope(scope):
    """What https://www.speedscope.app/file-format-schema.json asks of a file with sampled profiles."""
    assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(scope) <= {"$schema", "shared", "profiles", "name", "exporter", "activeProfileIndex"}
    frames = scope["shared"]["frames"]
    for frame in frames:
        assert set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str), frame
        assert isinstance(frame.get("file", ""), str) and isinstance(frame.get("line", 0), int), frame
    for profile in scope["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}, profile
        assert profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"])
        assert profile["unit"] in ("bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds")
        assert all(0 <= frame < len(frames) for stack in profile["samples"] for frame in stack)
        assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]


def stacks_of(scope, number):
    profile, names = scope["profiles"][number], [frame["name"] for frame in scope["shared"]["frames"]]
    return {";".join(names[frame] for frame in stack): weight for stack, weight in zip(profile["samples"], profile["weights"])}


def test_speedscope_has_its_schema():
    for given in (AFTER, hostile_lines(), ""):
        scope = json.loads(run("show", "-", "--speedscope", given=given.encode()).stdout)
        check_speedscope(scope)
    with files("a:a/0 3\n", "a:a/0 1\nb:b/0 2\n") as (before, after, _):
        scope = json.loads(run("diff", before, after, "--speedscope").stdout)
    check_speedscope(scope)
    assert [profile["name"] for profile in scope["profiles"]] == ["after", "before"]
    assert stacks_of(scope, 0) == {"a:a/0": 1, "b:b/0": 2} and stacks_of(scope, 1) == {"a:a/0": 3}


def test_json_lines_say_what_the_text_says():
    lines = [json.loads(line) for line in run("show", "-", "-j", given=AFTER.encode()).stdout.splitlines()]
    assert lines[0]["schema"] == 1 and [line["type"] for line in lines] == ["stack"] * 4 + ["summary"]
    assert sum(line["value"] for line in lines[:-1]) == lines[-1]["total"] == 200
    assert [frame["kind"] for frame in lines[1]["frames"]] == ["group", "erlang", "erlang", "bif", "library"]
    text = run("show", "-", given=AFTER.encode()).stdout.decode()
    assert re.search(r"^ +30 +15\.0% +120 +60\.0%  f:f/1$", text, re.M), text


def test_folded_lines_come_back_as_they_were():
    assert run("show", "-", "--folded", "--lines", given=AFTER.encode()).stdout.decode() == AFTER
    merged = run("show", "-", "--folded", "--fold-recursion", given=AFTER.encode()).stdout.decode()
    assert merged == ("shop@host_[g];a:a/0;f:f/1 30\nshop@host_[g];a:a/0;f:f/1;ets:lookup/2_[b];memcpy_[l] 90\n"
                      "shop@host_[g];a:a/0;g:g/1 80\n")
    with files(BEFORE, AFTER) as (before, after, _):
        assert run("--collapsed-diff", before, after).stdout == run("diff", "--folded", before, after).stdout
        assert b"shop@host_[g];a:a/0;g:g/1 120 80\n" in run("--collapsed-diff", before, after).stdout
        assert b"shop@host_[g];a:a/0;g:g/1 60 80\n" in run("--collapsed-diff", "--absolute", before, after).stdout


# --- What cannot be read or written ------------------------------------------------------------------------------------

def test_a_file_that_cannot_be_read_or_written_is_an_error():
    assert b"cannot read /nowhere: No such file or directory" in run("show", "/nowhere", code=1).stderr
    assert b"cannot read /: Is a directory" in run("show", "/", code=1).stderr
    assert b"cannot write to /: Is a directory" in run("show", "-", "-o", "/", given=b"a:a/0 1\n", code=1).stderr
    for kind in ("html", "svg", "pprof", "speedscope", "json", "folded"):
        done = run("show", "-", "--" + kind, "-o", "/dev/full", given=b"a:a/0 1\n", code=1)
        assert done.stderr == b"erlbpf: cannot write to /dev/full: No space left on device\n", (kind, done)


def test_a_file_that_is_no_profile_is_refused_and_an_empty_one_is_empty():
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("root:x:0:0\nno weight\n")
        file.flush()
        out, err = erlbpf("profile", "show", file.name, code=1)
        assert not out and "is no profile: none of its lines is a stack with a weight" in err, err
        out, err = erlbpf("profile", "diff", file.name, "/dev/null", code=1)
        assert not out and "is no profile" in err, err
    out, err = erlbpf("profile", "show", "/dev/null")
    assert "0 samples" in out and not err, (out, err)


def test_lines_that_are_no_stacks_are_counted():
    done = run("show", "-", "--folded", given=b"a:a/0 1\nrubbish\n\xff\xfe\x00 3\n")
    assert done.stdout == b"a:a/0 1\n"
    assert done.stderr == b"erlbpf: warning: -: 2 lines left out that are no stack with a weight\n", done


def test_what_is_missing_on_the_command_line_is_said():
    assert b"expected two files, BEFORE and AFTER" in run("diff", "a", code=2).stderr
    assert b"expected a file" in run("show", code=2).stderr
    assert b"unexpected argument" in run("show", "a", "b", code=2).stderr
    assert b"--absolute is for two profiles" in run("show", "--absolute", "a", code=2).stderr
