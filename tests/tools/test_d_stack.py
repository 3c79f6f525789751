"""The kernel's stack in D: it begins with what is traced, not with what erlbpf or the kernel traces it with."""
import contextlib
import glob
import json
import os
import re
import subprocess
import tempfile

from lib import EMU, ERLBPF, LIMIT, VMS, Node, Skip, Trace, over, shared, wait_until

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


DOES = {"message-send": "send", "process-spawn": "spawn", "gc_minor-start": "gc", "gc_major-start": "gc", "process-exit": "exit"}


def stacks_of(node):
    """At the hits of probes, while processes do what these tell: the probe, the functions, the newest first, and how many
    frames there are."""
    program = 'BEGIN { printf("begun\\n"); } %s { printf("%%s depth %%d", probename, ustackdepth); ustack(127); printf("end\\n"); }' \
        % ", ".join("erlang$target:::" + probe for probe in DOES)
    running = Trace("-q", "-p", node.pid, "-n", program, wait=False)
    assert running.line() == "begun"
    for what in sorted(set(DOES.values())):
        node.eval("(fun({_, M}) -> receive {'DOWN', M, _, _, _} -> ok end end)(spawn_monitor(stacked, outer, [%s]))" % what)
    found = re.findall(r"(\S+) depth (\d+)(.*?)end\n", running.stop(), re.S)
    return [(probe, int(depth), re.findall(r"^ +(?:\S+`)?(\S+?)(?:\+0x\w+)?$", text, re.M)) for probe, depth, text in found]


@over(VMS)
def test_a_stack_in_a_probe_of_a_node_is_that_of_its_erlang_process(vm):
    """Without JIT, the newest is not on the stack."""
    chain = CHAIN[1:] if vm is EMU else CHAIN
    with shared(vm) as node:
        stacks = stacks_of(node)
    mine = [(probe, depth, stack) for probe, depth, stack in stacks if chain[0] in stack]
    assert {DOES[probe] for probe, _, _ in mine} == set(DOES.values()), stacks[:5]
    for probe, depth, stack in mine:
        at = stack.index(chain[0])
        assert stack[at:at + len(chain)] == chain, (probe, stack)
        # Before them is the function of the VM, and maybe what is called there.
        assert depth == len(stack) and ":" not in stack[0], (probe, depth, stack)
        assert set(stack[1:at]) <= {"erlang:garbage_collect/0", "erlang:exit/1", CHAIN[0]}, (probe, stack)


@over(VMS)
def test_a_deep_stack_of_erlang_is_cut_and_one_like_it_is_the_same_key(vm):
    program = 'BEGIN { printf("begun\\n"); } erlang$target:::message-send { @[ustack(127)] = count(); }'
    with shared(vm) as node:
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


# Each node runs until its file is there, and the next one starts when the one before it has been forgotten.
UNTIL_KNOWN = '(fun F() -> case filelib:is_file("%s/" ++ os:getpid()) of true -> halt(); false -> timer:sleep(20), F() end end)().'
NODES = """for i in 1 2 3 4; do
    erl -noshell -eval '%s'
    until [ -e %s/forgotten-$i ]; do sleep 0.02; done
done
"""


def test_nodes_that_have_ended_are_forgotten():
    """Programs know so many nodes, and who waits for nodes may meet more than that. Here, other nodes may run, too."""
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        script = os.path.join(folder, "nodes.sh")
        with open(script, "w") as file:
            file.write(NODES % (UNTIL_KNOWN % folder, folder))
        running = Trace("-q", "-n", 'BEGIN { printf("begun\\n"); } erlang*:::message-send { @[ustack()] = count(); } END { trunc(@); }',
                        "-c", "sh %s" % script, wait=False)
        assert running.line() == "begun"
        nodes = map_of(running.pid, "profile_nodes")

        def known():
            """Those of the script: a node's arguments have the folder."""
            return {pid for pid in known_nodes(nodes) if folder in arguments_of(pid)}

        for number in range(1, 5):
            wait_until("node %d is known" % number, known)
            node, = known()
            open(os.path.join(folder, str(node)), "w").close()
            wait_until("node %d is forgotten" % number, lambda: node not in known_nodes(nodes))
            open(os.path.join(folder, "forgotten-%d" % number), "w").close()
        running.stop(None)


def known_nodes(nodes):
    """The pids in that map."""
    return {int.from_bytes((int(byte, 16) for byte in entry["key"]), "little")
            for entry in bpftool("map", "dump", "id", nodes) or []}


def arguments_of(pid):
    with contextlib.suppress(OSError), open("/proc/%d/cmdline" % pid, errors="replace") as line:
        return line.read()
    return ""


ENDED = """BEGIN { printf("begun\\n"); }
erlang$target:::message-send { @[ustack(5)] = count(); sent++; }
tick-10ms /sent > 2000 && !said++/ { printf("sent\\n"); }
END { trunc(@, 1); }"""
SENDS = "lists:foreach(fun(N) -> self() ! N end, lists:seq(1, 5000))"


def wait_for(running, word):
    while word not in (line := running.line()):
        assert line or running.is_alive(), "it ended"


def let_look(running, times=12):
    """The tracer reads what is mapped each time that it looks at what is new, a few times, and less and less often: so often
    that it has looked whole since now."""
    program = 'BEGIN { printf("begun\\n"); } syscall::openat:entry /progenyof(%d)/ { printf("%%s\\n", copyinstr(arg1)); }'
    watch = Trace("-q", "-n", program % running.pid, wait=False)
    assert watch.line() == "begun"
    for _ in range(times):
        while not re.fullmatch(r"/proc/\d+/maps", line := watch.line()):
            assert line or watch.is_alive(), "it ended"
    watch.kill()


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
        let_look(running)
        node.kill()
        check_named(running.stop(None))


def test_functions_of_a_command_that_has_ended_have_their_names():
    with tempfile.TemporaryDirectory(prefix="erlbpf-d-") as folder:
        file = os.path.join(folder, "end")
        # Most messages are sent again and again, until the file is there.
        code = '(fun F() -> %s, case filelib:is_file("%s") of true -> halt(); false -> timer:sleep(20), F() end end)().' % (
            SENDS.replace("5000", "500"), file)
        running = Trace("-q", "-n", ENDED, "-c", "erl -noshell -eval '%s'" % code, wait=False)
        wait_for(running, "sent")
        let_look(running)
        open(file, "w").close()
        check_named(running.stop(None))
