"""The bpftrace scripts of tools/bt, held against what the node knows and against erlbpf, in the same
workload. Scripts of a group are attached together, since each needs a while to detach."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from lib import (JIT_VMS, LIMIT, ROOT, STOCK, USDT, VMS, Bpftrace, Node, Trace, of_type, over, probe_total,
                 states_of_threads, unique, wait_until, within)
from test_migrate import BYTES, cpus, put, reads, threads

NOTES = [vm for vm in VMS if vm.notes]
# bpftrace finds functions by their symbols.
WITH_FUNCTIONS = [vm for vm in JIT_VMS if not vm.hides]


def maps_of(text):
    """{map: {key: number}} of what bpftrace prints; the number of a histogram is that of its values.
    What is printed at each interval is summed."""
    maps, row = {}, None
    for line in text.splitlines():
        start = re.match(r"@(\w+)(?:\[(.*)\])?: ?(-?\d*)$", line)
        bar = re.match(r"[\[(].*?[\])]?\s+(\d+) \|", line)
        if start:
            row = maps.setdefault(start[1], {}), start[2] or ""
            row[0][row[1]] = row[0].get(row[1], 0) + int(start[3] or 0)
        elif bar and row:
            row[0][row[1]] += int(bar[1])
    return maps


class Group:
    """Scripts that run together."""

    def __init__(self, node, *names):
        self.traces = {name: Bpftrace(name, node.pid) for name in names}
        self.texts = {}

    def stop(self):
        for trace in self.traces.values():
            trace.ask_to_stop()
        self.texts = {name: trace.output() for name, trace in self.traces.items()}
        self.maps = {name: maps_of(text) for name, text in self.texts.items()}

    def lines(self, name, pattern):
        return re.findall(pattern, self.texts[name], re.MULTILINE)


def settle(node):
    """Until every thread sleeps: the node has said its answer, and asked for the next question."""
    wait_until("the node is idle", lambda: set(states_of_threads(node.pid)) == {"S"})


def number_of(pid):
    """The key that scripts without notes use: "N, S" of <0.N.S>."""
    return ", ".join(pid.strip("<>").split(".")[1:])


SCRIPTS = sorted(name[:-3] for name in os.listdir(os.path.join(ROOT, "tools", "bt")) if name.endswith(".bt"))


def sweep(node, n):
    """n major collections, each asked for by a message from the node's main process to P, and answered."""
    node.eval("[begin P ! {collect, self()}, receive {collected, _} -> ok end end "
              "|| _ <- lists:seq(1, %d)], ok" % n)


def per_pid(lines, pid):
    """Values of the histogram of a process."""
    return [hist["count"] for hist in of_type(lines, "hist") if hist["key"] in (pid, None)]


def test_every_script_is_understood_and_says_what_it_is():
    folder = os.path.join(ROOT, "tools", "bt")
    with Node(USDT) as node:
        for name in SCRIPTS:
            path = os.path.join(folder, name + ".bt")
            argument = "erts_schedule" if name == "uprobe" else "0"
            done = subprocess.run(["bpftrace", "-d", "-I", folder, "-p", str(node.pid), path,
                                   str(node.pid), argument], capture_output=True)
            assert done.returncode == 0, (name, done.stderr)
            with open(path) as script:
                text = script.read()
            for word in ("Counterpart: erlbpf ", "Source:  ", "Run:  "):
                assert "// " + word in text, (name, word)


