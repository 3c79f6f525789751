"""How near the time of a send is to the node's own, and how soon addresses are looked up."""
import os
import tempfile

from lib import VMS, Node, Trace, agree, of_type, over
from test_sockets import address, addresses, port_of, with_tcp


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
    agree(lambda: slow_sends(vm), tries=8)


@over(VMS[:2])
def test_a_closed_socket_keeps_the_addresses_that_were_known_last(vm):
    with Node(vm) as node:
        work = with_tcp(node)
        a, b = [port_of(node, "inet:sockname(%s)" % name) for name in "AB"]
        ports = [node.eval(name) for name in "AB"]
        trace = Trace("sockets", "-p", node.pid, "-j", "--by", "port")
        node.eval(work)
        # They are looked up every half a second. Then others get their numbers.
        node.eval("timer:sleep(1500), gen_tcp:close(A), gen_tcp:close(B), timer:sleep(100)")
        node.eval("{ok, A2} = gen_tcp:connect({127, 0, 0, 1}, Number, [{active, false}]), {ok, B2} = gen_tcp:accept(L)")
        node.eval("ok = gen_tcp:send(A2, <<1>>)")
        new = node.eval("A2")
        seen = addresses(trace.stop_json())
    assert seen[ports[0]] == (address(a), address(b)) and seen[ports[1]] == (address(b), address(a)), (seen, ports)
    assert seen[new][1] == address(b) and seen[new][0] != address(a), seen
