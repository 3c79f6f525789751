"""slices, held against what the node knows of its own time on a scheduler."""
import statistics

from lib import VMS, Node, Trace, agree, of_type, over, probe_total


def make_worker(node):
    node.eval("P = worker:start(self())")
    node.eval("P ! {short, 1}, receive {worked, _} -> ok end")
    return node.eval("P")


def work(node, what):
    """Nanoseconds that it took, by the worker's own clock."""
    return int(node.eval("(fun() -> P ! %s, receive {worked, T} -> T end end)()" % what))


@over(VMS)
def test_a_process_has_one_slice_for_each_message_that_wakes_it(vm):
    agree(lambda: short_slices(vm), tries=8)


def short_slices(vm):
    with Node(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid)
        taken = [work(node, "{short, 3000}") for _ in range(200)]
        lines = trace.stop_json()
    hist = of_type(lines, "hist")[0]
    assert hist["key"] == pid and abs(hist["count"] - 200) <= 2, hist
    assert probe_total(lines, "process-unscheduled") - lines[-1]["unseen"] == hist["count"]
    return hist["p50"], statistics.median(taken)


@over(VMS)
def test_a_slice_that_is_too_long_is_printed_with_its_process_and_duration(vm):
    agree(lambda: long_slice(vm))


def long_slice(vm):
    with Node(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "2ms", "--erl-pid", pid)
        for _ in range(20):
            work(node, "{short, 1000}")
        taken = work(node, "stuck")
        events = of_type(trace.stop_json(), "event")
    assert taken > 2000000
    assert all(event["pid"] == pid and event["ran"] >= 2000000 for event in events)
    assert max(events, key=lambda event: event["ran"])["call"] == "erts_debug:flat_size/1", events
    return max(event["ran"] for event in events), taken


def sleeper(vm):
    """A node with NIFs that sleep, and a process that calls them."""
    node = Node(vm)
    node.eval("sleeper:load(), P = sleeper:start()")
    return node, node.eval("P")


def long_slices(node, what, *options):
    """Nanoseconds by the node's clock, and the slices of 20 ms or more."""
    trace = Trace("slices", "-p", node.pid, "-j", "--min", "20ms", *options)
    taken = int(node.eval(what))
    lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return taken, of_type(lines, "event")


@over(["%s,%s" % (vm, nif) for vm in VMS for nif in ("nap", "dirty_nap")])
def test_a_nif_that_sleeps_once_is_one_record_that_names_it(case):
    name, nif = case.split(",")
    agree(lambda: named_nif([vm for vm in VMS if vm.name == name][0], nif))


def named_nif(vm, nif):
    node, pid = sleeper(vm)
    with node:
        taken, events = long_slices(node, "sleeper:run(P, {%s, [50]})" % nif)
    assert len(events) == 1, events
    event = events[0]
    assert (event["pid"], event["kind"], event["call"]) == (pid, "process", "sleeper:%s/1" % nif), event
    assert event["initial"] == "sleeper:loop/0" and event["name"] == "sleeper:loop/0", event
    # It waits again then; on a dirty scheduler it is on its way back to the normal one.
    assert event["current"] == ("sleeper:loop/0" if nif == "nap" else "erts_internal:dirty_nif_finalizer/1"), event
    assert 50000000 <= event["took"] <= event["ran"], event
    return event["ran"], taken


@over(VMS)
def test_a_driver_that_sleeps_is_named_whether_a_process_waits_for_it_or_not(vm):
    node, pid = sleeper(vm)
    with node:
        node.eval("register(culprit, P), D = sleeper:open()")
        port = node.eval("D")
        _, events = long_slices(node, "sleeper:run(P, {control, [D]})")
        assert [(e["pid"], e["name"], e["call"]) for e in events] == [(pid, "culprit", "sleeper_drv")], events
        # What it is sent is left to a scheduler, by its parallelism. What is answered comes after that.
        _, events = long_slices(node, "D ! {self(), {command, []}}, D ! {self(), {connect, self()}}, "
                                      "receive {D, connected} -> 0 end")
        assert [(e["pid"], e["kind"], e["name"]) for e in events] == [(port, "port", "sleeper_drv")], events
        assert 30000000 <= events[0]["ran"], events


@over(VMS)
def test_each_run_of_a_port_is_a_slice(vm):
    with Node(vm) as node:
        node.eval("C = open_port({spawn, \"cat\"}, [binary])")
        node.eval("Echo = fun() -> C ! {self(), {command, <<1>>}}, receive {C, _} -> ok end end")
        node.eval("Runs = fun() -> {_, N, _} = lists:keyfind(port, 1, "
                  "erlang:system_info(total_scheduling_statistics)), N end")
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid")
        node.eval("erlang:system_flag(scheduling_statistics, enable)")
        runs = int(node.eval("[Echo() || _ <- lists:seq(1, 200)], Runs()"))
        lines = trace.stop_json()
    seen = sum(h["count"] for h in of_type(lines, "hist") if h["key"].startswith("#Port<"))
    # Standard input and output are ports too, on some releases, and run before and after.
    assert runs >= 200 and 0 <= seen - runs <= 8, (seen, runs)


@over(VMS)
def test_the_scheduler_is_the_number_that_the_process_has_of_its_own(vm):
    with Node(vm, "+S", "2") as node:
        node.eval("P = spawn(fun F() -> receive {ask, From} -> "
                  "From ! erlang:system_info(scheduler_id), F() end end)")
        pid = node.eval("P")
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "1ns", "--erl-pid", pid)
        node.eval("Ask = fun() -> P ! {ask, self()}, receive N -> N end end")
        own = {node.eval("Ask()") for _ in range(10)}
        lines = trace.stop_json()
    seen = {e["scheduler"] for e in of_type(lines, "event")}
    # It has more slices than those in which it answers: for signals.
    assert own <= seen <= {"1", "2"}, (own, seen)


@over(VMS)
def test_schedulers_are_keys_by_their_number_and_kind(vm):
    with Node(vm, "+S", "2") as node:
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "scheduler")
        # A file is read on a dirty I/O scheduler, so large a heap is collected on a dirty CPU one.
        node.eval('{ok, _} = file:read_file("/etc/passwd"), Me = self(), '
                  "spawn(fun() -> L = lists:seq(1, 3000000), erlang:garbage_collect(), Me ! {length(L), hd(L)} end), "
                  "receive {3000000, 1} -> ok end")
        lines = trace.stop_json()
    seen = {hist["key"] for hist in of_type(lines, "hist")}
    kinds = {key.rstrip("0123456789") for key in seen}
    # The note of the emulator does not fire where a dirty scheduler only collects.
    expected = {"", "dirty-io-"} if vm.name == "emu" else {"", "dirty-io-", "dirty-cpu-"}
    assert expected <= kinds <= {"", "dirty-io-", "dirty-cpu-"} and seen & {"1", "2"}, seen
