"""profile --top: what nodes do now, on a screen and in a pipe."""
import json
import re

from lib import LIMIT, STOCK, Node, Trace, erlbpf, shared, status_of, unique
from test_screen import Terminal, has

CAP_SYSLOG = 34


def begin(node):
    node.eval("register(burner, spawn(shares, shares, []))")


def rows(display):
    """{function: (self, total)} in percent of the screen."""
    found = [re.match(r"\s*([0-9.]+)(?:\s+[0-9.]+[a-z]+)?\s+([0-9.]+)\s.*?(\w+:\S+/\d+)", line) for line in display]
    return {f.group(3): (float(f.group(1)), float(f.group(2))) for f in found if f}


def test_the_screen_shows_functions_by_what_they_use_and_one_with_its_stack():
    with shared(STOCK) as node, Terminal("profile", "--top", "-p", node.pid, "-i", "500ms", "-F", 997) as terminal:
        begin(node)
        terminal.wait("who burns is first", lambda d: "shares:burn/2" in d[3] and "shares:burn/2" in rows(d))
        terminal.wait("its caller has what it has, and little else", lambda d: "shares:burn/2" in rows(d) and "shares:shares/0" in rows(d) and
                      rows(d)["shares:shares/0"][1] >= rows(d)["shares:burn/2"][0] > rows(d)["shares:shares/0"][0])
        terminal.press("/sixty\n")
        terminal.wait("only what was asked for", lambda d: list(rows(d)) == ["shares:sixty/1"])
        terminal.press("\r")
        terminal.wait("its stack, the newest first", lambda d: has("stack")(d) and has("shares:burn/2")(d) and has("Esc back")(d))
        terminal.press("q")
        terminal.wait("the table again", has("q quit"))
        terminal.press("q")
        terminal.end([0])


def read_until(trace, condition):
    """Its lines up to the first for which this is true."""
    lines = [trace.line()]
    while not condition(lines[-1]):
        lines.append(trace.line())
    return lines


def test_in_a_pipe_there_is_a_table_for_each_refresh():
    with shared(STOCK) as node:
        begin(node)
        with Trace("profile", "--top", "-p", node.pid, "-F", 997, "-i", "200ms", "--rows", 3, wait=False) as trace:
            lines = []
            for _ in range(3):
                lines += read_until(trace, lambda line: "shares:burn/2" in line)
            trace.stop()
        with Trace("profile", "--top", "-j", "-p", node.pid, "-F", 997, "-i", "200ms", wait=False) as trace:
            tables = [json.loads(line) for line in read_until(trace, lambda line: '"shares:burn/2"' in line)]
            trace.stop()
    blocks = "\n".join(lines).split("\n\n")
    assert len(blocks) >= 3 and all(b.count("SELF_PCT") == 1 for b in blocks), blocks
    for block in blocks:
        assert re.match(r"\n?\d\d:\d\d:\d\d\n", block) and len(block.strip().splitlines()) <= 5, block
    table = tables[-1]
    assert table["type"] == "table" and table["rows"][0]["function"] == "shares:burn/2", table
    assert table["rows"][0]["kind"] == "erlang" and table["lost_ns"] == 0, table


def test_nodes_that_start_later_are_in_it_and_named_ones_end_it():
    name = unique("profile_top")
    with Node(STOCK, "-sname", name + "_1"):
        trace = Trace("profile", "--top", "--node", name + "_*", "-i", "300ms", wait=False)
        with Node(STOCK, "-sname", name + "_2") as second:
            begin(second)
            read_until(trace, lambda line: "shares:burn/2" in line)
        trace.stop()
    node = Node(STOCK)
    begin(node)
    trace = Trace("profile", "--top", "-p", node.pid, "-i", "300ms", wait=False)
    read_until(trace, lambda line: "shares:burn/2" in line)
    # Names are read by others.
    held = status_of(trace.child.pid)
    assert int(held["CapEff"], 16) & ~(1 << CAP_SYSLOG) == 0 and held["Seccomp"] == "2", held
    node.close()
    assert trace.child.wait(LIMIT) == 0


def test_what_does_not_go_with_top_is_said():
    for options in (["--off-cpu"], ["--svg"], ["-o", "x"], ["--by", "pid"], ["--min", "3%"], ["--lines"]):
        _, err = erlbpf("profile", "--top", *options, code=2)
        assert "--top shows" in err, err
    _, err = erlbpf("profile", "-i", 1, code=2)
    assert "--interval needs --top" in err, err
