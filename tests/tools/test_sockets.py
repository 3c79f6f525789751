"""sockets, held against what the node says of its sockets: inet:getstat/2 and socket:info/1."""
import os
import tempfile
from lib import VMS, Node, Skip, Trace, agree, of_type, over


SENDS, SIZE = 40, 700


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


def moved(lines, key):
    """(received, sent) of all functions under the key."""
    rows = [row for row in rows_of(lines) if row["key"] == key]
    return sum(row["received"] for row in rows), sum(row["sent"] for row in rows)


def is_of(name, function):
    """Drivers that share a callback have it under the names of all: "udp_inet+sctp_inet:output", in any order."""
    drivers, _, callback = name.partition(":")
    driver, _, wanted = function.rpartition(":")
    return callback.endswith(wanted) and driver in ["", *drivers.split("+")]


def calls(lines, function):
    return sum(row["calls"] for row in rows_of(lines) if is_of(row["function"], function))


def numbers(text):
    return tuple(int(number) for number in text.strip("{}").split(","))


def with_tcp(node):
    node.eval("{ok, L} = gen_tcp:listen(0, [binary, {packet, 4}, {active, false}])")
    node.eval("{ok, {_, Number}} = inet:sockname(L)")
    node.eval("{ok, A} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {packet, 4}, {active, false}])")
    node.eval("{ok, B} = gen_tcp:accept(L)")
    return "[begin ok = gen_tcp:send(A, <<0:(8 * %d)>>), {ok, _} = gen_tcp:recv(B, 0) end " \
           "|| _ <- lists:seq(1, %d)], ok" % (SIZE, SENDS)


def with_udp(node):
    node.eval("{ok, A} = gen_udp:open(0, [binary, {active, false}])")
    node.eval("{ok, B} = gen_udp:open(0, [binary, {active, false}])")
    node.eval("{ok, Number} = inet:port(B)")
    return "[begin ok = gen_udp:send(A, {127, 0, 0, 1}, Number, <<0:(8 * %d)>>), {ok, _} = gen_udp:recv(B, 0) end " \
           "|| _ <- lists:seq(1, %d)], ok" % (SIZE, SENDS)


def with_sctp(node):
    node.say("{ok, B} = gen_sctp:open([{ip, {127, 0, 0, 1}}, {active, false}]).")
    answer = node.line()
    if not answer.startswith("= "):
        raise Skip("this kernel or VM has no SCTP: " + answer)
    node.eval("ok = gen_sctp:listen(B, true), {ok, Number} = inet:port(B)")
    node.eval("{ok, A} = gen_sctp:open([{ip, {127, 0, 0, 1}}, {active, false}])")
    node.eval("{ok, As} = gen_sctp:connect(A, {127, 0, 0, 1}, Number, [])")
    node.eval("{ok, _} = gen_sctp:recv(B)")
    return "[begin ok = gen_sctp:send(A, As, 0, <<0:(8 * %d)>>), {ok, _} = gen_sctp:recv(B) end " \
           "|| _ <- lists:seq(1, %d)], ok" % (SIZE, SENDS)


STATS = "(fun(S) -> {ok, [{_, R}, {_, W}]} = inet:getstat(S, [recv_oct, send_oct]), {R, W} end)"


def check_inet(case, prepare, kind, send):
    with Node(case) as node:
        work = prepare(node)
        before = [numbers(node.eval("%s(%s)" % (STATS, socket))) for socket in "AB"]
        ports = [node.eval(socket) for socket in "AB"]
        by_port = Trace("sockets", "-p", node.pid, "-j", "--by", "port")
        by_kind = Trace("sockets", "-p", node.pid, "-j", "--by", "kind")
        node.eval(work)
        after = [numbers(node.eval("%s(%s)" % (STATS, socket))) for socket in "AB"]
        lines, kinds = by_port.stop_json(), by_kind.stop_json()
    own = [(a[0] - b[0], a[1] - b[1]) for a, b in zip(after, before)]
    assert own[0][1] >= SENDS * SIZE and own[1][0] >= SENDS * SIZE, own
    assert [moved(lines, port) for port in ports] == own, (rows_of(lines), own)
    assert calls(lines, send) == SENDS, rows_of(lines)
    assert moved(kinds, kind) == (own[0][0] + own[1][0], own[0][1] + own[1][1]), rows_of(kinds)
    assert lines[-1]["lost"] == 0


@over(VMS)
def test_bytes_and_calls_of_tcp_ports_are_the_nodes_own(vm):
    check_inet(vm, with_tcp, "tcp", "tcp_inet:outputv")


@over(VMS)
def test_bytes_and_calls_of_udp_ports_are_the_nodes_own(vm):
    check_inet(vm, with_udp, "udp", "udp_inet:output")