@over(NOTES)
def test_lives_messages_collections_and_copies_are_those_of_the_node(vm):
    with Node(vm) as node:
        node.eval("Sink = spawn(timer, sleep, [infinity])")
        node.eval("P = collector:start(20000)")
        sweep(node, 1)
        pid, main, sink = (node.eval(name) for name in ("P", "self()", "Sink"))
        group = Group(node, "spawn-exit", "births", "messages", "gc", "heap", "copy")
        count, gc = Trace("count", "-p", node.pid, "-j"), Trace("gc", "-p", node.pid, "-j", "--by", "pid")
        node.eval("[spawn(lists, seq, [1, 2]) || _ <- lists:seq(1, 50)], ok")
        node.eval("[exit(spawn(timer, sleep, [infinity]), because) || _ <- lists:seq(1, 20)], ok")
        sweep(node, 29)
        node.eval("seq_trace:set_token(label, 17), P ! {collect, self()}, "
                  "receive {collected, _} -> seq_trace:set_token([]) end")
        node.eval("Term = list_to_tuple(lists:seq(1, 100000)), ok")
        node.eval("[Sink ! Term || _ <- lists:seq(1, 10)], ok")
        settle(node)
        count, gc = count.stop_json(), gc.stop_json()
        group.stop()
    assert len(group.lines("spawn-exit", r"spawn  <[\d.]+> lists:seq/2$")) == 50
    assert len(group.lines("spawn-exit", r"signal %s -> <[\d.]+> because$" % re.escape(main))) == 20
    assert len(group.lines("spawn-exit", r"exit   <[\d.]+> because$")) == 20
    assert group.maps["births"]["total"] == {"born": probe_total(count, "process-spawn"),
                                             "dead": probe_total(count, "process-exit")}
    assert len(group.lines("messages", "token 17 of %s -> %s:" % (re.escape(main), re.escape(pid)))) == 1
    messages = group.maps["messages"]
    assert messages["sent"]["%s, %s" % (main, pid)] == messages["sent"]["%s, %s" % (pid, main)] == 30
    assert messages["sent"]["%s, %s" % (main, sink)] == 10
    assert messages["queued"][pid] == messages["received"][pid] == 30
    collections = group.maps["gc"]
    majors = [line for line in gc if line["type"] == "summary"][0]["major"]
    assert collections["major"][pid] == 30
    assert sum(collections["major"].values()) == sum(collections["major_us"].values()) == majors
    assert collections["major"][pid] + collections["minor"].get(pid, 0) in per_pid(gc, pid), gc
    assert sum(group.maps["heap"]["grown"].values()) == probe_total(count, "process-heap_grow")
    assert sum(group.maps["heap"].get("shrunk", {}).values()) == probe_total(count, "process-heap_shrink")
    assert re.search(r"^\[64K, 128K\)\s+10 \|", group.texts["copy"].split("@term_words")[1], re.MULTILINE)


@over(WITH_FUNCTIONS)
def test_waits_and_slices_without_notes_are_those_of_the_node(vm):
    # On one scheduler, P is always waiting when its next message comes.
    with Node(vm, "+S", "1") as node:
        node.eval("P = collector:start(2000)")
        sweep(node, 1)
        pid = node.eval("P")
        names = ["sched-latency", "run-queue", "slices", "mailbox"]
        group = Group(node, *names)
        latency = Trace("sched-latency", "-p", node.pid, "-j")
        slices = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid)
        sweep(node, 100)
        latency, slices = of_type(latency.stop_json(), "hist")[0]["count"], per_pid(slices.stop_json(), pid)
        group.stop()
    key = number_of(pid)
    assert slices == [100] and latency >= 200
    assert abs(group.maps["sched-latency"]["wait_us"][""] - latency) <= 10, latency
    assert group.maps["run-queue"]["waits"][key] == 100
    assert group.maps["run-queue"]["length"]["0"] >= 100
    assert group.maps["slices"]["slices"][key] == 100
    assert group.maps["mailbox"]["wait_us"][key] == 100


NAP_MS = 20


def bounds_of(text, name):
    """Of each value of the only histogram of this name: between what and what it lies."""
    units = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    rows = re.findall(r"^[\[(](?:(\d+)(\w?), )?(\d+)(\w?)[)\]]\s+(\d+) \|", text.split("@%s" % name)[1], re.MULTILINE)
    return [(int(low or high) * units[low_unit if low else unit], (int(high) if low else int(high) + 1) * units[unit])
            for low, low_unit, high, unit, count in rows for _ in range(int(count))]


@over(WITH_FUNCTIONS)
def test_the_process_that_computes_has_the_cpu_and_a_long_slice_is_printed(vm):
    with Node(vm) as node:
        node.eval("sleeper:load(), P = sleeper:start()")
        pid = node.eval("P")
        group = Group(node, "top", "slices")
        row, naps, begin = None, 0, time.monotonic_ns()
        # What a slice adds between printing and clearing is lost.
        while not row and time.monotonic_ns() - begin < LIMIT * 10**9:
            node.eval("sleeper:run(P, {nap, [%d]})" % NAP_MS)
            naps += 1
            line = ""
            while not row and not re.fullmatch(r"[\d:]+", line):
                line = group.traces["top"].line()
                row = re.fullmatch(r"@us\[%s\]: (\d+)" % number_of(pid), line)
        group.stop()
        most_ns = time.monotonic_ns() - begin
    within(NAP_MS * 1000000, int(row[1]) * 1000, most_ns)
    # Others are long too when the machine takes the CPU away.
    printed = [int(us) * 1000 for us in group.lines("slices", r"^%s (\d+) us on " % re.escape(pid))]
    assert sum(ns >= NAP_MS * 1000000 for ns in printed) >= naps, (printed, naps)
    within(NAP_MS * 1000000, max(printed), most_ns)


