"""Probes on real VMs: what fires, from where, and that none of it hurts."""
import json
import os
import signal
import time

from lib import (EMU, IS_ONE_VM, JIT_VMS, LIMIT, NEWEST, NO_BUSY_WAIT, STOCK, USDT, VMS, WITH_NEWEST, Node, Trace, erlbpf, is_at_rest, of_type, over,
                 probe_total, shared, unique, wait_until)
from test_ports import Gate


def attached(*args):
    """Once all of very many probes are live, which costs seconds of processor time."""
    trace = Trace(*args, wait=False)
    trace.wait_for("Tracing", 5 * LIMIT)
    return trace


def rows_of(node, *more):
    out, _ = erlbpf("list", "-p", node.pid, "-j", *more)
    return [row for line in out.splitlines() for row in json.loads(line)["rows"]]


@over([USDT])
def test_all_53_probes_with_sites_attach_on_a_vm_with_notes(vm):
    with shared(vm) as node:
        rows = rows_of(node, "--source", "usdt", "--unsafe")
        named = [r["probe"] for r in rows if r["source"] == "usdt" and
                 not r["probe"].startswith("user_trace-n")]
        assert len(named) == 53, (len(named), named)
        assert sum(r["probe"].startswith("user_trace-n") for r in rows) == 951
        sites = sum(r["sites"] for r in rows)
        assert sites == 1021, sites
        trace = attached("count", "-p", node.pid, "--source", "usdt", "--unsafe", "-j")
        missing = {m["probe"] for m in trace.stop_json()[-1]["targets"][0]["missing"]}
        assert not missing & set(named), missing


@over([EMU])
def test_on_emu_all_59_but_the_three_without_sites_attach(vm):
    with Node(vm) as node:
        rows = rows_of(node, "erlang:*", "--source", "usdt", "--unsafe")
        missing = {r["probe"] for r in rows if r["source"] is None}
        assert missing == {"driver-event", "trace", "trace_seq"}, missing


def test_list_says_whether_a_translator_was_checked_on_the_release_of_the_node():
    with shared(STOCK) as node:
        out, _ = erlbpf("list", "message-send", "-v", "-p", node.pid)
        assert "    checked on OTP 25\n" in out, out


def dist_events(vm):
    """Names of a node and its peer, the process that had to wait for the peer, and the events of the node."""
    with Node(vm, "-sname", unique("here"), "+zdbbl", "1") as here, Node(vm, "-sname", unique("there")) as there:
        # The VM quotes what its printer quotes, which ~0p need not.
        name, peer = (n.eval("node()").strip("'") for n in (here, there))
        trace = Trace("trace", "dist-*", "-p", here.pid, "-j")
        here.eval("net_kernel:monitor_nodes(true), pong = net_adm:ping('%s')" % peer)
        there.eval("register(sink, spawn(fun() -> receive never -> ok end end))")
        there.child.send_signal(signal.SIGSTOP)
        here.eval("P = spawn(fun() -> [{sink, '%s'} ! binary:copy(<<0>>, 100000) || "
                  "_ <- lists:seq(1, 200)] end), ok" % peer)
        blocked = here.eval("P")
        here.eval("(fun W() -> case process_info(P, status) of {status, suspended} -> ok; "
                  "_ -> timer:sleep(10), W() end end)()")
        there.child.send_signal(signal.SIGCONT)
        here.eval("(fun W() -> case process_info(P) of undefined -> ok; "
                  "_ -> timer:sleep(10), W() end end)()")
        there.kill()
        here.eval("receive {nodedown, _} -> ok end")
        return name, peer, blocked, of_type(trace.stop_json(), "event")


@over([vm for vm in VMS if vm.notes and vm.has_jit])
def test_dist_probes_name_the_node_as_their_first_argument(vm):
    # The VM tells that a port is busy no more only if it is found so before its senders are resumed: until that happens.
    seen, end = set(), time.monotonic() + LIMIT
    while "dist-port_not_busy" not in seen and time.monotonic() < end:
        name, peer, blocked, events = dist_events(vm)
        seen |= {e["probe"] for e in events}
        for event in events:
            assert event["args"].startswith("node='%s' " % name), event
        busy = [e["args"] for e in events if e["probe"] == "dist-port_busy"]
        # So small a buffer blocks other processes too, as global's when the two nodes have met.
        assert all("remote_node='%s' " % peer in args for args in busy), busy
        assert any("pid=%s" % blocked in args for args in busy), busy
    # The usual driver has no output callback, so dist-output never fires.
    assert seen == {"dist-monitor", "dist-outputv", "dist-port_busy", "dist-port_not_busy"}, seen


