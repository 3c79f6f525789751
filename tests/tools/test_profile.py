"""profile, held against what the workload is known to do."""
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter

from lib import (EMU, ERLBPF, JIT_VMS, OLDEST_AND_NEWEST, ROOT, STOCK, VMS, Node, Skip, Trace, cpu_seconds,
                 erlbpf, over, wait_until)

SUFFIX = re.compile(r"_\[[a-z]\]$")


def start(node, what):
    """A process of tests/erl/shares.erl, called `work`; its pid."""
    node.eval("register(work, spawn(shares, %s))" % what)
    return node.eval("whereis(work)")


def end(node):
    node.eval("(fun(P) -> unregister(work), exit(P, kill) end)(whereis(work))")


def profile(node, *options, seconds=1):
    """What was sampled, as {frames: ns}, the root first; and what was said."""
    out, err = erlbpf("profile", "--folded", "-p", node.pid, "-F", 997, *options, seconds)
    stacks = {}
    for line in out.splitlines():
        frames, _, weight = line.rpartition(" ")
        key = tuple(frames.split(";"))
        assert key not in stacks, "a stack is there twice: %s" % line
        stacks[key] = int(weight)
    return stacks, err


def erlang_only(frames):
    """The functions of Erlang code among them."""
    return tuple(f for f in frames if not SUFFIX.search(f))


def by_chain(stacks):
    chains = {}
    for frames, weight in stacks.items():
        key = erlang_only(frames)
        chains[key] = chains.get(key, 0) + weight
    return chains


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


