"""messages, held against what the node sends."""
from lib import VMS, Node, Trace, of_type, probe_total


def over(cases):
    def mark(function):
        function.cases = list(cases)
        return function
    return mark


SEND = "[P ! {N, <<\"m\">>} || N <- lists:seq(1, %d)], ok"


@over(VMS)
def test_each_message_is_shown_with_who_sent_it_to_whom(vm):
    with Node(vm) as node:
        receiver = node.eval("P = spawn(fun F() -> receive stop -> ok; _ -> F() end end)")
        trace = Trace("messages", "-j", "-p", node.pid, "--erl-pid", receiver)
        node.eval(SEND % 100)
        sender = node.eval("self()")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert [(e["from"], e["to"], e["message"]) for e in events] == [(sender, receiver, None)] * 100
    assert lines[-1]["probes"]["message-send"] == {"events": 100, "lost": 0}


@over(VMS)
def test_messages_that_come_too_fast_are_counted_as_lost(vm):
    with Node(vm) as node:
        receiver = node.eval("P = spawn(fun F() -> receive stop -> ok; _ -> F() end end)")
        trace = Trace("messages", "--show", "-j", "-p", node.pid, "--erl-pid", receiver)
        # Its output is read when it has ended, so it has to wait with it.
        node.eval(SEND % 20000, limit=120)
        lines = trace.stop_json()
    shown = [e["message"] for e in of_type(lines, "event")]
    assert lines[-1]["probes"]["message-send"]["events"] == len(shown)
    assert probe_total(lines, "message-send") == 20000
    assert all(message.endswith(',<<"m">>}') for message in shown)


@over(VMS)
def test_messages_of_senders_that_run_at_once_are_not_mixed_up(vm):
    with Node(vm, "+S", "4") as node:
        node.eval("P = spawn(fun F() -> receive stop -> ok; _ -> F() end end)")
        receiver = node.eval("P")
        trace = Trace("messages", "--show", "-j", "-p", node.pid, "--erl-pid", receiver)
        node.eval("Senders = [spawn_monitor(fun() -> [P ! {self(), N, <<(N):800>>, self()} "
                  "|| N <- lists:seq(1, 2000)] end) || _ <- lists:seq(1, 8)], "
                  "[receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- Senders], ok", limit=120)
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert probe_total(lines, "message-send") == 16000 and len(events) > 100
    for event in events:
        parts = event["message"].strip("{}").split(",")
        assert parts[0] == parts[-1] == event["from"], event
        number = bytes(int(part) for part in ",".join(parts[2:-1]).strip("<>").split(","))
        assert int.from_bytes(number, "big") == int(parts[1]), event
