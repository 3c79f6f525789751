"""erlbpf export --script: D as metrics. A node says what it has done, and the same script says it on the command line."""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, ROOT, SLOW, STOCK, Node, Process, erlbpf, wait_until
from otlp import Receiver
from pods import Agent, samples
from test_export import Prometheus, promtool
from test_export_governor import LIMITED
from test_export_privileges import NEEDED, only

# Each test that runs at once is a process.
NAME = "scripted%d" % os.getpid()
SPAWN = "lists:foreach(fun(_) -> spawn(%s, %s, %s) end, lists:seq(1, %d))"
BY_MFA = """
BEGIN { printf("ready\\n"); }
erlang*:::process-spawn /copyinstr(arg1) != "erlang:apply/2"/ { @spawns[pid, copyinstr(arg1)] = count(); }
"""


class Folder:
    """Scripts, as a kubelet mounts a ConfigMap: links to files behind a link that changes for all at once."""

    def __init__(self, **scripts):
        self.path = tempfile.mkdtemp(prefix="erlbpf-scripts-")
        self.version = 0
        self.scripts = {}
        self.set(**scripts)

    def set(self, **scripts):
        """Another version of some, by their names without .d; None: it goes."""
        self.scripts.update(scripts)
        self.scripts = {name: text for name, text in self.scripts.items() if text is not None}
        self.version += 1
        hidden = "..version_%d" % self.version
        os.mkdir(os.path.join(self.path, hidden))
        for name, text in self.scripts.items():
            with open(os.path.join(self.path, hidden, name + ".d"), "w", errors="surrogateescape") as file:
                file.write(text)
            if not os.path.islink(os.path.join(self.path, name + ".d")):
                os.symlink("..data/%s.d" % name, os.path.join(self.path, name + ".d"))
        os.symlink(hidden, os.path.join(self.path, "..new"))
        os.rename(os.path.join(self.path, "..new"), os.path.join(self.path, "..data"))
        for link in os.listdir(self.path):
            if link.endswith(".d") and link[:-2] not in self.scripts:
                os.unlink(os.path.join(self.path, link))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def agent_of(folder, *args, tools="gc", node=NAME, **more):
    return Agent("--node", node, "--tools", tools, "--script", folder.path, *args, **more)


def scripts(agent):
    return {one["file"]: one for one in json.loads(agent.get("/targets"))["scripts"]}


def wait_for(agent, state, *files):
    files = [name + ".d" for name in files]
    wait_until("%s are %s" % (files, state), lambda: [scripts(agent).get(f, {}).get("state") for f in files] ==
               [state] * len(files))


