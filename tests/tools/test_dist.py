"""dist, held against what the node's own monitors tell: system_monitor's busy_dist_port for who was
suspended, the process itself for how long, inet:getstat/2 for what was sent, monitor_nodes/2 for nodes."""
import csv
import signal
import time

from lib import NO_BUSY_WAIT, SLOW, STOCK, VMS, WITH_NEWEST, Node, Trace, is_at_rest, of_type, over, probe_total, unique, wait_until, within

SECOND = 1000000000
NEVER = ("-kernel", "net_ticktime", "10000")  # no ticks, which the peer's port counts and dist does not see


MOVES_S = 0.1  # more than the kernel keeps an acknowledgement back


class Pair:
    """Two connected nodes; of the first one, little is needed to fill what it may keep for the other."""

    def __init__(self, vm, *args):
        name = unique("dist")
        self.near = Node(vm, "-sname", name + "near", "-setcookie", "dist", "+zdbbl", "4", *NO_BUSY_WAIT, *NEVER, *args)
        self.far = Node(vm, "-sname", name + "far", "-setcookie", "dist", *NEVER)
        self.peer = self.far.eval("node()")
        self.connect()
        # What is said on meeting is said: global's locks, and answers of all of its processes.
        self.eval("global:sync()")
        self.eval("rpc:call(%s, global, sync, [])" % self.peer)
        ports = self.eval("begin {_, P} = lists:keyfind(%s, 1, erlang:system_info(dist_ctrl)), {ok, {_, A}} = inet:sockname(P), "
                          "{ok, {_, B}} = inet:peername(P), {A, B} end" % self.peer)
        self.ports = {"%04X" % int(port) for port in ports.strip("{}").split(",")}

    def eval(self, expression):
        return self.near.eval(expression)

    def connect(self):
        assert self.eval("net_kernel:connect_node(%s)" % self.peer) == "true"

    def stop(self):
        self.far.child.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.far.child.send_signal(signal.SIGCONT)

    def start_sender(self, name="flooder"):
        """A process that sends the peer 20 MB when it is told to, and tells how long that took it."""
        self.eval("Self = self()")
        self.eval("Sender = spawn(fun() -> register(%s, self()), Self ! up, receive go -> ok end, "
                  "T = erlang:monotonic_time(nanosecond), "
                  "[{nobody, %s} ! binary:copy(<<0>>, 100000) || _ <- lists:seq(1, 200)], "
                  "Self ! {took, erlang:monotonic_time(nanosecond) - T}, receive stop -> ok end end)"
                  % (name, self.peer))
        self.eval("receive up -> ok end")
        return self.eval("Sender")

    def wait_for_suspension(self, process="Sender"):
        """Until it goes on no more. Buffers of the system have to be full, and it is resumed now and then before: when
        nothing has moved for a while, and no thread of its node has anything to do, nothing is going to. When it was seen
        to be suspended first."""
        seen, since = [], []

        def is_suspended_for_good():
            since.append(time.monotonic_ns())
            seen.append((self.eval("process_info(%s, [status, reductions])" % process), self.queues()))
            time.sleep(MOVES_S)
            return "suspended" in seen[-1][0] and seen[-2:] == seen[-1:] * 2 and is_at_rest(self.near.pid)

        wait_until("%s is suspended" % process, is_suspended_for_good)
        return since[-2]

    def queues(self):
        """What the kernel has of the connection, at both of its ends: bytes to be sent, and bytes that nobody has read."""
        with open("/proc/%d/net/tcp" % self.near.pid) as table:
            rows = [line.split() for line in table]
        return sorted(row[4] for row in rows if {row[1].split(":")[-1], row[2].split(":")[-1]} == self.ports)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A stopped process does not heed that its input ends.
        self.go_on()
        self.far.close()
        self.near.close()


def busy_of(lines, pid=None):
    return [e for e in of_type(lines, "event") if e["kind"] == "busy" and pid in (None, e["pid"])]


