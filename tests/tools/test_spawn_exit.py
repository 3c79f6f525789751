"""spawn-exit, held against what the node does."""
import base64
import re

from lib import STOCK, VMS, WITH_NEWEST, Node, Trace, of_type, over, probe_total, shared, unique


def events_of(lines, kind, **wanted):
    return [e for e in of_type(lines, "event")
            if e["event"] == kind and all(e[key] == value for key, value in wanted.items())]


def quiet(node):
    node.eval("logger:set_primary_config(level, none), ok")
    return node.eval("self()")


REASONS = ["normal", "oops", "{shutdown,\"by hand\"}", "{1,-2.5,[a|b],#{k => {<<\"v\">>,[]}}}",
           "'needs quotes'", "1 bsl 70", "lists:seq(1, 40)", "<<1:9>>", "{node(), self()}",
           "fun lists:map/2", "{[],{},#{},\"\",<<>>}", "[955,946,$a]", "lists:seq(1, 5000)"]


@over(WITH_NEWEST)
def test_each_birth_and_end_is_shown_with_who_and_what_and_why(vm):
    with shared(vm) as node:
        me = quiet(node)
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        own = node.eval("lives:ends([%s])" % ", ".join(REASONS))
        lines = trace.stop_json()
    own = base64.b64decode(own.strip('"')).decode().splitlines()
    wanted = [tuple(line.split(" ", 1)) for line in own]
    births, ends = events_of(lines, "spawn", other=me), events_of(lines, "exit", other=me)
    assert [e["pid"] for e in births] == [e["pid"] for e in ends] == [pid for pid, _ in wanted]
    assert {(e["mfa"], e["name"]) for e in births + ends} == {("erlang:exit/1", "erlang:exit/1")}
    assert {e["reason"] for e in births} == {None}
    for (pid, reason), seen in zip(wanted[:-1], ends):
        assert seen["reason"] == reason, (seen, reason)
    # The last is longer than what is taken of a term.
    text, dots, _ = ends[-1]["reason"].partition("...")
    assert dots and len(text) > 300 and wanted[-1][1].startswith(text.rstrip("|")), ends[-1]


@over(VMS)
def test_no_event_of_a_storm_is_neither_shown_nor_counted_as_lost(vm):
    with shared(vm, "+S", "4") as node:
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        # Its output is read when it has ended, so most have to be lost.
        node.eval("[receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- [spawn_monitor(lives, storm, "
                  "[plain, 2500, x]) || _ <- lists:seq(1, 8)]], ok")
        lines = trace.stop_json()
    for kind, probe in (("spawn", "process-spawn"), ("exit", "process-exit")):
        shown = events_of(lines, kind)
        assert probe_total(lines, probe) == 20008, lines[-1]
        assert lines[-1]["probes"][probe]["events"] == len(shown) > 1000
        assert {e["mfa"] for e in shown} == {"lives:run/1", "lives:storm/3"}
        assert len({e["pid"] for e in shown}) == len(shown)
    assert {e["reason"] for e in events_of(lines, "exit")} == {"normal"}


@over(VMS)
def test_who_lives_only_a_moment_keeps_its_registered_name(vm):
    with shared(vm, "+S", "4") as node:
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        node.eval("[begin {_, M} = spawn_monitor(fun() -> register(list_to_atom(\"brief_\" ++ "
                  "integer_to_list(N)), self()) end), receive {'DOWN', M, _, _, _} -> ok end end "
                  "|| N <- lists:seq(1, 100)], ok")
        lines = trace.stop_json()
    assert [e["name"] for e in events_of(lines, "exit")] == ["brief_%d" % n for n in range(1, 101)]


