"""top, held against what the node says of its processes and against what they are known to do."""
import csv
import json
import re
import signal
import tempfile

from lib import BUDGET, LIMIT, OLDEST_AND_NEWEST, VMS, WITH_NEWEST, Node, Trace, of_type, over, shared, unique, wait_until, within


def tables(path):
    with open(path) as file:
        return of_type([json.loads(line) for line in file], "table")


class Top:
    """top into a file, which takes no reader that might be late."""

    def __init__(self, node, *options):
        self.file = tempfile.NamedTemporaryFile(suffix=".json")
        self.trace = Trace("top", "-p", node.pid, "-o", self.file.name, *options, env=BUDGET)
        self.pid = self.trace.pid

    def stop(self, sig=signal.SIGINT):
        self.trace.stop(sig)
        return tables(self.file.name)

    def tables(self):
        with open(self.file.name) as file:
            lines = [line for line in file if line.endswith("\n")]
        return of_type([json.loads(line) for line in lines], "table")


def rows(shown):
    return {row["pid"]: row for row in shown["rows"]}


STATS = re.compile(r"\{(<[0-9.]+>),(\d+),(\d+),(\d+),(\w+),('[^']*'|\w+),\{('[^']*'|[\w@]+),('[^']*'|[\w@]+),(\d+)\}\}")


def stats(node):
    """{pid: (reductions, queue, heap, status, name, call)} as the node says."""
    return {m[0]: (int(m[1]), int(m[2]), int(m[3]), m[4], None if m[5] == "''" else m[5],
                   "%s:%s/%s" % m[6:9]) for m in STATS.findall(node.eval("crowd:stats()"))}


@over(VMS)
def test_values_are_those_of_process_info(vm):
    with Node(vm) as node:
        node.eval("Ps = crowd:named(\"some_\", 3) ++ crowd:servers(3) ++ crowd:idle(3), "
                  "[hd(Ps) ! {hello, N} || N <- lists:seq(1, 77)], "
                  "[erlang:garbage_collect(P) || P <- Ps], ok")
        pids = re.findall(r"<[0-9.]+>", node.eval("Ps"))
        stats(node)
        before = stats(node)
        top = Top(node, "-j", "-i", "300ms", "--rows", "1000", "--probes", "never")
        wait_until("a table", top.tables)
        shown = top.stop()[0]
        after = stats(node)
    assert shown["processes"] == len(shown["rows"]) >= len(before)
    assert all(pid in before for pid in pids)
    still = 0
    for pid, row in rows(shown).items():
        if pid not in before or pid not in after:
            continue
        # Asking costs the asked reductions.
        assert before[pid][0] <= row["reductions"] <= after[pid][0], (pid, before[pid], row, after[pid])
        if before[pid][1:] != after[pid][1:]:
            continue
        still += 1
        _, queue, heap, status, name, call = before[pid]
        assert (row["queue"], row["registered_name"], row["initial_call"]) == (queue, name, call), row
        if not queue:
            assert row["heap"] == heap, (row, heap)
        if status == "waiting":
            assert row["status"] == status, row
        assert row["name"] == (name or row["name"])
    assert still >= len(pids), "only %d of %d were still" % (still, len(before))
    servers = [row for row in shown["rows"] if row["name"] == "crowd:init/1"]
    assert [row["pid"] for row in sorted(servers, key=lambda row: row["pid"])] == sorted(pids[3:6])
    assert rows(shown)[pids[0]]["queue"] == 77


@over(WITH_NEWEST)
def test_who_is_always_on_a_scheduler_has_the_most_cpu_and_who_does_nothing_has_none(vm):
    with Node(vm, "+S", "2") as node:
        node.eval("crowd:idle(50), A = spawn(fun F() -> lists:seq(1, 1000), F() end), ok")
        pid = node.eval("A")
        shown = Top(node, "-j", "-i", "500ms", "--count", "1", "--probes", "never", "--rows", "10000").stop(None)[-1]
    cpu = {row["pid"]: row["cpu"] for row in shown["rows"]}
    assert 0 < cpu[pid] <= 100 and cpu[pid] == max(cpu.values()), cpu
    idle = [row["cpu"] for row in shown["rows"] if not row["reds"]]
    assert len(idle) >= 50 and not any(idle), max(idle)


