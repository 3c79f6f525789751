"""profile, held against what the workload is known to do. How large shares are is in tests/timing: a profile samples by
time, of which a busy machine gives nodes what it likes."""
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter

from lib import (EMU, ERLBPF, JIT_VMS, LIMIT, OLDEST_AND_NEWEST, ROOT, STOCK, VMS, WITH_NEWEST, Node, Skip, Trace,
                 cpu_seconds, erlbpf, over, shared, status_of, wait_until)

SUFFIX = re.compile(r"_\[[a-z]\]$")
# Of a node, while it is sampled: some hundred samples, in which there is whatever takes some percent of the time.
CPU_S = 0.2
HZ = 1999


def start(node, what):
    """A process of tests/erl/shares.erl, called `work`; its pid."""
    node.eval("register(work, spawn(shares, %s))" % what)
    return node.eval("whereis(work)")


def end(node):
    node.eval("(fun(P) -> R = monitor(process, P), exit(P, kill), receive {'DOWN', R, _, _, _} -> ok end end)(whereis(work))")


def turns(node):
    """How often processes of shares.erl have waited."""
    return int(node.eval("shares:turns()"))


def wait_turns(node, count):
    """Until they have done so so many times more."""
    before = turns(node)
    wait_until("%d turns" % count, lambda: turns(node) >= before + count)


def use_cpu(node, seconds=CPU_S):
    before = cpu_seconds(node.pid)
    wait_until("the node has run for %s s" % seconds, lambda: cpu_seconds(node.pid) >= before + seconds)


def begin(node, *options):
    trace = Trace("profile", "-p", node.pid, "-F", HZ, *options, wait=False)
    trace.wait_for("Ctrl-C ends it")
    return trace


def profile(node, *options, meanwhile=use_cpu):
    """What was sampled meanwhile, as {frames: ns}, the root first; and what was said."""
    trace = begin(node, "--folded", *options)
    meanwhile(node)
    return folded(trace.stop()), "\n".join(trace.stderr)


def folded(out):
    stacks = {}
    for line in out.splitlines():
        frames, _, weight = line.rpartition(" ")
        key = tuple(frames.split(";"))
        assert key not in stacks, "a stack is there twice: %s" % line
        stacks[key] = int(weight)
    return stacks


def erlang_only(frames):
    """The functions of Erlang code among them."""
    return tuple(f for f in frames if not SUFFIX.search(f))


def by_chain(stacks):
    chains = {}
    for frames, weight in stacks.items():
        key = erlang_only(frames)
        chains[key] = chains.get(key, 0) + weight
    return chains


@over(WITH_NEWEST)
def test_functions_that_burn_have_their_exact_callers(vm):
    with shared(vm) as node:
        pid = start(node, "shares, []")
        stacks, _ = profile(node, "--erl-pid", pid)
    chains = by_chain(stacks)
    for function in "sixty/1", "thirty/1", "ten/1":
        assert ("shares:shares/0", "shares:" + function, "shares:burn/2") in chains, chains
    assert {chain[:1] for chain in chains} == {("shares:shares/0",)}, stacks


def stacks_of(node, what):
    """Of a process of shares.erl that does this, which ends then."""
    pid = start(node, what)
    stacks, _ = profile(node, "--erl-pid", pid)
    end(node)
    return stacks


def most_of(stacks):
    chains = by_chain(stacks)
    return chains, max(chains, key=chains.get)


@over(VMS)
def test_every_caller_is_one_and_no_caller_is_missing(vm):
    with shared(vm) as node:
        tail_calls(node)
        funs(node)
        bifs(node)
        # The emulator goes on with a trap as with any other function.
        if vm.has_jit:
            traps(node)


def tail_calls(node):
    """What is called by a tail call has no caller but its caller's."""
    chains, most = most_of(stacks_of(node, "tails, []"))
    burning = ("shares:tails/0", "shares:third/1", "shares:burn/2")
    passing = {("shares:tails/0",)} | {("shares:tails/0", "shares:%s/1" % f) for f in ("first", "second", "third")}
    assert set(chains) <= passing | {burning}, chains
    assert most == burning, chains


