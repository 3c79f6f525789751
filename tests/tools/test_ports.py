"""ports, held against what the node itself did to its ports."""
import os
import tempfile
from collections import Counter
from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within


class Gate:
    """A pipe from which nobody reads anything before somebody has written to it; at the end, it is as if somebody had."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="erlbpf-ports-")
        self.path = os.path.join(self.folder.name, "gate")
        os.mkfifo(self.path)
        self.fd = os.open(self.path, os.O_RDWR)
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        self.folder.cleanup()

    def open_port(self):
        """A port whose program does not read before that."""
        return "open_port({spawn, \"sh -c 'read go < %s; cat > /dev/null'\"}, [binary])" % self.path


def work(node):
    """Known numbers of operations on ports of one driver, and the pid that did them."""
    node.eval("P = open_port({spawn, \"cat\"}, [binary])")
    node.eval("[port_command(P, <<\"hello\">>) || _ <- lists:seq(1, 20)], ok")
    node.eval("[P ! {self(), {command, <<\"hello\">>}} || _ <- lists:seq(1, 10)], ok")
    node.eval("{ok, S} = gen_udp:open(0)")
    node.eval("[inet:getstat(S) || _ <- lists:seq(1, 7)], ok")
    node.eval("O = spawn(fun() -> receive stop -> ok end end)")
    node.eval("port_connect(P, O)")
    node.eval("Q = open_port({spawn, \"cat\"}, [binary])")
    node.eval("Q ! {self(), {connect, O}}")
    node.eval("R = open_port({spawn, \"cat\"}, [binary])")
    node.eval("R ! {self(), close}")
    node.eval("M = monitor(port, P), O ! stop, gen_udp:close(S), receive {'DOWN', M, _, _, _} -> ok end")
    return node.eval("O"), node.eval("self()")


@over(WITH_NEWEST)
def test_operations_are_told_as_they_happen(vm):
    with shared(vm) as node:
        trace = Trace("ports", "-p", node.pid, "-j")
        owner, pid = work(node)
        name = node.eval("P").strip("'")
        lines = trace.stop_json()
    cats = [event for event in of_type(lines, "event") if event["port_name"] == "cat"]
    assert {event["pid"] for event in cats if event["kind"] in ("open", "command", "close")} == {pid}
    happened = Counter(event["kind"] for event in cats)
    # The new owner takes P with it, but not Q, to which no message links it; R was closed.
    assert happened == {"open": 3, "command": 30, "connect": 2, "close": 1, "exit": 2}, happened
    assert [event["new_owner"] for event in cats if event["port"] == name and event["kind"] == "connect"] \
        == [owner]
    # INET_REQ_GETSTAT of inet_drv.c, without the number that inet ports add.
    stats = [event for event in of_type(lines, "event") if event["number"] == 11]
    assert len(stats) == 7 and {event["port_name"] for event in stats} == {"udp_inet"}
    assert lines[-1]["lost"] == 0


@over(VMS)
def test_operations_are_counted_by_port_by_name_and_by_process(vm):
    with shared(vm) as node:
        traces = {by: Trace("ports", "-p", node.pid, "-j", "--by", by) for by in ("port", "name", "pid")}
        _, pid = work(node)
        port = node.eval("P")
        tables = {by: trace.stop_json() for by, trace in traces.items()}
    mine = {"port": lambda row: row["key"] == port and row["port_name"] == "cat",
            "name": lambda row: row["port_name"] == "cat", "pid": lambda row: row["key"] == pid}
    for by, lines in tables.items():
        rows = [row for table in of_type(lines, "table") for row in table["rows"] if row["kind"] == "command"]
        assert [row["count"] for row in rows if mine[by](row)] == [30], rows
        assert not of_type(lines, "event")


NAP_MS = 200
# Who suspends, by a port that nobody reads from, and another process that lets it be read a while later. {at least, at
# most}: how long the port was busy, by the clock that erlbpf reads, too.
BUSY = ("begin Me = self(), Now = fun() -> os:perf_counter(nanosecond) end, "
        "spawn(fun() -> (fun W() -> case process_info(Me, status) of {status, suspended} -> ok; _ -> timer:sleep(1), W() end end)(), "
        "Least = Now(), timer:sleep(%d), Me ! {least, Now() - Least}, file:write_file(\"%s\", <<\"go\\n\">>, [raw]) end), "
        "Begin = Now(), port_command(P, binary:copy(<<0>>, 1000000)), port_command(P, <<0>>), "
        "receive {least, Ns} -> {Ns, Now() - Begin} end end")


@over(VMS)
def test_a_port_is_busy_for_as_long_as_its_owner_is_suspended(vm):
    with Gate() as gate, shared(vm) as node:
        trace = Trace("ports", "-p", node.pid, "-j", "--min", "%dms" % (NAP_MS / 4))
        node.eval("P = " + gate.open_port())
        port, pid = node.eval("P"), node.eval("self()")
        least, most = map(int, node.eval(BUSY % (NAP_MS, gate.path)).strip("{}").split(","))
        events = of_type(trace.stop_json(), "event")
    assert [(event["kind"], event["port"], event["pid"]) for event in events] == [("not_busy", port, pid)], events
    assert least >= NAP_MS * 10**6
    within(least, events[0]["busy"], most)


@over(VMS)
def test_a_port_that_ends_while_it_is_busy_is_accounted_for(vm):
    with Gate() as gate, shared(vm) as node:
        trace = Trace("ports", "-p", node.pid, "-j")
        node.eval("P = " + gate.open_port())
        node.eval("port_command(P, binary:copy(<<0>>, 1000000))")
        node.eval("port_close(P)")
        lines = trace.stop_json()
    assert lines[-1]["still_busy"] == 1, lines[-1]


@over(VMS)
def test_only_the_wanted_process_is_counted(vm):
    with shared(vm) as node:
        pid = node.eval("self()")
        trace = Trace("ports", "-p", node.pid, "-j", "--erl-pid", pid)
        work(node)
        lines = trace.stop_json()
    assert {event["pid"] for event in of_type(lines, "event")} == {pid}
    assert sum(count["events"] for count in lines[-1]["probes"].values()) == len(of_type(lines, "event"))
