"""drivers, held against what the node itself asked of its ports."""
from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within

SENDS = 50


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


def work(node):
    node.eval("{ok, L} = gen_tcp:listen(0, [binary, {packet, 2}])")
    node.eval("{ok, {_, Number}} = inet:sockname(L)")
    node.eval("{ok, C} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {packet, 2}])")
    node.eval("{ok, A} = gen_tcp:accept(L)")
    node.eval("P = open_port({spawn, \"cat\"}, [binary])")


def ask(node):
    node.eval("[port_command(P, <<0:80>>) || _ <- lists:seq(1, %d)], ok" % SENDS)
    node.eval("[ok = gen_tcp:send(C, <<0:800>>) || _ <- lists:seq(1, %d)], ok" % SENDS)
    node.eval("[{ok, _} = inet:getstat(C) || _ <- lists:seq(1, %d)], ok" % SENDS)


@over(WITH_NEWEST)
def test_calls_of_callbacks_and_their_bytes_are_exact(vm):
    with shared(vm) as node:
        work(node)
        trace = Trace("drivers", "-p", node.pid, "-j", "--by", "port")
        ask(node)
        cat, tcp, pid = node.eval("P"), node.eval("C"), node.eval("self()")
        lines = trace.stop_json()
    found = {(row["key"], row["function"].split(":")[-1]): (row["calls"], row["bytes"])
             for row in rows_of(lines)}
    assert found[cat, "output"] == (SENDS, SENDS * 10), found
    # gen_tcp puts a reference in front of the data from OTP 26 on.
    calls, taken = found[tcp, "outputv"]
    assert calls == SENDS and (taken == SENDS * 100 if vm.otp == 25 else taken > SENDS * 100), found
    assert found[tcp, "control"][0] == SENDS, found
    functions = {row["function"] for row in rows_of(lines) if row["key"] in (cat, tcp)}
    # fd shares its output with spawn, and the port says whose it is.
    assert {"tcp_inet:outputv", "tcp_inet:control", "spawn:output"} <= functions, functions
    counts = lines[-1]["probes"]["driver-callback"]
    assert counts["lost"] == 0 and counts["events"] == sum(row["calls"] for row in rows_of(lines))
    assert counts["events"] == sum(hist["count"] for hist in of_type(lines, "hist"))


@over(VMS)
def test_callbacks_are_shown_with_port_and_owner(vm):
    with shared(vm) as node:
        work(node)
        pid = node.eval("self()")
        trace = Trace("drivers", "-p", node.pid, "-j", "--min", "1ns", "--erl-pid", pid)
        ask(node)
        tcp = node.eval("C")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert {event["pid"] for event in events} == {pid}
    mine = [event for event in events if event["function"] == "tcp_inet:outputv"]
    assert len(mine) == SENDS and {(event["port"], event["port_name"]) for event in mine} == {(tcp, "tcp_inet")}


@over(VMS)
def test_a_slow_callback_takes_as_long_as_the_node_says(vm):
    with shared(vm) as node:
        node.eval("{ok, F} = file:open(binary:copy(<<0>>, 5000000), [ram, read, write, binary])")
        trace = Trace("drivers", "-p", node.pid, "-j", "--by", "function")
        own = int(node.eval("begin Begin = os:perf_counter(nanosecond), {ok, _} = ram_file:get_file(F), "
                            "os:perf_counter(nanosecond) - Begin end"))
        lines = trace.stop_json()
    hist, = [hist for hist in of_type(lines, "hist") if hist["key"] == "ram_file_drv:output"]
    assert hist["count"] == 1, hist
    within(0, (hist["max"] or 0), own)