def funs(node):
    """A fun is under the function that applies it, which since OTP 26 is lists:map_1/2."""
    chains, most = most_of(stacks_of(node, "funs, []"))
    assert most[0] == "shares:funs/0" and most[1].startswith("lists:map") and most[-1] == "shares:burn/2", chains
    assert re.match(r"shares:'-funs/0-\S*fun-0-'/[12]$", most[-2]), most


def bifs(node):
    """C code is under the Erlang function that calls it, also where the process's stack pointer is not in its structure."""
    stacks = stacks_of(node, "bifs, []")
    under = [frames for frames in stacks if "ets:lookup/2_[b]" in frames]
    assert under, stacks
    for frames in under:
        assert frames[:3] == ("shares:lookups/1", "shares:lookup/1", "ets:lookup/2_[b]"), frames


def traps(node):
    """A BIF that goes on after a trap is still the one that was called."""
    stacks = stacks_of(node, "traps, []")
    for function, bif in (("matching/1", "binary:match/2_[b]"), ("selecting/1", "ets:select/2_[b]")):
        caller = ("shares:traps/2", "shares:" + function)
        of_bif = sum(w for f, w in stacks.items() if f[:3] == caller + (bif,))
        of_caller = sum(w for f, w in stacks.items() if f[:2] == caller)
        # The callers do nothing else: what is not theirs is a moment at the begin and at the end of a call.
        assert of_bif > of_caller / 2, (function, stacks)
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
    with shared(vm) as node:
        trace = begin(node, "-j", "--erl-pid", start(node, "shares, []"))
        use_cpu(node)
        lines = lines_of([line for line in map(json.loads, trace.stop().splitlines()) if line["type"] == "stack"])
        for caller in ("sixty", "thirty", "ten"):
            calls, called = line_of("_ = %s(" % caller), line_of("%s(Steps) ->" % caller)
            assert {("shares:shares/0", calls), ("shares:%s/1" % caller, called)} <= lines, lines
        end(node)
        # Of a process that waits, the node says the same.
        pid = start(node, "waits, [5]")
        stacks, _ = profile(node, "--off-cpu", "--lines", "--erl-pid", pid, meanwhile=lambda node: wait_turns(node, 10))
        frames = max(stacks, key=stacks.get)[:-1]
        ours = ["{%s,%s}" % re.match(r"shares:(\w+)/1:(\d+)$", frame).groups() for frame in frames]

        def is_its_own():
            """It waits nearly all the time, and the node may look at it just when it does not."""
            trace = node.eval(
                "[{F, L} || {_, F, _, I} <- lists:reverse(element(2, process_info(whereis(work), current_stacktrace))), "
                "L <- [proplists:get_value(line, I)]]")
            return re.findall(r"{\w+,\d+}", trace) == ours

        wait_until("%s is what the node says" % ours, is_its_own)


@over([STOCK])
def test_text_has_lines_only_if_they_are_asked_for(vm):
    with shared(vm) as node:
        pid = start(node, "shares, []")
        texts = []
        for options in [], ["--lines"]:
            trace = begin(node, "--erl-pid", pid, *options)
            use_cpu(node)
            texts.append(trace.stop())
    caller = "shares:sixty/1 (shares.erl:%d)" % line_of("sixty(Steps) ->")
    assert caller in texts[1] and ".erl" not in texts[0], texts


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


def is_seen_by_perf(frames):
    """In C code of the VM, which has no frame pointers, perf does not see the callers, nor what collects for a process."""
    return not any(re.search(r"_\[[vls]\]$", frame) for frame in frames)


