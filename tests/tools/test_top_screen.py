"""The screen of top: its header, its rows at any size of the terminal, its keys, and the page of a process, which is held
against what the node says of the process. With ERLBPF_TOP_PICTURE=docs/top.svg, that becomes a picture of it (`make docs/top.svg`)."""
import os
import re
import signal
import xml.etree.ElementTree

import terminal_picture
from lib import OLDEST_AND_NEWEST, STOCK, VMS, Node, over
from test_screen import Terminal, has

# Beside the stock one: with notes, in the release between, and one that hides its functions.
SOME = [vm for vm in VMS if vm.name in ("stock", "usdt", "otp27-stock", "otp29-stripped")]
UP, DOWN, LEFT, RIGHT, HOME, END = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C", "\x1b[1~", "\x1b[4~"
PAGE_UP, PAGE_DOWN, ESCAPE, ENTER = "\x1b[5~", "\x1b[6~", "\x1b", "\r"
ALARMED = "\x1b[31m"


# What is shown beside pids, names and CPU, on a terminal of at least so many columns.
COLUMNS_FROM = {"REDS": 50, "QUEUE": 50, "HEAP": 80, "IN": 80, "OUT": 80, "STATUS": 132, "WAIT": 132, "GC": 132, "NODE": 132,
                "BINARIES": 200, "INITIAL_CALL": 200}


def at_size(terminal, lines, columns):
    terminal.resize(lines, columns)
    terminal.screen.resize(lines, columns)
    os.kill(terminal.child.pid, signal.SIGWINCH)
    terminal.wait("a table of %d lines" % lines, lambda d: len(pids(d)) and has("q quit")(d[-1:]) and titles(d))
    return terminal.screen.display


def pids(display):
    return [line.split()[0] for line in display if line.startswith("<")]


def titles(display):
    found = [line.split() for line in display if line.startswith("PID ")]
    return found[0] if found else []


def below_titles(display):
    """The rows, and the titles of groups, of a table."""
    return display[[n for n, line in enumerate(display) if line.startswith("PID ")][0] + 1:] if titles(display) else [""] * 3


def selected(terminal):
    """The pid of the row in reverse video; None while it is being drawn."""
    rows = [line for line in range(terminal.screen.lines) if terminal.screen.display[line].startswith("<")]
    marked = [line for line in rows if terminal.screen.buffer[line][0].reverse]
    return terminal.screen.display[marked[0]].split()[0] if len(marked) == 1 else None


def fields(display):
    """{title: [text, ...]} of the page of a process."""
    found, last = {}, None
    for line in display:
        title, text = line[:17].strip(), line[18:].strip()
        if re.fullmatch(r"[a-z_]+", title):
            last = found.setdefault(title, [])
        elif title or not text:
            continue
        if last is not None:
            last.append(text)
    return found


def open_page(terminal, name):
    terminal.press("/" + name + "\r")
    terminal.wait("the row", lambda d: len(pids(d)) == 1 and has('with "%s"' % name)(d))
    terminal.press(ENTER)
    terminal.wait("its page", lambda d: "parent" in fields(d))


def list_of(texts):
    """The pids of a list of the page, and how many it says there are."""
    return sorted(text.split()[0] for text in texts[1:]), int(texts[0])


@over(SOME)
def test_the_page_of_a_process_is_what_process_info_says(vm):
    with Node(vm) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never") as terminal:
        node.eval("Ps = crowd:idle(5), Seal = crowd:sealed(Ps), "
                  "Watch = spawn(fun() -> monitor(process, Seal), receive stop -> ok end end), "
                  "(fun W() -> case [process_info(Seal, I) || I <- [current_function, monitored_by]] of [{_, {crowd, wait, 0}}, {_, [_]}] -> ok; "
                  "_ -> timer:sleep(5), W() end end)(), Seal ! a, Seal ! b, ok")
        terminal.wait("a table", titles)
        at_size(terminal, 60, 132)
        open_page(terminal, "seal")
        # The table may have been read before the process had its messages.
        terminal.wait("its messages", lambda d: fields(d).get("queue") == ["2"])
        page = fields(terminal.screen.display)

        def says(what):
            return node.eval("element(2, process_info(Seal, %s))" % what)

        def pids_of(what):
            return sorted(re.findall(r"<[0-9.]+>", says(what)))

        assert page["registered_name"] == ["seal"] and page["status"] == ["waiting"] == [says("status")]
        assert page["queue"] == ["2"] == [says("message_queue_len")]
        assert list_of(page["links"]) == (pids_of("links"), 5)
        # One is of the clock; the suspension of a process is no monitor.
        others = [pid for pid in list_of(page["monitors"])[0] if pid.startswith("<")]
        assert others == pids_of("monitors") and page["monitors"][0] == "5", (page["monitors"], says("monitors"))
        assert "clock_service" in page["monitors"]
        assert list_of(page["monitored_by"]) == (pids_of("monitored_by"), 1)
        assert page["heap"] == ["%.1fK" % (int(says("total_heap_size")) * 8 / 1024)], page["heap"]
        called = ["%s:%s/%s" % f for f in re.findall(r"\{(\w+),('[^']*'|\w+),(\d+),", says("current_stacktrace"))]
        assert page["stack"] == called and len(called) == 4, (page["stack"], called)
        assert called[0] == "crowd:wait/0" and says("current_function") == "{crowd,wait,0}"
        assert page["oldest_wait"] == ["not known: no probe was on"], page["oldest_wait"]
        assert page["binaries"] == ["%.1fM" % (int(says("binary").split(",")[1]) / 2**20)], (page["binaries"], says("binary"))
        assert page["parent"][0].split()[0] == node.eval("self()"), page["parent"]
        terminal.press("qq")
        terminal.end((0,))


UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(s|ms|us|ns)", text).groups()
    return float(number) * UNITS[unit]


@over([vm for vm in SOME if vm.name in ("stock", "otp29-stripped")])
def test_the_page_shows_who_sends_to_the_process_and_how_long_its_messages_wait(vm):
    with Node(vm) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "always") as terminal:
        node.eval("Taker = spawn(fun F() -> receive {take, N} -> [receive {m, _} -> ok end || _ <- lists:seq(1, N)], F() end end), "
                  "register(walrus, Taker), walrus ! {m, 0}, Give = fun(N) -> spawn(fun() -> [walrus ! {m, I} || I <- lists:seq(1, N)], "
                  "receive stop -> ok end end) end, ok")
        terminal.wait("a table", titles)
        at_size(terminal, 60, 132)
        open_page(terminal, "walrus")

        def page():
            return fields(terminal.screen.display)

        # It was there before the page was.
        terminal.wait("a bound for the message that is there", lambda d: page()["oldest_wait"][0].startswith(">= "))
        terminal.wait("nothing else", lambda d: page()["waits"] == ["no message was received"] and page()["senders"] == ["0, 0 messages"])
        node.eval("walrus ! {take, 1}")
        terminal.wait("that nothing waits", lambda d: page()["oldest_wait"] == ["no message waits"])
        terminal.wait("one wait, of the question to take", lambda d: page()["waits"][0].endswith("of 1 messages"))
        shell = node.eval("self()")
        node.eval("T0 = erlang:monotonic_time(), A = Give(30), timer:sleep(300), B = Give(10), ok")
        a, b = node.eval("A"), node.eval("B")
        before = int(node.eval("erlang:monotonic_time() - T0")) / 1e9
        terminal.wait("an age that is exact", lambda d: re.fullmatch("[0-9.]+m?s", page()["oldest_wait"][0]) and
                      seconds(page()["oldest_wait"][0]) > before)
        shown = seconds(page()["oldest_wait"][0])
        assert shown <= int(node.eval("erlang:monotonic_time() - T0")) / 1e9 + 0.001, (shown, before)
        terminal.wait("all senders, who sends most first", lambda d: page()["senders"][0] == "3, 41 messages")
        assert [re.split(" +", text)[:3] for text in page()["senders"][1:]] == [
            ["73%", "30", a], ["24%", "10", b], ["2%", "1", shell]], page()["senders"]
        # The question comes last and is taken first.
        node.eval("walrus ! {take, 40}")
        terminal.wait("all of them", lambda d: page()["waits"][0].endswith("of 42 messages"))
        p50, p99 = re.match(r"p50 (\S+)  p90 \S+  p99 (\S+) ", page()["waits"][0]).groups()
        # More than half have waited since before the node looked at its clock, and none since before it began.
        after = int(node.eval("erlang:monotonic_time() - T0")) / 1e9
        assert before / 2 < seconds(p50) and seconds(p99) <= after * 1.1, (page()["waits"], before, after)
        assert sum(int(line.split()[-1]) for line in page()["waits"][1:]) == 42, page()["waits"]
        # Another page begins anew.
        terminal.press("q/" + "\x7f" * 6 + "\r")
        open_page(terminal, "erts_code_purger")
        terminal.wait("nothing of the one before", lambda d: page()["pid"] == ["<0.1.0>"] and page()["senders"][0].endswith("0 messages"))
        terminal.press("qq")
        terminal.end((0,))


@over(SOME)
def test_the_page_of_a_process_that_exits_says_so(vm):
    with Node(vm) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never") as terminal:
        node.eval("[P] = crowd:named(\"walrus_\", 1), ok")
        terminal.wait("a table", titles)
        open_page(terminal, "walrus_1")
        node.eval("P ! stop, ok")
        terminal.wait("the end", has("the process has exited"))
        terminal.press(ESCAPE)
        terminal.wait("the table", titles)
        terminal.press("q")
        terminal.end((0,))


@over(SOME)
def test_the_header_is_what_the_node_says(vm):
    with Node(vm, "+S", "2") as node, Terminal("top", "-p", node.pid, "-i", "1", "--probes", "never") as terminal:
        node.eval("P = crowd:busy(1000, 1), crowd:idle(1500), ok")
        terminal.wait("a table", titles)
        at_size(terminal, 40, 200)

        def facts(display):
            return dict(re.findall(r"(\w+) ~?([0-9.]+[kKMG]?)", "  ".join(display[:3])))

        def is_near(text, number):
            unit = {"k": 1e3, "K": 1024, "M": 1e6, "G": 1e9}.get(text[-1], 1)
            return abs(float(text.rstrip("kKMG")) * unit - number) <= number * 0.1

        terminal.wait("a busy scheduler", lambda d: max(map(int, re.findall(r"sc\d\[\|* *(\d+)%?\]", d[1]) or [0])) > 60)
        shown = facts(terminal.screen.display)
        assert is_near(shown["procs"], int(node.eval("erlang:system_info(process_count)"))), shown
        assert is_near(shown["atoms"], int(node.eval("erlang:system_info(atom_count)"))), shown
        assert shown["ports"] == node.eval("erlang:system_info(port_count)"), shown
        assert shown["reds"][-1] in "kM" and shown["rss"][-1] == "M" and "msgs" not in shown, shown
        heaps = int(node.eval("lists:sum([element(2, process_info(X, total_heap_size)) || X <- processes()])")) * 8
        assert is_near(shown["heaps"], heaps), (shown, heaps)
        ets = int(node.eval("erlang:memory(ets)"))
        # erlang:memory(code) is this, and the tables of exports and funs.
        code = int(node.eval("proplists:get_value(loaded_code, erlang:system_info(allocated_areas))"))
        assert is_near(shown["ets"], ets), (shown, ets)
        assert is_near(shown["code"], code) if "code" in shown else vm.hides, (shown, code)
        node.eval("Table = ets:new(t, [public]), [ets:insert(Table, {N, lists:seq(1, 100)}) || N <- lists:seq(1, 20000)], ok")
        terminal.wait("the table", lambda d: is_near(facts(d)["ets"], int(node.eval("erlang:memory(ets)"))))
        assert int(node.eval("erlang:memory(ets)")) > 10 * ets
        terminal.press("q")
        terminal.end((0,))


def test_the_limits_and_the_rate_of_messages_are_on_a_terminal_of_80_columns():
    for schedulers in 1, 16:
        with Node(STOCK, "+S", str(schedulers)) as node, Terminal("top", "-p", node.pid, "-i", "200ms") as terminal:
            node.eval("P = crowd:busy(1000, 1), crowd:idle(1500), ok")
            terminal.wait("a table", titles)
            for lines, columns in ((24, 80), (24, 79), (40, 80)):
                at_size(terminal, lines, columns)
                fact = re.compile(r"reds \S+/s .*msgs \S+/s .*procs 1[.]\dk/\S+ .*ports \d+/\S+ .*atoms \S+k/\S+ .*rss \S+M ")
                terminal.wait("all that may run out", lambda d: titles(d) and
                              fact.search(" ".join(d[:d.index(below_titles(d)[0]) - 1]) + " "))
                # A fact is on one line, and the table has the rest of them.
                terminal.wait("rows only", lambda d: len(pids(d)) >= lines - 10 and
                              all(line.startswith("<") for line in below_titles(d)[:-1]))
            # On a lower one the rows are worth more.
            at_size(terminal, 12, 80)
            terminal.wait("two lines", lambda d: d[2].startswith("PID "))
            terminal.press("q")
            terminal.end((0,))


def test_columns_fit_and_names_are_wide_where_there_is_room():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never", "--sort", "queue") as terminal:
        node.eval("[P ! x || P <- crowd:named(\"a_name_that_is_as_long_as_some_are_and_then_some_\", 3)], crowd:idle(80), ok")
        processes = int(node.eval("length(processes())"))
        terminal.wait("a table", titles)
        for lines, columns in ((24, 80), (24, 132), (50, 200), (70, 250), (12, 60)):
            at_size(terminal, lines, columns)
            wanted = {"PID", "NAME", "CPU"} | {title for title, least in COLUMNS_FROM.items() if columns >= least}
            terminal.wait("columns of %d" % columns, lambda d: set(titles(d)) == wanted)
            # Facts that have no room beside the bars have a line of their own.
            head = 3 if lines >= 30 or lines == 24 and columns == 80 else 2
            terminal.wait("as many rows as fit", lambda d: d[head].startswith("PID ") and
                          len(pids(d)) == min(lines - head - 2, processes))
            display = terminal.screen.display
            assert "run queue" in display[0] and "sc" in display[1], display[:3]
            # Nothing breaks a line.
            assert all(line.startswith("<") for line in display[head + 1:head + 1 + len(pids(display))]), display
            assert any("then_some_2" in line for line in display) == (columns >= 200), display
        terminal.press("q")
        terminal.end((0,))


def test_rows_are_selected_by_keys_and_the_cursor_follows_its_process():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never", "--sort", "pid") as terminal:
        node.eval("crowd:idle(100), ok")
        everyone = sorted(re.findall(r"<[0-9.]+>", node.eval("processes()")), key=lambda pid: int(pid.split(".")[1]))
        terminal.wait("a table", titles)

        def press(keys, pid):
            terminal.press(keys)
            terminal.wait("%r selects %s" % (keys, pid), lambda d: pids(d) and selected(terminal) == pid)

        press("", everyone[0])
        press(DOWN * 3, everyone[3])
        press(UP, everyone[2])
        # The first table has been drawn to its end by now.
        page = len(pids(terminal.screen.display)) - 1
        press(PAGE_DOWN, everyone[2 + page])
        press(PAGE_UP, everyone[2])
        press(END, everyone[-1])
        press(UP * 2, everyone[-3])
        press(HOME, everyone[0])
        press(DOWN, everyone[1])
        press("r", everyone[-2])
        press("r", everyone[1])
        terminal.press(DOWN + ENTER)
        terminal.wait("the page of the row that was selected last", lambda d: fields(d).get("pid") == [everyone[2]])
        terminal.press("q")
        # It leaves the screen, and another is selected in its place.
        press(HOME + DOWN * 5, everyone[5])
        terminal.press(">")
        terminal.wait("by name", lambda d: selected(terminal))
        terminal.press("q")
        terminal.end((0,))


def test_help_lists_the_keys_over_whatever_is_shown():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never") as terminal:
        terminal.wait("a table", titles)
        for back in "?", "q", ESCAPE:
            terminal.press("?")
            terminal.wait("help", lambda d: has("reverse the order")(d) and not titles(d))
            terminal.press(back)
            terminal.wait("the table", titles)
        terminal.press(ENTER)
        terminal.wait("a page", lambda d: "registered_name" in fields(d))
        terminal.press("?")
        terminal.wait("help", has("reverse the order"))
        terminal.press("?")
        terminal.wait("the page again", lambda d: "registered_name" in fields(d))
        terminal.press(DOWN * 3)
        terminal.wait("it scrolls", lambda d: "pid" not in fields(d) and "os_pid" in fields(d))
        terminal.press(ESCAPE)
        terminal.wait("the table", titles)
        terminal.press("q")
        terminal.end((0,))


def sorted_by(terminal):
    """The title that is bold."""
    line = [n for n, text in enumerate(terminal.screen.display) if text.startswith("PID ")]
    return "".join(cell.data for _, cell in sorted(terminal.screen.buffer[line[0]].items()) if cell.bold).strip() if line else ""


def test_keys_sort_by_the_columns_that_are_shown_and_pause():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never", "--sort", "queue") as terminal:
        terminal.wait("a table", titles)
        at_size(terminal, 24, 80)
        order = ["PID", "NAME", "CPU", "REDS", "QUEUE", "IN", "OUT", "HEAP"]
        terminal.wait("eight columns", lambda d: titles(d) == order)
        at = order.index("QUEUE")
        for key in ">", ">", RIGHT, ">", ">", LEFT, "<", "<":
            at = (at + (1 if key in (">", RIGHT) else -1)) % len(order)
            terminal.press(key)
            terminal.wait("%r sorts by %s" % (key, order[at]), lambda d: sorted_by(terminal) == order[at])
        for key in " ", "p":
            terminal.press(key)
            terminal.wait("it is paused", has("top  paused"))
            terminal.press(key)
            terminal.wait("it goes on", lambda d: not has("paused")(d[:1]))
        # A filter that is left with Esc is the one before; one that is typed is shown.
        terminal.press("/nobody")
        terminal.wait("what is typed", has("rows with: nobody_"))
        terminal.press(ESCAPE)
        terminal.wait("all rows", lambda d: len(pids(d)) == 19 and has("? help")(d))
        terminal.press("xyz")
        terminal.press("q")
        terminal.end((0,))


def test_idle_processes_are_hidden_on_request():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "300ms", "--probes", "never") as terminal:
        busy = node.eval("crowd:busy(50, 20)")
        waiting = node.eval("begin [P] = crowd:named(\"walrus_\", 1), P ! x, P end")
        terminal.wait("all", lambda d: len(pids(d)) == terminal.screen.lines - 4)
        terminal.press("i")
        terminal.wait("those that do something", lambda d: {busy, waiting} <= set(pids(d)) and len(pids(d)) < 10)
        terminal.press("i")
        terminal.wait("all", lambda d: len(pids(d)) == terminal.screen.lines - 4)
        terminal.press("q")
        terminal.end((0,))