@over(VMS)
def test_a_wildcard_over_all_probes_leaves_the_node_alive_and_idle(vm):
    with Gate() as gate, Node(vm, "-sname", unique("wild"), *NO_BUSY_WAIT) as node:
        trace = attached("count", "*", "-p", node.pid, "-j")
        # Processes that wait for a busy port until its reader reads, some of which are killed then.
        node.eval("Port = " + gate.open_port())
        node.eval("Ps = [spawn(fun() -> [port_command(Port, binary:copy(<<0>>, 70000)) || "
                  "_ <- lists:seq(1, 20)] end) || _ <- lists:seq(1, 20)], ok")
        node.eval("(fun W() -> case [P || P <- Ps, process_info(P, status) =:= {status, suspended}] of "
                  "[] -> timer:sleep(5), W(); _ -> ok end end)()")
        node.eval("[exit(P, kill) || P <- lists:sublist(Ps, 5)], ok")
        os.write(gate.fd, b"go\n")
        # Dynamic calls, also of BIFs of modules that are not loaded.
        node.eval("[apply(M, F, A) || _ <- lists:seq(1, 300), {M, F, A} <- [{math, sqrt, [2.0]}, "
                  "{lists, reverse, [[1, 2]]}, {erlang, abs, [-1]}, {ets, all, []}, {erlang, crc32, [<<1>>]}]], ok")
        node.eval("[begin R = F(X), R end || X <- [1, 2], F <- [fun erlang:abs/1, fun(Y) -> Y end]], ok")
        node.eval("(fun W() -> case [P || P <- Ps, is_process_alive(P)] of [] -> ok; "
                  "_ -> timer:sleep(20), W() end end)()")
        lines = trace.stop_json()
        assert lines[-1]["events"] > 300
        assert node.eval("1 + 1") == "2"
        wait_until("the node is idle", lambda: is_at_rest(node.pid))


WORKLOAD = (
    "Echo = spawn(fun F() -> receive {P, M} -> P ! M, F(); stop -> ok end end), "
    "[begin Echo ! {self(), {N, lists:seq(1, 20)}}, receive {N, _} -> ok end end || N <- lists:seq(1, 2000)], "
    "[spawn(fun() -> exit(bye) end) || _ <- lists:seq(1, 200)], "
    "[prim_file:read_file_info(\"/\") || _ <- lists:seq(1, 100)], [prim_buffer:new() || _ <- lists:seq(1, 100)], "
    "G = spawn(fun() -> [lists:sum(lists:seq(1, 20000)) || _ <- lists:seq(1, 60)], erlang:garbage_collect(), "
    "receive stop -> ok end end), [erlang:send_after(1, G, x) || _ <- lists:seq(1, 20)], timer:sleep(100), "
    "Echo ! stop, G ! stop, "
    "W = fun W() -> case [P || P <- [Echo, G], is_process_alive(P)] of [] -> ok; "
    "_ -> timer:sleep(20), W() end end, W(), timer:sleep(200), ok")

# Probe, and by how much the translator may differ from the note (a share, and a number of hits).
COMPARED = [
    ("message-send", 0.0, 4), ("message-queued", 0.03, 12), ("message-receive", 0.0, 4),
    ("process-spawn", 0.0, 0), ("process-exit", 0.0, 0), ("process-unscheduled", 0.0, 40),
    ("gc_minor-start", 0.05, 4), ("gc_minor-end", 0.08, 4),
    ("gc_major-end", 0.08, 4),
]
# A major collection that a minor one turns into is not seen to start (its end is).
AT_MOST = ["gc_major-start"]


@over([vm for vm in VMS if vm.notes])
def test_translators_count_what_the_notes_count(vm):
    with Node(vm) as node:
        notes = Trace("count", "-p", node.pid, "--source", "usdt", "-j")
        functions = Trace("count", "-p", node.pid, "--source", "symbol", "-j")
        node.eval(WORKLOAD)
        functions_lines, notes_lines = functions.stop_json(), notes.stop_json()
    told = {p["probe"] for p in functions_lines[-1]["targets"][0]["missing"] if p["whole"]}
    differences = []
    # Under the JIT, the notes of NIFs fire for dirty ones only.
    nifs = [] if vm.has_jit else [("nif-entry", 0.0, 2), ("nif-return", 0.0, 2)]
    for probe, share, hits in COMPARED + nifs:
        if probe in told:
            continue
        note, function = probe_total(notes_lines, probe), probe_total(functions_lines, probe)
        if abs(note - function) > max(note * share, hits):
            differences.append("%s: %d by notes, %d by functions" % (probe, note, function))
        assert note > 0, probe
    assert not differences, differences
    for probe in AT_MOST:
        assert probe_total(functions_lines, probe) <= probe_total(notes_lines, probe) + 4, probe