def check_format(agent):
    """promtool has nothing to say, and neither has a strict parser of OpenMetrics."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    code, said = promtool(agent.get("/metrics"))
    assert code == 0 and not said, said
    done = subprocess.run(["curl", "-s", "-H", "Accept: application/openmetrics-text; version=1.0.0",
                           "http://127.0.0.1:%d/metrics" % agent.port], capture_output=True, text=True, check=True)
    return list(text_string_to_metric_families(done.stdout))


# It waits longest: the others go on beside it.

BUSY = ("P = spawn(fun F() -> receive {Q, N} -> Q ! N, F() end end), "
        "B = spawn(fun G() -> receive stop -> ok after 0 -> P ! {self(), 1}, receive 1 -> G() end end end), ok")


def check_that_it_is_turned_off_and_comes_back(*limit, **how):
    """Of a limit that it passes for sure, see test_export_governor.py, or one that is given."""
    with Folder(sends="erlang*:::message-send { @n = count(); }", calm="tick-100ms { @n = count(); }") as folder, \
            Node(STOCK, "-sname", NAME) as node, agent_of(folder, *limit or LIMITED, **how) as agent:
        wait_for(agent, "running", "sends", "calm")
        node.eval(BUSY)
        wait_for(agent, "off", "sends")
        assert scripts(agent)["sends.d"]["why"] == "overhead" and scripts(agent)["calm.d"]["state"] == "running"
        wait_until("its metric says so", lambda: agent.value("erlbpf_script_up", script="sends.d") == 0)
        assert agent.value("erlbpf_governor_level", tool="sends.d") == 0
        node.eval("B ! stop, ok")
        wait_for(agent, "running", "sends")
        log = agent.stop()
    assert "sends.d is off: " in log and "sends.d runs in full again" in log, log


def test_a_script_that_costs_too_much_is_turned_off_and_comes_back():
    check_that_it_is_turned_off_and_comes_back(program=SLOW)


def test_with_the_daemonsets_capabilities_a_script_that_costs_too_much_is_turned_off_and_comes_back():
    """As long as an agent with all capabilities runs beside it, the kernel measures for all, and nothing is estimated: see
    timing/test_export_scripts.py."""
    check_that_it_is_turned_off_and_comes_back(prefix=only(NEEDED), program=SLOW)


def test_a_script_counts_what_nodes_did_and_what_the_command_line_counts():
    with Folder(spawns=BY_MFA) as folder, Node(STOCK, "-sname", NAME) as node, \
            Node(STOCK, "-sname", NAME + "_too") as other, agent_of(folder, node=NAME + "*") as agent:
        wait_for(agent, "running", "spawns")
        with Process([ERLBPF, "-q", "--node", NAME + "*", "-s", os.path.join(folder.path, "spawns.d")]) as own:
            assert own.line() == "ready"
            node.eval(SPAWN % ("lists", "seq", "[1, 2]", 700))
            node.eval(SPAWN % ("erlang", "hash_this", "[]", 300))
            other.eval(SPAWN % ("lists", "seq", "[1, 2]", 50))
            value = lambda mfa, by=node: agent.value("erlbpf_script_spawns_spawns_total", script="spawns.d",
                                                     key0=str(by.pid), key1=mfa)
            wait_until("the other's are counted", lambda: value("lists:seq/2", other) == 50)
            wait_until("all are counted", lambda: value("lists:seq/2") == 700 and value("erlang:hash_this/0") == 300)
            own.child.send_signal(signal.SIGINT)
            told = own.child.communicate(timeout=LIMIT)[0].decode()
        for by, name, mfa, count in ((node, NAME + "@", "lists:seq/2", 700), (node, NAME + "@", "erlang:hash_this/0", 300),
                                     (other, NAME + "_too@", "lists:seq/2", 50)):
            assert re.search(r"^ +%d +%s +%d$" % (by.pid, mfa, count), told, re.M), told
            labels = agent.series("erlbpf_script_spawns_spawns_total", key0=str(by.pid), key1=mfa)[0][0]
            assert labels["otp"] == "25" and labels["node"].startswith(name), labels
        assert agent.value("erlbpf_script_up", script="spawns.d") == 1
        assert agent.value("erlbpf_script_output_dropped_total", script="spawns.d") == 1
        check_format(agent)
        assert "ready" not in agent.stop()


FAULTY = "BEGIN { @n = count(); @bad = sum(*(int *)8); }"


def test_what_is_wrong_with_a_script_is_told_and_disturbs_nobody():
    with Folder(good="tick-100ms { @ticks = count(); }", syntax="BEGIN {\n  @n = ; }", bytes="BEGIN { \udcff\udcfe }", none="erlang*:::no-such { @ = count(); }",
                system='BEGIN { system("id"); }', pragma="#pragma D option destructive\nBEGIN { @n = count(); }",
                cpp="#pragma D option cpp\nBEGIN { @n = count(); }", target="pid$target:::entry { @n = count(); }",
                large="#pragma D option bufsize=1g\nBEGIN { @n = count(); }", faulty=FAULTY,
                ends="BEGIN { @n = sum(41); } END { @n = sum(1); } tick-100ms { exit(3); }") as folder, \
            agent_of(folder) as agent:
        wait_for(agent, "failed", "syntax", "bytes", "none", "system", "pragma", "cpp", "target", "large")
        wait_for(agent, "running", "good", "faulty")
        wait_for(agent, "ended", "ends")
        now = scripts(agent)
        assert now["syntax.d"]["error"].startswith("line 2: [D_SYNTAX]"), now["syntax.d"]
        assert "[D_PDESC_ZERO]" in now["none.d"]["error"] and "no-such" in now["none.d"]["error"]
        assert "line 1: [" in now["system.d"]["error"] and "destructive" in now["system.d"]["error"]
        assert "line 1: [D_PRAGMA_OPTSET]" in now["pragma.d"]["error"] and "destructive" in now["pragma.d"]["error"]
        assert "preprocessor" in now["cpp.d"]["error"] and "$target" in now["target.d"]["error"], now
        assert "bufsize" in now["large.d"]["error"] and "4194304" in now["large.d"]["error"]
        assert now["ends.d"]["status"] == 3 and now["faulty.d"]["faults"] == 1
        wait_until("the fault is told", lambda: agent.value("erlbpf_script_faults_total", script="faulty.d") == 1)
        wait_until("what END added is there", lambda: agent.value("erlbpf_script_ends_n", script="ends.d") == 42)
        up = {labels["script"] for labels, value in agent.series("erlbpf_script_up") if value}
        assert up == {"good.d", "faulty.d", "ends.d"}, up
        before = agent.value("erlbpf_script_good_ticks_total")
        wait_until("the good one goes on", lambda: agent.value("erlbpf_script_good_ticks_total") > before)
        check_format(agent)
        log = agent.stop()
    assert log.count("syntax.d: line 2: [D_SYNTAX]") == 1, log


def test_a_changed_script_takes_over_a_bad_one_does_not_and_what_is_gone_ends():
    first, second = "tick-100ms { @one = count(); }", "tick-100ms { @two = count(); }"
    has = lambda agent, metric: bool(agent.series("erlbpf_script_%s_total" % metric))
    with Folder(a=first, b=first) as folder, agent_of(folder) as agent:
        wait_for(agent, "running", "a", "b")
        wait_until("both count", lambda: has(agent, "a_one") and has(agent, "b_one"))
        folder.set(a="tick-100ms { @two = coun(); }")
        wait_until("the error is told", lambda: "D_FUNC_UNDEF" in scripts(agent)["a.d"].get("error", ""))
        before = agent.value("erlbpf_script_a_one_total")
        assert scripts(agent)["a.d"]["state"] == "running"
        wait_until("its metric says so", lambda: agent.value("erlbpf_script_up", script="a.d") == 0)
        wait_until("the old one counts on", lambda: agent.value("erlbpf_script_a_one_total") > before)
        folder.set(a=second, b=None, c=first)
        wait_until("the new one counts", lambda: has(agent, "a_two") and has(agent, "c_one"))
        assert not has(agent, "a_one")
        wait_until("its metric says so", lambda: agent.value("erlbpf_script_up", script="a.d") == 1)
        wait_until("what is gone is gone", lambda: not has(agent, "b_one") and "b.d" not in scripts(agent))
        assert "error" not in scripts(agent)["a.d"]
        log = agent.stop()
    assert log.count("D_FUNC_UNDEF") == 1 and "continues to run" in log, log


HISTOGRAMS = "\n".join(["BEGIN {"] + ["  @q = quantize(%d);" % v for v in (-70, -1, 0, 0, 1, 6, 7, 8, 1 << 40)] + [
    "  @hist_count = lquantize(%d, -10, 10, 5);" % v for v in (-100, -10, -6, -5, 4, 5, 9, 10, 99)] + [
    "  @ll = llquantize(%d, 10, 0, 4, 20);" % v for v in (-15, 0, 1, 9, 10, 11, 12, 99, 100, 7777, 100000)] + [
    '  @keyed["a\\"b", 7] = quantize(3); @keyed["c", -1] = quantize(3, 10); exit(0); }'])


def test_every_bucket_holds_what_the_command_line_shows():
    with Folder(sizes=HISTOGRAMS) as folder, agent_of(folder) as agent:
        wait_for(agent, "ended", "sizes")
        out, _ = erlbpf("-q", "-j", "-s", os.path.join(folder.path, "sizes.d"))
        shown = {one["name"][1:]: one["entries"] for one in map(json.loads, out.splitlines())
                 if one["type"] == "aggregation"}
        wait_until("they are there", lambda: agent.series("erlbpf_script_sizes_keyed_bucket"))
        for name, metric in (("q", "q"), ("hist_count", "hist_count_value"), ("ll", "ll")):
            check_buckets(agent, "erlbpf_script_sizes_" + metric, shown[name][0]["buckets"])
        # printf's escapes are the label's own.
        values = {l["key0"]: v for l, v in agent.series("erlbpf_script_sizes_keyed_count")}
        assert values == {'a\\"b': 1, "c": 10}, values
        families = {family.name: family for family in check_format(agent)}
        assert families["erlbpf_script_sizes_q"].type == "histogram"


# How many of the values above are not greater; Prometheus of today writes 7.0, others wrote 7.
BELOW = {"-1(.0)?": 2, "0(.0)?": 4, "1(.0)?": 5, "7(.0)?": 7, "15(.0)?": 8}


def test_prometheus_reads_them_in_the_format_that_it_likes_best():
    with Folder(sizes=HISTOGRAMS) as folder, agent_of(folder) as agent:
        wait_for(agent, "ended", "sizes")
        prometheus = Prometheus(agent, "--enable-feature=native-histograms")
        bucket = lambda le: prometheus.one('erlbpf_script_sizes_q_bucket{le="%s"}' % le)
        wait_until("it has the last bucket", lambda: bucket("+Inf") == 9)
        assert {le: prometheus.query('erlbpf_script_sizes_q_bucket{le=~"%s"}' % le)[0][1] for le in BELOW} == BELOW
        assert prometheus.one('erlbpf_script_sizes_keyed_bucket{key1="7",le="+Inf"}') == 1
        prometheus.close()


def test_a_receiver_of_otlp_is_given_the_same_buckets_and_a_start_that_does_not_move():
    counting = "tick-100ms { @up = count(); @q = quantize(6); @q = quantize(-1); }"
    with Receiver() as receiver, Folder(sizes=HISTOGRAMS, ticks=counting) as folder, \
            agent_of(folder, "--otlp", receiver.url, "--otlp-interval", "1s") as agent:
        wait_for(agent, "ended", "sizes")
        wait_until("they are there", lambda: agent.series("erlbpf_script_sizes_keyed_bucket") and
                   agent.value("erlbpf_script_ticks_up_total"))
        first, second = receiver.fresh(), receiver.fresh()
        served = {labels["le"]: value for labels, value in agent.series("erlbpf_script_sizes_q_bucket")}
        (point,) = second.points("erlbpf_script_sizes_q", "explicit").values()
        below, pushed = 0, {}
        for bound, count in zip(point["bounds"] + [float("inf")], point["counts"], strict=True):
            below += count
            pushed["+Inf" if bound == float("inf") else "%.17g" % bound] = below
        assert pushed == served and point["count"] == 9 and "sum" not in point, (pushed, served)
        for name, kind in (("erlbpf_script_ticks_up_total", "sum"), ("erlbpf_script_ticks_q", "explicit")):
            (one,), (other,) = first.points(name, kind).values(), second.points(name, kind).values()
            assert one["start"] == other["start"] < one["time"] < other["time"], (name, one, other)


def check_buckets(agent, metric, buckets):
    series = agent.series(metric + "_bucket")
    assert len(series) > 3 and series[-1][0]["le"] == "+Inf", series
    for labels, value in series:
        below = sum(b["count"] for b in buckets if b["hi"] is not None and b["hi"] <= float(labels["le"]))
        expected = sum(b["count"] for b in buckets) if labels["le"] == "+Inf" else below
        assert value == expected, (metric, labels, value, expected)
    assert agent.value(metric + "_count") == series[-1][1] and not agent.series(metric + "_sum")


ACTIONS = """
BEGIN { @normal = sum(-1000); normalize(@normal, 10); @q = quantize(3, 50); normalize(@q, 7); @min = min(-5); @min = min(8);
        @max = max(-5); @avg = avg(-7); @avg = avg(4); @dev = stddev(2); @dev = stddev(6);
        @cleared = count(); @cut["x"] = sum(9); @cut["y"] = sum(8); @cut["z"] = sum(7); }