@over(VMS)
def test_what_is_spawned_is_what_really_runs(vm):
    with shared(vm) as node:
        me = quiet(node)
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        for way in ("plain", "'fun'", "proc_lib", "gen_server", "request"):
            node.eval("lives:storm(%s, 1, x)" % way)
        node.eval("gen_event:start(), ok")
        node.eval("{ok, _} = gen_server:start({local, named}, lives, x, []), ok")
        # Not an init/1 as they want it, but their processes begin.
        node.eval("process_flag(trap_exit, true), {error, _} = supervisor:start_link(lives, x), "
                  "{error, _} = supervisor:start_link({local, other}, lives, x), "
                  "{error, _} = supervisor_bridge:start_link(lives, x), ok")
        lines = trace.stop_json()
    calls = [e["mfa"] for e in events_of(lines, "spawn", other=me)]
    assert calls == ["lives:run/1", "lives:'-spawn_by/2-fun-0-'/0", "lives:run/1", "lives:init/1",
                     "lives:run/1", "gen_event:init_it/6", "lives:init/1", "supervisor:lives/1",
                     "supervisor:lives/1", "supervisor_bridge:lives/1"], calls


@over(VMS)
def test_exit_signals_of_links_are_shown_with_their_sender_as_it_was(vm):
    with shared(vm) as node:
        quiet(node)
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        sender, *linked = re.findall(r"<[0-9.]+>", node.eval("lives:links(50, {its, \"fault\"})"))
        lines = trace.stop_json()
    signals = events_of(lines, "signal", pid=sender)
    assert sorted(e["other"] for e in signals) == sorted(linked) and len(linked) == 50
    assert {e["reason"] for e in signals} == {'{its,"fault"}'}
    assert len({(e["mfa"], e["name"], e["other_name"]) for e in signals}) == 1
    first = signals[0]
    # The one fun is within the other.
    assert first["mfa"] == first["name"] != first["other_name"]
    assert all(re.fullmatch(r"lives:'-links/2-fun-\d-'/0", first[key]) for key in ("name", "other_name")), first
    ends = {e["pid"]: e["reason"] for e in events_of(lines, "exit")}
    assert [ends[pid] for pid in [sender] + linked] == ['{its,"fault"}'] * 51


@over(VMS)
def test_exit_signals_of_exit_2_are_shown_and_those_to_the_dead_counted_apart(vm):
    with shared(vm) as node:
        me = quiet(node)
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        receiver = node.eval("lives:signals(100, [a|b])")
        node.eval("[exit(list_to_pid(\"%s\"), late) || _ <- [1, 2, 3]], ok" % receiver)
        lines = trace.stop_json()
    signals = events_of(lines, "signal", pid=me)
    assert [(e["other"], e["reason"]) for e in signals] == [(receiver, "[a|b]")] * 100
    assert lines[-1]["probes"]["process-exit_signal"] == {"events": 100, "lost": 0}
    assert lines[-1]["gone"] == 3


@over([vm for vm in WITH_NEWEST if vm.otp >= 29])
def test_exit_signals_to_an_alias_have_its_process(vm):
    with shared(vm) as node:
        me = quiet(node)
        receiver = node.eval("P = spawn(fun() -> process_flag(trap_exit, true), receive From -> From ! alias() end, "
                             "(fun F() -> receive _ -> F() end end)() end)")
        node.eval("P ! self(), A = receive Alias -> Alias end, ok")
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        node.eval("[begin exit(A, N), exit(P, {N}, [priority]) end || N <- lists:seq(1, 10)], ok")
        lines = trace.stop_json()
    signals = [(e["other"], e["reason"]) for e in events_of(lines, "signal", pid=me)]
    assert signals == [(receiver, text % n) for n in range(1, 11) for text in ("%d", "{%d}")], signals


