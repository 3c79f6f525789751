"""How large the shares and times of profiles are, held against what the workload is known to do. What needs no clock is in
tests/tools/test_profile.py."""
import json
import math
import os
import re
import subprocess
import tempfile
import time
from collections import Counter

from lib import EMU, JIT_VMS, OLDEST_AND_NEWEST, STOCK, VMS, Node, Trace, cpu_seconds, erlbpf, over, wait_until
from test_profile import (COLLECTED, HZ, SUFFIX, VERSIONS, by_chain, collections, end, erlang_and_state, folded, is_seen_by_perf,
                          perf_of, perf_stacks, read_for_ever, start, totals)


def profile(node, *options, seconds=1):
    """What was sampled, as {frames: ns}, the root first; and what was said."""
    out, err = erlbpf("profile", "--folded", "-p", node.pid, "-F", 997, *options, seconds)
    return folded(out), err


def share(chains, *functions):
    """Of the chains that begin with these functions of shares.erl, in percent."""
    wanted = tuple("shares:" + f for f in functions)
    return 100.0 * sum(w for chain, w in chains.items() if chain[:len(wanted)] == wanted) / sum(chains.values())


# Without JIT, the function that runs is not always known: it depends on which registers the compiler uses.
def least_of(vm):
    return 0.9 if vm.has_jit else 0.6


@over(VMS)
def test_shares_of_functions_are_what_they_burn_with_their_exact_callers(vm):
    with Node(vm) as node:
        pid = start(node, "shares, []")
        # Steps are drawn by lot, and without JIT take several times as long.
        chains = by_chain(profile(node, "--erl-pid", pid, seconds=2 if vm.has_jit else 6)[0])
    for function, percent in ("sixty/1", 60), ("thirty/1", 30), ("ten/1", 10):
        assert abs(share(chains, "shares/0", function) - percent) < (3 if vm.has_jit else 6), chains
        burnt = share(chains, "shares/0", function, "burn/2")
        assert burnt > least_of(vm) * share(chains, "shares/0", function), (function, chains)


def chains_of(node, what):
    """Of a process of shares.erl that does this, which ends then."""
    pid = start(node, what)
    chains = by_chain(profile(node, "--erl-pid", pid)[0])
    end(node)
    return chains, max(chains, key=chains.get)


@over(VMS)
def test_every_caller_is_one_and_no_caller_is_missing(vm):
    with Node(vm) as node:
        tail_calls(node, least_of(vm))
        funs(node, least_of(vm))
        bifs(node)
        # The emulator goes on with a trap as with any other function.
        if vm.has_jit:
            traps(node)


def tail_calls(node, least):
    """What is called by a tail call has no caller but its caller's."""
    chains, most = chains_of(node, "tails, []")
    burning = ("shares:tails/0", "shares:third/1", "shares:burn/2")
    passing = {("shares:tails/0",)} | {("shares:tails/0", "shares:%s/1" % f) for f in ("first", "second", "third")}
    assert set(chains) <= passing | {burning}, chains
    assert most == burning and chains[most] > least * sum(chains.values()), chains


def funs(node, least):
    """A fun is under the function that applies it, which since OTP 26 is lists:map_1/2."""
    chains, most = chains_of(node, "funs, []")
    assert most[0] == "shares:funs/0" and most[1].startswith("lists:map") and most[-1] == "shares:burn/2", chains
    assert re.match(r"shares:'-funs/0-\S*fun-0-'/[12]$", most[-2]), most
    assert chains[most] > least * sum(chains.values()), chains


def bifs(node):
    """C code is under the Erlang function that calls it, also where the process's stack pointer is not in its structure."""
    pid = start(node, "bifs, []")
    stacks, _ = profile(node, "--erl-pid", pid)
    end(node)
    under = {f: w for f, w in stacks.items() if "ets:lookup/2_[b]" in f}
    assert sum(under.values()) > 0.3 * sum(stacks.values()), stacks
    for frames in under:
        assert frames[:3] == ("shares:lookups/1", "shares:lookup/1", "ets:lookup/2_[b]"), frames