@over(JIT_VMS if IS_ONE_VM else JIT_VMS + [NEWEST])
def test_process_scheduled_is_taken_from_erts_schedule_under_the_jit(vm):
    with shared(vm) as node:
        row = [r for r in rows_of(node, "process-scheduled")][0]
        assert row["source"] == vm.functions and row["from"] == "erts_schedule", row
        trace = Trace("count", "process-*", "-p", node.pid, "-j")
        # Each of them is scheduled once at least.
        node.eval("[receive {'DOWN', _, _, _, _} -> ok end || _ <- [spawn_monitor(fun() -> ok end) || _ <- lists:seq(1, 4000)]], ok")
        lines = trace.stop_json()
        scheduled = probe_total(lines, "process-scheduled")
        assert abs(scheduled - probe_total(lines, "process-unscheduled")) <= 10 and scheduled > 4000


@over([vm for vm in JIT_VMS if vm.otp in (25, 29)])
def test_hibernations_are_counted_without_notes(vm):
    with shared(vm) as node:
        trace = Trace("trace", "process-hibernate", "-p", node.pid, "--source", "symbol", "-j")
        pid = node.eval("d_workload:sleepers(5)")
        if vm.otp == 29:
            node.eval("{P, M} = spawn_monitor(fun() -> erlang:hibernate(), exit(woken) end), "
                      "P ! wake, receive {'DOWN', M, _, _, woken} -> ok end")
        events = of_type(trace.stop_json(), "event")
    own = [e["args"] for e in events if e["args"].startswith("p=%s" % pid)]
    assert len(own) == 5 and len(events) == 5 + (vm.otp == 29), events


@over(WITH_NEWEST)
def test_events_say_what_the_node_says(vm):
    with shared(vm) as node:
        node.eval("Me = self(), P = spawn(fun() -> receive go -> Me ! done end, exit(because) end)")
        me, pid = node.eval("Me"), node.eval("P")
        trace = Trace("trace", "-p", node.pid, "[mp]*s*", "-j", "--erl-pid", pid)
        node.eval("P ! go, receive done -> ok end")
        node.eval("(fun W() -> case is_process_alive(P) of true -> W(); false -> ok end end)()")
        events = of_type(trace.stop_json(), "event")
    sends = [e["args"] for e in events if e["probe"] == "message-send"]
    assert any(a.startswith("sender=%s receiver=%s" % (me, pid)) for a in sends), sends
    assert any(a.startswith("sender=%s receiver=%s" % (pid, me)) for a in sends), sends
    exits = [e["args"] for e in events if e["probe"] == "process-exit"]
    assert len(exits) == 1 and exits[0].startswith("p=%s" % pid), exits
    if vm.notes:
        assert "reason=because" in exits[0], exits


@over([vm for vm in VMS if vm.notes])
def test_user_trace_carries_all_arguments(vm):
    with shared(vm) as node:
        me = node.eval("self()")
        trace = Trace("trace", "user_trace-*", "-p", node.pid, "-j")
        node.eval('dyntrace:put_tag("tag"), dyntrace:p(1, 2, -3, 9000000000, "a", "b", "c", "and d")')
        node.eval('dyntrace:pn(7, 1, 2, 4, 8, "x", "y", "z", "w")')
        events = of_type(trace.stop_json(), "event")
    args = {e["probe"]: e["args"] for e in events}
    assert args["user_trace-i4s4"] == (
        "proc=%s user_tag=tag i1=1 i2=2 i3=-3 i4=9000000000 s1=a s2=b s3=c s4=and d" % me), args
    assert args["user_trace-n7"].endswith("i1=1 i2=2 i3=4 i4=8 s1=x s2=y s3=z s4=w"), args


def test_list_shows_the_probes_inside_the_vm_only_if_they_are_asked_for():
    with shared(STOCK) as node:
        ours = lambda *more: {row["probe"] for row in rows_of(node, *more)}
        listed, every = ours(), ours("*:*")
        assert listed == ours("erlang:*") and "message-send" in listed, listed ^ ours("erlang:*")
        assert every - listed == ours("vm:*") - listed != set(), every - listed
        text = lambda *more: erlbpf("list", "-p", node.pid, *more)[0]
        assert "vm:" not in text() and "\nvm:" in text("*:*") and "\nvm:" in text("vm:*")
