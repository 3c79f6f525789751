"""profile: what is no Erlang function has a frame of its own, and is under the function that it was called by."""
from lib import JIT_VMS, OLDEST_AND_NEWEST, STOCK, VMS, Node, over, shared
from test_profile import profile

LOAD = "begin sleeper:load(), spawn(sleeper, burns, [%s]) end"
# What is sent to itself over TCP is received by a port, which nobody has asked for just then.
TRAFFIC = """begin {ok, L} = gen_tcp:listen(0, [{active, true}, binary]), {ok, Port} = inet:port(L),
    spawn(fun() -> {ok, C} = gen_tcp:connect("localhost", Port, [binary]), Data = binary:copy(<<0>>, 100000),
                   (fun F() -> gen_tcp:send(C, Data), F() end)() end),
    spawn(fun() -> {ok, _} = gen_tcp:accept(L), (fun F() -> receive _ -> F() end end)() end), ok end"""


def has(stack, *frames):
    """Are these frames next to each other in it?"""
    return any(stack[i:i + len(frames)] == frames for i in range(len(stack)))


@over(JIT_VMS)
def test_a_nif_is_under_who_calls_it(vm):
    with shared(vm) as node:
        for how in "near", "far", "burn":
            pid = node.eval(LOAD % how)
            stacks, _ = profile(node, "--erl-pid", pid)
            node.eval("exit(list_to_pid(\"%s\"), kill)" % pid)
            native = [stack for stack in stacks if "sleeper.so`burn_ms_[l]" in stack]
            assert native, (how, stacks)
            # A sample at the very beginning or end of a C function may have a stack that cannot be followed.
            stack = max(native, key=stacks.get)
            if how == "burn":
                assert stack[0] == "sleeper:burns/1" and not any("_[b]" in frame for frame in stack), stack
            else:
                assert has(stack, "sleeper:burns/1", "sleeper:burn/1_[b]"), (how, stack)


@over(VMS)
def test_dirty_work_has_a_frame_of_its_own(vm):
    with shared(vm) as node:
        pid = node.eval(LOAD % "dirty")
        stacks, _ = profile(node, "--erl-pid", pid)
    dirty = [stack for stack in stacks if "sleeper.so`burn_ms_[l]" in stack]
    assert dirty and all("dirty CPU work_[s]" in stack and "sleeper:burns/1" in stack for stack in dirty), stacks


@over(OLDEST_AND_NEWEST)
def test_what_ports_do_is_nobodys(vm):
    with shared(vm) as node:
        node.eval(TRAFFIC.replace("\n", " "))
        stacks, _ = profile(node, "--by", "mfa")
    ports = [stack for stack in stacks if "port_[s]" in stack]
    assert ports and all(stack[:2] == ("no process_[g]", "port_[s]") for stack in ports), stacks


@over([STOCK])
def test_a_scheduler_that_spins_for_want_of_work_is_busy_waiting(vm):
    with Node(vm, "+S", "1", "+sbwt", "very_long") as node:
        node.eval("spawn(fun() -> (fun F() -> timer:sleep(1), F() end)() end)")
        spinning, _ = profile(node)
    busy = [stack for stack in spinning if "busy-wait_[s]" in stack]
    # It belongs to nobody.
    assert busy and all(stack[0] == "busy-wait_[s]" for stack in busy), spinning