def test_rows_are_grouped_by_node_on_request():
    with Node(STOCK, "-sname", "one") as one, Node(STOCK, "-sname", "two") as two, \
            Terminal("top", "-p", "%d,%d" % (one.pid, two.pid), "-i", "300ms", "--probes", "never", "--sort", "queue") as terminal:
        for node, messages in ((one, 1), (two, 9)):
            node.eval("[hd(crowd:named(\"walrus_\", 1)) ! x || _ <- lists:seq(1, 1)], [walrus_1 ! x || _ <- lists:seq(1, %d)], ok"
                      % messages)
        terminal.wait("a table", titles)
        at_size(terminal, 24, 80)
        terminal.wait("the longest queue first", lambda d: d_names(d)[:2] == ["walrus_1", "walrus_1"])
        terminal.press("t")
        terminal.wait("a line for the node", lambda d: below_titles(d)[0].startswith("node one@") and d_names(d)[1] == "walrus_1")
        assert d_queue(below_titles(terminal.screen.display)[1]) == "2"
        terminal.press(END)
        terminal.wait("the rows of the other one", has("node two@"))
        terminal.press("t")
        terminal.wait("no such line", lambda d: not has("node two@")(d))
        terminal.press("t")
        terminal.wait("no groups", lambda d: has("top")(d) and not has("by ancestor")(d))
        terminal.press("q")
        terminal.end((0,))


