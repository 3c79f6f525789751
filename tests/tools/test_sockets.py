"""sockets, held against what the node says of its sockets: inet:getstat/2 and socket:info/1."""
import json
import os
import tempfile
from lib import VMS, WITH_NEWEST, Skip, Trace, of_type, over, shared, within


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
    with shared(case) as node:
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


@over(WITH_NEWEST)
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
    with shared(vm) as node:
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
    with shared(vm) as node:
        node.eval("{ok, A} = socket:open(inet, dgram, udp), "
                  "ok = socket:bind(A, #{family => inet, port => 0, addr => loopback}), "
                  "{ok, Address} = socket:sockname(A)")
        pid, port = node.eval("self()"), node.eval("maps:get(port, Address)")
        trace = Trace("sockets", "-p", node.pid, "-j", "--min", "1ns", "--erl-pid", pid)
        node.eval("[ok = socket:sendto(A, <<0:(8 * %d)>>, Address) || _ <- lists:seq(1, %d)], ok" % (SIZE, SENDS))
        node.eval("[{ok, _} = socket:recvfrom(A, 2000) || _ <- lists:seq(1, %d)], ok" % SENDS)
        events = of_type(trace.stop_json(), "event")
    assert {(event["pid"], event["kind"]) for event in events} == {(pid, "udp")}, events[0]
    assert {(event["local"], event["peer"]) for event in events} == {(address(port), None)}, events[0]
    sent = [event["sent"] for event in events if event["function"] == "prim_socket:nif_sendto/5"]
    received = [event["received"] for event in events if event["function"] == "prim_socket:nif_recvfrom/4"]
    assert sent == [SIZE] * SENDS and received == [SIZE] * SENDS, (sent, received)


SLOW_SENDS = 51