@over(WITH_NEWEST)
def test_a_process_is_blocked_for_as_long_as_its_peer_is_stopped(vm):
    with Pair(vm) as pair:
        pid = pair.start_sender()
        trace = Trace("dist", "-p", pair.near.pid, "-j", "--erl-pid", pid)
        pair.stop()
        pair.eval("Sender ! go")
        since = pair.wait_for_suspension()
        stopped = time.monotonic_ns() - since
        pair.go_on()
        own = int(pair.eval("receive {took, Ns} -> Ns end"))
        lines = trace.stop_json()
    busy = busy_of(lines)
    assert {(e["pid"], e["name"], e["peer"], e["until"]) for e in busy} == {(pid, "flooder", pair.peer, "resumed")}, busy
    assert lines[-1]["lost"] == 0, lines[-1]
    within(stopped, max(e["took"] for e in busy), own)
    within(stopped, sum(e["took"] for e in busy), own)


@over(VMS)
def test_every_suspension_is_seen_that_the_node_itself_reports(vm):
    with Pair(vm) as pair:
        pid = pair.start_sender()
        # All messages of a system monitor come in order, and so before the one that a process of ours, which is large,
        # has collected its garbage.
        pair.eval("Monitor = spawn(fun() -> M = fun(F, N, Last) -> receive {monitor, Sender, busy_dist_port, _} -> "
                  "F(F, N + 1, Last); {last, Pid} -> F(F, N, Pid); {monitor, Last, large_heap, _} -> Self ! {counted, N} "
                  "end end, M(M, 0, none) end)")
        pair.eval("erlang:system_monitor(Monitor, [busy_dist_port, {large_heap, 1000000}])")
        trace = Trace("dist", "-p", pair.near.pid, "-j", "--erl-pid", pid)
        pair.eval("Sender ! go")
        pair.eval("receive {took, _} -> ok end")
        own = int(pair.eval("begin Monitor ! {last, spawn(fun() -> L = lists:seq(1, 1000000), erlang:garbage_collect(), length(L) end)}, "
                            "receive {counted, N} -> N end end"))
        lines = trace.stop_json()
    busy = busy_of(lines)
    assert own > 10 and lines[-1]["lost"] == 0
    # Suspended and resumed at once, as the connection was no longer busy, is not reported.
    listed = [e for e in busy if e["probe"] == "processes-resume"]
    assert len(listed) == own, (len(listed), own)
    assert all(e["until"] == "resumed" and e["name"] == "flooder" and e["took"] > 0 for e in busy)


MANY = 1000
NAP_S = 0.2


@over(VMS)
def test_processes_that_are_resumed_together_all_count(vm):
    with Pair(vm) as pair:
        trace = Trace("dist", "-p", pair.near.pid, "-j", "--by", "pid")
        pair.stop()
        pair.start_sender()
        pair.eval("Sender ! go")
        pair.wait_for_suspension()
        pids = pair.eval("Many = [spawn(fun() -> {nobody, %s} ! hello, Self ! sent end) || _ <- lists:seq(1, %d)]"
                         % (pair.peer, MANY))
        wait_until("all are suspended",
                   lambda: pair.eval("[P || P <- Many, process_info(P, status) =/= {status, suspended}]") == "[]")
        since = time.monotonic_ns()
        time.sleep(NAP_S)
        suspended = time.monotonic_ns() - since
        pair.go_on()
        pair.eval("[receive sent -> ok end || _ <- Many]")
        pair.eval("receive {took, _} -> ok end")
        lines = trace.stop_json()
    wanted = set(pids.strip("[]").split(","))
    rows = [row for row in of_type(lines, "table")[-1]["rows"] if row["pid"] in wanted]
    assert (len(wanted), len(rows)) == (MANY, MANY)
    # Some are suspended once more, as those before them have filled the connection again.
    odd = [row for row in rows if not row["suspensions"] or row["blocked"] or row["longest"] < suspended / 2]
    assert not odd, odd[:3]
    assert lines[-1]["lost"] == lines[-1]["unlisted"] == 0, lines[-1]


