"""What a pattern or a pid of the command line does not match is an error, with the reason and the nearest name."""
import re

from lib import EMU, JIT_VMS, STOCK, VMS, Node, Trace, erlbpf, over, shared

NO_PROBE = 3


def refused(*args, code=NO_PROBE):
    """What erlbpf says about a command line that matches nothing; it prints nothing else."""
    out, err = erlbpf(*args, code=code)
    assert not out and "Tracing" not in err, (args, out, err)
    return err


@over(["trace", "count"])
def test_a_glob_of_no_probe_is_refused_with_the_nearest(tool):
    with Node(STOCK) as node:
        for glob, meant in (("gc", "gc*"), ("process-spwan", "process-spawn")):
            said = refused(tool, glob, "-p", node.pid)
            assert 'no probe matches "%s"; did you mean "%s"? `erlbpf list`' % (glob, meant) in said, said
            assert len(said.splitlines()) == 1, said
        # No probe of an application either.
        said = refused(tool, "gcx", "-p", node.pid, "-d", "100ms")
        assert 'no probe matches "gcx"; did you mean "gc*"? `erlbpf list` shows all probes, and app:gcx is one' in said, said
        # If the code of the node has it, or may have it later, it is what is meant.
        node.eval("'$erlbpf:gcx'")
        for name in "gcx", "app:gcy":
            assert "Tracing app" in erlbpf(tool, name, "-p", node.pid, "-d", "100ms")[1]
        said = refused(tool, "shops*", "-p", node.pid)
        assert "did you mean" not in said and "erlbpf list" in said, said


def test_a_glob_of_no_probe_is_refused_before_there_is_a_node_too():
    assert "did you mean" in refused("list", "gc")
    assert "did you mean" in refused("count", "gc", "-c", "sleep 60")


def test_a_tool_with_few_probes_names_one_of_its_own():
    with shared(STOCK) as node:
        assert 'no probe of messages matches "gc"; `erlbpf help' in refused("messages", "gc", "-p", node.pid)
        assert 'did you mean "message-send"?' in refused("messages", "mesage-send", "-p", node.pid)


NOBODY = "<0.32000.1>"


@over(VMS)
def test_a_process_that_no_node_has_is_an_error(vm):
    with shared(vm) as node:
        for tool in ("sched-latency", "mailbox"):
            said = refused(tool, "--erl-pid", NOBODY, "-p", node.pid)
            assert "(process %d) is not traced: it has no process %s" % (node.pid, NOBODY) in said or \
                "process %d is not traced: it has no process %s" % (node.pid, NOBODY) in said, said
        gone = node.eval("begin {Gone, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> Gone end end")
        refused("mailbox", "--erl-pid", gone, "-p", node.pid)
        Trace("mailbox", "--erl-pid", node.eval("self()"), "-p", node.pid).stop()


def test_of_several_nodes_those_without_the_process_are_named():
    with Node(STOCK) as one, Node(STOCK) as other:
        one.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 1000)], ok")
        pid = one.eval("spawn(fun() -> receive stop -> ok end end)")
        trace = Trace("mailbox", "--erl-pid", pid, "-p", "%d,%d" % (one.pid, other.pid), "-j")
        assert "not on process %d (it has no process %s)" % (other.pid, pid) in trace.stderr[-1], trace.stderr
        targets = {target["os_pid"]: target["refused"] for target in trace.stop_json()[-1]["targets"]}
        assert targets == {one.pid: None, other.pid: "it has no process %s" % pid}, targets


NOT_MEASURED = "Erlang code of the JIT, which needs --via vm or --entry"


