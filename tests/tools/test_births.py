"""births, held against what the node spawned."""
import contextlib
import os
import re
import time

from lib import VMS, WITH_NEWEST, Node, Trace, erlbpf, of_type, over, shared, unique, wait_until


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


def spawned(rows):
    return {row["key"]: row["spawned"] for row in rows}


STORM = "lives:storm(%s, %d, x)"
WAYS = {"plain": "lives:run/1", "proc_lib": "lives:run/1", "request": "lives:run/1",
        "'fun'": "lives:'-spawn_by/2-fun-0-'/0", "gen_server": "lives:init/1"}


@over(WITH_NEWEST)
def test_every_process_of_the_node_is_counted(vm):
    number = "(fun() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> ok end, " \
             "[_, N, _] = string:split(pid_to_list(P), \".\", all), list_to_integer(N) end)()"
    with shared(vm, "+S", "4") as node:
        node.eval(number)
        trace = Trace("births", "-j", "-p", node.pid)
        # The VM numbers its processes; the first and the last of these are born here.
        first = int(node.eval(number))
        node.eval("[receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- [spawn_monitor(fun() -> "
                  + STORM % ("plain", 2500) + " end) || _ <- lists:seq(1, 8)]], ok")
        last = int(node.eval(number))
        lines = trace.stop_json()
    rows = rows_of(lines)
    assert len(rows) == 1 and rows[0]["key"] == "all", rows
    assert rows[0]["spawned"] == last - first + 1 == lines[-1]["spawned"], (first, last, rows)
    assert rows[0]["exited"] == rows[0]["spawned"] == lines[-1]["exited"]
    assert lines[-1]["probes"]["process-spawn"] == {"events": last - first + 1, "lost": 0}


@over(VMS)
def test_processes_are_counted_by_what_they_really_run(vm):
    with shared(vm, "+S", "4") as node:
        trace = Trace("births", "-j", "-p", node.pid, "--by", "mfa")
        for way in WAYS:
            assert node.eval(STORM % (way, 200)) == "200"
        rows = rows_of(trace.stop_json())
    counts = spawned(rows)
    assert counts["lives:run/1"] == 600 and counts[WAYS["'fun'"]] == 200 and counts["lives:init/1"] == 200
    assert all(row["exited"] == row["spawned"] for row in rows if row["key"].startswith("lives:")), rows


@over(VMS)
def test_trace_shows_what_a_process_really_runs(vm):
    with shared(vm, "+S", "4") as node:
        trace = Trace("trace", "process-spawn", "-j", "-p", node.pid)
        for way in WAYS:
            node.eval(STORM % (way, 1))
        lines = trace.stop_json()
    told = " ".join(line["args"] for line in of_type(lines, "event"))
    if vm.notes:  # which have the function of the spawn
        assert "mfa=lives:run/1" in told, told
    else:
        assert all("mfa=%s" % run in told for run in WAYS.values()), told


@over(VMS)
def test_a_fun_is_known_as_the_node_knows_it_also_when_its_module_was_loaded_again(vm):
    with shared(vm) as node:
        for _ in range(3):
            trace = Trace("births", "-j", "-p", node.pid, "--by", "mfa")
            node.eval("[begin {P, M} = spawn_monitor(F), receive {_, M, _, _, _} -> ok end end "
                      "|| F <- lives:funs()], ok")
            own = node.eval("[erlang:fun_info_mfa(F) || F <- lives:funs()]")
            rows = rows_of(trace.stop_json())
            node.eval("code:purge(lives), code:load_file(lives)")
            funs = ["%s:%s/%s" % mfa for mfa in re.findall(r"\{(\w+),('[^']*'|\w+),(\d+)\}", own)]
            assert len(funs) == 8
            counts = spawned(rows)
            assert {fun: counts.get(fun) for fun in funs} == {fun: funs.count(fun) for fun in funs}, rows


@over(VMS)
def test_who_spawns_is_known_by_pid_and_by_name(vm):
    with shared(vm) as node:
        spawner = node.eval("P = spawn(fun F() -> receive {storm, N, From} -> "
                            + "From ! lives:storm(plain, N, x), F() end end), register(nursery, P), P")
        for by, key, name in (("pid", spawner, "nursery"), ("name", "nursery", None)):
            trace = Trace("births", "-j", "-p", node.pid, "--by", by)
            node.eval("P ! {storm, 300, self()}, receive 300 -> ok end")
            row = [row for row in rows_of(trace.stop_json()) if row["key"] == key]
            assert [(r["name"], r["spawned"], r["exited"]) for r in row] == [(name, 300, 300)], row
        trace = Trace("births", "-j", "-p", node.pid, "--erl-pid", spawner)
        node.eval(STORM % ("plain", 100))
        node.eval("P ! {storm, 200, self()}, receive 200 -> ok end")
        rows = rows_of(trace.stop_json())
    assert [(row["spawned"], row["exited"]) for row in rows] == [(200, 200)]


