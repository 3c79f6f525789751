"""births, held against processes whose number the node itself knows."""
from lib import VMS, Node, Trace, agree, of_type

SPAWNS = 200


def over(cases):
    def mark(function):
        function.cases = list(cases)
        return function
    return mark


def spawn(vm, *options):
    """A process spawns some of each kind, one after the other, and waits for the end of each."""
    with Node(vm) as node:
        node.eval("P = births:start()")
        pid = node.eval("P")
        trace = Trace("births", "-p", node.pid, "-j", *[pid if o == "PID" else o for o in options])
        for what in ("worker", "proc_lib", "server", "killed"):
            node.eval("births:call(P, {%d, %s})" % (SPAWNS, what))
        lines = trace.stop_json()
    assert lines[-1]["lost"] == 0
    return pid, {row["key"]: row for row in of_type(lines, "table")[0]["rows"]}, lines


@over(VMS)
def test_spawns_and_exits_are_counted_by_what_runs(vm):
    _, rows, lines = spawn(vm, "--by", "mfa", "--erl-pid", "PID")
    found = {key: (row["spawned"], row["exited"]) for key, row in rows.items()}
    # proc_lib's and spawn/3's run the same function; killed ones may never have run.
    assert found == {"births:worker/1": (2 * SPAWNS, 2 * SPAWNS), "births:init/1": (SPAWNS, SPAWNS),
                     "births:stays/0": (SPAWNS, SPAWNS)}, found
    assert all(row["spawned_per_s"] <= row["spawned"] / lines[-1]["duration_s"] * 1.5 for row in rows.values())


@over(VMS)
def test_spawns_are_counted_for_who_spawns(vm):
    pid, rows, lines = spawn(vm, "--by", "pid")
    assert rows[pid]["spawned"] == rows[pid]["exited"] == 4 * SPAWNS, rows
    assert sum(row["spawned"] for row in rows.values()) == lines[-1]["probes"]["process-spawned"]["events"]
    assert sum(row["exited"] for row in rows.values()) == lines[-1]["probes"]["process-exited"]["events"]


@over(VMS)
def test_how_long_processes_lived_is_measured(vm):
    agree(lambda: lives(vm))


def lives(vm):
    with Node(vm) as node:
        node.eval("P = births:start()")
        trace = Trace("births", "-p", node.pid, "-j", "--by", "mfa")
        own = int(node.eval("births:call(P, {20, timed})"))
        rows = of_type(trace.stop_json(), "table")[0]["rows"]
    row = [row for row in rows if row["key"] == "births:worker/1"][0]
    assert row["longest"] >= row["lived"]
    return row["lived"], own


@over(VMS)
def test_intervals_add_up_to_all_spawns(vm):
    with Node(vm) as node:
        node.eval("P = births:start()")
        trace = Trace("births", "-p", node.pid, "-j", "--by", "mfa", "-i", "50ms")
        node.eval("births:call(P, {40000, killed})")
        lines = trace.stop_json()
    rows = [row for table in of_type(lines, "table") for row in table["rows"]]
    mine = [row for row in rows if row["key"] == "births:stays/0"]
    assert len(of_type(lines, "table")) > 1
    assert sum(row["spawned"] for row in mine) == sum(row["exited"] for row in mine) == 40000, mine