def traps(node):
    """A BIF that goes on after a trap is still the one that was called."""
    pid = start(node, "traps, []")
    stacks, _ = profile(node, "--erl-pid", pid)
    end(node)
    all_of_it = sum(stacks.values())
    for function, bif in (("matching/1", "binary:match/2_[b]"), ("selecting/1", "ets:select/2_[b]")):
        caller = ("shares:traps/2", "shares:" + function)
        of_bif = sum(w for f, w in stacks.items() if f[:3] == caller + (bif,))
        of_caller = sum(w for f, w in stacks.items() if f[:2] == caller)
        assert of_bif > 0.9 * of_caller and of_caller > 0.02 * all_of_it, (function, stacks)
    assert not any("_Z" in frame for frames in stacks for frame in frames), stacks


PERF_PERIOD_NS = 1e9 / HZ


def sample_with_perf(node, data):
    """Both look at the same time. (stacks of perf, ours), as Counters of samples"""
    with perf_of(node, data):
        ours = profile(node, "-F", HZ, "--function", "shares:*", seconds=3)[0]
    return Counter(perf_stacks(data)), Counter({frames: weight / PERF_PERIOD_NS for frames, weight in ours.items()
                                                if is_seen_by_perf(frames)})


def apart(theirs, ours):
    """Of the ten functions that perf found most often, the shares that differ by three points and more than twice by
    what chance lets samples differ: {function: (perf's share, ours, chance), in percent}."""
    (of_theirs, n), (of_ours, m) = theirs, ours
    found = {}
    for function, samples in of_theirs.most_common(10):
        share, our_share = 100.0 * samples / n, 100.0 * of_ours[function] / m
        chance = (share * (100 - share) * (1 / n + 1 / m)) ** 0.5
        if abs(share - our_share) > 3 + 2 * chance:
            found[function] = (share, our_share, chance)
    return found


@over([STOCK])
def test_shares_are_those_of_perf_with_the_map_of_the_vm(vm):
    with Node(vm, "+JPperf", "true") as node, tempfile.TemporaryDirectory() as folder:
        start(node, "mixed, []")
        theirs, ours = sample_with_perf(node, os.path.join(folder, "data"))
    differ = apart(totals(theirs), totals(ours))
    assert not differ and len(totals(theirs)[0]) >= 8, (differ, totals(theirs), totals(ours))


@over(JIT_VMS)
def test_a_collection_names_the_process(vm):
    with Node(vm) as node:
        collection(node)


def collection(node):
    start(node, "garbage, []")
    stacks, _ = profile(node)
    end(node)
    collecting = sum(w for f, w in stacks.items() if "GC of work_[s]" in f)
    assert collecting > 0.7 * sum(stacks.values()), stacks


def seconds_of(text):
    """Of "1.5s" and "900ms"."""
    number, unit = re.match(r"([0-9.]+)(m?s)$", text).groups()
    return float(number) / (1000 if unit == "ms" else 1)


@over([STOCK])
def test_the_sum_of_samples_is_the_processor_time_that_was_used(vm):
    with Node(vm) as node:
        start(node, "shares, []")
        stacks, err = profile(node, seconds=3)
    sampled, used = re.search(r": (\S+) of processor time in \S+, of (\S+) that the kernel counts", err).groups()
    # Of a CPU that others use too, what is sampled is a matter of chance: three standard deviations, as shares of it.
    share = min(seconds_of(used) / 3, 1)
    near = 0.02 + 3 * math.sqrt((1 - share) / (seconds_of(used) * 997))
    assert abs(sum(stacks.values()) / 1e9 / seconds_of(used) - 1) < near, (sum(stacks.values()), err)
    assert abs(seconds_of(sampled) / seconds_of(used) - 1) < near, err