def line_of(text):
    """In shares.erl, of the only line that has this."""
    with open(os.path.join(ROOT, "tests", "erl", "shares.erl")) as source:
        found = [number for number, line in enumerate(source, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def lines_of(stacks):
    """What a callers' line is, as {(function, line)}."""
    return {(frame["name"], frame.get("line")) for stack in stacks for frame in stack["frames"] if frame["kind"] == "erlang"}


@over(JIT_VMS)
def test_lines_are_those_of_a_stack_trace(vm):
    with Node(vm) as node:
        pid = start(node, "shares, []")
        out, _ = erlbpf("profile", "-j", "-F", 997, "-p", node.pid, "--erl-pid", pid, 1)
        lines = lines_of([line for line in map(json.loads, out.splitlines()) if line["type"] == "stack"])
        for caller in ("sixty", "thirty", "ten"):
            calls, called = line_of("_ = %s(" % caller), line_of("%s(Steps) ->" % caller)
            assert {("shares:shares/0", calls), ("shares:%s/1" % caller, called)} <= lines, lines
        end(node)
        # Of a process that waits, the node says the same.
        pid = start(node, "waits, [5]")
        trace = node.eval(
            "[{F, L} || {_, F, _, I} <- lists:reverse(element(2, process_info(whereis(work), current_stacktrace))), "
            "L <- [proplists:get_value(line, I)]]")
        stacks, _ = profile(node, "--off-cpu", "--lines", "--erl-pid", pid)
        frames = max(stacks, key=stacks.get)[:-1]
        assert ["{%s,%s}" % re.match(r"shares:(\w+)/1:(\d+)$", frame).groups() for frame in frames] \
            == re.findall(r"{\w+,\d+}", trace), (frames, trace)


@over([STOCK])
def test_text_has_lines_only_if_they_are_asked_for(vm):
    with Node(vm) as node:
        pid = start(node, "shares, []")
        plain = erlbpf("profile", "-p", node.pid, "--erl-pid", pid, 1)[0]
        lines = erlbpf("profile", "--lines", "-p", node.pid, "--erl-pid", pid, 1)[0]
    caller = "shares:sixty/1 (shares.erl:%d)" % line_of("sixty(Steps) ->")
    assert caller in lines and ".erl" not in plain, (plain, lines)


def totals(stacks):
    """(Counter of samples by function of Erlang that is in their stacks, samples in all)"""
    sums = Counter()
    for frames, weight in stacks.items():
        for function in {f for f in frames if re.match(r"(shares|lists):", f)}:
            sums[function] += weight
    return sums, sum(stacks.values())


def perf_stacks(data):
    """Stacks of perf with functions of shares.erl among them; the names are those of the map that the VM writes."""
    out = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=True).stdout
    stacks = {}
    for sample in out.split("\n\n"):
        frames = tuple(line.split(None, 1)[1].lstrip("$") for line in sample.splitlines() if len(line.split(None, 1)) == 2)
        if any(frame.startswith("shares:") for frame in frames):
            stacks[frames] = stacks.get(frames, 0) + 1
    return stacks


PERF_HZ = 1999
PERF_PERIOD_NS = 1e9 / PERF_HZ


def sample_with_perf(node, data):
    """Both look at the same time. (stacks of perf, ours), as Counters of samples"""
    perf = subprocess.Popen(["perf", "record", "-q", "-F", str(PERF_HZ), "-g", "-p", str(node.pid), "-o", data, "--", "sleep", "4"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    ours = profile(node, "-F", PERF_HZ, "--function", "shares:*", seconds=3)[0]
    said = perf.communicate(timeout=60)[1]
    if perf.returncode:
        raise Skip("perf cannot sample here: %s" % said.strip())
    # In C code of the VM, which has no frame pointers, perf does not see the callers, nor what collects for a process.
    return Counter(perf_stacks(data)), Counter({frames: weight / PERF_PERIOD_NS for frames, weight in ours.items()
                                                if not any(re.search(r"_\[[vls]\]$", frame) for frame in frames)})


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
    if not shutil.which("perf"):
        raise Skip("there is no perf: it is in Debian's package linux-perf")
    theirs, ours = Counter(), Counter()
    with Node(vm, "+JPperf", "true") as node, tempfile.TemporaryDirectory() as folder:
        start(node, "mixed, []")
        # On a busy machine there are few samples: together they tell.
        for _ in range(8):
            of_perf, of_us = sample_with_perf(node, os.path.join(folder, "data"))
            theirs += of_perf
            ours += of_us
            differ = apart(totals(theirs), totals(ours))
            if not differ and min(theirs.total(), ours.total()) > 1000:
                break
    assert not differ and len(totals(theirs)[0]) >= 8, (differ, totals(theirs), totals(ours))


@over([STOCK])
def test_functions_of_elixir_are_written_as_elixir_does(vm):
    with Node(vm) as node:
        node.eval("register(work, spawn('Elixir.Shop.Cart', total, [[2000000]]))")
        pid = node.eval("whereis(work)")
        chains, erlang = (by_chain(profile(node, "--erl-pid", pid, *how)[0]) for how in ((), ("--names", "erlang")))
    most, plain = (max(c, key=c.get) for c in (chains, erlang))
    assert most[0] == "Shop.Cart.total/1" and most[-1] == "Shop.Cart.sum/2", chains
    assert most[-3:-1] == ("Shop.Cart.-total/1-fun-0-/1", "Shop.Cart.price!/1"), most
    assert plain[0] == "'Elixir.Shop.Cart':total/1" and plain[-1] == "'Elixir.Shop.Cart':sum/2", erlang


@over(JIT_VMS)
def test_a_collection_names_the_process_and_a_stack_of_2000_frames_is_cut(vm):
    with Node(vm) as node:
        collection(node)
        cut(node)


def collection(node):
    start(node, "garbage, []")
    stacks, _ = profile(node)
    end(node)
    collecting = sum(w for f, w in stacks.items() if "GC of work_[s]" in f)
    assert collecting > 0.7 * sum(stacks.values()), stacks


def cut(node):
    pid = start(node, "deep, [2000]")
    stacks, err = profile(node, "--erl-pid", pid)
    frames = max(stacks, key=stacks.get)
    assert frames[0] == "[cut]_[s]" and frames[-1] == "shares:burn/2", frames
    assert frames.count("shares:down/1") == 128, len(frames)
    assert "more than 128 frames, which were cut" in err, err


@over([STOCK])
def test_recursion_can_be_folded(vm):
    with Node(vm) as node:
        pid = start(node, "deep, [50]")
        stacks, _ = profile(node, "--erl-pid", pid, "--fold-recursion")
    most = max(stacks, key=stacks.get)
    assert most == ("shares:deep/1", "shares:down/1", "shares:burn/2"), stacks


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


def text_of(pid):
    """A digest of all code of the node as it is in its memory: that of files, and what the JIT has made."""
    digest = hashlib.sha256()
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb") as mem:
        for line in maps:
            place, rights, _ = line.split(None, 2)
            if "x" in rights and "[vsyscall]" not in line:
                begin, end = (int(x, 16) for x in place.split("-"))
                mem.seek(begin)
                digest.update(mem.read(end - begin))
    return digest.hexdigest()


def signals_of(pid):
    """What the node's threads were sent and have not taken, or what waits for all of them."""
    return [line for task in os.listdir("/proc/%d/task" % pid) for line in open("/proc/%d/task/%s/status" % (pid, task))
            if line.startswith(("SigPnd", "ShdPnd", "TracerPid"))]


# What would write into another process, stop it, or send it something.
TOUCHING = "process_vm_writev,ptrace,kill,tkill,tgkill,pidfd_send_signal,rt_sigqueueinfo,rt_tgsigqueueinfo,process_madvise"

# A link of uprobes, or a perf event that is no clock.
PROBING = r"BPF_LINK_CREATE.*attach_type=(0x30|BPF_TRACE_UPROBE_MULTI)|perf_event_open\(\{type=(?!PERF_TYPE_SOFTWARE|PERF_TYPE_BREAKPOINT)"


def calls_of(lines):
    """Calls in a log of strace, each with its result: those that another process came between are put together."""
    begun = {}
    for line in lines:
        task = line.split(" ", 1)[0]
        if line.endswith(" <unfinished ...>"):
            begun[task] = line[:-len(" <unfinished ...>")]
        elif " resumed>" in line and task in begun:
            yield begun.pop(task) + line.split(" resumed>", 1)[1]
        else:
            yield line
    yield from begun.values()


def touches(pid, *args):
    """Lines of strace for calls of `erlbpf ARGS` that would do something to the node."""
    with tempfile.NamedTemporaryFile("r") as log:
        done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=openat,perf_event_open,bpf,%s" % TOUCHING, "-o", log.name,
                               ERLBPF, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        lines = list(calls_of(log.read().splitlines()))
    assert any("openat" in line and "/proc/%d/" % pid in line for line in lines), "strace has seen nothing"
    return [line for line in lines
            if ("openat" in line and "/proc/%d/" % pid in line and re.search("O_RDWR|O_WRONLY", line))
            or (re.search(PROBING, line) and not re.search(r"= -1 ", line))
            or re.search(r" (%s)\(%d\b" % (TOUCHING.replace(",", "|"), pid), line)]


@over([STOCK])
def test_the_code_of_the_node_is_not_touched(vm):
    with Node(vm) as node:
        start(node, "shares, []")
        # What it calls for the first time is loaded.
        time.sleep(1)
        before, signals = text_of(node.pid), signals_of(node.pid)
        trace = Trace("profile", "-p", node.pid, wait=False)
        trace.wait_for("Sampling")
        time.sleep(0.5)
        during = text_of(node.pid)
        out = trace.stop()
        assert "shares:burn/2" in out
        assert before == during == text_of(node.pid)
        assert signals == signals_of(node.pid)


@over([STOCK])
def test_nothing_is_sent_to_the_node_and_nothing_is_written_there(vm):
    with Node(vm) as node:
        start(node, "shares, []")
        touched = touches(node.pid, "profile", "-p", node.pid, 1)
        assert not touched, touched
        # What has probes is seen by this.
        assert touches(node.pid, "profile", "--off-cpu", "-p", node.pid, 1)


@over([STOCK])
def test_stacks_can_be_grouped_and_filtered(vm):
    with Node(vm) as node:
        pid = start(node, "shares, []")
        by_pid, _ = profile(node, "--by", "pid", seconds=1)
        by_name, _ = profile(node, "--by", "name", seconds=1)
        by_scheduler, _ = profile(node, "--by", "scheduler", seconds=1)
        only, _ = profile(node, "--function", "shares:ten/*", seconds=1)
    assert max(by_pid, key=by_pid.get)[0] == "%s work_[g]" % pid, by_pid
    assert max(by_name, key=by_name.get)[0] == "work_[g]", by_name
    assert re.match(r"scheduler \d+_\[g\]$", max(by_scheduler, key=by_scheduler.get)[0]), by_scheduler
    assert only and all("shares:ten/1" in frames for frames in only), only


@over([STOCK])
def test_a_process_that_is_not_there_is_refused(vm):
    with Node(vm) as node:
        out, err = erlbpf("profile", "-p", node.pid, "--erl-pid", "<0.99999.0>", 1, code=3)
    assert not out and "no node has such a process" in err, err


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


WAIT = "fun(_) -> timer:sleep(20) end"
# Processes that wait again and again, each with other functions on its stack.
WAITING = ["lists:foreach(%s, lists:seq(1, 1000))", "lists:foldl(fun(_, A) -> (%s)(A) end, 0, lists:seq(1, 1000))",
           "[lists:foreach(%s, [X]) || X <- lists:seq(1, 1000)]", "lists:foreach(fun(X) -> lists:map(%s, [X]) end, lists:seq(1, 1000))"]


def own_stack(node, pid):
    """The functions on the stack of a process, the oldest first: the eight newest, as the VM says."""
    return tuple(node.eval("lists:flatten(lists:join(\",\", [io_lib:format(\"~p:~p/~b\", [M, F, A]) || {M, F, A, _} <- "
                           "lists:reverse(element(2, process_info(list_to_pid(\"%s\"), current_stacktrace)))]))" % pid)
                 .strip('"').split(","))


@over(VMS)
def test_stacks_off_cpu_are_those_that_the_vm_itself_shows(vm):
    with Node(vm) as node:
        pids = [node.eval("spawn(fun() -> %s end)" % (work % WAIT)) for work in WAITING]
        # The first element of a list may have a function of its own.
        node.eval("timer:sleep(100)")
        expected = {pid: own_stack(node, pid) for pid in pids}
        stacks, _ = profile(node, "--off-cpu", "--exact", "--by", "pid", "--names", "erlang")
    for pid in pids:
        chains = by_chain({frames: w for frames, w in stacks.items() if frames[0].startswith(pid)})
        most = max(chains, key=chains.get)
        assert len(expected[pid]) > 1 and most[-len(expected[pid]):] == expected[pid], (chains, expected[pid])
        assert chains[most] > 0.9 * sum(chains.values()), chains


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


def read_for_ever(node, file):
    """A process that reads six bytes after the other from a file; its pid."""
    node.eval("register(work, spawn(fun() -> {ok, F} = file:open(\"%s\", [read, raw]), "
              "(fun Read() -> {ok, _} = file:read(F, 6), Read() end)() end))" % file)
    return node.eval("whereis(work)")


def check_reads(node, pid):
    for how in (("--off-cpu",), ("--off-cpu", "--exact"), ("--wall",)):
        begin = time.monotonic()
        stacks, _ = profile(node, *how, "--erl-pid", pid, seconds=2)
        limit = 1e9 * (time.monotonic() - begin)
        reads = sum(w for frames, w in stacks.items() if frames[-2:] == ("prim_file:read_1/5", "in dirty I/O_[s]"))
        # The machine may let a scheduler wait.
        assert 1.6e9 < sum(stacks.values()) < limit and reads > 0.3 * sum(stacks.values()), (how, stacks)


# A heap that is too large for a normal scheduler, and when its collections began and ended. It has room for what the
# evaluator makes, so that there are no others.
COLLECTED = ("register(work, spawn_opt(fun() -> Heap = lists:seq(1, 3000000), Now = fun() -> os:system_time(nanosecond) end, "
             "(fun Collect(Before) -> Begin = Now(), timer:tc(erlang, garbage_collect, []), Times = [{Begin, Now()} | Before], "
             "timer:sleep(30), length(Heap), receive {since, Who} -> Who ! {times, Times}, Collect([]) after 0 -> Collect(Times) end "
             "end)([]) end, [{min_heap_size, 10000000}]))")
SINCE = ("(fun() -> work ! {since, self()}, receive {times, Times} -> lists:flatten([io_lib:format(\"~b ~b \", [Begin, End]) "
         "|| {Begin, End} <- Times]) end end)()")


def collections(node):
    """Those since the last call, as [(begin, end)] in ns."""
    times = list(map(int, node.eval(SINCE).strip('"[]').split()))
    return list(zip(times[::2], times[1::2]))


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
def test_a_process_that_a_busy_port_suspends_is_said_to_be_suspended(vm):
    with Node(vm) as node:
        # The port takes nothing for half a second.
        node.eval("register(work, spawn(fun() -> receive go -> d_workload:busy_port() end, receive never -> ok end end))")
        trace = Trace("profile", "--off-cpu", "--folded", "-p", node.pid, "--erl-pid", node.eval("whereis(work)"), wait=False)
        trace.wait_for("Tracing")
        node.eval("work ! go")
        time.sleep(1)
        lines = [line.rpartition(" ") for line in trace.stop().splitlines()]
    suspended = {frames: int(ns) for frames, _, ns in lines if frames.endswith("suspended_[s]")}
    assert suspended and all("d_workload:busy_port/0" in frames for frames in suspended), lines
    assert 0.4e9 < sum(suspended.values()) < 1.2e9, suspended


@over([STOCK])
def test_wall_time_is_both(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("spawn(shares, shares, [])")
        pid = start(node, "shares, []")
        stacks, err = profile(node, "--wall", "--erl-pid", pid, seconds=2)
    # It runs or waits all the time; the machine may not let it, for a part of it. Turns of one length keep step with samples,
    # now and then.
    whole = 1e9 * float(re.search(r" of processor time in ([0-9.]+)s", err).group(1))
    ends = {frames[-1] for frames in map(erlang_and_state, stacks)}
    assert {"shares:burn/2", "waiting for a scheduler_[s]"} <= ends, ends
    assert 0.5 * whole < sum(stacks.values()) < 1.2 * whole, (sum(stacks.values()), err)


def erlang_and_state(frames):
    return [f for f in frames if not re.search(r"_\[[vlk]\]$", f)]


@over([STOCK])
def test_thousands_of_processes_are_asked_for_their_names_together(vm):
    """Work is counted, not time: who asks the reader of memory waits for it, and asked alone each takes several questions."""
    count = 3000
    with Node(vm) as node:
        node.eval("[spawn(shares, waits, [300]) || _ <- lists:seq(1, %d)]" % count)
        trace = subprocess.Popen([ERLBPF, "profile", "--off-cpu", "--exact", "--by", "pid", "--folded", "-q", "-p", str(node.pid), "2"],
                                 stdout=subprocess.PIPE)
        out = trace.stdout.read().decode()
        _, status, used = os.wait4(trace.pid, 0)
        trace.returncode = os.waitstatus_to_exitcode(status)
        trace.stdout.close()
    processes = {line.split(";")[0] for line in out.splitlines()}
    assert trace.returncode == 0 and len(processes) > count * 0.9, (trace.returncode, len(processes))
    assert used.ru_nvcsw < 2 * count, "it has waited %d times" % used.ru_nvcsw


# Version N of a module: equal code, but for the name of what works and for its line.
VERSIONS = """begin
    Form = fun(Text) -> {ok, T, _} = erl_scan:string(Text, {1, 1}), {ok, F} = erl_parse:parse_form(T), F end,
    Version = fun(N) ->
        Work = "work_" ++ integer_to_list(N),
        Text = lists:duplicate(10 * N, $\\n) ++ Work ++ "(0) -> ok;\\n" ++ Work ++ "(K) -> " ++ Work ++ "(K - 1).",
        {ok, _, B} = compile:forms([Form("-module(version)."), Form("-file(\\"version.erl\\", 1)."), Form("-export([loop/1])."),
            Form("loop(0) -> ok;\\nloop(N) -> " ++ Work ++ "(100000), loop(N - 1)."), Form(Text)]),
        B
    end,
    Versions = [Version(N) || N <- [1, 2, 3]],
    Work = fun F() ->
        receive {N, Who} ->
            code:purge(version),
            {module, _} = code:load_binary(version, "version.beam", lists:nth(N, Versions)),
            version:loop(3000),
            Who ! done
        end,
        F()
    end,
    register(worker, spawn(Work)),
    ok
end"""


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