@over(WITH_FUNCTIONS)
def test_calls_tables_files_locks_and_tasks_are_those_of_the_node(vm):
    with Node(vm, "+S", "2") as node, tempfile.TemporaryDirectory() as folder:
        node.eval('Port = open_port({spawn, "cat"}, [binary, {line, 100}])')
        node.eval("ets:new(bt_table, [named_table, public])")
        node.eval('A = "%s/a", B = "%s/b", file:write_file(A, <<1, 2, 3>>)' % (folder, folder))
        port = re.search(r"(\d+)>", node.eval("Port"))[1]
        group = Group(node, "calls", "ets", "files", "locks", "tasks")
        node.eval('[begin Port ! {self(), {command, <<"x\\n">>}}, receive {Port, {data, _}} -> ok end end '
                  '|| _ <- lists:seq(1, 40)], ok')
        node.eval("[ets:insert(bt_table, {N, N}) || N <- lists:seq(1, 1237)], ok")
        node.eval("[ets:lookup(bt_table, N) || N <- lists:seq(1, 123)], ok")
        node.eval("[begin prim_file:rename(A, B), prim_file:rename(B, A) end || _ <- lists:seq(1, 25)], ok")
        node.eval("{ok, <<1, 2, 3>>} = prim_file:read_file(A)")
        group.stop()
    calls = group.maps["calls"]
    assert calls["bifs"]["ets_insert_2"] == 1237 and calls["bifs"]["ets_lookup_2"] == 123
    assert calls["dirty_nifs"]["prim_file, rename_nif, 2"] == 50, calls
    assert group.maps["ets"]["calls"]["ets_insert_2, bt_table"] == 1237
    assert group.maps["ets"]["calls"]["ets_lookup_2, bt_table"] == 123
    files = group.maps["files"]
    assert all(files["calls"]["efile_rename, %s/%s" % (folder, name)] == 25 for name in "ab"), files
    assert files["us"]["uretprobe:/proc/%d/exe:efile_rename" % node.pid] == 50
    assert files["bytes"]["uretprobe:/proc/%d/exe:efile_readv" % node.pid] >= 3
    assert 1237 in group.maps["locks"]["write_locked"].values(), group.maps["locks"]
    assert group.maps["tasks"]["scheduled"]["%s, 0" % port] == 40, group.maps["tasks"]


@over([vm for vm in NOTES if vm in JIT_VMS])
def test_ports_drivers_sockets_and_markers_are_those_of_the_node(vm):
    with Node(vm) as node, tempfile.TemporaryDirectory() as folder:
        node.eval("[Tools] = filelib:wildcard(code:root_dir() ++ \"/lib/runtime_tools-*\"), "
                  "code:add_path(Tools ++ \"/ebin\"), dyntrace:available()")
        group = Group(node, "ports", "drivers", "sockets", "user-trace")
        count = Trace("count", "-p", node.pid, "-j")
        busy_ms, slow_reader = use_ports(node, folder)
        use_sockets(node)
        node.eval('ok = erl_ddll:load(Tools ++ "/priv/lib", "trace_ip_drv")')
        node.eval('ok = erl_ddll:unload("trace_ip_drv")')
        node.eval('[dyntrace:p(N, -2, 3, 4, "text") || N <- lists:seq(1, 10)], ok')
        node.eval('dyntrace:put_tag("label"), [dyntrace:pn(0, N, 2, 3, 4) || N <- lists:seq(1, 10)], ok')
        node.eval('dyntrace:user_trace_s1("here I am")')
        settle(node)
        count = count.stop_json()
        group.stop()
        main = node.eval("self()")
    ports, drivers, sockets = (group.maps[name] for name in ("ports", "drivers", "sockets"))
    assert ports["opened"] == {"cat": 1, slow_reader: 1, "tcp_inet": 2, "udp_inet": 1}, ports
    assert ports["busy"] == ports["busy_ms"] and list(ports["busy"].values()) == [1]
    (low, high), = bounds_of(group.texts["ports"], "busy_ms")
    assert low <= busy_ms[1] and high >= busy_ms[0], (low, high, busy_ms)
    assert ports["commands"]["cat, %s, command" % main] == 40
    assert ports["exited"]["cat"] == ports["connected"]["cat"] == 1
    # Under OTP 27 a reference of the sender's goes to the driver with the data: 28 bytes.
    reference = 28 if vm.otp >= 27 else 0
    assert drivers["outputv"]["tcp_inet"] == 30
    assert drivers["outputv_bytes"]["tcp_inet"] == 30 * (1000 + reference), drivers
    assert drivers["timeout"]["tcp_inet"] == 5 and drivers["output"]["cat"] == 40
    assert drivers["finish"] == {"trace_ip_drv": 1}, drivers
    assert list(sockets["sends"].values()) == [30, 20] or list(sockets["sends"].values()) == [20, 30]
    assert sockets["operations"]["tcp_inet, 42"] == 35 and sockets["operations"]["tcp_inet, 26"] == 1
    for script, maps, probes in (
            (ports, ("opened", "exited", "connected", "busy"), ("open", "exit", "connect", "busy")),
            (drivers, ("start", "stop", "output", "ready_input", "timeout", "stop_select"), None)):
        for of_script, of_probe in zip(maps, probes or maps):
            probe = ("port-" if probes else "driver-") + of_probe
            assert sum(script[of_script].values()) == probe_total(count, probe), (probe, script[of_script])
    markers = group.lines("user-trace", r"%s tag (\w*): (\d+) (-?\d+) 3 4$" % re.escape(main))
    assert markers == [(tag, str(n), second) for tag, second in (("", "-2"), ("label", "2"))
                       for n in range(1, 11)]
    assert group.lines("user-trace", "here I am$") == ["here I am"]