@over(VMS)
def test_exit_signals_to_another_node_are_shown_with_its_name(vm):
    with Node(vm, "-sname", unique("here")) as node, Node(vm, "-sname", unique("there")) as peer:
        me = quiet(node)
        quiet(peer)
        there = peer.eval("node()")
        remote = node.eval("R = spawn(%s, fun() -> process_flag(trap_exit, true), "
                           "(fun F() -> receive stop -> ok; _ -> F() end end)() end)" % there)
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        node.eval("[exit(R, {please, N}) || N <- [1, 2, 3]], ok")
        local = node.eval("{P, M} = spawn_monitor(fun() -> link(R), exit(linked) end), "
                          "receive {'DOWN', M, _, _, _} -> P end")
        lines = trace.stop_json()
    signals = events_of(lines, "remote signal")
    assert [(e["pid"], e["other"], e["other_name"], e["reason"]) for e in signals] == [
        (me, remote, there, "{please,%d}" % n) for n in (1, 2, 3)] + [
        (local, remote, there, "linked")], signals
    assert lines[-1]["probes"]["process-exit_signal-remote"] == {"events": 4, "lost": 0}


@over(VMS)
def test_a_process_spawned_from_another_node_is_shown_by_what_it_runs(vm):
    with Node(vm, "-sname", unique("here")) as node, Node(vm, "-sname", unique("there")) as peer:
        here = node.eval("node()")
        peer.eval("pong = net_adm:ping(%s), ok" % here)
        trace = Trace("spawn-exit", "-j", "-p", node.pid)
        pid = peer.eval("{P, M} = spawn_monitor(%s, lives, run, [x]), "
                        "receive {'DOWN', M, _, _, _} -> rpc:call(%s, erlang, pid_to_list, [P]) end"
                        % (here, here)).strip('"')
        lines = trace.stop_json()
    for kind in ("spawn", "exit"):
        assert [(e["mfa"], e["other"]) for e in events_of(lines, kind, pid=pid)] == [("lives:run/1", None)]


@over(VMS)
def test_a_process_is_followed_with_its_children_and_signals(vm):
    with shared(vm) as node:
        me = quiet(node)
        trace = Trace("spawn-exit", "-j", "-p", node.pid, "--erl-pid", me)
        node.eval("lives:links(5, mine), ok")
        receiver = node.eval("lives:signals(2, mine)")
        lines = trace.stop_json()
    events = of_type(lines, "event")
    assert all(me in (e["pid"], e["other"]) for e in events)
    assert [e["event"] for e in events if receiver in (e["pid"], e["other"])] == [
        "spawn", "signal", "signal", "exit"]
    assert len(events) == 6, events


@over([vm for vm in VMS if vm.notes])
def test_with_notes_alone_reasons_are_the_texts_of_the_vm(vm):
    with shared(vm) as node:
        quiet(node)
        trace = Trace("spawn-exit", "-j", "-p", node.pid, "--source", "usdt")
        node.eval("lives:ends([{a, 1.5}, oops]), ok")
        receiver = node.eval("lives:signals(10, {b, c})")
        lines = trace.stop_json()
    ends = events_of(lines, "exit", mfa="erlang:exit/1")
    assert [e["reason"] for e in ends] == ["{a,1.500000e+00}", "oops"]
    signals = events_of(lines, "signal", other=receiver)
    assert [e["reason"] for e in signals] == ["{b,c}"] * 10
    assert lines[-1]["targets"][0]["source"] == "usdt"


@over([STOCK])
def test_text_and_csv_have_all_columns_and_nothing_writes_to_the_terminal(vm):
    titles = ["event", "pid", "name", "other", "other_name", "mfa", "reason"]
    with shared(vm) as node:
        quiet(node)
        trace = Trace("spawn-exit", "-p", node.pid)
        node.eval(r'''{_, M} = spawn_monitor(erlang, exit, ['\e[31mred']), receive {_, M, _, _, _} -> ok end''')
        text = trace.stop()
        trace = Trace("spawn-exit", "-p", node.pid, "-f", "csv")
        node.eval("lives:storm(plain, 1, x)")
        lines = trace.stop().splitlines()
    assert text.splitlines()[0].split() == [title.upper() for title in titles]
    assert "\x1b" not in text and "[31mred" in text, text
    assert ",".join(titles) in lines[0] and ",lives:run/1,normal" in lines[2], lines