def test_rows_are_grouped_by_their_registered_ancestor_with_sums():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "300ms", "--probes", "never", "--sort", "queue") as terminal:
        # Two families: of one that is registered, through one that is not, and of the shell's.
        node.eval("Old = processes(), Boss = spawn(fun() -> register(walrus_boss, self()), "
                  "spawn(fun() -> [crowd:idle(1) || _ <- lists:seq(1, 6)], receive stop -> ok end end), "
                  "receive stop -> ok end end), "
                  "(fun W() -> case length(processes() -- Old) of 8 -> ok; _ -> timer:sleep(5), W() end end)(), "
                  "[P ! x || P <- processes() -- Old, _ <- lists:seq(1, 50)], ok")
        boss = node.eval("Boss")
        terminal.wait("a table", titles)
        at_size(terminal, 40, 132)
        terminal.press("tt")
        terminal.wait("a line for the family, the longest queue first", lambda d: has("by ancestor")(d) and
                      re.match(r"walrus_boss %s   8 processes   reds \S+   queue 4\d\d   heap \S+" % re.escape(boss), d[4]))
        terminal.press("/walrus_boss\n")
        terminal.wait("those that the filter leaves, in it", lambda d: pids(d)[:1] == [boss] and len(pids(d)) < 8 and d[4].startswith("walrus_boss " + boss))
        terminal.press("/" + "\x7f" * 11 + "kernel_sup\n")
        terminal.wait("who is below the supervisor", lambda d: any(line.startswith("kernel_sup <") for line in d))
        terminal.press("t")
        terminal.wait("no groups", lambda d: not has("by ancestor")(d))
        terminal.press("q")
        terminal.end((0,))