def off_cpu(node, pid, *how, seconds=2):
    """{(Erlang functions..., state): ns} of a process that does not run, and for how long it was looked at."""
    begin = time.monotonic()
    stacks, _ = profile(node, "--off-cpu", "--erl-pid", pid, *how, seconds=seconds)
    return {tuple(SUFFIX.sub("", f) for f in frames): w for frames, w in stacks.items()}, time.monotonic() - begin


@over(VMS)
def test_time_off_cpu_is_under_the_function_that_waits(vm):
    with Node(vm) as node:
        pid = start(node, "waits, [10]")
        stacks, limit = off_cpu(node, pid)
        end(node)
        waited = stacks[("shares:waits/1", "shares:wait/1", "waiting for a message")]
        # Who waits for a CPU does not wait for a message.
        assert 1.2e9 < waited < limit * 1e9 and waited > 0.8 * sum(stacks.values()), stacks
        assert all(frames[:2] == ("shares:waits/1", "shares:wait/1") for frames in stacks), stacks


@over(OLDEST_AND_NEWEST)
def test_who_never_runs_is_shown_if_it_is_asked_for(vm):
    with Node(vm) as node:
        pid = node.eval("register(work, spawn(fun() -> lists:foreach(fun(_) -> receive never -> ok end end, [1]) end)), whereis(work)")
        # There are more than are looked at one by one.
        node.eval("[spawn(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 6000)], ok")
        time.sleep(0.5)
        for how in ("--max-overhead", "5"), ("--exact",):
            stacks, limit = off_cpu(node, pid, *how)
            waited = sum(w for frames, w in stacks.items() if frames[-1] == "waiting for a message")
            assert 1.5e9 < waited < limit * 1e9 and waited == sum(stacks.values()), (how, stacks)
            assert all(any(f.startswith("lists:foreach") for f in frames) for frames in stacks), stacks


@over(VMS)
def test_who_calls_a_server_waits_for_its_answer(vm):
    """It has handled signals when it stops, and the VM has yet to take note of that."""
    with Node(vm) as node:
        pid = start(node, "calls, []")
        stacks, limit = off_cpu(node, pid)
    in_call = {frames: w for frames, w in stacks.items() if "gen_server:call/2" in frames}
    waited = sum(w for frames, w in in_call.items() if frames[-1] == "waiting for a message")
    assert 0.8 * 2e9 < waited < limit * 1e9 and waited > 0.8 * sum(stacks.values()), stacks


@over(OLDEST_AND_NEWEST)
def test_who_is_only_monitored_waits_on(vm):
    """A scheduler handles these signals without a turn of the process."""
    with Node(vm) as node:
        node.eval("register(work, spawn(fun F() -> receive _ -> F() end end))")
        node.eval("spawn(fun F() -> demonitor(monitor(process, work)), timer:sleep(20), F() end)")
        node.eval("spawn(fun F() -> work ! hello, timer:sleep(600), F() end)")
        for how in ("--max-overhead", "5"), ("--exact",):
            stacks, limit = off_cpu(node, node.eval("whereis(work)"), *how)
            waited = sum(w for frames, w in stacks.items() if frames[-1] == "waiting for a message")
            assert 1.2e9 < waited < limit * 1e9 and waited > 0.95 * sum(stacks.values()), (how, stacks)


def check_reads(node, pid):
    for how in (("--off-cpu",), ("--off-cpu", "--exact"), ("--wall",)):
        begin = time.monotonic()
        stacks, _ = profile(node, *how, "--erl-pid", pid, seconds=2)
        limit = 1e9 * (time.monotonic() - begin)
        reads = sum(w for frames, w in stacks.items() if frames[-2:] == ("prim_file:read_1/5", "in dirty I/O_[s]"))
        # The machine may let a scheduler wait.
        assert 1.6e9 < sum(stacks.values()) < limit and reads > 0.3 * sum(stacks.values()), (how, stacks)


# What a process does again and again, and notes when.
NOTING = ("register(work, spawn(fun() -> Now = fun() -> os:system_time(nanosecond) end, (fun Note(Before) -> "
          "{Begin, End} = begin %s end, Times = [{Begin, End} | Before], "
          "receive {since, Who} -> Who ! {times, Times}, Note([]) after 0 -> Note(Times) end end)([]) end))")
