"""A message is a message, whoever sends it and however its receiver is named."""
from lib import VMS, Node, Trace, of_type, over, probe_total, shared, unique, wait_until
from test_top import Top, rows

MESSAGES = 40

# What has the process P get so many messages; a message that has it do so is one more.
WAYS = {
    "alias": "P ! {run, self(), fun() -> [_ = sys:get_state(application_controller) || _ <- lists:seq(1, %d)] end}",
    "send_after": "P ! {run, self(), fun() -> [begin erlang:send_after(1, P, due), receive due -> ok end end || _ <- lists:seq(1, %d)] end}",
    "nif": "ok = sleeper:tell(P, %d), P ! {run, self(), fun() -> ok end}",
    "port": "P ! {run, self(), fun() -> sleeper:waits(sleeper:open(), %d) end}",
}
RECEIVER = ("sleeper:load(), sys:get_state(application_controller), P = spawn(fun F() -> receive {run, From, Fun} -> Fun(), From ! done, F(); _ -> F() end end), "
            "ok")


def cases(*ways):
    return over(["%s,%s" % (vm, way) for vm in VMS for way in ways])


def of_case(case):
    name, way = case.split(",")
    return [vm for vm in VMS if vm.name == name][0], way


def deliver(case, tool, *options):
    """What the tool says of P, which gets messages in this way."""
    vm, way = of_case(case)
    with shared(vm) as node:
        node.eval(RECEIVER)
        pid = node.eval("P")
        trace = Trace(tool, "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid, *options)
        node.eval(WAYS[way] % MESSAGES + ", receive done -> ok end")
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return pid, [(h["key"], h["count"]) for h in of_type(lines, "hist")]


@cases(*WAYS)
def test_sched_latency_measures_each_message(case):
    pid, hists = deliver(case, "sched-latency")
    assert [key for key, _ in hists] == [pid], hists
    # sleeper:open() is answered by a server, too.
    assert MESSAGES + 1 <= hists[0][1] <= MESSAGES + 1 + 10 * ("port" in case), hists


@cases(*WAYS)
def test_mailbox_measures_each_message(case):
    pid, hists = deliver(case, "mailbox")
    assert [key for key, _ in hists] == [pid], hists
    assert MESSAGES + 1 <= hists[0][1] <= MESSAGES + 1 + 10 * ("port" in case), hists


@over(VMS)
def test_messages_of_other_nodes_have_a_latency(vm):
    names = [unique("delivery_" + side) for side in ("here", "there")]
    with Node(vm, "-sname", names[0]) as here, Node(vm, "-sname", names[1]) as there:
        here.eval("P = spawn(fun F() -> receive {last, Q} -> Q ! ok; _ -> F() end end), register(sink, P), ok")
        pid, name = here.eval("P"), here.eval("node()")
        there.eval("pong = net_adm:ping(%s)" % name)
        trace = Trace("sched-latency", "-p", here.pid, "-j", "--by", "name", "--erl-pid", pid)
        there.eval("[{sink, %s} ! K || K <- lists:seq(1, %d)], {sink, %s} ! {last, self()}, receive ok -> ok end"
                   % (name, MESSAGES, name))
        lines = trace.stop_json()
    assert [(h["key"], h["count"]) for h in of_type(lines, "hist")] == [("sink", MESSAGES + 1)], lines


@over(VMS)
def test_replies_are_counted_as_messages_that_are_sent(vm):
    def count(calls):
        with shared(vm) as node:
            node.eval("sys:get_state(application_controller), ok")
            trace = Trace("count", "message-send", "-p", node.pid, "-j")
            node.eval("[sys:get_state(application_controller) || _ <- lists:seq(1, %d)], ok" % calls)
            return probe_total(trace.stop_json(), "message-send")
    # A request and a reply for each; beside them, what the node's input and output need.
    assert 2 * MESSAGES <= count(MESSAGES) - count(0) <= 2 * MESSAGES + 4


@over(VMS)
def test_d_scripts_see_replies_too(vm):
    with shared(vm) as node:
        server, own = node.eval("whereis(application_controller)"), node.eval("self()")
        trace = Trace("-q", "-n", 'BEGIN { printf("begun\\n"); } erlang%d:::message-send '
                      '{ @[copyinstr(arg0), copyinstr(arg1)] = count(); }' % node.pid, wait=False)
        assert trace.line() == "begun"
        node.eval("[sys:get_state(application_controller) || _ <- lists:seq(1, %d)], ok" % MESSAGES)
        out = trace.stop()
    assert [server, own, str(MESSAGES)] in [line.split() for line in out.splitlines()], out


@over(VMS)
def test_top_shows_replies_as_sent_and_timers_as_waiting(vm):
    with shared(vm) as node:
        node.eval("S = spawn(fun F() -> receive {P, A} -> A ! {A, ok}, F(); _ -> F() end end), ok")
        # Takes no message until it is told to, and says when it has taken them.
        node.eval("W = spawn(fun() -> receive {go, P} -> [receive due -> ok end || _ <- lists:seq(1, %d)], P ! taken, receive never -> ok end "
                  "end end), ok" % MESSAGES)
        server, waiter = node.eval("S"), node.eval("W")
        top = Top(node, "-j", "-i", "60", "--probes", "always")
        node.eval("[begin A = monitor(process, S, [{alias, reply_demonitor}]), S ! {self(), A}, "
                  "receive {A, ok} -> ok end end || _ <- lists:seq(1, %d)], ok" % MESSAGES)
        node.eval("[erlang:send_after(1, W, due) || _ <- lists:seq(1, %d)], ok" % MESSAGES)
        wait_until("all are due", lambda: node.eval("process_info(W, message_queue_len)") == "{message_queue_len,%d}" % MESSAGES)
        held_ns = int(node.eval("T0 = os:perf_counter(nanosecond), timer:sleep(50), W ! {go, self()}, T1 = os:perf_counter(nanosecond), "
                                "receive taken -> T1 - T0 end"))
        shown = rows(top.stop()[-1])
    assert (shown[server]["out"], shown[server]["in"]) == (MESSAGES, MESSAGES), shown[server]
    # Beside what is due, it is told to take them; that has the shortest wait of all.
    assert shown[waiter]["in"] == MESSAGES + 1, shown[waiter]
    # All were there before the node looked at its clock; half: what probes cost is subtracted.
    assert shown[waiter]["wait"] > held_ns / 2, (shown[waiter], held_ns)


@over(VMS)
def test_top_shows_messages_to_other_nodes_as_sent(vm):
    names = [unique("delivery_" + side) for side in ("out", "in")]
    with Node(vm, "-sname", names[0]) as here, Node(vm, "-sname", names[1]) as there:
        there.eval("register(sink, spawn(fun F() -> receive {last, Q} -> Q ! ok; _ -> F() end end))")
        name = there.eval("node()")
        here.eval("pong = net_adm:ping(%s)" % name)
        here.eval("P = spawn(fun() -> receive {go, From} -> [{sink, %s} ! K || K <- lists:seq(1, %d)], From ! sent, receive never -> ok end "
                  "end end), ok" % (name, MESSAGES))
        pid = here.eval("P")
        top = Top(here, "-j", "-i", "60", "--probes", "always")
        here.eval("P ! {go, self()}, receive sent -> ok end")
        shown = rows(top.stop()[-1])
    # Beside them, the one that says so.
    assert shown[pid]["out"] == MESSAGES + 1, shown[pid]
