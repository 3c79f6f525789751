"""profile, held against what the workload is known to do."""
import hashlib
import os
import re
import time

from lib import JIT_VMS, STOCK, Node, cpu_ns, erlbpf, over

SUFFIX = re.compile(r"_\[[a-z]\]$")
PERIOD = {99: 10101010, 997: 1003009}


def start(node, what):
    """A process of tests/erl/shares.erl; its pid."""
    return node.eval("P = spawn(shares, %s)" % what, limit=30)


def profile(node, *options, seconds=2):
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
    """Of the chain of these functions of shares.erl, in percent."""
    wanted = tuple("shares:" + f for f in functions)
    return 100.0 * chains.get(wanted, 0) / sum(chains.values())


@over(JIT_VMS)
def test_shares_of_functions_are_what_they_burn_with_their_exact_callers(vm):
    with Node(vm) as node:
        pid = start(node, "shares, []")
        chains = by_chain(profile(node, "--erl-pid", pid, seconds=3)[0])
    assert abs(share(chains, "shares/0", "sixty/1", "burn/2") - 60) < 3, chains
    assert abs(share(chains, "shares/0", "thirty/1", "burn/2") - 30) < 3, chains
    assert abs(share(chains, "shares/0", "ten/1", "burn/2") - 10) < 3, chains


def only_chain(vm, what, *allowed):
    """All of the time of the process is in one of these chains, and nearly all in the first."""
    with Node(vm) as node:
        pid = start(node, what)
        chains = by_chain(profile(node, "--erl-pid", pid)[0])
    allowed = [tuple(chain) for chain in allowed]
    assert set(chains) <= set(allowed), (set(chains) - set(allowed), allowed)
    assert chains[allowed[0]] > 0.9 * sum(chains.values()), chains


@over(JIT_VMS)
def test_a_tail_call_leaves_no_frame(vm):
    only_chain(vm, "tails, []", ["shares:tails/0", "shares:third/1", "shares:burn/2"], ["shares:tails/0", "shares:third/1"],
               ["shares:tails/0"], ["shares:tails/0", "shares:first/1"], ["shares:tails/0", "shares:second/1"])


@over(JIT_VMS)
def test_a_fun_is_under_the_function_that_applies_it(vm):
    with Node(vm) as node:
        pid = start(node, "funs, []")
        chains = by_chain(profile(node, "--erl-pid", pid)[0])
    most = max(chains, key=chains.get)
    assert most[0] == "shares:funs/0" and most[-1] == "shares:burn/2", chains
    assert re.match(r"shares:'-funs/0-\S*fun-0-'/[12]$", most[-2]), most
    # lists:map/2 calls lists:map_1/2 since OTP 26.
    assert most[1].startswith("lists:map") and chains[most] > 0.9 * sum(chains.values()), chains


@over(JIT_VMS)
def test_a_bif_is_under_the_function_that_calls_it(vm):
    with Node(vm) as node:
        pid = start(node, "bifs, []")
        stacks, _ = profile(node, "--erl-pid", pid)
    under = {f: w for f, w in stacks.items() if "ets:lookup/2_[b]" in f}
    total = sum(stacks.values())
    assert sum(under.values()) > 0.3 * total, stacks
    for frames in under:
        assert frames[:3] == ("shares:lookups/1", "shares:lookup/1", "ets:lookup/2_[b]"), frames


@over(JIT_VMS)
def test_a_collection_is_a_frame_that_names_the_process(vm):
    with Node(vm) as node:
        pid = start(node, "garbage, []")
        node.eval("register(collected, P)")
        stacks, _ = profile(node)
    total = sum(stacks.values())
    collecting = sum(w for f, w in stacks.items() if "GC of collected_[s]" in f)
    assert collecting > 0.7 * total, (pid, stacks)


@over(JIT_VMS)
def test_a_stack_of_2000_frames_is_cut_and_marked(vm):
    with Node(vm) as node:
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


@over([STOCK])
def test_the_sum_of_samples_is_the_processor_time_that_was_used(vm):
    seen = []
    for _ in range(3):
        with Node(vm, "+S", "1") as node:
            start(node, "shares, []")
            before = cpu_ns(node.pid)
            stacks, _ = profile(node, seconds=4)
            used = cpu_ns(node.pid) - before
        # The processor time outside of the profile: while erlbpf starts and ends, the node goes on.
        out, err = erlbpf("profile", "-p", os.getpid(), code=3)
        assert not out and err
        seen.append((sum(stacks.values()), used))
        if sum(stacks.values()) <= used * 1.02 and sum(stacks.values()) >= 0.8 * used:
            return
    raise AssertionError(seen)


def text_of(pid):
    """A digest of all code of the node that files have, as it is in its memory."""
    digest = hashlib.sha256()
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb") as mem:
        for line in maps:
            place, rights, rest = line.split(None, 2)
            if "x" in rights and "/" in rest and "memfd" not in rest:
                begin, end = (int(x, 16) for x in place.split("-"))
                mem.seek(begin)
                digest.update(mem.read(end - begin))
    return digest.hexdigest()


@over([STOCK])
def test_the_code_of_the_node_is_not_touched(vm):
    from lib import Trace
    with Node(vm) as node:
        start(node, "shares, []")
        before = text_of(node.pid)
        trace = Trace("profile", "-p", node.pid, wait=False)
        trace.wait_for("Sampling")
        time.sleep(1)
        during = text_of(node.pid)
        out = trace.stop()
        assert "shares:burn/2" in out
        assert before == during == text_of(node.pid)


@over([STOCK])
def test_stacks_can_be_grouped_and_filtered(vm):
    with Node(vm) as node:
        pid = start(node, "shares, []")
        node.eval("register(burner, P)")
        by_pid, _ = profile(node, "--by", "pid", seconds=1)
        by_name, _ = profile(node, "--by", "name", seconds=1)
        by_scheduler, _ = profile(node, "--by", "scheduler", seconds=1)
        only, _ = profile(node, "--function", "shares:ten/*", seconds=1)
    assert max(by_pid, key=by_pid.get)[0] == "%s burner_[g]" % pid, by_pid
    assert max(by_name, key=by_name.get)[0] == "burner_[g]", by_name
    assert re.match(r"scheduler \d+_\[g\]$", max(by_scheduler, key=by_scheduler.get)[0]), by_scheduler
    assert only and all("shares:ten/1" in frames for frames in only), only


@over([STOCK])
def test_a_process_that_is_not_there_is_refused(vm):
    with Node(vm) as node:
        out, err = erlbpf("profile", "-p", node.pid, "--erl-pid", "<0.99999.0>", 1, code=3)
    assert not out and "no such process" in err, err