@over(VMS)
def test_what_ends_a_suspension_is_told(vm):
    with Pair(vm) as pair:
        pid = pair.start_sender("killed")
        trace = Trace("dist", "-p", pair.near.pid, "-j")
        pair.stop()
        pair.eval("Sender ! go")
        pair.wait_for_suspension()
        assert pair.eval("begin Gone = monitor(process, Sender), exit(Sender, kill), "
                         "receive {'DOWN', Gone, _, _, Reason} -> Reason end end") == "killed"
        other = pair.eval("begin Cut = spawn(fun() -> register(cut, self()), [{nobody, %s} ! N || "
                          "N <- lists:seq(1, 100)], receive stop -> ok end end) end" % pair.peer)
        pair.wait_for_suspension("Cut")
        pair.far.kill()
        assert pair.eval("begin Ref = monitor(process, Cut), Cut ! stop, "
                         "receive {'DOWN', Ref, _, _, Why} -> Why end end") == "normal"
        busy = busy_of(trace.stop_json())
    assert ("exit", "killed") in [(e["until"], e["name"]) for e in busy if e["pid"] == pid], busy
    # It may be suspended once more by what it says before the connection is taken away.
    ended = {(e["until"], e["name"]) for e in busy if e["pid"] == other and e["until"] != "resumed"}
    assert ended == {("peer down", "cut")}, (ended, other, busy)


@over(VMS)
def test_a_suspension_that_has_not_ended_is_shown_at_the_end(vm):
    with Pair(vm) as pair:
        pid = pair.start_sender()
        events = Trace("dist", "-p", pair.near.pid, "-j")
        tables = {by: Trace("dist", "-p", pair.near.pid, "-j", "--by", by) for by in ("peer", "pid", "name")}
        text = Trace("dist", "-p", pair.near.pid, "--min", "10ms")
        pair.stop()
        begin = time.monotonic_ns()
        pair.eval("Sender ! go")
        since = pair.wait_for_suspension()
        suspended = time.monotonic_ns() - since
        busy = [e for e in busy_of(events.stop_json()) if e["until"] != "resumed"]
        most = time.monotonic_ns() - begin
        rows = {by: of_type(tables[by].stop_json(), "table")[-1]["rows"] for by in tables}
        words = text.stop()
    assert [(e["pid"], e["until"], e["name"]) for e in busy] == [(pid, "still", "flooder")], busy
    within(suspended, busy[0]["took"], most)
    for by, key in (("peer", pair.peer), ("pid", pid), ("name", "flooder")):
        assert [row["blocked"] for row in rows[by] if row[by] == key] == [1], (by, rows[by])
    assert " still " in words and " flooder" in words, words


@over(["events", "peer", "pid"])
def test_who_was_resumed_while_the_probes_were_away_is_not_said_to_be_suspended(how):
    with Pair(STOCK) as pair:
        pid = pair.start_sender()
        by = [] if how == "events" else ["--by", how]
        trace = Trace("dist", "-p", pair.near.pid, "-j", *by, "--max-overhead", "0.1", "--sample", "-v", program=SLOW)
        pair.stop()
        pair.eval("Sender ! go")
        pair.wait_for_suspension()
        # Their ends are hits, which use the budget up for longer than this test takes.
        pair.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 30000)], ok")
        trace.wait_for("taken away in")
        pair.go_on()
        pair.eval("receive {took, Ns} -> Ns end")
        lines = trace.stop_json()
    assert lines[-1]["watched_s"] < lines[-1]["duration_s"], lines[-1]
    assert not [e for e in busy_of(lines) if e["pid"] == pid and e["until"] == "still"], lines[-3:]
    assert not [row for table in of_type(lines, "table") for row in table["rows"] if row["blocked"]], lines[-3:]


@over(VMS)
def test_bytes_to_a_peer_are_those_that_its_port_has_sent(vm):
    with Pair(vm) as pair:
        pair.eval("{_, Port} = lists:keyfind(%s, 1, erlang:system_info(dist_ctrl))" % pair.peer)
        pair.eval("Sent = fun() -> {ok, [{send_oct, Oct}, {send_cnt, Cnt}]} = "
                  "inet:getstat(Port, [send_oct, send_cnt]), {Oct, Cnt} end")
        trace = Trace("dist", "-p", pair.near.pid, "-j", "--by", "peer")
        before = pair.eval("Sent()")
        pair.eval("lists:foreach(fun(N) -> {nobody, %s} ! {N, binary:copy(<<0>>, N)} end, lists:seq(1, 2000))"
                  % pair.peer)
        # The answer comes after all of it has arrived.
        pair.eval("[rpc:call(%s, erlang, node, []), rpc:call(%s, erlang, self, [])]" % (pair.peer, pair.peer))
        after = pair.eval("Sent()")
        row = of_type(trace.stop_json(), "table")[-1]["rows"][0]
    octets, packets = [int(b) - int(a) for a, b in zip(before[1:-1].split(","), after[1:-1].split(","))]
    assert row["peer"] == pair.peer and packets >= 2002, row
    # TCP's carrier writes four bytes before each.
    assert (row["packets"], row["bytes"] + 4 * row["packets"]) == (packets, octets), (row, packets, octets)
    assert 2000 < row["largest"] < 3000


