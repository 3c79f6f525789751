"""profile --top: what nodes do now, on a screen and in a pipe."""
import json
import re

from lib import STOCK, Node, Trace, erlbpf, status_of, wait_until
from test_screen import Terminal, has

CAP_SYSLOG = 34


def begin(node):
    node.eval("register(burner, spawn(shares, shares, []))")


def rows(display):
    """{function: (self, total)} in percent of the screen."""
    found = [re.match(r"\s*([0-9.]+)(?:\s+[0-9.]+[a-z]+)?\s+([0-9.]+)\s.*?(\w+:\S+/\d+)", line) for line in display]
    return {f.group(3): (float(f.group(1)), float(f.group(2))) for f in found if f}


def test_the_screen_shows_functions_by_what_they_use_and_one_with_its_stack():
    with Node(STOCK) as node, Terminal("profile", "--top", "-p", node.pid, "-i", "500ms", "-F", 997) as terminal:
        begin(node)
        terminal.wait("who burns is first", lambda d: "shares:burn/2" in d[3] and rows(d).get("shares:burn/2", (0,))[0] > 60)
        terminal.wait("its caller has what it has", lambda d: rows(d).get("shares:shares/0", (100, 0))[0] < 20 and
                      rows(d)["shares:shares/0"][1] >= rows(d).get("shares:burn/2", (100, 0))[0])
        terminal.press("/sixty\n")
        terminal.wait("only what was asked for", lambda d: list(rows(d)) == ["shares:sixty/1"])
        terminal.press("\r")
        terminal.wait("its stack, the newest first", lambda d: has("stack")(d) and has("shares:burn/2")(d) and has("Esc back")(d))
        terminal.press("q")
        terminal.wait("the table again", has("q quit"))
        terminal.press("q")
        terminal.end([0])


def test_in_a_pipe_there_is_a_table_for_each_refresh():
    with Node(STOCK) as node:
        begin(node)
        out, _ = erlbpf("profile", "--top", "-p", node.pid, "-F", 997, "-i", "500ms", "--rows", 3, "1500ms")
        lines, _ = erlbpf("profile", "--top", "-j", "-p", node.pid, "-F", 997, "-i", "500ms", "1s")
    blocks = out.split("\n\n")
    # A busy machine has the last ones late.
    assert 2 <= len(blocks) <= 5 and all(b.count("SELF_PCT") == 1 for b in blocks), out
    for block in blocks:
        assert re.match(r"\n?\d\d:\d\d:\d\d\n", block) and len(block.strip().splitlines()) <= 5, block
    tables = [json.loads(line) for line in lines.splitlines()]
    tables = [t for t in tables if t["type"] == "table"]
    assert 1 <= len(tables) <= 4 and tables[-1]["rows"][0]["function"] == "shares:burn/2", lines
    assert tables[-1]["rows"][0]["kind"] == "erlang" and tables[-1]["lost_ns"] == 0


def test_nodes_that_start_later_are_in_it_and_named_ones_end_it():
    with Node(STOCK, "-sname", "profile_top_1"):
        trace = Trace("profile", "--top", "--node", "profile_top_*", "-i", "300ms", wait=False)
        with Node(STOCK, "-sname", "profile_top_2") as second:
            begin(second)
            wait_until("the second one is sampled", lambda: b"shares:burn/2" in trace.child.stdout.readline(), 60)
        trace.stop()
    node = Node(STOCK)
    begin(node)
    trace = Trace("profile", "--top", "-p", node.pid, "-i", "300ms", wait=False)
    wait_until("it is sampled", lambda: b"shares:burn/2" in trace.child.stdout.readline(), 60)
    # Names are read by others.
    held = status_of(trace.child.pid)
    assert int(held["CapEff"], 16) & ~(1 << CAP_SYSLOG) == 0 and held["Seccomp"] == "2", held
    node.close()
    assert trace.child.wait(30) == 0


def test_what_does_not_go_with_top_is_said():
    for options in (["--off-cpu"], ["--svg"], ["-o", "x"], ["--by", "pid"], ["--min", "3%"], ["--lines"]):
        _, err = erlbpf("profile", "--top", *options, code=2)
        assert "--top shows" in err, err
    _, err = erlbpf("profile", "-i", 1, code=2)
    assert "--interval needs --top" in err, err
