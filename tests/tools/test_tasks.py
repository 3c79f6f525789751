"""tasks, held against a driver that says how long its commands waited."""
import re

from lib import VMS, WITH_NEWEST, Trace, of_type, over, shared, within

COMMANDS = 41
# And one more, which is answered when all that was sent before has been done.
TASKS = COMMANDS + 1


def commands(vm, *options):
    """The trace of a port with commands that wait for each other; and how long each waited, at least and at most, by the
    driver's clock."""
    with shared(vm) as node:
        node.eval("sleeper:load(), D = sleeper:open(), register(sender, self())")
        port, pid = node.eval("D"), node.eval("self()")
        trace = Trace("tasks", "-p", node.pid, "-j", *options)
        own = node.eval("W = sleeper:waits(D, %d), T0 = os:perf_counter(nanosecond), D ! {self(), {connect, self()}}, "
                        "receive {D, connected} -> W ++ [{0, os:perf_counter(nanosecond) - T0}] end" % COMMANDS)
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return port, pid, lines, [(int(least), int(most)) for least, most in re.findall(r"{(\d+),(\d+)}", own)]


def hist_of(lines, key):
    found = [hist for hist in of_type(lines, "hist") if hist["key"] == key]
    assert len(found) == 1, [hist["key"] for hist in of_type(lines, "hist")]
    return found[0]


def seen_at_least(lines, tasks=TASKS):
    """A task may be over before it is known, and the last may not be over when its data has come. There is no other
    that is."""
    probes = lines[-1]["probes"]
    running = probes["port-pick"]["events"] > probes["port-run"]["events"]
    return tasks - lines[-1]["quick"] - lines[-1]["unseen"] - running


@over(WITH_NEWEST)
def test_each_command_waits_as_long_as_the_driver_says(vm):
    port, _, lines, own = commands(vm, "--by", "port")
    hist = hist_of(lines, port)
    # Their data is what the driver outputs itself: no task.
    assert seen_at_least(lines) <= hist["count"] <= TASKS, (hist, lines[-1])
    # The one that waits longest is among those that are known.
    within(max(least for least, _ in own), hist["max"], max(most for _, most in own))
    assert hist["sum"] <= sum(most for _, most in own), (hist, own)


@over(["%s,%s" % (vm, by) for vm in VMS for by in ("pid", "name", "kind")])
def test_waits_are_told_apart_by_owner_name_and_kind(case):
    name, by = case.split(",")
    _, pid, lines, _ = commands([vm for vm in VMS if vm.name == name][0], "--by", by, "--min", "1h")
    hist = hist_of(lines, {"pid": pid, "name": "sleeper_drv", "kind": "signal"}[by])
    # There are other ports, whose tasks are signals too.
    most = TASKS + 10 if by == "kind" else TASKS
    assert seen_at_least(lines) <= hist["count"] <= most, (hist, lines[-1])


@over(VMS)
def test_long_waits_are_printed_with_port_and_owner(vm):
    _, _, lines, _ = commands(vm, "--min", "1ns", "--erl-pid", "<0.0.0>")
    assert not of_type(lines, "event")
    port, pid, lines, own = commands(vm, "--min", "5ms")
    events = [event for event in of_type(lines, "event") if event["port"] == port]
    assert all((e["kind"], e["owner"], e["name"]) == ("signal", pid, "sleeper_drv") and e["waited"] >= 5000000
               for e in events), events
    assert sum(least / 2 >= 5000000 for least, _ in own) <= len(events) <= sum(most >= 5000000 for _, most in own), (events, own)


@over(VMS)
def test_input_is_a_task_of_the_port_that_it_is_for(vm):
    with shared(vm) as node:
        node.eval("C = open_port({spawn, \"cat\"}, [binary])")
        node.eval("Echo = fun() -> C ! {self(), {command, <<1>>}}, receive {C, {data, B}} -> B end end")
        node.eval("Echo()")
        trace = Trace("tasks", "-p", node.pid, "-j", "--min", "1ns")
        port = node.eval("C")
        node.eval("[Echo() || _ <- lists:seq(1, 200)], ok")
        lines = trace.stop_json()
    inputs = [e for e in of_type(lines, "event") if e["port"] == port and e["kind"] == "input"]
    assert seen_at_least(lines, 200) <= len(inputs) <= 200, (len(inputs), lines[-1])
    assert all(event["name"] == "cat" for event in inputs)