def use_ports(node, folder):
    """Milliseconds for which a port was busy, at least and at most, and the command of this port."""
    node.eval('Cat = open_port({spawn, "cat"}, [binary, {line, 100}])')
    node.eval('[begin Cat ! {self(), {command, <<"x\\n">>}}, receive {Cat, {data, _}} -> ok end end '
              '|| _ <- lists:seq(1, 40)], ok')
    node.eval("Owner = spawn(timer, sleep, [infinity])")
    node.eval("port_connect(Cat, Owner)")
    node.eval("port_close(Cat)")
    # It reads when it is told to. More than a pipe holds, so the next command has to wait until then.
    go = os.path.join(folder, "go")
    os.mkfifo(go)
    slow_reader = 'sh -c "read x < %s; cat > /dev/null"' % go
    begin = time.monotonic()
    node.eval("Sh = open_port({spawn, %s}, [binary]), port_command(Sh, <<0:8000000>>)" % json.dumps(slow_reader))
    busy = time.monotonic()
    node.say("port_command(Sh, <<0>>).")
    node_waits = time.monotonic()
    with open(go, "w") as writer:
        writer.write("go\n")
    assert node.line() == "= true"
    end = time.monotonic()
    node.eval("port_close(Sh)")
    return ((node_waits - busy) * 1000, (end - begin) * 1000), slow_reader


def use_sockets(node):
    node.eval("{ok, L} = gen_tcp:listen(0, [binary, {active, false}]), {ok, No} = inet:port(L), "
              "{ok, A} = gen_tcp:connect({127, 0, 0, 1}, No, [binary, {active, false}]), "
              "{ok, B} = gen_tcp:accept(L), ok")
    node.eval("[begin ok = gen_tcp:send(A, <<0:8000>>), {ok, _} = gen_tcp:recv(B, 1000) end "
              "|| _ <- lists:seq(1, 30)], ok")
    node.eval("[{error, timeout} = gen_tcp:recv(B, 0, 10) || _ <- lists:seq(1, 5)], ok")
    node.eval("{ok, U} = gen_udp:open(0), "
              "[gen_udp:send(U, {127, 0, 0, 1}, 9, <<0:800>>) || _ <- lists:seq(1, 20)], ok")


def test_asynchronous_jobs_are_counted():
    # OTP 25 writes to a pipe by driver_async(): one job for each answer of the node.
    with Node(USDT) as node:
        group = Group(node, "aio")
        for n in range(40):
            node.eval(str(n))
        group.stop()
    aio = group.maps["aio"]
    assert aio["added"][""] == 40 and 39 <= aio["done"][""] <= 40, aio
    assert aio["us"][""] == aio["done"][""]