tick-100ms /i++ == 3/ { clear(@cleared); trunc(@cut, 1); }
"""


def test_values_are_what_normalize_clear_and_trunc_make_of_them():
    with Folder(act=ACTIONS) as folder, agent_of(folder) as agent:
        wait_for(agent, "running", "act")
        values = lambda: {name[len("erlbpf_script_act_"):] + labels.get("key0", ""): value
                          for name, labels, value in samples(agent.get("/metrics"))
                          if name.startswith("erlbpf_script_act_") and "le" not in labels}
        expected = {"normal": -100, "q_count": 7, "min": -5, "max": -5, "avg": -1, "dev": 2, "cleared_total": 0, "cutx": 9}
        wait_until("all are as they should be", lambda: values() == expected)
        check_format(agent)


def test_one_of_100000_keys_has_its_series_bounded_and_loses_no_count_in_silence():
    script = "erlang*:::process-spawn { @[timestamp] = count(); @all = count(); }"
    with Folder(many=script) as folder, Node(STOCK, "-sname", NAME, "+P", "300000") as node, \
            agent_of(folder, "--series", "50") as agent:
        wait_for(agent, "running", "many")
        node.eval(SPAWN % ("lists", "seq", "[1, 2]", 100000), limit=120)

        def is_complete():
            told = agent.value("erlbpf_script_many_total")
            drops = agent.value("erlbpf_script_drops_total", script="many.d", what="aggregation")
            return agent.value("erlbpf_script_many_all_total") >= 100000 and \
                told + drops == agent.value("erlbpf_script_many_all_total")
        wait_until("all are told", is_complete, 120)
        series = agent.series("erlbpf_script_many_total")
        assert len(series) == 51 and [v for l, v in series if l["key0"] == "other"][0] > 10000, series[:3]
        dropped = agent.value("erlbpf_script_keys_without_series", metric="erlbpf_script_many")
        assert dropped == agent.value("erlbpf_script_many_total", key0="other"), dropped
        check_format(agent)


def test_a_heavier_key_takes_the_place_of_a_lighter_one_and_other_never_falls():
    with Folder(spawns=BY_MFA) as folder, Node(STOCK, "-sname", NAME) as node, \
            agent_of(folder, "--series", "2") as agent:
        wait_for(agent, "running", "spawns")
        value = lambda key: agent.value("erlbpf_script_spawns_spawns_total", key1=key)
        named = lambda: {l["key1"] for l, _ in agent.series("erlbpf_script_spawns_spawns_total")} - {"other"}
        node.eval(SPAWN % ("lists", "seq", "[1, 2]", 90))
        node.eval(SPAWN % ("lists", "sum", "[[]]", 40))
        wait_until("two are there", lambda: named() == {"lists:seq/2", "lists:sum/1"})
        node.eval(SPAWN % ("lists", "max", "[[1]]", 30))
        wait_until("the third is another", lambda: value("other") == 30)
        node.eval(SPAWN % ("lists", "max", "[[1]]", 500))
        wait_until("it has its place", lambda: named() == {"lists:seq/2", "lists:max/1"})
        other = value("other")
        assert value("lists:max/1") == 530 and other >= 30, other
        node.eval(SPAWN % ("lists", "sum", "[[]]", 7))
        wait_until("and the others count on", lambda: value("other") == other + 7)


def test_names_that_cannot_be_are_told():
    scripts_of = {"one-two": "BEGIN { @all = count(); }", "one_two": "BEGIN { @all = count(); }", "up": "BEGIN { @ = sum(1); }",
                  "eleven": "BEGIN { @k[1,2,3,4,5,6,7,8,9,10,11] = count(); @someThing = sum(5); }"}
    with Folder(**scripts_of) as folder:
        with open(os.path.join(folder.path, ".hidden.d"), "w") as hidden, \
                open(os.path.join(folder.path, "note.txt"), "w") as note:
            hidden.write("BEGIN {")
            note.write("no D")
        with agent_of(folder) as agent:
            wait_for(agent, "running", *scripts_of)
            now = scripts(agent)
            assert sorted(now) == sorted(name + ".d" for name in scripts_of)
            problems = collections.Counter(one.get("problem", "") for script in now.values()
                                           for one in script["aggregations"])
            assert problems == {"": 2, "another metric has this name": 2, "it has more than 10 keys": 1}, problems
            wait_until("a name is written as metrics are", lambda: agent.value("erlbpf_script_eleven_some_thing") == 5)
            check_format(agent)


BY_ALL_WAYS = """
BEGIN { @begun = count(); }
tick-100ms { @ticks = count(); }
profile-97 { @profiled = count(); }
syscall::read:entry /execname == "beam.smp"/ { @reads = count(); }
erlang*:::process-spawn /copyinstr(arg1) == "lists:seq/2"/ { @spawns[copyinstr(arg1), ustack(2)] = count(); }
"""


def test_the_capabilities_of_the_daemonset_are_enough_for_all_kinds_of_probes_and_nodes_that_come_later():
    with Folder(ways=BY_ALL_WAYS) as folder, agent_of(folder, prefix=only(NEEDED)) as agent:
        wait_for(agent, "running", "ways")
        with Node(STOCK, "-sname", NAME) as node:
            wait_until("it is traced", agent.targets)

            def is_spawned():
                node.eval(SPAWN % ("lists", "seq", "[1, 2]", 10))
                return agent.value("erlbpf_script_ways_spawns_total") >= 10
            wait_until("its spawns are counted", is_spawned)
            for name in ("begun", "ticks", "profiled", "reads"):
                wait_until("%s is counted" % name, lambda: agent.value("erlbpf_script_ways_%s_total" % name))
        log = agent.stop()
    assert "cannot" not in log and "missing" not in log, log


def test_targets_tell_which_tools_measure_part_of_the_time():
    with Folder() as folder, Node(STOCK, "-sname", NAME) as node, \
            agent_of(folder, *LIMITED, tools="sched-latency", program=SLOW) as agent:
        tool = lambda: json.loads(agent.get("/targets"))["tools"][0]
        wait_until("it is traced", agent.targets)
        assert tool() == {"tool": "sched-latency", "level": "full"}
        node.eval(BUSY)
        wait_until("it runs in windows", lambda: tool() == {"tool": "sched-latency", "level": "windows", "why": "overhead"})


def test_the_scripts_that_come_along_count_what_a_node_does():
    folder = os.path.join(ROOT, "docs", "deploy", "scripts")
    texts = {name[:-2]: open(os.path.join(folder, name)).read() for name in os.listdir(folder) if name.endswith(".d")}
    with Folder(**texts) as mounted, Node(STOCK, "-sname", NAME) as node, agent_of(mounted) as agent:
        wait_for(agent, "running", *texts)
        node.eval("ets:new(shelf, [named_table, public])")
        node.eval("lists:foreach(fun(N) -> ets:insert(shelf, {N}) end, lists:seq(1, 321))")
        node.eval(SPAWN % ("lists", "seq", "[1, 2]", 123))
        wait_until("spawns are counted", lambda: agent.value("erlbpf_script_spawns_total", key1="lists:seq/2") == 123)
        wait_until("inserts are counted", lambda: agent.value(
            "erlbpf_script_ets_calls_total", key1="ets:insert/2", key2="shelf") == 321)
        check_format(agent)


def test_a_folder_that_is_not_there_is_a_mistake():
    _, err = erlbpf("export", "--listen", "127.0.0.1:0", "--script", "/nowhere", code=1)
    assert "/nowhere" in err, err
