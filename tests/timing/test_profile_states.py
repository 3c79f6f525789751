"""How much of the time is what, of which a profile's structure is in tests/tools/test_profile_states.py."""
import re

from lib import JIT_VMS, OLDEST_AND_NEWEST, STOCK, VMS, Node, erlbpf, over
from test_profile import folded
from test_profile_states import LOAD, TRAFFIC


def profile(node, *options, seconds=1):
    """What was sampled, as {frames: ns}, the root first; and what was said."""
    out, err = erlbpf("profile", "--folded", "-p", node.pid, "-F", 997, *options, seconds)
    return folded(out), err


def part(stacks, *frames):
    """The share of the time that is in stacks with these frames next to each other."""
    def has(stack):
        return any(stack[i:i + len(frames)] == frames for i in range(len(stack)))

    return sum(w for stack, w in stacks.items() if has(stack)) / max(1, sum(stacks.values()))


@over(JIT_VMS)
def test_a_nif_is_under_who_calls_it(vm):
    with Node(vm) as node:
        for how in "near", "far", "burn":
            pid = node.eval(LOAD % how)
            stacks, _ = profile(node, "--erl-pid", pid)
            node.eval("exit(list_to_pid(\"%s\"), kill)" % pid)
            native = {stack: w for stack, w in stacks.items() if "sleeper.so`burn_ms_[l]" in stack}
            assert sum(native.values()) > 0.8 * sum(stacks.values()), (how, stacks)
            if how == "burn":
                assert all("_[b]" not in frame for stack in native for frame in stack), native
            else:
                assert part(native, "sleeper:burns/1", "sleeper:burn/1_[b]") > 0.99, (how, native)


@over(VMS)
def test_dirty_work_has_a_frame_of_its_own(vm):
    with Node(vm) as node:
        pid = node.eval(LOAD % "dirty")
        stacks, _ = profile(node, "--erl-pid", pid)
    dirty = {stack: w for stack, w in stacks.items() if "dirty CPU work_[s]" in stack}
    assert sum(dirty.values()) > 0.9 * sum(stacks.values()), stacks
    assert part(dirty, "sleeper:burns/1") > 0.95, dirty


@over(OLDEST_AND_NEWEST)
def test_what_ports_do_is_nobodys(vm):
    with Node(vm) as node:
        node.eval(TRAFFIC.replace("\n", " "))
        stacks, _ = profile(node, "--by", "mfa")
    ports = {stack: w for stack, w in stacks.items() if "port_[s]" in stack}
    assert sum(ports.values()) > 0.05 * sum(stacks.values()), stacks
    assert all(stack[:2] == ("no process_[g]", "port_[s]") for stack in ports), ports
    # Stacks of processes begin with what these were spawned with: a fun, whose name is that of the oldest function on its
    # stack, if that could be read while it ran. These funs are evaluated, since they come from a text.
    others = {stack: w for stack, w in stacks.items() if not stack[0].startswith(("erlang:apply/2_", "erl_eval:", "no process_"))}
    assert sum(others.values()) < 0.2 * sum(stacks.values()), others


@over([STOCK])
def test_a_scheduler_that_spins_for_want_of_work_is_busy_waiting(vm):
    with Node(vm, "+S", "1", "+sbwt", "very_long") as node:
        sleeper = node.eval("spawn(fun() -> (fun F() -> timer:sleep(1), F() end)() end)")
        spinning, said = profile(node)
        node.eval("exit(list_to_pid(\"%s\"), kill), register(work, spawn(shares, shares, []))" % sleeper)
        working, _ = profile(node)
    # Time without work is left out where the CPU has none either, and counted.
    assert re.search(r"^\d+ samples found a CPU idle", said, re.M), said
    assert part(spinning, "busy-wait_[s]") > 0.3, spinning
    assert part(working, "busy-wait_[s]") < 0.05 and part(working, "shares:shares/0") > 0.9, working