@over(JIT_VMS)
def test_functions_that_the_jit_has_compiled_are_refused_as_such(vm):
    with Node(vm) as node:
        said = refused("calls", "calling:call/2", "-p", node.pid)
        assert 'it has no BIF or NIF "calling:call/2": the module calling is not loaded' in said, said
        node.eval("code:ensure_loaded(calling)")
        said = refused("calls", "calling:call/2", "-p", node.pid)
        assert "is not traced: calling:call/2 is %s; `erlbpf help calls`" % NOT_MEASURED in said, said
        said = refused("calls", "calling:clal/2", "-p", node.pid)
        assert 'is not traced: it has no function "calling:clal/2" (did you mean "calling:call/2"?); ' in said, said
        for wanted in ("calling:nothing_like_it/2", "calling:nothing*"):
            said = refused("calls", wanted, "-p", node.pid)
            assert 'is not traced: the module calling has no function "%s"; ' % wanted in said, said
        said = refused("calls", "calling:*", "-p", node.pid)
        assert 'is not traced: all that "calling:*" matches is %s; ' % NOT_MEASURED in said, said


@over(JIT_VMS)
def test_a_function_that_is_none_is_refused_with_the_nearest(vm):
    with shared(vm) as node:
        for wanted, meant in (("ets:isnert/2", "ets:insert/2"), ("etss:*", "ets:*"), ("lists:rve*", "lists:rev*"),
                              ("prim_fiel:*", "prim_file:*")):
            said = refused("calls", wanted, "-p", node.pid)
            assert 'it has no BIF or NIF "%s" (did you mean "%s"?); ' % (wanted, meant) in said, said
        said = refused("calls", "Elixir*", "-p", node.pid)
        assert 'it has no BIF or NIF "Elixir*", and no loaded code begins with this; ' in said, said


@over(JIT_VMS)
def test_functions_of_elixir_are_found_in_both_spellings(vm):
    with Node(vm) as node:
        said = refused("calls", "Shop.Cart.add/2", "-p", node.pid)
        assert 'it has no BIF or NIF "Shop.Cart.add/2": the module Shop.Cart is not loaded' in said, said
        node.eval("code:ensure_loaded('Elixir.Shop.Cart')")
        for wanted in ("Shop.Cart.add/2", "Elixir.Shop.Cart:add/2", "'Elixir.Shop.Cart':add/2"):
            said = refused("calls", wanted, "-p", node.pid)
            assert "Shop.Cart.add/2 is %s" % NOT_MEASURED in said and "Elixir" not in said, said
        for wanted in ("Elixir*", "Shop.*", "Shop.Cart.*", "Shop.Cart.ad*", "Shop.Ca*"):
            said = refused("calls", wanted, "-p", node.pid)
            assert 'is not traced: all that "%s" matches is %s; ' % (wanted, NOT_MEASURED) in said, said


def test_calls_asks_for_a_pattern():
    for words in ([], ["--by", "pid"], ["--via", "vm"], ["--entry"], ["1"]):
        said = refused("calls", *words, code=2)
        assert "expected a function or a pattern: 'ets:*' or '*'" in said and "`erlbpf help calls`" in said, said


@over(VMS)
def test_bifs_and_nifs_of_any_library_are_no_error(vm):
    with shared(vm) as node:
        loaded = [module for module in ("crypto", "asn1rt_nif") if "{module" in node.eval("code:ensure_loaded(%s)" % module)]
        for wanted in ["lists:*", "erlang:'+'/2", "erlang:+*", "prim_file:read_info_nif/2"] + [m + ":*" for m in loaded]:
            Trace("calls", wanted, "-p", node.pid).stop()


@over([EMU])
def test_without_the_jit_erlang_functions_are_no_error(vm):
    with Node(vm) as node:
        Trace("calls", "calling:*", "-p", node.pid).stop()


def test_of_several_nodes_those_without_the_function_are_named():
    with Node(STOCK) as one, Node(STOCK) as other:
        one.eval("code:ensure_loaded(calling)")
        said = refused("calls", "calling:*", "-p", "%d,%d" % (one.pid, other.pid))
        assert len(said.splitlines()) == 2 and "is not loaded" in said and NOT_MEASURED in said, said