@over(WITH_FUNCTIONS)
def test_any_function_is_counted_and_timed(vm):
    with Node(vm) as node:
        trace = Bpftrace("uprobe", node.pid, "erl_create_process")
        other = Bpftrace("uprobe", node.pid, "erts_garbage_collect_nobump")
        node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 200)], ok")
        trace.ask_to_stop(), other.ask_to_stop()
        maps, others = maps_of(trace.output()), maps_of(other.output())
    assert sum(maps["calls"].values()) >= maps["ns"][""] >= 200
    assert sum(others["calls"].values()) >= others["ns"][""] > 0


STOP_MS = 200


def test_what_goes_to_another_node_and_who_waits_for_it_are_those_of_the_node():
    with Node(USDT, "-sname", unique("near"), "-setcookie", "bt", "+zdbbl", "1") as node, \
            Node(STOCK, "-sname", unique("far"), "-setcookie", "bt") as far:
        name = "'%s'" % far.eval("node()").strip("'")
        group = Group(node, "dist")
        count = Trace("count", "-p", node.pid, "-j")
        node.eval("pong = net_adm:ping(%s), Far = spawn(%s, timer, sleep, [infinity])" % (name, name))
        node.eval("[Far ! hello || _ <- lists:seq(1, 50)], ok")
        begin = time.monotonic()
        far.child.send_signal(signal.SIGSTOP)
        node.eval("Main = self(), Sender = spawn(fun() -> [Far ! <<0:800000>> || _ <- lists:seq(1, 100)], "
                  "Main ! sent end)")
        wait_until("the sender is suspended", lambda: node.eval("process_info(Sender, status)") == "{status,suspended}")
        node.eval("timer:sleep(%d)" % STOP_MS)
        far.child.send_signal(signal.SIGCONT)
        node.eval("receive sent -> ok end")
        most_ms = (time.monotonic() - begin) * 1000
        sender = node.eval("Sender")
        # Dead, it does not come back; so nothing happens any more while the traces end.
        node.eval("net_kernel:monitor_nodes(true)")
        far.kill()
        node.eval("receive {nodedown, _} -> ok end")
        settle(node)
        count = count.stop_json()
        group.stop()
    dist = group.maps["dist"]
    assert dist["messages"][name] == probe_total(count, "message-send-remote") >= 150
    assert dist["outputv"][name] == probe_total(count, "dist-outputv")
    assert "%s, %s" % (name, sender) in dist["suspended"], dist
    assert sum(dist["suspended"].values()) == probe_total(count, "dist-port_busy")
    # It was busy once for as long as the other node stood still, and never for longer than it took to send all.
    bounds = bounds_of(group.texts["dist"], "busy_ms")
    assert any(high >= STOP_MS for _, high in bounds) and all(low <= most_ms for low, _ in bounds), (bounds, most_ms)
    assert group.lines("dist", "(node(?:up|down)) %s " % name) == ["nodeup", "nodedown"], group.texts


MOVES = 5


@over(WITH_FUNCTIONS)
def test_a_slice_that_is_moved_to_another_cpu_is_counted(vm):
    places = cpus()
    with Node(vm, "+S", "1") as node, tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        node.eval("sleeper:load(), P = sleeper:start()")
        key = number_of(node.eval("P"))
        put(node, places[0])
        group = Group(node, "migrate")
        for _ in range(50):
            node.eval("sleeper:run(P, {nap, [0]})")
        for moves in range(1, MOVES + 1):
            node.say('sleeper:run(P, {reads, ["%s", %d]}).' % (pipe, BYTES))
            with open(pipe, "wb", buffering=0) as writer:
                wait_until("the NIF sleeps", lambda: any(reads(node, tid) for tid in threads(node)))
                put(node, places[moves % 2])
                writer.write(bytes(BYTES))
            assert node.line().startswith("= ")
        wait_until("its slice is over", lambda: node.eval("process_info(P, status)") == "{status,waiting}")
        group.stop()
    migrate = group.maps["migrate"]
    assert migrate["slices"][key] >= 50 + MOVES and migrate["changed_cpu"][key] == MOVES, migrate


def test_with_notes_alone_a_wait_ends_with_the_slice():
    with Node(USDT, "+S", "1") as node:
        node.eval("P = collector:start(2000)")
        sweep(node, 1)
        group = Group(node, "sched-latency-notes")
        ours = Trace("sched-latency", "-p", node.pid, "-j")
        sweep(node, 100)
        waits = of_type(ours.stop_json(), "hist")[0]["count"]
        group.stop()
    assert waits >= 200 and abs(group.maps["sched-latency-notes"]["wait_and_slice_us"][""] - waits) <= 10