@over(VMS)
def test_bytes_and_calls_of_sctp_ports_are_the_nodes_own(vm):
    check_inet(vm, with_sctp, "sctp", "_inet:output")


INFO = "(fun(S) -> #{counters := #{read_byte := R, write_byte := W}} = socket:info(S), {R, W} end)"


def with_sockets(node):
    node.eval("{ok, L} = socket:open(inet, stream, tcp), "
              "ok = socket:bind(L, #{family => inet, port => 0, addr => loopback}), ok = socket:listen(L), "
              "{ok, Address} = socket:sockname(L), {ok, A} = socket:open(inet, stream, tcp), "
              "ok = socket:connect(A, Address), {ok, B} = socket:accept(L)")


@over(VMS)
def test_bytes_of_sockets_are_the_nodes_own_however_many_processes_use_one(vm):
    with Node(vm) as node:
        with_sockets(node)
        node.eval("Do = fun(F) -> Me = self(), Ps = [spawn(fun() -> [F() || _ <- lists:seq(1, %d)], "
                  "Me ! {done, self()} end) || _ <- lists:seq(1, 4)], "
                  "[receive {done, P} -> ok end || P <- Ps], ok end" % SENDS)
        trace = Trace("sockets", "-p", node.pid, "-j", "--by", "kind")
        node.eval("Do(fun() -> ok = socket:send(A, <<0:(8 * %d)>>) end)" % SIZE)
        node.eval("Do(fun() -> {ok, _} = socket:recv(B, %d) end)" % SIZE)
        own = [numbers(node.eval("%s(%s)" % (INFO, socket))) for socket in "AB"]
        lines = trace.stop_json()
    assert own == [(0, 4 * SENDS * SIZE), (4 * SENDS * SIZE, 0)], own
    assert moved(lines, "tcp") == (own[1][0], own[0][1]), rows_of(lines)
    assert calls(lines, ":nif_send/4") >= 4 * SENDS and calls(lines, ":nif_recv/4") >= 4 * SENDS
    assert sum(hist["count"] for hist in of_type(lines, "hist")) == lines[-1]["probes"]["socket-call"]["events"]


@over(VMS)
def test_operations_of_udp_sockets_are_shown_with_their_process(vm):
    with Node(vm) as node:
        node.eval("{ok, A} = socket:open(inet, dgram, udp), "
                  "ok = socket:bind(A, #{family => inet, port => 0, addr => loopback}), "
                  "{ok, Address} = socket:sockname(A)")
        pid = node.eval("self()")
        trace = Trace("sockets", "-p", node.pid, "-j", "--min", "1ns", "--erl-pid", pid)
        node.eval("[ok = socket:sendto(A, <<0:(8 * %d)>>, Address) || _ <- lists:seq(1, %d)], ok" % (SIZE, SENDS))
        node.eval("[{ok, _} = socket:recvfrom(A, 2000) || _ <- lists:seq(1, %d)], ok" % SENDS)
        events = of_type(trace.stop_json(), "event")
    assert {(event["pid"], event["kind"]) for event in events} == {(pid, "udp")}, events[0]
    sent = [event["sent"] for event in events if event["function"] == "prim_socket:nif_sendto/5"]
    received = [event["received"] for event in events if event["function"] == "prim_socket:nif_recvfrom/4"]
    assert sent == [SIZE] * SENDS and received == [SIZE] * SENDS, (sent, received)


# The node's own time is that of sends which nobody traces: its clock is read outside of the probes, where they cost what
# they cost.
def slow_sends(vm):
    with tempfile.TemporaryDirectory(prefix="erlbpf-sockets-") as folder, Node(vm) as node:
        node.eval("{ok, L} = socket:open(local, stream), Address = #{family => local, path => \"%s\"}, "
                  "ok = socket:bind(L, Address), ok = socket:listen(L), {ok, A} = socket:open(local, stream), "
                  "ok = socket:connect(A, Address), {ok, B} = socket:accept(L)" % os.path.join(folder, "socket"))
        node.eval("Data = binary:copy(<<0>>, 150000)")
        node.eval("Once = fun() -> {Ns, ok} = timer:tc(fun() -> socket:send(A, Data) end), "
                  "{ok, _} = socket:recv(B, 150000), Ns end")
        node.eval("Median = fun() -> lists:nth(26, lists:sort([Once() || _ <- lists:seq(1, 51)])) end, Median()")
        own = int(node.eval("Median()")) * 1000
        trace = Trace("sockets", "-p", node.pid, "-j", "--by", "function")
        node.eval("Median()")
        lines = trace.stop_json()
    hist = [hist for hist in of_type(lines, "hist") if hist["key"] == "prim_socket:nif_send/4"]
    assert hist[0]["count"] == 51, hist
    return hist[0]["p50"], own


@over(VMS)
def test_sends_take_as_long_as_the_node_says(vm):
    agree(lambda: slow_sends(vm))