@over([EMU])
def test_of_several_nodes_those_without_the_function_are_named_though_another_has_it(vm):
    with Node(STOCK) as one, Node(vm) as other:
        trace = Trace("calls", "calling:*", "-p", "%d,%d" % (one.pid, other.pid), "-j")
        assert 'not on process %d (it has no BIF or NIF "calling:*"' % one.pid in trace.stderr[-1], trace.stderr
        refusals = [target["refused"] for target in trace.stop_json()[-1]["targets"]]
        assert len(refusals) == 2 and None in refusals, refusals


def test_looking_for_code_does_not_make_memory_of_what_the_node_has_not_used():
    def code_kib(pid):
        with open("/proc/%d/smaps" % pid) as lines:
            text = lines.read()
        return sum(int(re.search(r"^Rss:\s+(\d+)", part, re.M)[1]) for part in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", text,
                                                                                        flags=re.M)
                   if "memfd:vmem" in part)
    with Node(STOCK) as node:
        node.eval("erlang:garbage_collect()")
        before = code_kib(node.pid)
        assert before, "no code is found"
        refused("calls", "timer:sleep/1", "-p", node.pid)
        assert code_kib(node.pid) <= before + 64, (before, code_kib(node.pid))


def test_a_function_of_the_vm_that_is_none_is_refused_with_the_nearest():
    with shared(STOCK) as node:
        for wanted, meant in (("erts_garbage_colect", "erts_garbage_collect"), ("ets:inset/2", "ets:insert/2")):
            said = refused("uprobe", wanted, "-p", node.pid)
            assert "no function of this VM is named %s (did you mean %s?)" % (wanted, meant) in said, said
        assert "did you mean" not in refused("uprobe", "nosuch*", "-p", node.pid)


@over(["-p 1234 gc", "--node shop gc", "--node=shop gc -d 1", "-q gc", "-d 5 gc", "-vj count message-send", "-p 1 doctor",
       "--nonsense gc"])
def test_an_option_before_the_command_is_refused_with_the_right_order(line):
    said = refused(*line.split(), code=2)
    command = line.split()[-1] if line.split()[-1] in ("gc", "doctor") else "count" if "count" in line else "gc"
    assert 'options follow the command: erlbpf %s ' % command in said and "`erlbpf help %s`" % command in said, said


def test_an_option_alone_or_before_no_command_is_refused():
    for line, said in ((("--node", "shop"), "expected a command"), (("--node", "shop", "gcc"), "expected a command")):
        assert said in refused(*line, code=2)


@over(["erlang*:::gc erlang*:::gc*", "erlang$target:::mesage-send erlangPID:::message-send",
       "erlng*:::message-send erlang*:::message-send", "message-sned message-send", "syscall::opne:entry syscall::open:entry",
       "proc:::exce proc:::exec", "BEGNI BEGIN", "nothing-like-it "])
def test_a_d_description_that_matches_nothing_is_refused_with_the_nearest(case):
    description, meant = case.split(" ")
    with shared(STOCK) as node:
        said = refused("-n", description + " { }", "-p", node.pid, code=1)
        listed = erlbpf("-l", "-n", description, "-p", node.pid)[1]
    meant = meant.replace("PID", str(node.pid))
    assert "does not match any probes" in said, said
    for text in (said, listed):
        assert ("did you mean %s?\n" % meant in text) if meant else "did you mean" not in text, text


def test_a_d_description_of_a_vm_is_refused_with_the_nearest_before_there_is_one_too():
    assert "did you mean erlang*:::message-send?" in refused("-n", "erlang*:::mesage-send { }", "--node", "nosuch@node", code=1)


def test_an_option_of_other_commands_is_refused_as_such():
    for line in ("top --erl-pid <0.1.0>", "doctor --by pid"):
        assert '"%s" is an option of other commands' % line.split()[1] in refused(*line.split(), code=2)
    assert 'did you mean "--erl-pid"?' in refused("gc", "--erlpid", "<0.1.0>", code=2)