KNOWN_WAITS = {
    "waiting for a message": "B = Now(), timer:sleep(300), {B, Now()}",
    # It takes nothing for as long; more than it likes to keep is on its way to it.
    "suspended": "P = open_port({spawn, \"sh -c 'sleep 0.4; exec cat > /dev/null'\"}, [binary, out]), port_command(P, binary:copy(<<0>>, 400000)), "
                 "B = Now(), port_command(P, <<0>>), E = Now(), port_close(P), {B, E}",
}


@over(["%s,%s" % (vm, state) for vm in OLDEST_AND_NEWEST for state in KNOWN_WAITS])
def test_times_off_cpu_are_those_that_the_process_itself_measures(case):
    name, state = case.split(",")
    vm = [vm for vm in OLDEST_AND_NEWEST if vm.name == name][0]

    def measure():
        out, _ = erlbpf("profile", "--off-cpu", "-j", "-p", node.pid, "--exact", "--erl-pid", node.eval("whereis(work)"), 3)
        *stacks, summary = map(json.loads, out.splitlines())
        begin, end = summary["start_ns"], summary["start_ns"] + 1e9 * summary["duration_s"]
        # One may be going on.
        wait_until("it has noted it", lambda: known.extend(collections(node)) or max(known, default=(0, 0))[1] > end)
        own = sum(max(0, min(e, end) - max(b, begin)) for b, e in known)
        by_state = Counter()
        for stack in stacks:
            by_state[stack["frames"][-1]["name"]] += stack["value"]
        # Until it runs again, it waits for a scheduler.
        seen = by_state[state] + by_state["waiting for a scheduler"]
        return own > 1e9 and abs(seen / own - 1) < 0.02 and by_state[state] > 0.85 * own, (own, by_state)

    with Node(vm) as node:
        known = []
        node.eval(NOTING % KNOWN_WAITS[state])
        # On a busy machine, the process may get no processor when it is about to wait, or has waited.
        tries = []
        while not tries or not tries[-1][0]:
            assert len(tries) < 8, tries
            tries.append(measure())


@over(JIT_VMS)
def test_who_is_collected_on_a_dirty_scheduler_is_in_gc(vm):
    with Node(vm) as node:
        node.eval(COLLECTED)
        wait_until("it is collected", lambda: collections(node))
        for how in ("--exact",), ("--max-overhead", "5"):
            out, _ = erlbpf("profile", "--off-cpu", "-j", "-p", node.pid, *how, "--erl-pid", node.eval("whereis(work)"), 2)
            *stacks, summary = map(json.loads, out.splitlines())
            begin, end = summary["start_ns"], summary["start_ns"] + 1e9 * summary["duration_s"]
            times = collections(node)
            took = sum(max(0, min(e, end) - max(b, begin)) for b, e in times)
            whole = sum(e - b for b, e in times if begin <= b and e <= end)
            by_state, elsewhere = Counter(), Counter()
            for stack in stacks:
                where = by_state if stack["frames"][-2]["name"].startswith("timer:tc/") else elsewhere
                where[stack["frames"][-1]["name"]] += stack["value"]
            # A busy machine lets it wait for a dirty scheduler, and for a normal one when that is done, or between the clock
            # and the call. Of a collection that had begun before there were probes, the begin is not known.
            least, most = (0.9, 1.02) if how == ("--exact",) else (0.75, 1.15)
            seen, waited = by_state["in GC"] + by_state["waiting for a scheduler"], elsewhere["waiting for a scheduler"]
            assert seen < most * took and seen + waited > least * whole, (how, took, whole, by_state, elsewhere)
            assert by_state["in GC"] > 0.3 * took, (how, took, by_state)
            in_gc = [stack for stack in stacks if stack["frames"][-1]["name"] == "in GC"]
            # Now and then it is collected without having asked, wherever it is then.
            assert all(stack["frames"][-2]["name"].startswith(("timer:tc/", "erl_eval:")) for stack in in_gc), stacks


