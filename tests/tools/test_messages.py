"""messages, held against what the node sends."""
import json

from lib import JIT_VMS, VMS, WITH_NEWEST, Node, Trace, erlbpf, of_type, over, probe_total, shared, unique, wait_until

SEND_SELF = ("[self() ! {N, self()} || N <- lists:seq(1, 10)], "
             "[receive {N, _} -> N end || N <- lists:seq(1, 10)]")
RECEIVER = "P = spawn(timer, tc, [fun F() -> receive stop -> ok; _ -> F() end end])"
SEND = "[P ! {N, <<\"m\">>} || N <- lists:seq(1, %d)], ok"


@over(WITH_NEWEST)
def test_each_message_is_shown_with_who_sent_it_to_whom(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = Trace("messages", "-j", "-p", node.pid, "--erl-pid", receiver)
        node.eval(SEND % 100)
        sender = node.eval("self()")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert [(e["from"], e["to"], e["message"]) for e in events] == [(sender, receiver, None)] * 100
    assert lines[-1]["probes"]["message-send"] == {"events": 100, "lost": 0}


@over(VMS)
def test_messages_that_come_too_fast_are_counted_as_lost(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
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
    with shared(vm, "+S", "4") as node:
        node.eval(RECEIVER)
        receiver = node.eval("P")
        trace = Trace("messages", "--show", "-j", "-p", node.pid, "--erl-pid", receiver)
        node.eval("Senders = [spawn_monitor(fun() -> [P ! {self(), N, <<(N):800>>, self()} "
                  "|| N <- lists:seq(1, 500)] end) || _ <- lists:seq(1, 8)], "
                  "[receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- Senders], ok", limit=120)
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert probe_total(lines, "message-send") == 4000 and len(events) > 100
    for event in events:
        parts = event["message"].strip("{}").split(",")
        assert parts[0] == parts[-1] == event["from"], event
        number = bytes(int(part) for part in ",".join(parts[2:-1]).strip("<>").split(","))
        assert int.from_bytes(number, "big") == int(parts[1]), event


def wait_for_receiver(node):
    """Until it has received all that was sent to it."""
    wait_until("all is received", lambda: node.eval(
        "process_info(P, [message_queue_len, status])") == "[{message_queue_len,0},{status,waiting}]")


def trace_messages(node, receiver, *words):
    return Trace("messages", *words, "-j", "-p", node.pid, "--erl-pid", receiver)


def rows_of(lines):
    """Rows of the only table, by sender and receiver, or by key."""
    table, = of_type(lines, "table")
    return {(row["kind"], row.get("key") or (row["from"], row["to"])): row for row in table["rows"]}


@over(VMS)
def test_sizes_are_the_words_that_the_node_copies(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        node.eval("Terms = [ok, 17, {a, self()}, lists:seq(1, 100), <<1:800>>, binary:copy(<<1>>, 9000), "
                  "#{id => self()}, 1.5, 1 bsl 200, [{N, make_ref(), [N]} || N <- lists:seq(1, 40)]]")
        own = [int(size) for size in
               node.eval("[erts_debug:flat_size(T) || T <- Terms]").strip("[]").split(",")]
        trace = trace_messages(node, receiver)
        node.eval("[P ! T || T <- Terms], ok")
        lines = trace.stop_json()
    assert [e["size"] for e in of_type(lines, "event")] == own
    assert lines[-1]["lost"] == 0


@over(VMS)
def test_what_a_process_sends_to_itself_is_not_copied(vm):
    with shared(vm) as node:
        own = node.eval("self()")
        trace = trace_messages(node, own)
        node.eval(SEND_SELF)
        lines = trace.stop_json()
    sizes = [e["size"] for e in of_type(lines, "event") if e["from"] == e["to"] == own]
    assert sizes == [0] * 10


@over(VMS)
def test_a_mailbox_off_the_heap_gets_copies_of_what_its_owner_sends(vm):
    with Node(vm) as node:
        own = node.eval("begin process_flag(message_queue_data, off_heap), self() end")
        trace = trace_messages(node, own)
        node.eval(SEND_SELF)
        lines = trace.stop_json()
    sizes = [e["size"] for e in of_type(lines, "event") if e["from"] == e["to"] == own]
    assert sizes == [3] * 10


@over(VMS)
def test_tokens_are_those_of_seq_trace(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = trace_messages(node, receiver, "message-*")
        node.eval("P ! {before, self()}, seq_trace:set_token(label, 17), P ! {one, self()}, P ! two, "
                  "seq_trace:set_token(label, large), P ! three, {label, large} = seq_trace:get_token(label), "
                  "Serial = seq_trace:get_token(serial), seq_trace:set_token([]), P ! behind")
        own = node.eval("Serial")
        wait_for_receiver(node)
        lines = trace.stop_json()
    for kind in "send", "queued", "received":
        tokens = [(e["label"], e["serial"], e["previous"]) for e in of_type(lines, "event")
                  if e["kind"] == kind]
        assert tokens == [(None,) * 3, (17, 1, 0), (17, 2, 0), (None, 3, 0), (None,) * 3], (kind, tokens)
    assert own == "{serial,{0,3}}"


@over(VMS)
def test_queues_are_as_long_as_they_were(vm):
    with shared(vm) as node:
        receiver = node.eval("P = spawn(fun() -> receive go -> ok end, "
                             "[receive M -> M end || _ <- lists:seq(1, 20)], receive stop -> ok end end)")
        trace = trace_messages(node, receiver, "message-*")
        node.eval("[P ! {N} || N <- lists:seq(1, 20)], 20 = element(2, process_info(P, message_queue_len)), "
                  "P ! go, ok")
        wait_for_receiver(node)
        lines = trace.stop_json()
    queues = {kind: [e["queue"] for e in of_type(lines, "event") if e["kind"] == kind and e["to"] == receiver]
              for kind in ("send", "queued", "received")}
    assert queues["send"] == list(range(21))
    # go is received first, when all are there.
    assert queues["received"] == list(range(21, 0, -1))
    # A function enqueues before it is longer, the note tells when the receiver fetches.
    assert len(queues["queued"]) == 21 and (vm.notes or queues["queued"] == list(range(21)))


def counts(node, by):
    """What three senders that end at once and two receivers were found to do."""
    node.eval("Loop = fun F() -> receive _ -> F() end end, A = spawn(Loop), B = spawn(Loop), register(aa, A), "
              "register(bb, B)")
    trace = Trace("messages", "message-*", "-j", "-p", node.pid, "--by", by)
    senders = node.eval(
        "[begin {Pid, M} = spawn_monitor(fun() -> register(Name, self()), "
        "[begin A ! {I}, B ! list_to_tuple(lists:seq(1, I)) end || I <- lists:seq(1, N)] end), "
        "receive {'DOWN', M, _, _, _} -> Pid end end || {Name, N} <- [{x, 100}, {y, 200}, {z, 1000}]]")
    wait_until("all is received", lambda: node.eval(
        "[process_info(P, [message_queue_len, status]) || P <- [A, B]] =:= "
        "lists:duplicate(2, [{message_queue_len, 0}, {status, waiting}])") == "true")
    lines = trace.stop_json()
    assert lines[-1]["lost"] == 0
    return senders.strip("[]").split(","), node.eval("A"), node.eval("B"), lines


@over(VMS)
def test_pairs_are_counted_with_their_sizes_and_keep_their_names(vm):
    with shared(vm) as node:
        senders, a, b, lines = counts(node, "pair")
    rows = rows_of(lines)
    hists = {hist["key"]: hist for hist in of_type(lines, "hist")}
    for name, sender, n in zip("xyz", senders, (100, 200, 1000)):
        to_a, to_b = rows["send", (sender, a)], rows["send", (sender, b)]
        assert (to_a["messages"], to_a["words"], to_a["max"]) == (n, 2 * n, 2)
        assert (to_b["messages"], to_b["words"], to_b["max"]) == (n, n + n * (n + 1) // 2, n + 1)
        assert (to_a["from_name"], to_a["to_name"]) == (name, "aa")
        hist = hists[sender + " -> " + b]
        assert (hist["count"], hist["sum"], hist["max"], hist["unit"]) == (n, to_b["words"], n + 1, "words")
        assert sum(bucket["count"] for bucket in hist["buckets"]) == n
        assert hist["buckets"][0] == {"lo": 2, "hi": 3, "count": 2}
        assert abs(hist["p50"] - n / 2) <= n / 20 and hist["min"] == 2
        assert hist["name"] == name + " -> bb"


@over(VMS)
def test_what_arrives_is_counted_by_receiver(vm):
    with shared(vm) as node:
        _, a, b, lines = counts(node, "pid")
    rows = rows_of(lines)
    for kind in "queued", "received":
        assert [(rows[kind, key]["messages"], rows[kind, key]["name"]) for key in (a, b)] == [
            (1300, "aa"), (1300, "bb")]
        # Nobody but a note measures them.
        assert rows[kind, a]["words"] == (2600 if vm.notes else None)


@over(VMS)
def test_names_and_kinds_are_counted(vm):
    with shared(vm) as node:
        senders, _, _, lines = counts(node, "name")
        rows = rows_of(lines)
        assert [rows["send", name]["messages"] for name in "xyz"] == [200, 400, 2000]
        assert rows["received", "aa"]["messages"] == 1300
    with shared(vm) as node:
        rows = rows_of(counts(node, "kind")[-1])
    assert rows["send", "send"]["messages"] >= 2600 and rows["queued", "queued"]["messages"] >= 2600


LOOPS = "Loop = fun F() -> receive _ -> F() end end, [register(Name, spawn(Loop)) || Name <- [aa, bb]], ok"


def text_table(node, *words):
    """Rows of the table by key as text, each as words; and all the text."""
    trace = Trace("messages", "message-*", "-p", node.pid, *words)
    node.eval("[aa ! {N} || N <- lists:seq(1, 100)], [bb ! lists:seq(1, N) || N <- lists:seq(1, 30)], ok")
    out = trace.stop()
    assert out.count("KEY") == 1, out
    head, *lines = out[out.index("KEY"):].split("\n\n")[0].splitlines()
    assert head.split() == ["KEY", "COUNT", "P50", "P90", "P99", "MAX", "TOTAL", "NAME"], out
    return [line.split() for line in lines], out


@over(VMS)
def test_text_by_key_is_one_table_with_the_worst_first(vm):
    with shared(vm) as node:
        node.eval(LOOPS)
        rows, out = text_table(node, "--by", "pair", "--erl-pid", node.eval("self()"))
        sends = [row for row in rows if row[1] == "->" and row[-1] in ("aa", "bb")]
        # The table has the longer lists first, which are 930 words; the pairs of 2 words are 100.
        assert [row[3] for row in sends[:2]] == ["30", "100"], out
        assert sends[0][3:9] == ["30", "30", "54", "60", "60", "930"], out
        assert sends[1][3:9] == ["100", "2", "2", "2", "2", "200"], out
        assert "Distribution" not in out and "size of messages, words" in out, out
        by_count, out = text_table(node, "--by", "pair", "--sort", "count", "--rows", "1", "--hist",
                                   "--erl-pid", node.eval("self()"))
        assert "100" in by_count[0] and out.count("Distribution") <= 1 and "more; --rows=N" in out, out
        with_hist, out = text_table(node, "--by", "name", "--rows", "2", "--hist", "--erl-pid", node.eval("self()"))
        assert out.count("Distribution") == 2, out


@over([vm for vm in VMS if not vm.notes])
def test_messages_of_unknown_size_are_rows_of_the_table(vm):
    with shared(vm) as node:
        node.eval(LOOPS)
        rows, out = text_table(node, "--by", "name")
    received = {row[1]: row[2:8] for row in rows if row[0] == "received"}
    assert received["aa"] == ["100", "-", "-", "-", "-", "-"] and received["bb"][0] == "30", out


@over(VMS)
def test_pairs_that_do_not_fit_are_counted_as_others(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = trace_messages(node, receiver, "--by", "pair")
        node.eval("[begin {_, M} = spawn_monitor(fun() -> P ! {self()} end), "
                  "receive {'DOWN', M, _, _, _} -> ok end end || _ <- lists:seq(1, 20000)], ok", limit=120)
        lines = trace.stop_json()
    table, = of_type(lines, "table")
    assert table["other"] == 20000 - 16384 and len(table["rows"]) == 16384
    assert all(row["messages"] == 1 and row["words"] == 2 for row in table["rows"])
    assert lines[-1]["probes"]["message-send"] == {"events": 20000, "lost": 0}


@over(VMS)
def test_intervals_add_up(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = trace_messages(node, receiver, "--by", "pair", "-i", "50ms")
        rows = []
        for _ in range(3):
            node.eval("[P ! {N} || N <- lists:seq(1, 100)], ok")
            intervals = []
            while not intervals:
                intervals += rows_of_table(trace.line())
            rows += intervals
        for line in trace.stop().splitlines():
            rows += rows_of_table(line)
    # What was sent at once may be in two intervals.
    assert 3 <= len(rows) <= 6, rows
    assert sum(row["messages"] for row in rows) == 300 and sum(row["words"] for row in rows) == 600, rows


def rows_of_table(line):
    found = json.loads(line)
    return found["rows"] if found["type"] == "table" else []


@over(VMS)
def test_answers_of_servers_are_sends_to_an_alias(vm):
    with shared(vm) as node:
        server = node.eval("whereis(application_controller)")
        own = node.eval("self()")
        trace = trace_messages(node, server, "message-*")
        node.eval("[gen_server:call(application_controller, which_applications) "
                  "|| _ <- lists:seq(1, 50)], ok")
        lines = trace.stop_json()
    sent = [e for e in of_type(lines, "event") if e["kind"] == "send"]
    pairs = [(e["from"], e["to"]) for e in sent]
    assert pairs == [(own, server), (server, own)] * 50
    assert all(e["to_name"] == "application_controller" for e in sent[::2])
    answers = [e["size"] for e in sent[1::2]]
    assert min(answers) > 0 and len(set(answers)) == 1
    # A call monitors its server, and the signal is enqueued together with the message.
    for kind in "queued", "received":
        assert sum(e["kind"] == kind and e["to"] == server for e in of_type(lines, "event")) == 50, kind


# OTP 29 has one function for messages to aliases and for those with priority, whose note does not fire.
@over([vm for vm in WITH_NEWEST if vm.otp >= 29 and not vm.notes])
def test_messages_with_priority_are_sends_too(vm):
    with shared(vm) as node:
        own = node.eval("self()")
        server = node.eval("P = spawn(fun() -> receive From -> From ! alias([priority]) end, "
                           "(fun F() -> receive _ -> F() end end)() end)")
        node.eval("P ! self(), A = receive Alias -> Alias end, ok")
        trace = trace_messages(node, server, "message-*")
        node.eval("[begin erlang:send(A, {to_alias, N}, [priority]), erlang:send(P, {to_pid, N}, [priority]), "
                  "A ! {plain, N} end || N <- lists:seq(1, 20)], ok")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert [(e["from"], e["to"]) for e in events if e["kind"] == "send"] == [(own, server)] * 60
    for kind in "queued", "received":
        assert sum(e["kind"] == kind and e["to"] == server for e in events) == 60, kind


def peers(vm):
    names = [unique("messages_" + side) for side in "ab"]
    return [Node(vm, "-sname", name, "-setcookie", "messages") for name in names]


def send_to_peer(a, b):
    """The peer's name and pid."""
    peer, pid = b.eval("node()"), b.eval("P")
    a.eval("pong = net_adm:ping(%s), Q = rpc:call(%s, erlang, whereis, [srv]), Alias = alias(), ok" % (peer, peer))
    return peer.strip("'"), pid


@over(VMS)
def test_messages_to_other_nodes_are_shown_with_the_node(vm):
    first, second = peers(vm)
    with first as a, second as b:
        b.eval("P = spawn(fun F() -> receive {R, Al} -> Al ! {answer, R}, F(); _ -> F() end end), "
               "register(srv, P)")
        peer, pid = send_to_peer(a, b)
        own, remote = a.eval("self()"), a.eval("Q")
        here, there = trace_messages(a, own), trace_messages(b, pid, "message-*")
        a.eval("[Q ! {1, 2, 3} || _ <- lists:seq(1, 10)], {srv, '%s'} ! hello, Q ! {self(), Alias}, "
               "receive {answer, _} -> ok end" % peer)
        lines = here.stop_json()
        sent = [e for e in of_type(lines, "event") if e["kind"] == "remote"]
        named = "{srv,'%s'}" % peer
        assert [e["to"] for e in sent] == [remote] * 10 + [named, remote]
        assert all(e["from"] == own and e["peer"] == peer for e in sent)
        assert [e["size"] for e in sent] == ([4] * 10 + [0, 7 if vm.otp == 25 else sent[-1]["size"]]
                                             if vm.notes else [None] * 12)
        # They are not told of as local ones too.
        assert all(e["to_name"] for e in of_type(lines, "event") if e["kind"] == "send")
        arrived = of_type(there.stop_json(), "event")
        kinds = [e["kind"] for e in arrived]
        assert (kinds.count("queued"), kinds.count("received"), kinds.count("remote")) == (12, 12, 1)
        answer, = [e for e in arrived if e["kind"] == "remote"]
        assert answer["to"] is None and answer["peer"] == a.eval("node()").strip("'")


@over(VMS)
def test_messages_are_counted_by_the_node_that_they_go_to(vm):
    first, second = peers(vm)
    with first as a, second as b:
        b.eval("P = spawn(fun F() -> receive _ -> F() end end), register(srv, P)")
        peer, _ = send_to_peer(a, b)
        own = a.eval("self()")
        a.eval(RECEIVER)
        by_node, by_pair = (Trace("messages", "-j", "-p", a.pid, "--erl-pid", own, "--by", by)
                            for by in ("node", "pair"))
        a.eval("[begin Q ! {N}, {srv, '%s'} ! N, P ! N end || N <- lists:seq(1, 300)], ok" % peer)
        rows = rows_of(by_node.stop_json())
        assert rows["remote", peer]["messages"] == 600
        assert rows["send", a.eval("node()").strip("'")]["messages"] >= 300
        rows = rows_of(by_pair.stop_json())
        assert rows["remote", (own, a.eval("Q"))]["messages"] == 300
        assert rows["remote", (own, "{srv,'%s'}" % peer)]["messages"] == 300


@over(JIT_VMS)
def test_what_arrives_is_shown_too(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = trace_messages(node, receiver, "message-*", "--show")
        node.eval("[P ! {N, [<<\"m\">>]} || N <- lists:seq(1, 10)], ok")
        wait_for_receiver(node)
        lines = trace.stop_json()
    for kind in "send", "queued", "received":
        assert [e["message"] for e in of_type(lines, "event") if e["kind"] == kind and e["to"] == receiver] == [
            '{%d,[<<"m">>]}' % n for n in range(1, 11)], kind


@over(VMS[:1])
def test_a_glob_chooses_kinds_and_must_be_of_some(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = trace_messages(node, receiver, "message-receive")
        node.eval(SEND % 10)
        wait_for_receiver(node)
        lines = trace.stop_json()
        assert [e["kind"] for e in of_type(lines, "event")] == ["received"] * 10
        trace = trace_messages(node, receiver, "message-send")
        node.eval(SEND % 10)
        lines = trace.stop_json()
        # Without a probe on copies.
        assert [(e["kind"], e["size"]) for e in of_type(lines, "event")] == [("send", None)] * 10
        _, err = erlbpf("messages", "gc_*", "-p", node.pid, "-d", "1", code=3)
        assert "no probe of messages matches" in err


@over(VMS)
def test_a_sender_that_is_gone_keeps_its_name_in_events(vm):
    with shared(vm) as node:
        receiver = node.eval(RECEIVER)
        trace = trace_messages(node, receiver)
        node.eval("{_, M} = spawn_monitor(fun() -> register(shortly, self()), P ! hello end), "
                  "receive {'DOWN', M, _, _, _} -> ok end")
        event, = of_type(trace.stop_json(), "event")
    assert event["from_name"] == "shortly" and event["to_name"] == "timer:tc/1"
