"""calls, held against calls whose number and duration the node itself knows."""
from lib import EMU, VMS, Node, Trace, agree, of_type, over, probe_total

CALLS = 1000


def prepare(node):
    node.eval("ets:new(calling, [named_table, public])")
    node.eval("persistent_term:put(calling, prim_buffer:new())")
    node.eval("P = calling:start()")
    for call in ("reverse", "info", "size"):
        node.eval("calling:call(P, {1, %s})" % call)
    return node.eval("P")


def by_function(node, pid, calls, *options):
    """Number of calls by function, of one process that was told to make some."""
    trace = Trace("calls", *options, "-p", node.pid, "-j", "--by", "function", "--erl-pid", pid)
    for call in calls:
        node.eval("calling:call(P, {%d, %s})" % (CALLS, call))
    lines = trace.stop_json()
    assert lines[-1]["lost"] == 0, lines[-1]
    return {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}, lines[-1]


@over(VMS)
def test_each_bif_is_counted_exactly(vm):
    calls = ("reverse", "find", "insert", "bang")
    with Node(vm) as node:
        counts, _ = by_function(node, prepare(node), calls)
    assert counts["lists:reverse/2"] == CALLS and counts["ets:insert/2"] == CALLS, counts
    assert counts["lists:keyfind/3"] == CALLS, counts
    # An answer is sent to each call, too. Without JIT, sending is an instruction that calls no BIF.
    assert not vm.has_jit or counts["erlang:send/2"] == CALLS + len(calls), counts


@over(VMS)
def test_nifs_and_dirty_nifs_are_counted_exactly(vm):
    with Node(vm) as node:
        counts, summary = by_function(node, prepare(node), ("size", "info"))
    # A build that inlines calls of its functions has no such probe, and says so.
    assert counts.get("prim_buffer:size/1") == CALLS, (counts, summary["targets"])
    assert counts["prim_file:read_info_nif/2"] == CALLS and summary["handed_over"] == CALLS, counts


@over(VMS)
def test_only_the_functions_that_are_named_are_counted(vm):
    with Node(vm) as node:
        pid = prepare(node)
        every = ("reverse", "insert", "size", "info")
        named, _ = by_function(node, pid, every, "lists:reverse/2")
        module, _ = by_function(node, pid, every, "prim_file:*")
        prefix, _ = by_function(node, pid, every, "prim_buffer:s*")
    assert named == {"lists:reverse/2": CALLS}, named
    assert module["prim_file:read_info_nif/2"] == CALLS, module
    assert all(key.startswith("prim_file:") for key in module), module
    assert prefix == {"prim_buffer:size/1": CALLS}, prefix


@over(VMS)
def test_a_long_call_is_printed_and_lasts_as_long_as_the_node_says(vm):
    agree(lambda: long_call(vm))


def long_call(vm):
    with Node(vm) as node:
        pid = prepare(node)
        trace = Trace("calls", "erts_debug:*", "-p", node.pid, "-j", "--min", "1ms", "--erl-pid", pid)
        own = int(node.eval("calling:call(P, long)"))
        events = of_type(trace.stop_json(), "event")
    longest = max(events, key=lambda event: event["took"])
    assert longest["function"] == "erts_debug:flat_size/1" and longest["kind"] == "bif", events
    assert longest["pid"] == pid and all(event["took"] >= 1000000 for event in events)
    return longest["took"], own


@over([EMU])
def test_functions_that_return_are_counted_where_there_is_no_jit(vm):
    with Node(vm) as node:
        counts, summary = by_function(node, prepare(node), ("kept", "outer"), "calling:*")
    assert counts["calling:leaf/1"] == 2 * CALLS and counts["calling:kept/1"] == CALLS, counts
    # Each other call of calling: its loop, and outer/1, of which the VM tells no return.
    entered = summary["probes"]["local-function-entry"]["events"]
    returned = summary["probes"]["function-return"]["events"]
    assert entered >= 8 * CALLS and returned - summary["unseen"] == sum(counts.values()), summary


@over(VMS)
def test_every_hit_is_an_event_or_lost(vm):
    with Node(vm) as node:
        prepare(node)
        trace = Trace("calls", "lists:reverse/2", "-p", node.pid, "-j")
        for _ in range(3):
            node.eval("calling:call(P, {100000, reverse})")
        lines = trace.stop_json()
    assert probe_total(lines, "bif-call") >= 300000 and lines[-1]["lost"] == 0, lines[-1]
    assert of_type(lines, "hist")[0]["count"] == probe_total(lines, "bif-call")