@over(OLDEST_AND_NEWEST + [EMU])
def test_who_reads_a_slow_file_is_in_dirty_io(vm):
    """Where it goes on then is in the heap: no function is named that happens to be before that."""
    with tempfile.TemporaryDirectory() as folder, Node(vm) as node:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        pid = read_for_ever(node, fifo)
        with open(fifo, "w") as end:
            # Nobody writes: the read does not end in the profile. Then it has something every 50 ms.
            check_reads(node, pid)
            writer = subprocess.Popen(["sh", "-c", "while echo hallo; do sleep 0.05; done"], stdout=end)
            try:
                check_reads(node, pid)
            finally:
                writer.kill()
                writer.wait()
                # It ends by that, not by what it reads when nobody has the file any more.
                node.eval("exit(whereis(work), kill)")
                end.write("hallo\n")


@over([STOCK])
def test_a_process_that_waits_for_a_scheduler_is_told_from_one_that_waits_for_a_message(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("spawn(shares, shares, [])")
        pid = start(node, "shares, []")
        stacks, _ = off_cpu(node, pid)
    waited = sum(w for frames, w in stacks.items() if frames[-1] == "waiting for a scheduler")
    assert waited > 0.98 * sum(stacks.values()), stacks
    # Two share a scheduler.
    assert 0.3 * 2e9 < waited < 0.8 * 2e9, stacks


@over([STOCK])
def test_wall_time_is_both(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("spawn(shares, shares, [])")
        pid = start(node, "shares, []")
        stacks, err = profile(node, "--wall", "--erl-pid", pid, seconds=2)
    # It runs or waits all the time; the machine may not let it, for a part of it. Turns of one length keep step with samples,
    # now and then.
    whole = 1e9 * float(re.search(r" of processor time in ([0-9.]+)s", err).group(1))
    ends = {frames[-1] for frames in map(erlang_and_state, stacks) if frames}
    assert {"shares:burn/2", "waiting for a scheduler_[s]"} <= ends, ends
    assert 0.5 * whole < sum(stacks.values()) < 1.2 * whole, (sum(stacks.values()), err)


def is_at_rest(process):
    """It has taken over and named what was sampled, and does little else than look for more."""
    before = cpu_seconds(process.pid)
    time.sleep(0.6)
    return cpu_seconds(process.pid) - before < 0.06


@over(JIT_VMS)
def test_a_module_that_is_loaded_twice_more_has_the_names_of_each_version(vm):
    with Node(vm) as node, Trace("profile", "-j", "-F", 997, "-p", node.pid, wait=False) as trace:
        trace.wait_for("Ctrl-C ends it")
        assert node.eval(" ".join(VERSIONS.split())) == "ok"
        # Of two versions, the older one is kept by the VM. The third one gets the memory of the first.
        for version in (1, 2, 3):
            wait_until("the profile has caught up", lambda: is_at_rest(trace))
            assert node.eval("begin worker ! {%d, self()}, receive X -> X end end" % version) == "done"
        wait_until("the profile has caught up", lambda: is_at_rest(trace))
        stacks = [line for line in map(json.loads, trace.stop().splitlines()) if line["type"] == "stack"]
    worked = {}
    for stack in stacks:
        for frame in stack["frames"]:
            if frame["name"].startswith("version:work_"):
                key = frame["name"], frame["file"], frame.get("line")
                worked[key] = worked.get(key, 0) + stack["value"]
    # They do the same, one after the other; on a busy machine it takes one more time than the other. None is named as another.
    by_version = [sum(w for (name, _, _), w in worked.items() if name == "version:work_%d/1" % n) for n in (1, 2, 3)]
    assert all(0.17 < w / sum(by_version) < 0.6 for w in by_version), worked
    for name, file, line in worked:
        assert file == "version.erl" and line in (10 * int(name[13]) + 1, 10 * int(name[13]) + 2), worked
