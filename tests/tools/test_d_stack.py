"""The kernel's stack in D: it begins with what is traced, not with what erlbpf or the kernel traces it with."""
import contextlib
import glob
import json
import os
import re
import subprocess
import time

from lib import EMU, ERLBPF, LIMIT, VMS, Node, Skip, Trace, over, wait_until

OURS = re.compile(r"bpf`bpf_prog_|bpf_trace_run|__bpf_trace_|__bpf_prog_test_run")


def trace(program):
    if os.geteuid() != 0:
        raise Skip("needs root")
    done = subprocess.run([ERLBPF, "-q", "-n", program, "-c", "/bin/true"], capture_output=True, timeout=LIMIT, text=True,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(probe):
    """
    Of several clauses, in a record, as a key, and what `caller` and `stackdepth` say of the same stack. Other CPUs may have
    fired it, too, before exit().
    """
    text = "%s { stack(); printf(\"depth %%d\\ncaller %%a\\n\", stackdepth, caller); }\n" % probe
    out = trace(text + text + "%s { @[stack(3)] = count(); exit(0); }" % probe)
    frames = re.findall(r"^ +(\S+`\S+)", out, re.M)
    assert frames and not [frame for frame in frames if OURS.search(frame)], out
    depths, callers = re.findall(r"depth (\d+)", out), re.findall(r"caller (\S+)", out)
    parts = re.split(r"depth \d+\ncaller \S+\n", out)[:-1]
    blocks = [re.findall(r"^ +(\S+)", part, re.M) for part in parts]
    assert len(depths) >= 2 and [len(block) for block in blocks] == [int(depth) for depth in depths], out
    assert callers == [block[1] for block in blocks], out
    return blocks


def test_a_stack_at_a_system_call_begins_with_the_kernels_entry():
    blocks = check("syscall::write:entry")
    assert re.search("syscall|entry", blocks[0][0]), blocks


def test_a_stack_at_the_return_of_a_system_call_begins_with_the_kernels_exit():
    check("syscall::openat:return")


def test_a_stack_at_a_tracepoint_begins_with_the_function_that_has_it():
    assert "schedule" in check("rawtp:::sched_switch")[0][0]


def test_a_stack_of_sched_begins_with_the_scheduler():
    assert "schedule" in check("sched:::off-cpu")[0][0]


def test_begin_and_end_have_no_kernel_stack():
    """They are run by erlbpf itself."""
    text = 'printf("%s depth %d caller %a\\n", probename, stackdepth, caller); stack();'
    out = trace("BEGIN { %s exit(0); } END { %s }" % (text, text))
    assert out.count("depth 0 caller 0x0\n") == 2 and "`" not in out, out


def test_the_depth_at_the_beginning_of_a_function_is_that_of_its_stack():
    out = trace("pid$target:libc:exit:entry { printf(\"depth %d\\n\", ustackdepth); ustack(); }")
    frames = re.findall(r"^ +(\S+`\S+|0x\S+)", out, re.M)
    assert frames[0].endswith("`exit") and len(frames) > 1 and "depth %d\n" % len(frames) in out, out


def check_error(probe, stack):
    """The same stack in a clause and in the ERROR of another one, but for where in their common caller they are."""
    out = trace("%s { %s(); } %s { trace(*(int *)0); } ERROR { printf(\"error %%d\", %sdepth); %s(); exit(0); }"
                % (probe, stack, probe, stack, stack))
    blocks = [re.findall(r"^ +(\S+)", part, re.M) for part in re.split(r"error \d+", out)[:2]]
    depth = int(re.search(r"error (\d+)", out).group(1))
    assert blocks[0] and blocks[0] == blocks[1] and depth == len(blocks[1]), out
    return blocks[0]


def test_a_stack_of_error_is_that_of_the_probe_that_is_at_fault():
    for probe in ("syscall::openat:entry /pid == $target/", "rawtp:::sched_process_exit /pid == $target/"):
        frames = check_error(probe, "stack")
        assert not [frame for frame in frames if OURS.search(frame)], frames


def test_a_users_stack_of_error_is_that_of_the_function_that_is_at_fault():
    assert check_error("pid$target:libc:exit:entry", "ustack")[0].endswith("`exit")


def check_shared(probe, other):
    """With two programs at a tracepoint, the kernel calls both by way of another function: it is none of what is traced."""
    alone = trace("%s /pid == $target/ { stack(); exit(0); }" % probe)
    text = "%s { @[execname] = count(); } %s /pid == $target/ " % (other, probe)
    shared = trace(text + "{ stack(); printf(\"depth %d\\ncaller %a\\n\", stackdepth, caller); exit(0); } END { trunc(@); }")
    frames = re.findall(r"^ +(\S+`\S+)", shared, re.M)
    assert frames and "__traceiter" not in shared, shared
    assert frames[0] == re.findall(r"^ +(\S+`\S+)", alone, re.M)[0], (alone, shared)
    assert "depth %d\ncaller %s\n" % (len(frames), frames[1]) in shared, shared


def test_a_stack_is_the_same_if_something_else_traces_the_tracepoint():
    check_shared("rawtp:::sched_process_exit", "proc:::lwp-exit")
    check_shared("proc:::lwp-exit", "rawtp:::sched_process_exit")


def test_a_stack_at_a_system_call_is_the_same_if_something_else_traces_all_of_them():
    check_shared("syscall::exit_group:entry", "rawtp:::sys_enter")
    check_shared("syscall::openat:return", "rawtp:::sys_exit")


CHAIN = ["stacked:%s/1" % name for name in ("do", "inner", "middle", "outer")]
DEEP = 400


def stacks_of(node, probe, what):
    """At the hits of a probe, while a process does something: the functions, the newest first, and how many frames there are."""
    program = 'BEGIN { printf("begun\\n"); } erlang$target:::%s { printf("depth %%d", ustackdepth); ustack(127); printf("end\\n"); }' % probe
    running = Trace("-q", "-p", node.pid, "-n", program, wait=False)
    assert running.line() == "begun"
    node.eval(what)
    found = re.findall(r"depth (\d+)(.*?)end\n", running.stop(), re.S)
    return [(int(depth), re.findall(r"^ +(?:\S+`)?(\S+?)(?:\+0x\w+)?$", text, re.M)) for depth, text in found]


@over(VMS)
def test_a_stack_in_a_probe_of_a_node_is_that_of_its_erlang_process(vm):
    """Without JIT, the newest is not on the stack."""
    chain = CHAIN[1:] if vm is EMU else CHAIN
    with Node(vm) as node:
        for probe, what in (("message-send", "send"), ("process-spawn", "spawn"), ("gc_*-start", "gc"), ("process-exit", "exit")):
            stacks = stacks_of(node, probe, "(fun({_, M}) -> receive {'DOWN', M, _, _, _} -> ok end end)(spawn_monitor(stacked, outer, [%s]))" % what)
            mine = [(depth, stack) for depth, stack in stacks if chain[0] in stack]
            assert mine, (probe, stacks[:5])
            for depth, stack in mine:
                at = stack.index(chain[0])
                assert stack[at:at + len(chain)] == chain, (probe, stack)
                # Before them is the function of the VM, and maybe what is called there.
                assert depth == len(stack) and ":" not in stack[0], (probe, depth, stack)
                assert set(stack[1:at]) <= {"erlang:garbage_collect/0", "erlang:exit/1", CHAIN[0]}, (probe, stack)


@over(VMS)
def test_a_deep_stack_of_erlang_is_cut_and_one_like_it_is_the_same_key(vm):
    program = 'BEGIN { printf("begun\\n"); } erlang$target:::message-send { @[ustack(127)] = count(); }'
    with Node(vm) as node:
        running = Trace("-q", "-p", node.pid, "-n", program, wait=False)
        assert running.line() == "begun"
        node.eval("[stacked:deep(%d, send) || _ <- lists:seq(1, 20)], ok" % DEEP)
        blocks = re.split(r"\n\s*\n", running.stop())
    mine = [block for block in blocks if block.count("stacked:deep/2") > 100]
    assert len(mine) == 1 and mine[0].split()[-1] == "20", [len(block) for block in blocks]
    assert mine[0].count("stacked:deep/2") >= 124, mine[0][:500]


def map_of(pid, name):
    """The id of a process's BPF map of that name, or None."""
    for info in glob.glob("/proc/%d/fdinfo/*" % pid):
        with contextlib.suppress(FileNotFoundError), open(info) as file:
            number = re.search(r"^map_id:\t(\d+)", file.read(), re.M)
            shown = number and bpftool("map", "show", "id", number[1])
            if shown and shown["name"] == name:
                return number[1]
    return None


def bpftool(*words):
    """None: that is gone."""
    done = subprocess.run(["bpftool", "-j", *words], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def is_marked(pid, mark):
    with contextlib.suppress(OSError), open("/proc/%d/environ" % pid, "rb") as environ:
        return mark.encode() in environ.read()
    return False


def test_nodes_that_have_ended_are_forgotten():
    """Programs know so many nodes, and who waits for nodes may meet more than that. Here, other nodes may run, too."""
    command = "for i in 1 2 3 4; do erl -noshell -eval 'timer:sleep(1500), halt().'; done"
    mark = "D_STACK_%d" % os.getpid()
    running = Trace("-q", "-n", 'BEGIN { printf("begun\\n"); } erlang*:::message-send { @[ustack()] = count(); } END { trunc(@); }',
                    "-c", "sh -c \"%s\"" % command, wait=False, env={mark: "1"})
    assert running.line() == "begun"
    nodes, mine, met = map_of(running.pid, "profile_nodes"), set(), []

    def look():
        known = {int.from_bytes((int(byte, 16) for byte in entry["key"]), "little")
                 for entry in bpftool("map", "dump", "id", nodes) or []}
        mine.update(pid for pid in known if is_marked(pid, mark))
        if known & mine not in met:
            met.append(known & mine)
        return not running.is_alive()

    wait_until("all have ended", look)
    # One that has ended may be known for some tenths of a second while the next one starts.
    assert len(mine) == 4 and all(len(known) <= 2 for known in met), (mine, met)


ENDED = 'BEGIN { printf("begun\\n"); } erlang$target:::message-send { @[ustack(5)] = count(); } END { trunc(@, 1); }'
SENDS = "lists:foreach(fun(N) -> self() ! N end, lists:seq(1, 5000))"


def check_named(out):
    frames = re.findall(r"^ +(\S+)`(\S+?)(?:\+0x\w+)?$", out, re.M)
    assert frames[0][1] == "erts_send_message" and frames[1] == ("erts", "lists:foreach_1/2"), out
    assert len(frames) == 5 and all(module == "erts" and re.fullmatch(r"\w+:\w+/\d", name) for module, name in frames[1:]), out


@over([vm for vm in VMS if vm.has_jit])
def test_functions_of_a_node_that_has_ended_have_their_names(vm):
    with Node(vm) as node:
        running = Trace("-q", "-p", node.pid, "-n", ENDED, wait=False)
        assert running.line() == "begun"
        node.eval(SENDS)
        time.sleep(1)  # what is new is looked at some times a second
        node.kill()
        check_named(running.stop(None))


def test_functions_of_a_command_that_has_ended_have_their_names():
    code = "[begin %s, timer:sleep(30) end || _ <- lists:seq(1, 100)], halt()." % SENDS.replace("5000", "50")
    running = Trace("-q", "-n", ENDED, "-c", "erl -noshell -eval '%s'" % code, wait=False)
    check_named(running.stop(None))