@contextlib.contextmanager
def perf_of(node, data):
    """perf, while it samples."""
    if not shutil.which("perf"):
        raise Skip("there is no perf: it is in Debian's package linux-perf")
    asks, says = os.pipe(), os.pipe()
    perf = subprocess.Popen(["perf", "record", "-q", "-F", str(HZ), "-g", "-p", str(node.pid), "-o", data, "-D", "-1",
                             "--control", "fd:%d,%d" % (asks[0], says[1])], pass_fds=(asks[0], says[1]),
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    os.close(asks[0])
    os.close(says[1])
    with open(asks[1], "wb", buffering=0) as ask, open(says[0], "rb") as say:
        with contextlib.suppress(BrokenPipeError):
            ask.write(b"enable\n")
        if not say.readline().startswith(b"ack"):
            raise Skip("perf cannot sample here: %s" % perf.communicate(timeout=LIMIT)[1].strip())
        yield perf
        perf.send_signal(signal.SIGINT)
        perf.communicate(timeout=LIMIT)


def frequent(sums):
    """Functions that are in a tenth of the samples."""
    counts, all_of_them = sums
    return {function for function, count in counts.items() if count >= all_of_them / 10}


@over([STOCK])
def test_functions_are_those_of_perf_with_the_map_of_the_vm(vm):
    with Node(vm, "+JPperf", "true") as node, tempfile.TemporaryDirectory() as folder:
        start(node, "mixed, []")
        data = os.path.join(folder, "data")
        with perf_of(node, data):
            ours, _ = profile(node, "--function", "shares:*")
        theirs = totals(perf_stacks(data))
    ours = totals({frames: weight for frames, weight in ours.items() if is_seen_by_perf(frames)})
    assert len(frequent(theirs)) >= 5, theirs
    assert frequent(theirs) <= set(ours[0]) and frequent(ours) <= set(theirs[0]), (theirs, ours)


@over([STOCK])
def test_functions_of_elixir_are_written_as_elixir_does(vm):
    with shared(vm) as node:
        node.eval("register(work, spawn('Elixir.Shop.Cart', total, [[2000000]]))")
        pid = node.eval("whereis(work)")
        chains, erlang = (by_chain(profile(node, "--erl-pid", pid, *how)[0]) for how in ((), ("--names", "erlang")))
    # Most of its time is in the last function; how much of it a busy machine lets be seen there differs.
    assert [c for c in chains if c[0] == "Shop.Cart.total/1" and
            c[-3:] == ("Shop.Cart.-total/1-fun-0-/1", "Shop.Cart.price!/1", "Shop.Cart.sum/2")], chains
    assert [c for c in erlang if c[0] == "'Elixir.Shop.Cart':total/1" and c[-1] == "'Elixir.Shop.Cart':sum/2"], erlang


@over(JIT_VMS)
def test_a_collection_names_the_process_and_a_stack_of_2000_frames_is_cut(vm):
    with shared(vm) as node:
        collection(node)
        cut(node)


def collection(node):
    start(node, "garbage, []")
    stacks, _ = profile(node)
    end(node)
    collecting = Counter()
    for frames, weight in stacks.items():
        collecting.update({frame: weight for frame in frames if frame.startswith("GC of ")})
    assert max(collecting, key=collecting.get) == "GC of work_[s]", stacks


def cut(node):
    pid = start(node, "deep, [2000]")
    stacks, err = profile(node, "--erl-pid", pid)
    frames = max(stacks, key=stacks.get)
    assert frames[0] == "[cut]_[s]" and frames[-1] == "shares:burn/2", frames
    assert frames.count("shares:down/1") == 128, len(frames)
    assert "more than 128 frames, which were cut" in err, err


@over([STOCK])
def test_recursion_can_be_folded(vm):
    with shared(vm) as node:
        pid = start(node, "deep, [50]")
        stacks, _ = profile(node, "--erl-pid", pid, "--fold-recursion")
    most = max(stacks, key=stacks.get)
    assert most == ("shares:deep/1", "shares:down/1", "shares:burn/2"), stacks


@over([STOCK])
def test_the_sum_of_stacks_is_that_of_the_samples(vm):
    with shared(vm) as node:
        for options in [], ["--erl-pid", start(node, "shares, []")]:
            trace = begin(node, "-j", *options)
            use_cpu(node)
            *stacks, summary = map(json.loads, trace.stop().splitlines())
            said = "\n".join(trace.stderr)
            samples = int(re.search(r"^(\d+) samples of nodes: ", said, re.M).group(1))
            others = re.search(r"^(\d+) samples were of other processes or functions", said, re.M)
            assert summary["total"] == sum(stack["value"] for stack in stacks), summary
            assert summary["stacks"] == len(stacks) and not summary["lost"] and not summary["lost_cases"], summary
            assert summary["total"] == (samples - int(others.group(1) if others else 0)) * summary["period_ns"], (summary, said)
            assert all(stack["value"] % summary["period_ns"] == 0 for stack in stacks), stacks


def text_of(pid):
    """A digest of all code of the node as it is in its memory: that of files, and what the JIT has made."""
    digest = hashlib.sha256()
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb") as mem:
        for line in maps:
            place, rights, _ = line.split(None, 2)
            if "x" in rights and "[vsyscall]" not in line and "[uprobes]" not in line:
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
        use_cpu(node)
        before, signals = text_of(node.pid), signals_of(node.pid)
        trace = begin(node)
        use_cpu(node)
        during = text_of(node.pid)
        out = trace.stop()
        assert "shares:burn/2" in out
        assert before == during == text_of(node.pid)
        assert signals == signals_of(node.pid)


@over([STOCK])
def test_nothing_is_sent_to_the_node_and_nothing_is_written_there(vm):
    with Node(vm) as node:
        start(node, "shares, []")
        touched = touches(node.pid, "profile", "-p", node.pid, "300ms")
        assert not touched, touched
        # What has probes is seen by this.
        assert touches(node.pid, "profile", "--off-cpu", "-p", node.pid, "300ms")


@over([STOCK])
def test_stacks_can_be_grouped_and_filtered(vm):
    with shared(vm) as node:
        pid = start(node, "shares, []")
        by_pid, _ = profile(node, "--by", "pid")
        by_name, _ = profile(node, "--by", "name")
        by_scheduler, _ = profile(node, "--by", "scheduler")
        only, _ = profile(node, "--function", "shares:ten/*")
    assert roots_of_burn(by_pid) == {"%s work_[g]" % pid}, by_pid
    assert roots_of_burn(by_name) == {"work_[g]"}, by_name
    roots = roots_of_burn(by_scheduler)
    assert roots and all(re.match(r"scheduler \d+_\[g\]$", root) for root in roots), by_scheduler
    assert only and all("shares:ten/1" in frames for frames in only), only


def roots_of_burn(stacks):
    return {frames[0] for frames in stacks if "shares:burn/2" in frames}


@over([STOCK])
def test_a_process_that_is_not_there_is_refused(vm):
    with shared(vm) as node:
        out, err = erlbpf("profile", "-p", node.pid, "--erl-pid", "<0.99999.0>", 1, code=3)
    assert not out and "no node has such a process" in err, err


SHORT_S = 0.3


def off_cpu(node, pid, *how, meanwhile):
    """{(Erlang functions..., state): ns} of a process that does not run, and an interval in ns that the profile was in."""
    outer = time.monotonic()
    stacks, _ = profile(node, "--off-cpu", "--erl-pid", pid, *how, meanwhile=meanwhile)
    limit = 1e9 * (time.monotonic() - outer)
    return {tuple(SUFFIX.sub("", f) for f in frames): w for frames, w in stacks.items()}, limit


def short(_):
    """For as long, whatever happens meanwhile."""
    time.sleep(SHORT_S)


def for_messages(stacks):
    return sum(w for frames, w in stacks.items() if frames[-1] == "waiting for a message")


@over(VMS)
def test_time_off_cpu_is_under_the_function_that_waits(vm):
    with shared(vm) as node:
        pid = start(node, "waits, [10]")
        stacks, limit = off_cpu(node, pid, meanwhile=lambda node: wait_turns(node, 20))
    waited = stacks[("shares:waits/1", "shares:wait/1", "waiting for a message")]
    # Of 20 waits, one may have begun before. Each takes 10 ms at least, of which erlbpf takes off what it costs itself.
    assert 19 * 10e6 / 2 < waited <= sum(stacks.values()) < limit, stacks
    assert all(frames[:2] == ("shares:waits/1", "shares:wait/1") for frames in stacks), stacks


# It says how often it has waited.
WAIT = "fun(_) -> put(waited, case get(waited) of undefined -> 1; N -> N + 1 end), timer:sleep(20) end"
# Processes that wait again and again, each with other functions on its stack.
WAITING = ["lists:foreach(%s, lists:seq(1, 100000))", "lists:foldl(fun(_, A) -> (%s)(A) end, 0, lists:seq(1, 100000))",
           "[lists:foreach(%s, [X]) || X <- lists:seq(1, 100000)]", "lists:foreach(fun(X) -> lists:map(%s, [X]) end, lists:seq(1, 100000))"]


def waited(node, pid):
    return int(node.eval("proplists:get_value(waited, element(2, process_info(list_to_pid(\"%s\"), dictionary)), 0)" % pid))


def own_stack(node, pid):
    """The functions on the stack of a process, the oldest first: the eight newest, as the VM says."""
    return tuple(node.eval("lists:flatten(lists:join(\",\", [io_lib:format(\"~p:~p/~b\", [M, F, A]) || {M, F, A, _} <- "
                           "lists:reverse(element(2, process_info(list_to_pid(\"%s\"), current_stacktrace)))]))" % pid)
                 .strip('"').split(","))


@over(VMS)
def test_stacks_off_cpu_are_those_that_the_vm_itself_shows(vm):
    with shared(vm) as node:
        pids = [node.eval("spawn(fun() -> %s end)" % (work % WAIT)) for work in WAITING]

        def wait(count):
            # The first element of a list may have a function of its own.
            before = {pid: waited(node, pid) for pid in pids}
            wait_until("each has waited", lambda: all(waited(node, pid) >= before[pid] + count for pid in pids))

        wait(3)
        stacks, _ = profile(node, "--off-cpu", "--exact", "--by", "pid", "--names", "erlang", meanwhile=lambda _: wait(5))
        for pid in pids:
            chains = by_chain({frames: w for frames, w in stacks.items() if frames[0].startswith(pid)})
            most = max(chains, key=chains.get)

            def is_its_own():
                """They wait nearly all the time, and the node may look at one just when it does not."""
                own = own_stack(node, pid)
                return len(own) > 1 and most[-len(own):] == own

            wait_until("%s is what the node says of %s" % (most, pid), is_its_own)


@over(OLDEST_AND_NEWEST)
def test_who_never_runs_is_shown_if_it_is_asked_for(vm):
    with shared(vm) as node:
        pid = node.eval("register(work, spawn(fun() -> lists:foreach(fun(_) -> receive never -> ok end end, [1]) end)), whereis(work)")
        # There are more than are looked at one by one.
        node.eval("[spawn(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 6000)], ok")
        wait_until("all wait", lambda: node.eval("[P || P <- processes(), P =/= self(), process_info(P, status) =/= {status, waiting}]") == "[]")
        for how in ("--max-overhead", "5"), ("--exact",):
            stacks, limit = off_cpu(node, pid, *how, meanwhile=short)
            # It has waited all the time.
            assert 0.5e9 * SHORT_S < for_messages(stacks) < limit and for_messages(stacks) == sum(stacks.values()), (how, stacks)
            assert all(any(f.startswith("lists:foreach") for f in frames) for frames in stacks), stacks


@over(VMS)
def test_who_calls_a_server_waits_for_its_answer(vm):
    """It has handled signals when it stops, and the VM has yet to take note of that."""
    with shared(vm) as node:
        pid = start(node, "calls, []")
        stacks, limit = off_cpu(node, pid, meanwhile=lambda node: wait_turns(node, 6))
    in_call = {frames: w for frames, w in stacks.items() if "gen_server:call/2" in frames}
    # The server answers after 50 ms at the earliest. Of one answer, the question may have been asked before.
    assert 5 * 50e6 / 2 < for_messages(in_call) <= sum(stacks.values()) < limit, stacks


@over(OLDEST_AND_NEWEST)
def test_who_is_only_monitored_waits_on(vm):
    """A scheduler handles these signals without a turn of the process."""
    with shared(vm) as node:
        node.eval("register(work, spawn(fun F() -> receive _ -> shares:count(), F() end end))")
        node.eval("spawn(fun F() -> [begin demonitor(monitor(process, work)), timer:sleep(20) end || _ <- lists:seq(1, 10)], "
                  "work ! hello, F() end)")
        for how in ("--max-overhead", "5"), ("--exact",):
            stacks, limit = off_cpu(node, node.eval("whereis(work)"), *how, meanwhile=lambda node: wait_turns(node, 3))
            # Between two messages there are ten naps.
            if how == ("--exact",):
                assert 2 * 200e6 / 2 < for_messages(stacks) <= sum(stacks.values()) < limit, (how, stacks)
            assert for_messages(stacks) > 0, (how, stacks)


def read_for_ever(node, file):
    """A process that reads six bytes after the other from a file; its pid."""
    node.eval("register(work, spawn(fun() -> {ok, F} = file:open(\"%s\", [read, raw]), "
              "(fun Read() -> {ok, _} = file:read(F, 6), shares:count(), Read() end)() end))" % file)
    return node.eval("whereis(work)")


READING = ("prim_file:read_1/5", "in dirty I/O_[s]")


def check_reads(node, pid, meanwhile):
    """What a profile of each kind says that it has read, in ns."""
    for how in (("--off-cpu",), ("--off-cpu", "--exact"), ("--wall",)):
        begin = time.monotonic()
        stacks, _ = profile(node, *how, "--erl-pid", pid, meanwhile=meanwhile)
        limit = 1e9 * (time.monotonic() - begin)
        reads = sum(w for frames, w in stacks.items() if frames[-2:] == READING)
        in_io = {frames[-2:] for frames in stacks if frames[-1] == READING[1]}
        assert in_io == {READING} and sum(stacks.values()) < limit, (how, stacks)
        yield reads


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


@over(JIT_VMS)
def test_who_is_collected_on_a_dirty_scheduler_is_in_gc(vm):
    with shared(vm) as node:
        node.eval(COLLECTED)
        wait_until("it is collected", lambda: collections(node))
        for how in ("--exact",), ("--max-overhead", "5"):
            collections(node)
            trace = begin(node, "--off-cpu", "-j", *how, "--erl-pid", node.eval("whereis(work)"))
            known = []
            wait_until("it is collected again", lambda: known.extend(collections(node)) or len(known) >= 4)
            *stacks, _ = map(json.loads, trace.stop().splitlines())
            known += collections(node)
            in_gc = [stack for stack in stacks if stack["frames"][-1]["name"] == "in GC"]
            # Now and then it is collected without having asked, wherever it is then.
            assert all(stack["frames"][-2]["name"].startswith(("timer:tc/", "erl_eval:")) for stack in in_gc), stacks
            asked = sum(stack["value"] for stack in in_gc if stack["frames"][-2]["name"].startswith("timer:tc/"))
            # It notes times before and after. What is not exact is an estimate.
            assert asked > 0 and (how != ("--exact",) or asked < sum(end - begin for begin, end in known)), (how, asked, known)


@over(OLDEST_AND_NEWEST + [EMU])
def test_who_reads_a_slow_file_is_in_dirty_io(vm):
    """Where it goes on then is in the heap: no function is named that happens to be before that."""
    with tempfile.TemporaryDirectory() as folder, shared(vm) as node:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        pid = read_for_ever(node, fifo)
        with open(fifo, "w") as end:
            def write(times=1):
                for _ in range(times):
                    before = turns(node)
                    end.write("hallo\n")
                    end.flush()
                    wait_until("it has read it", lambda: turns(node) > before)

            try:
                write()
                # Nobody writes: it reads all the time, or is about to begin with it.
                for reads in check_reads(node, pid, short):
                    assert reads > 0
                # Something comes now and then.
                for reads in check_reads(node, pid, lambda _: write(5)):
                    assert reads > 0
            finally:
                # It ends by that, not by what it reads when nobody has the file any more.
                node.eval("exit(whereis(work), kill)")
                end.write("hallo\n")


@over([STOCK])
def test_a_process_that_waits_for_a_scheduler_is_told_from_one_that_waits_for_a_message(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("spawn(shares, shares, [])")
        pid = start(node, "shares, []")
        stacks, limit = off_cpu(node, pid, meanwhile=use_cpu)
    assert stacks and {frames[-1] for frames in stacks} == {"waiting for a scheduler"}, stacks
    assert sum(stacks.values()) < limit, stacks


# A port that takes nothing before somebody opens the file for writing. More than it likes to keep is on its way to it.
GATED = ("register(work, spawn(fun() -> receive go -> ok end, P = open_port({spawn, \"sh -c 'read word < %s; exec cat > /dev/null'\"}, "
         "[binary, out]), port_command(P, binary:copy(<<0>>, 1000000)), port_command(P, <<0>>), port_close(P), shares:count(), "
         "receive never -> ok end end))")


@over([STOCK])
def test_a_process_that_a_busy_port_suspends_is_said_to_be_suspended(vm):
    with shared(vm) as node, tempfile.TemporaryDirectory() as folder:
        gate = os.path.join(folder, "gate")
        os.mkfifo(gate)
        turns(node)
        node.eval(GATED % gate)

        def suspend(node):
            before = turns(node)
            node.eval("work ! go")
            wait_until("it is suspended", lambda: node.eval("process_info(whereis(work), status)") == "{status,suspended}")
            time.sleep(SHORT_S)
            with open(gate, "w") as end:
                end.write("go\n")
            wait_until("it goes on", lambda: turns(node) > before)

        stacks, limit = off_cpu(node, node.eval("whereis(work)"), meanwhile=suspend)
    suspended = {frames: ns for frames, ns in stacks.items() if frames[-1] == "suspended"}
    assert suspended and all(any("port_command/2" in frame or "erl_eval" in frame for frame in frames) for frames in suspended), stacks
    assert 0.5e9 * SHORT_S < sum(suspended.values()) < limit, stacks


@over([STOCK])
def test_wall_time_is_both(vm):
    with Node(vm, "+S", "1") as node:
        node.eval("spawn(shares, shares, [])")
        pid = start(node, "shares, []")
        stacks, _ = profile(node, "--wall", "--erl-pid", pid)
    ends = {frames[-1] for frames in map(erlang_and_state, stacks) if frames}
    assert {"shares:burn/2", "waiting for a scheduler_[s]"} <= ends, ends


def erlang_and_state(frames):
    return [f for f in frames if not re.search(r"_\[[vlk]\]$", f)]


@over([STOCK])
def test_thousands_of_processes_are_asked_for_their_names_together(vm):
    """Work is counted, not time: who asks the reader of memory waits for it, and asked alone each takes several questions."""
    count = 3000
    with shared(vm) as node:
        pids = node.eval("[spawn(shares, waits, [300]) || _ <- lists:seq(1, %d)]" % count).strip("[]").split(",")
        trace = subprocess.Popen([ERLBPF, "profile", "--off-cpu", "--exact", "--by", "pid", "--folded", "-q", "-p", str(node.pid), "1"],
                                 stdout=subprocess.PIPE)
        out = trace.stdout.read().decode()
        _, status, used = os.wait4(trace.pid, 0)
        trace.returncode = os.waitstatus_to_exitcode(status)
        trace.stdout.close()
    missing = set(pids) - {line.split()[0] for line in out.splitlines()}
    assert trace.returncode == 0 and not missing, (trace.returncode, len(missing))
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
            version:loop(1000),
            Who ! done
        end,
        F()
    end,
    register(worker, spawn(Work)),
    ok
end"""


def catch_up(trace):
    """Until it has taken over and named all that was sampled up to now: it waits for something to do, has done it and waits
    again, twice, as it does four times per second."""
    for _ in range(2):
        # On a machine that is very busy it is nearly always late, and seldom found waiting.
        wait_until("it waits", trace.is_polling, limit=5 * LIMIT)
        before = int(status_of(trace.pid)["voluntary_ctxt_switches"])
        wait_until("it waits again",
                   lambda: int(status_of(trace.pid)["voluntary_ctxt_switches"]) > before and trace.is_polling(), limit=5 * LIMIT)


@over(JIT_VMS)
def test_a_module_that_is_loaded_twice_more_has_the_names_of_each_version(vm):
    with shared(vm) as node, Trace("profile", "-j", "-F", 997, "-p", node.pid, wait=False) as trace:
        trace.wait_for("Ctrl-C ends it")
        assert node.eval(" ".join(VERSIONS.split())) == "ok"
        # Of two versions, the older one is kept by the VM. The third one gets the memory of the first.
        for version in (1, 2, 3):
            catch_up(trace)
            assert node.eval("begin worker ! {%d, self()}, receive X -> X end end" % version) == "done"
        catch_up(trace)
        stacks = [line for line in map(json.loads, trace.stop().splitlines()) if line["type"] == "stack"]
    worked = {}
    for stack in stacks:
        for frame in stack["frames"]:
            if frame["name"].startswith("version:work_"):
                key = frame["name"], frame["file"], frame.get("line")
                worked[key] = worked.get(key, 0) + stack["value"]
    # They do the same, one after the other. None is named as another.
    assert {name for name, _, _ in worked} == {"version:work_%d/1" % n for n in (1, 2, 3)}, worked
    for name, file, line in worked:
        number = int(name[13])
        # Lines come with the list of modules, which is read after a pause. Where it takes long, the first version is gone.
        assert (file, line) in [("version.erl", 10 * number + 1), ("version.erl", 10 * number + 2), (None, None)][:3 - number // 3], worked
