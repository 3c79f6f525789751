"""slices, held against what the node knows of its own time on a scheduler."""
import re
import time

from lib import VMS, WITH_NEWEST, Trace, of_type, over, probe_total, shared, within

NAP_NS = 50000000


def make_worker(node):
    node.eval("P = worker:start(self())")
    node.eval("P ! {short, 1}, receive {worked, _} -> ok end")
    return node.eval("P")


def work(node, what):
    """How long a process worked within a slice, and how long it took to have it done: more than the slice, as this
    process needs the only scheduler, too."""
    return [int(ns) for ns in re.findall(r"\d+", node.eval("worker:work(P, %s)" % what))]


@over(WITH_NEWEST)
def test_a_process_has_one_slice_for_each_message_that_wakes_it(vm):
    with shared(vm, "+S", "1") as node:
        pid = make_worker(node)
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "--erl-pid", pid, "--min", "1ns")
        own = [work(node, "{short, 3000}") for _ in range(100)]
        lines = trace.stop_json()
    hist, = of_type(lines, "hist")
    slices = [event["ran"] for event in of_type(lines, "event")]
    assert hist["key"] == pid and hist["count"] == len(slices) == 100 and hist["sum"] == sum(slices), (hist, slices)
    assert probe_total(lines, "process-unscheduled") - lines[-1]["unseen"] == hist["count"]
    for ours, (worked, asked) in zip(slices, own):
        within(worked, ours, asked)


@over(VMS)
def test_a_slice_that_is_too_long_is_printed_with_its_process_and_duration(vm):
    with shared(vm, "+S", "1") as node:
        pid = make_worker(node)
        # On no machine are so many elements, of 32 MB, counted in less.
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "100us", "--erl-pid", pid)
        for _ in range(20):
            work(node, "{short, 1000}")
        worked, asked = work(node, "stuck")
        events = of_type(trace.stop_json(), "event")
    assert all(event["pid"] == pid and event["ran"] >= 100000 for event in events)
    assert [event["call"] for event in events].count("erts_debug:flat_size/1") == 1, events
    assert events[-1]["call"] == "erts_debug:flat_size/1", events
    within(worked, events[-1]["ran"], asked)


def long_slices(node, what):
    """What the node says, how long all took, and the slices of 20 ms or more. One may end after the answer."""
    trace = Trace("slices", "-p", node.pid, "-j", "--min", "20ms")
    begin = time.monotonic_ns()
    answer = int(node.eval(what))
    lines = trace.stop_json()
    took = time.monotonic_ns() - begin
    events = of_type(lines, "event")
    assert lines[-1]["lost"] == 0 and all(event["ran"] >= 20000000 for event in events), lines
    return answer, took, events


@over(["%s,%s" % (vm, nif) for vm in VMS for nif in ("nap", "dirty_nap")])
def test_a_nif_that_sleeps_once_is_one_record_that_names_it(case):
    name, nif = case.split(",")
    with shared([vm for vm in VMS if vm.name == name][0]) as node:
        node.eval("sleeper:load(), P = sleeper:start()")
        pid = node.eval("P")
        taken, all_took, events = long_slices(node, "sleeper:run(P, {%s, [%d]})" % (nif, NAP_NS // 1000000))
    # A busy machine makes others long, too.
    event, = [event for event in events if event["call"] == "sleeper:%s/1" % nif]
    assert (event["pid"], event["kind"]) == (pid, "process"), event
    assert event["initial"] == "sleeper:loop/0" and event["name"] == "sleeper:loop/0", event
    # It waits again then; on a dirty scheduler it is on its way back to the normal one.
    assert event["current"] == ("sleeper:loop/0" if nif == "nap" else "erts_internal:dirty_nif_finalizer/1"), event
    within(NAP_NS, event["took"], event["ran"])
    # The clock is read within the slice, or on another scheduler before and after it.
    if nif == "nap":
        within(taken, event["ran"], all_took)
    else:
        within(NAP_NS, event["ran"], taken)


@over(VMS)
def test_a_driver_that_sleeps_is_named_whether_a_process_waits_for_it_or_not(vm):
    with shared(vm) as node:
        node.eval("sleeper:load(), P = sleeper:start(), register(culprit, P), D = sleeper:open()")
        pid, port = node.eval("P"), node.eval("D")
        _, all_took, events = long_slices(node, "sleeper:run(P, {control, [D]})")
        event, = [e for e in events if e["call"] == "sleeper_drv"]
        assert (event["pid"], event["name"]) == (pid, "culprit"), event
        within(30000000, event["ran"], all_took)
        # What it is sent is left to a scheduler, by its parallelism. What is answered comes after that.
        _, all_took, events = long_slices(node, "D ! {self(), {command, []}}, D ! {self(), {connect, self()}}, "
                                       "receive {D, connected} -> 0 end")
        event = [e for e in events if e["pid"] == port][0]
        assert (event["kind"], event["name"]) == ("port", "sleeper_drv"), event
        within(30000000, event["ran"], all_took)


@over(VMS)
def test_each_run_of_a_port_is_a_slice(vm):
    with shared(vm) as node:
        node.eval("C = open_port({spawn, \"cat\"}, [binary])")
        node.eval("Echo = fun() -> C ! {self(), {command, <<1>>}}, receive {C, _} -> ok end end")
        node.eval("Runs = fun() -> {_, N, _} = lists:keyfind(port, 1, "
                  "erlang:system_info(total_scheduling_statistics)), N end")
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid")
        node.eval("[erlang:system_flag(scheduling_statistics, What) || What <- [enable, clear]]")
        runs = int(node.eval("[Echo() || _ <- lists:seq(1, 200)], Runs()"))
        port = node.eval("C")
        node.eval("erlang:system_flag(scheduling_statistics, disable)")
        lines = trace.stop_json()
    seen = {h["key"]: h["count"] for h in of_type(lines, "hist") if h["key"].startswith("#Port<")}
    # The VM counts those of this port; standard input and output are ports too, on some releases, and run before and after.
    assert 200 <= seen[port] <= runs <= sum(seen.values()), (seen, runs)


@over(VMS)
def test_the_scheduler_is_the_number_that_the_process_has_of_its_own(vm):
    with shared(vm, "+S", "2") as node:
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
    with shared(vm, "+S", "2") as node:
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "scheduler")
        # A file is read on a dirty I/O scheduler, so large a heap is collected on a dirty CPU one.
        node.eval('{ok, _} = file:read_file("/etc/passwd"), Me = self(), '
                  "spawn(fun() -> L = lists:seq(1, 400000), erlang:garbage_collect(), Me ! {length(L), hd(L)} end), "
                  "receive {400000, 1} -> ok end")
        lines = trace.stop_json()
    seen = {hist["key"] for hist in of_type(lines, "hist")}
    kinds = {key.rstrip("0123456789") for key in seen}
    # The note of the emulator does not fire where a dirty scheduler only collects.
    expected = {"", "dirty-io-"} if vm.name == "emu" else {"", "dirty-io-", "dirty-cpu-"}
    assert expected <= kinds <= {"", "dirty-io-", "dirty-cpu-"} and seen & {"1", "2"}, seen