@over(VMS)
def test_cpu_counts_dirty_schedulers_too(vm):
    with shared(vm) as node:
        # So large a heap is collected on a dirty scheduler, and for longer than from one look to the next.
        node.eval("P = collector:start(2000000), collector:collect(P, 1)")
        pid = node.eval("P")
        top = Top(node, "-j", "-i", "60", "--probes", "never")
        node.eval("collector:collect(P, 21)", LIMIT)
        row = rows(top.stop()[-1])[pid]
    assert row["cpu"] > 0, row


MESSAGES = 1000


@over(VMS)
def test_messages_are_counted_exactly_while_they_are_few(vm):
    """They cost less than the budget is, also of a node that hardly gets a processor."""
    with shared(vm) as node:
        top = Top(node, "-j", "-i", "200ms", "--rows", "1000", "--max-overhead", "100")
        giver, taker = re.findall(r"<[0-9.]+>", node.eval("crowd:pair(%d, 5)" % MESSAGES))
        shown = top.stop()
    # Who ends it in between has the rest in a table of its own.
    assert all(table["probes_on_ns"] == table["interval_ns"] for table in shown[1:-1]), shown
    each = [rows(table) for table in shown]
    assert sum(r[giver]["out"] for r in each if giver in r) == MESSAGES
    # Beside them, the one that tells the shell.
    assert sum(r[taker]["in"] for r in each if taker in r) == MESSAGES
    assert sum(r[taker]["out"] for r in each if taker in r) == 1


@over(VMS)
def test_messages_wait_as_long_as_they_are_left(vm):
    with shared(vm) as node:
        pid = node.eval("W = spawn(fun() -> receive {go, P} -> [receive {m, _} -> ok end || _ <- lists:seq(1, 10)], P ! taken, "
                        "receive never -> ok end end end)")
        top = Top(node, "-j", "-i", "60", "--rows", "1000", "--probes", "always")
        outer, inner = map(int, re.findall(r"\d+", node.eval(
            "T0 = os:perf_counter(nanosecond), [W ! {m, N} || N <- lists:seq(1, 10)], T1 = os:perf_counter(nanosecond), timer:sleep(50), "
            "T2 = os:perf_counter(nanosecond), W ! {go, self()}, receive taken -> {os:perf_counter(nanosecond) - T0, T2 - T1} end")))
        row = rows(top.stop()[-1])[pid]
    assert row["in"] == 11, row
    # Of one of them: the one that has them taken has the shortest wait.
    within(inner * 10 / 11, row["wait"], outer)


COLLECTIONS = 51


@over(VMS)
def test_collections_are_counted_and_timed(vm):
    with shared(vm) as node:
        node.eval("P = collector:start(20000), collector:collect(P, 1)")
        pid = node.eval("P")
        top = Top(node, "-j", "-i", "60", "--rows", "1000", "--probes", "always")
        asked_ns = sum(map(int, re.findall(r",(\d+)\}", node.eval("collector:times(P, %d)" % COLLECTIONS))))
        row = rows(top.stop()[-1])[pid]
    # Minor ones of so small a mailbox are rare.
    assert COLLECTIONS <= row["gcs"] <= COLLECTIONS + 5, row
    # Each is within what it took to ask for it; a minor one is when the question comes, so that it is, too.
    assert 0 < row["gc"] <= asked_ns, (row, asked_ns)


@over(VMS)
def test_without_probes_what_they_tell_is_unknown_and_nothing_is_attached(vm):
    with Node(vm) as node:
        top = Top(node, "-j", "-i", "200ms", "--probes", "never")
        node.eval("crowd:pair(10, 5)")
        wait_until("a table", top.tables)
        shown = top.stop()
        with open(top.file.name) as file:
            summary = json.loads(file.readlines()[-1])
    assert all(row["in"] is row["out"] is row["wait"] is row["gc"] is None for row in shown[0]["rows"])
    assert summary["events"] == summary["lost"] == 0