@over(VMS[:1])
def test_intervals_in_which_nothing_happens_are_shown_as_such(vm):
    with shared(vm) as node:
        rows = rows_of(Trace("births", "-j", "-p", node.pid, "-i", "50ms", "--count", "3").stop_json(sig=None))
    assert [(row["spawned"], row["spawned_s"], row["exited"]) for row in rows] == [(0, 0, 0)] * 3


@over(VMS)
def test_nodes_are_told_apart(vm):
    names = [unique(name) for name in ("many", "few")]
    with Node(vm, "-sname", names[0]) as many, Node(vm, "-sname", names[1]) as few:
        trace = Trace("births", "-j", "-p", "%d,%d" % (many.pid, few.pid), "--by", "node")
        many.eval(STORM % ("plain", 300))
        few.eval(STORM % ("plain", 20))
        rows = rows_of(trace.stop_json())
    counts = {row["key"].split("@")[0]: row["spawned"] for row in rows}
    # Whoever has a name may have a process more that it needs for it.
    assert 300 <= counts[names[0]] <= 305 and 20 <= counts[names[1]] <= 25, rows


def seconds_of(row):
    """For how long a row's processes were spawned, at least and at most: its rate is a whole number."""
    return row["spawned"] / (row["spawned_s"] + 0.5), row["spawned"] / max(row["spawned_s"] - 0.5, 1e-9)


@over(VMS)
def test_the_rate_is_the_number_by_the_time_in_which_it_was_counted(vm):
    with shared(vm) as node:
        for options in ([], ["-i", "100ms"]):
            begin = time.monotonic()
            trace = Trace("births", "-j", "-p", node.pid, "--by", "mfa", *options)
            traced = time.monotonic()
            node.eval(STORM % ("plain", 20000))
            counted = time.monotonic()
            rows = [row for row in rows_of(trace.stop_json()) if row["key"] == "lives:run/1"]
            end = time.monotonic()
            assert sum(row["spawned"] for row in rows) == sum(row["exited"] for row in rows) == 20000
            assert all(row["spawned_s"] == row["exited_s"] for row in rows if row["spawned"] == row["exited"]), rows
            # All intervals together are within the time that the test measures.
            least, most = [sum(bounds) for bounds in zip(*map(seconds_of, rows))]
            assert least <= end - begin, (rows, end - begin)
            assert options or (len(rows) == 1 and most >= counted - traced), (rows, counted - traced)


def ticks(trace, every_ns):
    """In which the timer of an erlbpf that has this interval will fire next."""
    for name in os.listdir("/proc/%d/fdinfo" % trace.pid):
        times = {}
        # Other descriptors come and go.
        with contextlib.suppress(FileNotFoundError), open("/proc/%d/fdinfo/%s" % (trace.pid, name)) as file:
            times = dict(re.findall(r"it_(value|interval): \((\d+, \d+)\)", file.read()))
        if times.get("interval") == "%d, %d" % divmod(every_ns, 10**9):
            seconds, ns = times["value"].split(", ")
            return int(seconds) * 10**9 + int(ns)
    raise AssertionError("erlbpf has no such timer")


def wait_for_ticks(trace, every_ns, count):
    """Until the timer has fired so often."""
    seen = [ticks(trace, every_ns)]

    def fired():
        seen.append(ticks(trace, every_ns))
        return sum(after > before for before, after in zip(seen, seen[1:])) >= count

    wait_until("erlbpf looks at what it has counted", fired)


@over(VMS)
def test_names_are_known_when_the_node_has_ended(vm):
    with Node(vm) as node:
        trace = Trace("births", "-j", "-p", node.pid, "--by", "mfa")
        node.eval(STORM % ("plain", 100))
        # After the first it has begun to look, after the second it has done so.
        wait_for_ticks(trace, 200000000, 2)
        node.kill()
        counts = spawned(rows_of(trace.stop_json(sig=None)))
    assert counts["lives:run/1"] == 100, counts


@over(VMS[:1])
def test_a_table_for_people_and_one_for_programs(vm):
    with shared(vm) as node:
        trace = Trace("births", "-p", node.pid, "--by", "mfa")
        node.eval(STORM % ("plain", 50))
        text = trace.stop().splitlines()
        assert text[0].split() == ["KEY", "NAME", "SPAWNED", "SPAWNED_S", "EXITED", "EXITED_S", "NODE"]
        assert text[1].split()[:3] == ["lives:run/1", "-", "50"]
        assert "50 processes were spawned" in trace.stderr
        trace = Trace("births", "-p", node.pid, "-f", "csv", "--by", "mfa")
        node.eval(STORM % ("plain", 50))
        lines = trace.stop().splitlines()
    assert "key,name,spawned,spawned_s,exited,exited_s,node" in lines[0]
    assert "lives:run/1,,50," in lines[1]


def test_a_key_that_makes_no_sense_is_refused():
    assert "--by" in erlbpf("births", "--by", "scheduler", code=2)[1]