def d_names(display):
    return [(line.split() + ["", ""])[1] for line in below_titles(display)]


def d_queue(row):
    """Of a screen of 80 columns."""
    return row.split()[4]


def test_numbers_that_alarm_are_red_where_colours_are_wanted():
    def shows_red(**env):
        before = {name: os.environ.get(name) for name in env}
        os.environ.update(env)
        try:
            with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--probes", "never", "--sort", "queue",
                                               term="xterm-256color") as terminal:
                node.eval("[P, Q] = crowd:named(\"walrus_\", 2), [P ! x || _ <- lists:seq(1, 20001)], "
                          "[Q ! x || _ <- lists:seq(1, 20000)], ok")
                terminal.wait("the queues", lambda d: has("walrus_1")(d) and has("20.0k")(d))
                terminal.press("q")
                terminal.end((0,))
                return ALARMED.encode() in terminal.raw
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})

    assert shows_red(NO_COLOR="")
    assert not shows_red(NO_COLOR="1")


def test_a_terminal_that_cannot_place_its_cursor_gets_plain_tables():
    with Node(STOCK) as node, Terminal("top", "-p", node.pid, "-i", "200ms", "--count", "1", term="dumb") as terminal:
        terminal.wait("a table", lambda _: b"PID " in terminal.raw, may_end=True)
        terminal.wait("its end", lambda _: terminal.child.poll() is not None, may_end=True)
        terminal.read()
        assert b"\x1b" not in terminal.raw and b"PID " in terminal.raw, terminal.raw[:500]