@over(VMS)
def test_rows_are_sorted_filtered_and_limited_as_asked(vm):
    with Node(vm) as node:
        node.eval("Ps = crowd:named(\"walrus_\", 20), "
                  "[[P ! x || _ <- lists:seq(1, N)] || {P, N} <- lists:zip(Ps, lists:seq(1, 20))], ok")

        def first(*options):
            top = Top(node, "-j", "-i", "100ms", "--count", "1", "--probes", "never", *options)
            return top.stop(None)[0]["rows"]

        queues = [row["queue"] for row in first("--sort", "queue", "--rows", "5")]
        assert queues == [20, 19, 18, 17, 16]
        names = [row["name"] for row in first("--sort", "name", "--filter", "walrus", "--rows", "12")]
        assert names == sorted("walrus_%d" % n for n in range(1, 21))[:12]
        few = first("--sort=-queue", "--filter", "walrus_1", "--rows", "3")
        assert [row["name"] for row in few] == ["walrus_1", "walrus_10", "walrus_11"]


@over(VMS)
def test_names_are_right_or_absent_while_processes_come_and_go(vm):
    with Node(vm) as node:
        there = set(re.findall(r"<[0-9.]+>", node.eval("processes()")))
        node.eval("Spawn = fun S() -> P = spawn(fun() -> timer:sleep(rand:uniform(5)) end), "
                  "catch register(brief, P), S() end, X = spawn(Spawn), ok")
        there.add(node.eval("X"))
        top = Top(node, "-j", "-i", "100ms", "--count", "10", "--rows", "100000")
        shown = top.stop(None)
        assert node.is_alive()
    names = {row["name"] for table in shown for row in table["rows"]}
    assert all(re.fullmatch(r"[\w@.]+(:('[^']+'|\w+)/\d+)?|'[^']+'", name) for name in names if name), names
    # There are always some that come and go.
    assert {row["pid"] for table in shown for row in table["rows"]} - there


def test_nodes_may_come_and_go():
    names = [unique("one"), unique("two")]
    with Node(VMS[0], "-sname", names[0]) as one, tempfile.NamedTemporaryFile(suffix=".json") as file:
        two = Node(VMS[1], "-sname", names[1])
        trace = Trace("top", "-j", "-i", "200ms", "-p", "%d,%d" % (one.pid, two.pid), "-o", file.name,
                      "--rows", "1000")

        def nodes():
            with open(file.name) as text:
                lines = [line for line in text if line.endswith("\n")]
            shown = of_type([json.loads(line) for line in lines], "table")
            return {row["node"].split("@")[0] for row in shown[-1]["rows"]} if shown else set()

        wait_until("rows of both nodes", lambda: nodes() == set(names))
        two.close()
        wait_until("rows of the one that is left", lambda: nodes() == {names[0]})
        trace.stop()


CROWD = 100000


@over(OLDEST_AND_NEWEST)
def test_a_hundred_thousand_processes_all_have_their_names(vm):
    with Node(vm, "+P", "400000") as node, tempfile.NamedTemporaryFile(suffix=".csv") as file:
        node.eval("N = crowd:named(\"number_\", 40000), S = crowd:servers(30000), I = crowd:idle(30000), ok", 120)
        Trace("top", "-p", node.pid, "-f", "csv", "-o", file.name, "-i", "1", "--count", "1", "--rows", "1000000",
              "--probes", "never").stop(None)
        with open(file.name) as text:
            rows = list(csv.DictReader(text))
    names = [row["name"] for row in rows]
    assert sum(1 for name in names if name == "crowd:init/1") == 30000
    assert {name for name in names if name.startswith("number_")} == {"number_%d" % n for n in range(1, 40001)}
    assert sum(1 for row in rows if (row["name"], row["initial_call"]) == ("crowd:wait/0", "erlang:apply/2")) >= 30000
    assert all(names) and len(names) >= CROWD