@over(VMS)
def test_nodes_come_and_go_with_the_reason_that_monitors_are_told(vm):
    with Pair(vm) as pair:
        pair.eval("net_kernel:monitor_nodes(true, [nodedown_reason, {node_type, all}])")
        trace = Trace("dist", "-p", pair.near.pid, "-j")
        told = []
        for change in ("erlang:disconnect_node(%s)" % pair.peer, "net_kernel:connect_node(%s)" % pair.peer, None):
            if change:
                assert pair.eval(change) == "true"
            else:
                pair.far.kill()
            told.append(pair.eval("receive {W%d, _, I%d} -> {W%d, proplists:get_value(nodedown_reason, I%d)} end"
                                  % ((len(told),) * 4)))
        events = [e for e in of_type(trace.stop_json(), "event") if e["kind"] != "busy"]
    assert ["{%s,%s}" % (e["kind"], e["reason"] or "undefined") for e in events] == told, (events, told)
    assert [told[0], told[2]] == ["{nodedown,disconnect}", "{nodedown,connection_closed}"], told
    assert all(e["peer"] == pair.peer and e["visibility"] == "visible" and e["pid"] is None for e in events)


def test_csv_holds_the_events_or_the_table():
    with Pair(VMS[0]) as pair:
        events = Trace("dist", "-p", pair.near.pid, "-f", "csv")
        table = Trace("dist", "-p", pair.near.pid, "-f", "csv", "--by", "peer")
        pair.eval("erlang:disconnect_node(%s)" % pair.peer)
        pair.connect()
        events = list(csv.DictReader(events.stop().splitlines()))
        table = list(csv.DictReader(table.stop().splitlines()))
    assert [(e["kind"], e["peer"]) for e in events if e["kind"] != "busy"] == \
        [("nodedown", pair.peer), ("nodeup", pair.peer)], events
    assert [row["peer"] for row in table] == [pair.peer] and int(table[0]["packets"]) > 0, table


# OTP's own probes of the distribution, from functions: as the notes count, and for the same processes and peers.
@over([vm for vm in VMS if vm.notes])
def test_functions_count_what_the_notes_of_the_distribution_count(vm):
    with Pair(vm) as pair:
        pid = pair.start_sender()
        traces = [Trace("trace", "-p", pair.near.pid, "-j", "dist-*", "--source", source)
                  for source in ("usdt", "symbol")]
        pair.stop()
        pair.eval("Sender ! go")
        pair.wait_for_suspension()
        pair.go_on()
        pair.eval("receive {took, _} -> ok end")
        # The answer comes when all has been written; what is ready and not written counts for functions only.
        pair.eval("rpc:call(%s, erlang, node, [])" % pair.peer)
        # Then nothing more is said until both traces have ended.
        pair.eval("erlang:disconnect_node(%s)" % pair.peer)
        notes, functions = [trace.stop_json() for trace in traces]
    counts = [{probe: probe_total(lines, probe) for probe in lines[-1]["probes"]} for lines in (notes, functions)]
    assert set(counts[0]) == {"dist-monitor", "dist-outputv", "dist-port_busy", "dist-port_not_busy"}, counts
    assert counts[0] == counts[1] and counts[0]["dist-monitor"] == 1, counts
    busy = [[event["args"] for event in of_type(lines, "event") if event["probe"] == "dist-port_busy"]
            for lines in (notes, functions)]
    assert all(args.endswith("pid=" + pid) for source in busy for args in source), busy


def test_a_suspension_that_ended_with_its_node_has_no_duration():
    with Pair(VMS[0]) as pair:
        pid = pair.start_sender()
        trace = Trace("dist", "-p", pair.near.pid, "-j")
        pair.stop()
        pair.eval("Sender ! go")
        pair.wait_for_suspension()
        pair.near.kill()
        busy = busy_of(trace.stop_json(sig=None))
    # Nor has it names, which are the node's atoms and were not asked for while it lived.
    assert [(e["pid"], e["until"], e["took"]) for e in busy if e["until"] != "resumed"] == [(pid, "still", None)], busy
