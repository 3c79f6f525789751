"""calls, held against calls whose number and duration the node itself knows."""
from lib import EMU, VMS, WITH_NEWEST, Trace, of_type, over, probe_total, shared, within

CALLS = 1000


def prepare(node):
    node.eval("ets:new(calling, [named_table, public])")
    node.eval("persistent_term:put(calling, prim_buffer:new())")
    node.eval("P = calling:start()")
    for call in ("reverse", "info", "size"):
        node.eval("calling:call(P, {1, %s})" % call)
    return node.eval("P")


def by_function(node, pid, calls, functions="*"):
    """Number of calls by function, of one process that was told to make some."""
    trace = Trace("calls", functions, "-p", node.pid, "-j", "--by", "function", "--erl-pid", pid)
    for call in calls:
        node.eval("calling:call(P, {%d, %s})" % (CALLS, call))
    lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}, lines[-1]


@over(WITH_NEWEST)
def test_each_bif_is_counted_exactly(vm):
    calls = ("reverse", "find", "insert", "bang")
    with shared(vm) as node:
        counts, _ = by_function(node, prepare(node), calls)
    assert counts["lists:reverse/2"] == CALLS and counts["ets:insert/2"] == CALLS, counts
    assert counts["lists:keyfind/3"] == CALLS, counts
    # An answer is sent to each call, too. Without JIT, sending is an instruction that calls no BIF.
    assert not vm.has_jit or counts["erlang:send/2"] == CALLS + len(calls), counts


@over(VMS)
def test_nifs_and_dirty_nifs_are_counted_exactly(vm):
    with shared(vm) as node:
        counts, summary = by_function(node, prepare(node), ("size", "info"))
    # A build that inlines calls of its functions has no such probe, and says so.
    assert counts.get("prim_buffer:size/1") == CALLS, (counts, summary["targets"])
    assert counts["prim_file:read_info_nif/2"] == CALLS and summary["handed_over"] == CALLS, counts


@over(VMS)
def test_only_the_functions_that_are_named_are_counted(vm):
    with shared(vm) as node:
        pid = prepare(node)
        every = ("reverse", "insert", "size", "info")
        named, _ = by_function(node, pid, every, "lists:reverse/2")
        module, _ = by_function(node, pid, every, "prim_file:*")
        prefix, _ = by_function(node, pid, every, "prim_buffer:s*")
    assert named == {"lists:reverse/2": CALLS}, named
    assert module["prim_file:read_info_nif/2"] == CALLS, module
    assert all(key.startswith("prim_file:") for key in module), module
    assert prefix == {"prim_buffer:size/1": CALLS}, prefix


NAP_MS = 20


@over(VMS)
def test_a_long_call_is_printed_and_lasts_as_long_as_the_node_says(vm):
    with shared(vm) as node:
        node.eval("sleeper:load()")
        pid = prepare(node)
        # On no machine is a list of 32 MB looked at in less than 10 us.
        for functions, call, expected in (("erts_debug:*", "long", ("erts_debug:flat_size/1", "bif")),
                                          ("sleeper:*", "{nap, %d}" % NAP_MS, ("sleeper:nap/1", "nif"))):
            trace = Trace("calls", functions, "-p", node.pid, "-j", "--min", "10us", "--erl-pid", pid)
            own = int(node.eval("calling:call(P, %s)" % call))
            event, = of_type(trace.stop_json(), "event")
            assert (event["function"], event["kind"], event["pid"]) == expected + (pid,), event
            assert event["took"] >= 10000, event
            within(NAP_MS * 1000000 if event["kind"] == "nif" else 0, event["took"], own)


@over([EMU])
def test_functions_that_return_are_counted_where_there_is_no_jit(vm):
    with shared(vm) as node:
        counts, summary = by_function(node, prepare(node), ("kept", "outer"), "calling:*")
    assert counts["calling:leaf/1"] == 2 * CALLS and counts["calling:kept/1"] == CALLS, counts
    # Each other call of calling: its loop, and outer/1, of which the VM tells no return.
    entered = summary["probes"]["local-function-entry"]["events"]
    returned = summary["probes"]["function-return"]["events"]
    assert entered >= 8 * CALLS and returned - summary["unseen"] == sum(counts.values()), summary


@over(VMS)
def test_every_hit_is_an_event_or_lost(vm):
    with shared(vm) as node:
        prepare(node)
        trace = Trace("calls", "lists:reverse/2", "-p", node.pid, "-j")
        for _ in range(3):
            node.eval("calling:call(P, {20000, reverse})")
        lines = trace.stop_json()
    assert probe_total(lines, "bif-call") >= 60000 and lines[-1]["lost"] == 0, lines[-1]
    assert of_type(lines, "hist")[0]["count"] == probe_total(lines, "bif-call")
