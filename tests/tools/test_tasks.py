"""tasks, held against a driver that says how long its commands waited."""
from lib import VMS, Node, Trace, agree, of_type, over

COMMANDS = 101


def commands(vm, *options):
    """The trace of a port with commands that wait for each other, and their median by the driver's clock."""
    with Node(vm) as node:
        node.eval("sleeper:load(), D = sleeper:open(), register(sender, self())")
        port, pid = node.eval("D"), node.eval("self()")
        trace = Trace("tasks", "-p", node.pid, "-j", *options)
        median = int(node.eval("lists:nth(%d, sleeper:waits(D, %d))" % (COMMANDS // 2 + 1, COMMANDS)))
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return port, pid, lines, median


def hist_of(lines, key):
    found = [hist for hist in of_type(lines, "hist") if hist["key"] == key]
    assert len(found) == 1, [hist["key"] for hist in of_type(lines, "hist")]
    return found[0]


def seen_at_least(lines, tasks=COMMANDS):
    """A task may be over before it is known, and the last may not be over when its data has come. There is no other
    that is."""
    probes = lines[-1]["probes"]
    running = probes["port-pick"]["events"] > probes["port-run"]["events"]
    return tasks - lines[-1]["quick"] - lines[-1]["unseen"] - running


@over(VMS)
def test_each_command_waits_as_long_as_the_driver_says(vm):
    agree(lambda: waits(vm))


def waits(vm):
    port, _, lines, median = commands(vm, "--by", "port")
    hist = hist_of(lines, port)
    # Their data is what the driver outputs itself: no task.
    assert seen_at_least(lines) <= hist["count"] <= COMMANDS, (hist, lines[-1])
    assert median > 10000000, median
    return hist["p50"], median


@over(["%s,%s" % (vm, by) for vm in VMS for by in ("pid", "name", "kind")])
def test_waits_are_told_apart_by_owner_name_and_kind(case):
    name, by = case.split(",")
    _, pid, lines, _ = commands([vm for vm in VMS if vm.name == name][0], "--by", by, "--min", "1s")
    hist = hist_of(lines, {"pid": pid, "name": "sleeper_drv", "kind": "signal"}[by])
    # There are other ports, whose tasks are signals too.
    most = COMMANDS + 10 if by == "kind" else COMMANDS
    assert seen_at_least(lines) <= hist["count"] <= most, (hist, lines[-1])


@over(VMS)
def test_long_waits_are_printed_with_port_and_owner(vm):
    port, pid, lines, median = commands(vm, "--min", "5ms", "--erl-pid", "<0.0.0>")
    assert not of_type(lines, "event")
    port, pid, lines, median = commands(vm, "--min", "5ms")
    events = [event for event in of_type(lines, "event") if event["port"] == port]
    assert COMMANDS / 2 <= len(events) <= COMMANDS, (len(events), median)
    assert all((e["kind"], e["owner"], e["name"]) == ("signal", pid, "sleeper_drv") and e["waited"] >= 5000000
               for e in events), events


@over(VMS)
def test_input_is_a_task_of_the_port_that_it_is_for(vm):
    with Node(vm) as node:
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