# A shop: requests, a database that does not keep up with what is written, and what is idle.
SHOP = ("Serve = fun F(On, Off) -> End = erlang:monotonic_time(millisecond) + On, (fun W() -> erlang:monotonic_time(millisecond) < End "
        "andalso W() end)(), timer:sleep(Off), F(On, Off) end, "
        "[register(Name, spawn(fun() -> Serve(On, Off) end)) || {Name, On, Off} <- [{shop_orders, 60, 40}, {shop_search, 25, 75}, "
        "{shop_cart, 8, 92}, {shop_mail, 2, 98}]], "
        "register(shop_db, spawn(fun D() -> receive {row, _} -> timer:sleep(5), D() end end)), "
        "register(shop_import, spawn(fun I() -> shop_db ! {row, lists:seq(1, 20)}, timer:sleep(2), I() end)), "
        "[register(list_to_atom(\"shop_session_\" ++ integer_to_list(N)), spawn(fun() -> receive stop -> ok end end)) || N <- lists:seq(1, 40)], ok")


def test_a_picture_of_the_screen_has_all_that_is_on_it():
    with Node(STOCK, "+S", "2", "-sname", "shop") as node, \
            Terminal("top", "-p", node.pid, "-i", "1", "--sort", "cpu", term="xterm-256color") as terminal:
        node.eval(SHOP)
        terminal.wait("a table", titles)
        at_size(terminal, 26, 120)
        terminal.wait("what works most, and the mailbox", lambda d: any("shop_orders" in line for line in below_titles(d)[:3]) and
                      has("shop_db")(d) and "msgs" in " ".join(d[:4]))
        text = terminal_picture.svg(terminal.screen, "erlbpf top: the processes of a node, who works most first")
        shown = [""] * terminal.screen.lines
        for part in xml.etree.ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}text"):
            line = (int(part.get("y")) - terminal_picture.EDGE) // terminal_picture.HIGH
            at = (int(part.get("x")) - terminal_picture.EDGE) // terminal_picture.WIDE
            assert len(part.text) * terminal_picture.WIDE == int(part.get("textLength")), part.text
            shown[line] = shown[line].ljust(at) + part.text
        assert [line.rstrip() for line in shown] == [line.rstrip() for line in terminal.screen.display]
        if os.environ.get("ERLBPF_TOP_PICTURE"):
            with open(os.environ["ERLBPF_TOP_PICTURE"], "w") as file:
                file.write(text)
        terminal.press("q")
        terminal.end((0,))


@over(OLDEST_AND_NEWEST)
def test_many_rows_are_scrolled_and_grouped(vm):
    count = 10000
    with Node(vm) as node, Terminal("top", "-p", node.pid, "--probes", "never", "--sort", "pid", "-i", "200ms") as terminal:
        node.eval("crowd:idle(%d), ok" % count)
        terminal.wait("a table", titles)
        terminal.press(END)
        terminal.wait("the last one", lambda d: pids(d)[0] != "<0.0.0>" and selected(terminal) == pids(d)[-1])
        terminal.press(HOME)
        terminal.wait("the first one", lambda d: pids(d)[:1] == ["<0.0.0>"] and selected(terminal) == "<0.0.0>")
        terminal.press("tt")
        terminal.wait("their family", lambda d: any(re.search(r"   100\d\d processes   ", line) for line in d))
        terminal.press("t")
        terminal.wait("no families", lambda d: pids(d)[:1] == ["<0.0.0>"] and not has("by ancestor")(d))
        terminal.press("q")
        terminal.end((0,))
