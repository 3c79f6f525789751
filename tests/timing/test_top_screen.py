"""The screen of top: keys over a hundred thousand rows cost little."""
import re

from lib import OLDEST_AND_NEWEST, Node, cpu_seconds, over
from test_screen import Terminal, has
from test_top_screen import END, HOME, pids, selected, titles


@over(OLDEST_AND_NEWEST)
def test_a_hundred_thousand_rows_are_scrolled_at_little_cost(vm):
    with Node(vm, "+P", "400000") as node:
        node.eval("crowd:idle(100000), ok", 120)
        with Terminal("top", "-p", node.pid, "--probes", "never", "--sort", "pid", "-i", "2") as terminal:
            terminal.wait("a table", titles)
            seconds = cpu_seconds(terminal.child.pid)
            for _ in range(5):
                terminal.press(END)
                terminal.wait("the last one", lambda d: pids(d)[0] != "<0.0.0>" and selected(terminal) == pids(d)[-1])
                terminal.press(HOME)
                terminal.wait("the first one", lambda d: pids(d)[:1] == ["<0.0.0>"] and selected(terminal) == "<0.0.0>")
            spent = cpu_seconds(terminal.child.pid) - seconds
            print("        10 keys over 100,000 rows: %.0f ms of CPU each" % (spent * 100))
            assert spent < 10, spent
            seconds = cpu_seconds(terminal.child.pid)
            terminal.press("tt")
            terminal.wait("their family", lambda d: any(re.search(r"   1000\d\d processes   ", line) for line in d))
            print("        100,000 rows by ancestor: %.0f ms of CPU" % ((cpu_seconds(terminal.child.pid) - seconds) * 1000))
            terminal.press("t")
            terminal.wait("no families", lambda d: pids(d)[:1] == ["<0.0.0>"] and not has("by ancestor")(d))
            terminal.press("q")
            terminal.end((0,))
