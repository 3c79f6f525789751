"""births, held against what the node spawned."""
import os
import re

from lib import VMS, Node, Trace, agree, erlbpf, of_type, over


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


def spawned(rows):
    return {row["key"]: row["spawned"] for row in rows}


STORM = "lives:storm(%s, %d, x)"
WAYS = {"plain": "lives:run/1", "proc_lib": "lives:run/1", "request": "lives:run/1",
        "'fun'": "lives:'-spawn_by/2-fun-0-'/0", "gen_server": "lives:init/1"}


@over(VMS)
def test_every_process_of_the_node_is_counted(vm):
    number = "(fun() -> [_, N, _] = string:split(pid_to_list(spawn(fun() -> ok end)), \".\", all), " \
             "list_to_integer(N) end)()"
    with Node(vm, "+S", "4") as node:
        trace = Trace("births", "-j", "-p", node.pid)
        # The VM numbers its processes; the first and the last of these are born here.
        first = int(node.eval(number))
        node.eval("[receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- [spawn_monitor(fun() -> "
                  + STORM % ("plain", 2500) + " end) || _ <- lists:seq(1, 8)]], ok", limit=120)
        last = int(node.eval(number))
        node.eval("timer:sleep(100)")
        lines = trace.stop_json()
    rows = rows_of(lines)
    assert len(rows) == 1 and rows[0]["key"] == "all", rows
    assert rows[0]["spawned"] == last - first + 1 == lines[-1]["spawned"], (first, last, rows)
    assert rows[0]["exited"] == rows[0]["spawned"] == lines[-1]["exited"]
    assert lines[-1]["probes"]["process-spawn"] == {"events": last - first + 1, "lost": 0}


@over(VMS)
def test_processes_are_counted_by_what_they_really_run(vm):
    with Node(vm, "+S", "4") as node:
        trace = Trace("births", "-j", "-p", node.pid, "--by", "mfa")
        for way in WAYS:
            assert node.eval(STORM % (way, 200)) == "200"
        node.eval("timer:sleep(100)")
        rows = rows_of(trace.stop_json())
    counts = spawned(rows)
    assert counts["lives:run/1"] == 600 and counts[WAYS["'fun'"]] == 200 and counts["lives:init/1"] == 200
    assert all(row["exited"] == row["spawned"] for row in rows if row["key"].startswith("lives:")), rows


@over(VMS)
def test_a_fun_is_known_as_the_node_knows_it_also_when_its_module_was_loaded_again(vm):
    with Node(vm) as node:
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
    with Node(vm) as node:
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


def test_intervals_in_which_nothing_happens_are_shown_as_such():
    with Node(VMS[0]) as node:
        rows = rows_of(Trace("births", "-j", "-p", node.pid, "-i", "50ms", "--count", "3").stop_json(sig=None))
    assert [(row["spawned"], row["spawned_s"], row["exited"]) for row in rows] == [(0, 0, 0)] * 3


@over(VMS)
def test_nodes_are_told_apart(vm):
    names = ["%s%d" % (name, os.getpid()) for name in ("many", "few")]
    with Node(vm, "-sname", names[0]) as many, Node(vm, "-sname", names[1]) as few:
        trace = Trace("births", "-j", "-p", "%d,%d" % (many.pid, few.pid), "--by", "node")
        many.eval(STORM % ("plain", 300))
        few.eval(STORM % ("plain", 20))
        rows = rows_of(trace.stop_json())
    counts = {row["key"].split("@")[0]: row["spawned"] for row in rows}
    # Whoever has a name may have a process more that it needs for it.
    assert 300 <= counts[names[0]] <= 305 and 20 <= counts[names[1]] <= 25, rows


@over(VMS)
def test_the_rate_is_that_of_the_node_in_every_interval(vm):
    def measure():
        trace = Trace("births", "-j", "-p", node.pid, "-i", "100ms", "--by", "mfa")
        seconds = float(node.eval("element(1, timer:tc(fun() -> %s end)) / 1.0e6"
                                  % ", ".join([STORM % ("plain", 50000)] * 4), limit=120))
        node.eval("timer:sleep(20)")
        rows = [row for row in rows_of(trace.stop_json()) if row["key"] == "lives:run/1"]
        assert sum(row["spawned"] for row in rows) == sum(row["exited"] for row in rows) == 200000
        rates = sorted(row["spawned_s"] for row in rows[1:-1] or rows)
        return rates[len(rates) // 2], 200000 / seconds

    with Node(vm) as node:
        agree(measure)


@over(VMS)
def test_names_are_known_when_the_node_has_ended(vm):
    with Node(vm) as node:
        trace = Trace("births", "-j", "-p", node.pid, "--by", "mfa")
        node.eval(STORM % ("plain", 100) + ", timer:sleep(1000)")
        node.kill()
        counts = spawned(rows_of(trace.stop_json(sig=None)))
    assert counts["lives:run/1"] == 100, counts


def test_a_table_for_people_and_one_for_programs():
    with Node(VMS[0]) as node:
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