@over(VMS)
def test_sends_take_as_long_as_the_node_says(vm):
    with tempfile.TemporaryDirectory(prefix="erlbpf-sockets-") as folder, shared(vm) as node:
        node.eval("{ok, L} = socket:open(local, stream), Address = #{family => local, path => \"%s\"}, "
                  "ok = socket:bind(L, Address), ok = socket:listen(L), {ok, A} = socket:open(local, stream), "
                  "ok = socket:connect(A, Address), {ok, B} = socket:accept(L)" % os.path.join(folder, "socket"))
        node.eval("Data = binary:copy(<<0>>, 150000), Now = fun() -> os:perf_counter(nanosecond) end")
        node.eval("Once = fun() -> Begin = Now(), ok = socket:send(A, Data), Ns = Now() - Begin, "
                  "{ok, _} = socket:recv(B, 150000), Ns end")
        trace = Trace("sockets", "-p", node.pid, "-j", "--by", "function")
        longest, total = numbers(node.eval(
            "(fun(Times) -> {lists:max(Times), lists:sum(Times)} end)([Once() || _ <- lists:seq(1, %d)])" % SLOW_SENDS))
        lines = trace.stop_json()
    hist, = [hist for hist in of_type(lines, "hist") if hist["key"] == "prim_socket:nif_send/4"]
    assert hist["count"] == SLOW_SENDS, hist
    # Half of them take the median at least.
    within(0, (hist["max"] or 0), longest)
    within(0, hist["p50"] * (SLOW_SENDS // 2), total)


def address(number):
    return "127.0.0.1:%s" % number


def addresses(lines):
    """(local, peer) by key."""
    return {row["key"]: (row["local"], row["peer"]) for row in rows_of(lines)}


def port_of(node, expression):
    return node.eval("(fun() -> {ok, {_, Is}} = %s, Is end)()" % expression)


@over(VMS)
def test_by_port_the_addresses_of_inet_ports_are_the_nodes_own(vm):
    with shared(vm) as node:
        work = with_tcp(node)
        a, b, listening = [port_of(node, "inet:sockname(%s)" % name) for name in "ABL"]
        tcp = [node.eval(name) for name in "AB"]
        node.eval("{ok, U} = gen_udp:open(0, [{ip, {127, 0, 0, 1}}, {active, false}])")
        udp, own = node.eval("U"), node.eval("element(2, inet:port(U))")
        in_json, text = [Trace("sockets", "-p", node.pid, "--by", "port", *more) for more in (["-j"], [])]
        node.eval(work)
        node.eval("ok = gen_udp:send(U, {127, 0, 0, 1}, 9, <<1>>)")
        lines, table = in_json.stop_json(), text.stop()
    seen = addresses(lines)
    assert b == listening and seen[tcp[0]] == (address(a), address(listening)), (seen, a, b)
    # All names of the sides: who connected, who accepted, and who is of no peer.
    assert seen[tcp[1]] == (address(listening), address(a)) and seen[udp] == (address(own), None), seen
    assert "%s -> %s" % (address(a), address(b)) in table and "%s <- %s" % (address(b), address(a)) in table, table
    named = {hist["key"]: hist["name"] for hist in of_type(lines, "hist")}
    assert named[tcp[1]] == "%s <- %s" % (address(b), address(a)) and named[udp] == address(own), named


@over(VMS)
def test_by_port_the_addresses_of_module_sockets_are_the_nodes_own(vm):
    with shared(vm) as node:
        with_sockets(node)
        a, b = [node.eval("(fun() -> {ok, #{port := Is}} = socket:sockname(%s), Is end)()" % name) for name in "AB"]
        trace = Trace("sockets", "-p", node.pid, "-j", "--by", "port")
        node.eval("ok = socket:send(A, <<1>>), {ok, _} = socket:recv(B, 1)")
        seen = addresses(trace.stop_json())
    assert sorted(seen.values()) == sorted([(address(a), address(b)), (address(b), address(a))]), seen


@over(VMS[:2])
def test_a_closed_socket_keeps_the_addresses_that_were_known_last(vm):
    with shared(vm) as node:
        work = with_tcp(node)
        a, b = [port_of(node, "inet:sockname(%s)" % name) for name in "AB"]
        ports = [node.eval(name) for name in "AB"]
        trace = Trace("sockets", "-p", node.pid, "-j", "--by", "port", "--min", "1ns")
        node.eval(work)
        # Each operation is printed with addresses, which are looked up before.
        lines = []
        while set(ports) - {line["socket"] for line in lines}:
            lines.append(json.loads(trace.line()))
        # Then others get their numbers.
        node.eval("gen_tcp:close(A), gen_tcp:close(B), "
                  "{ok, A2} = gen_tcp:connect({127, 0, 0, 1}, Number, [{active, false}]), {ok, B2} = gen_tcp:accept(L)")
        new, c = node.eval("A2"), port_of(node, "inet:sockname(A2)")
        # They are not looked up for each operation, if one comes right behind another.
        while not [line for line in lines if line["socket"] == new and line["local"]]:
            node.eval("ok = gen_tcp:send(A2, <<1>>)")
            lines.append(json.loads(trace.line()))
        lines += map(json.loads, trace.stop().splitlines())
    seen = {line["socket"]: (line["local"], line["peer"]) for line in of_type(lines, "event")}
    assert [seen[port] for port in (*ports, new)] == [(address(a), address(b)), (address(b), address(a)), (address(c), address(b))], seen
    named = {hist["key"]: hist["name"] for hist in of_type(lines, "hist")}
    assert named[ports[0]] == "%s -> %s" % (address(a), address(b)) and named[ports[1]] == "%s <- %s" % (address(b), address(a)), named
    assert named[new] == "%s -> %s" % (address(c), address(b)) and c != a, named


@over(VMS[:1])
def test_the_path_of_a_local_socket_is_shown_and_harmless(vm):
    with tempfile.TemporaryDirectory(prefix="erlbpf-sockets-") as folder, shared(vm) as node:
        path = os.path.join(folder, "s\x1b[31mx")
        node.eval("{ok, L} = gen_tcp:listen(0, [{ifaddr, {local, <<\"%s/s\\e[31mx\">>}}, {active, false}])" % folder)
        node.eval("{ok, A} = gen_tcp:connect({local, <<\"%s/s\\e[31mx\">>}, 0, [{active, false}])" % folder)
        node.eval("{ok, B} = gen_tcp:accept(L)")
        in_json, text = [Trace("sockets", "-p", node.pid, "--by", "port", *more) for more in (["-j"], [])]
        node.eval("ok = gen_tcp:send(B, <<1>>), {ok, _} = gen_tcp:recv(A, 1)")
        key, seen, table = node.eval("B"), addresses(in_json.stop_json()), text.stop()
    assert seen[key] == (path, None), seen
    assert "\x1b" not in table and "s\\x1b[31mx" in table, table
