"""profile by what probes tell of, held against what the node has done."""
import json
import time

from lib import JIT_VMS, LIMIT, STOCK, Node, Trace, atom_lock, erlbpf, over, shared


def events(node, what, times, *options):
    """{function of doings.erl: weight}, of a process that does it so many times; what it says of itself; all stacks."""
    trace = Trace("profile", "--folded", "--exact", "-p", node.pid, *options, wait=False)
    trace.wait_for("Tracing")
    said = int(node.eval("doings:run(%s, %d)" % (what, times)))
    weights, stacks = {}, {}
    for line in trace.stop().splitlines():
        frames, _, weight = line.rpartition(" ")
        assert frames not in stacks, "a stack is there twice: %s" % line
        stacks[frames] = int(weight)
        for function in {f for f in frames.split(";") if f.startswith("doings:")}:
            weights[function] = weights.get(function, 0) + int(weight)
    return weights, said, stacks


def share(weights, what, arity=0):
    """Of the function that does much, in percent of what both do."""
    much, little = (weights["doings:%s_%s/%d" % (what, how, arity)] for how in ("much", "little"))
    return 100.0 * much / (much + little)


def near(value, wanted, part):
    return abs(value - wanted) <= part * wanted


@over(JIT_VMS)
def test_events_are_under_who_causes_them_and_as_many_as_there_were(vm):
    with shared(vm) as node:
        sends(node)
        spawns(node)
        reductions(node)
        collections(node)


def sends(node):
    weights, _, stacks = events(node, "sends", 200, "--send")
    assert weights["doings:sends_much/1"] == 200 * 600 and weights["doings:sends_little/1"] == 200 * 200, stacks
    callers = "doings:work/3;doings:repeat/3;doings:sends/1;doings:sends_much/1"
    assert stacks[callers] == 200 * 600, stacks
    weights, _, stacks = events(node, "sends", 200, "-e", "message-send")
    assert weights["doings:sends_much/1"] == weights["doings:sends_little/1"] == 200, stacks


def spawns(node):
    weights, _, stacks = events(node, "spawns", 100, "--spawn")
    assert weights["doings:spawns_much/0"] == 300 and weights["doings:spawns_little/0"] == 100, stacks


def reductions(node):
    weights, said, stacks = events(node, "reductions", 500, "--reductions")
    assert near(weights["doings:work/3"], said, 0.01), (said, stacks)
    assert abs(share(weights, "reductions") - 75) < 3, weights


def collections(node):
    weights, _, stacks = events(node, "collections", 50, "--gc", "--weight", "reclaimed")
    assert near(weights["doings:collections_much/0"], 50 * 60000, 0.02), stacks
    assert near(weights["doings:collections_little/0"], 50 * 20000, 0.02), stacks
    begin = time.monotonic()
    weights, _, stacks = events(node, "collections", 50, "--gc")
    limit = 1e9 * (time.monotonic() - begin)
    # One process, which is collected at one time only once.
    assert 0 < weights["doings:collections_much/0"] and 0 < weights["doings:collections_little/0"], stacks
    assert weights["doings:work/3"] < limit, (stacks, limit)


@over(JIT_VMS)
def test_words_are_under_who_allocates_them(vm):
    with shared(vm) as node:
        # Two words an element.
        weights, _, stacks = events(node, "lists", 1000, "--alloc")
        assert abs(share(weights, "lists") - 75) < 3, stacks
        assert near(weights["doings:work/3"], 1000 * 8000, 0.03), stacks
        # Which of them makes a process collect is by chance.
        weights, _, stacks = events(node, "binaries", 2000, "--alloc")
        assert abs(share(weights, "binaries") - 75) < 5, stacks
        assert near(weights["doings:work/3"], 2000 * 100000 / 8, 0.03), stacks


def waits_for_locks(node, number):
    """{what was waited for: the stacks}, while processes send to one, make atoms and use a table."""
    trace = Trace("profile", "--locks", "--folded", "--exact", "-p", node.pid, wait=False)
    trace.wait_for("Tracing")
    # On a busy machine little meets much, and on an idle one much meets little.
    times = 250 << min(number, 5)
    assert int(node.eval("contend:signals(8, %d)" % times)) == 8 * times
    node.eval('contend:atoms("a%d", 4, %d)' % (number, times))
    node.eval("contend:waits(P, T, %d)" % (2 + number))
    seen = {}
    for line in trace.stop().splitlines():
        stack, _, lock = line.rpartition(" ")[0].rpartition(";")
        seen.setdefault(lock, []).append(stack)
    return seen


@over(JIT_VMS)
def test_time_of_waiting_for_locks_says_which_lock_it_is(vm):
    table, atoms = "waiting for a lock of the table bag_[s]", "waiting for the lock %s" % atom_lock(vm)
    seen = {}

    def missing():
        of_process = [lock for lock in seen if lock.endswith(" of a process_[s]")]
        of_atoms = [lock for lock in seen if lock.startswith(atoms) and lock.endswith(" of the VM_[s]")]
        # Who sends to one process waits for a lock of it, or that one for the senders.
        return [locks for locks in (of_process, of_atoms, [table])
                if not any("contend:" in stack for lock in locks for stack in seen.get(lock, []))]

    with Node(vm, "+S", "4") as node:
        node.eval("register(sink, self())")
        node.eval("P = contend:looker()")
        node.eval("T = contend:table(bag, 100000)")
        # Until two have met at a lock of each kind.
        end, number = time.monotonic() + 5 * LIMIT, 0
        while missing():
            assert time.monotonic() < end, (missing(), seen)
            for lock, stacks in waits_for_locks(node, number).items():
                seen.setdefault(lock, []).extend(stacks)
            number += 1
    assert all(lock.startswith("waiting for ") for lock in seen), seen


@over([STOCK])
def test_an_empty_profile_says_why_it_is(vm):
    with shared(vm) as node:
        for words, why in [
                (("--function", "nobody:*"), "nothing was seen of the process or function that was asked for"),
                (("-e", "process-spawn"), "there was no such event"),
                (("--erl-pid", node.eval("spawn(fun() -> receive never -> ok end end)")), "nothing was seen of the process or function")]:
            out, err = erlbpf("profile", "-p", node.pid, "--folded", *words, "300ms")
            assert not out and "The profile is empty: " + why in err, (words, out, err)
        out, err = erlbpf("profile", "-p", node.pid, "--folded", "--off-cpu", "300ms")
        assert ("The profile is empty" in err) == (not out), (out, err)


def test_what_cannot_be_counted_is_refused():
    for words, said in [
            (("-e", "message-sent"), 'no probe matches "message-sent"; did you mean "message-send"?'),
            (("-e", "gc_*", "--weight", "need"), "--weight needs one probe, with its whole name"),
            (("-e", "message-send", "--weight", "sender"), "message-send has no argument sender that is an amount"),
            (("--send", "--weight", "size"), "--weight is for -e, or `reclaimed` with --gc"),
            (("--off-cpu", "--gc"), "--off-cpu, --wall and --top show time, and no events"),
            (("--off-cpu", "--by", "scheduler"), "--by scheduler is for processor time"),
            (("--send", "--by", "scheduler"), "--by scheduler is for processor time"),
            (("--top", "--send"), "--off-cpu, --wall and --top show time, and no events"),
            (("--off-cpu", "--wall"), "--off-cpu and --wall exclude each other"),
            (("--gc", "--send"), "--gc and --send exclude each other"),
            (("--svg", "-j"), "--svg and --json exclude each other"),
            (("--min", "101%"), "expected a percentage, such as 1%"),
            (("--min", "much"), "expected a percentage, such as 1%")]:
        out, err = erlbpf("profile", *words, 1, code=2)
        assert not out and said in err, (words, err)


def test_what_has_no_room_is_counted_in_what_machines_read_too():
    """Each process has a stack of its own, and there is room for 16,384."""
    with shared(STOCK) as node:
        node.eval("Ps = [spawn(fun F() -> receive go -> F() end end) || _ <- lists:seq(1, 20000)], ok")
        trace = Trace("profile", "-j", "--exact", "-p", node.pid, "-e", "process-scheduled", "--by", "pid", wait=False)
        trace.wait_for("Tracing")
        node.eval("[P ! go || P <- Ps], ok")
        *stacks, summary = map(json.loads, trace.stop().splitlines())
    assert summary["type"] == "summary" and summary["lost_cases"] > 1000, summary
    assert summary["total"] == sum(stack["value"] for stack in stacks), summary
    assert summary["total"] + summary["lost_cases"] >= 20000, summary


@over([STOCK])
def test_hits_can_be_of_several_probes_and_weigh_what_an_argument_says(vm):
    with shared(vm) as node:
        weights, _, stacks = events(node, "collections", 20, "-e", "gc_*-end")
        assert weights["doings:collections_much/0"] >= 20, stacks
        # What is copied of a message: two words an element, and none of what is no list.
        weights, _, stacks = events(node, "sends", 50, "-e", "term-copy", "--weight", "size")
        assert weights["doings:sends_much/1"] == 50 * 600, stacks
        # A probe that the VM does not have is refused with the reason.
        out, err = erlbpf("profile", "-p", node.pid, "-e", "copy-object", 1, code=3)
        assert not out and "it has not all probes that -e needs: " in err and "without notes" in err, err


@over(JIT_VMS)
def test_calls_of_functions_are_under_who_makes_them(vm):
    with shared(vm) as node:
        # A BIF, and a function of C.
        for function in "erts_internal:garbage_collect/1", "erts_garbage_collect*":
            weights, _, stacks = events(node, "collections", 50, "-e", function)
            assert weights["doings:collections_much/0"] >= 50 and weights["doings:collections_little/0"] >= 50, stacks
            if ":" in function:
                assert weights["doings:collections_much/0"] == weights["doings:collections_little/0"] == 50, stacks


@over(JIT_VMS)
def test_erlang_functions_are_refused_with_what_counts_their_calls(vm):
    with shared(vm) as node:
        node.eval("code:ensure_loaded(doings)")
        for command, wanted in (("profile", "-e"), "doings:repeat/3"), (("profile", "-e"), "doings:sends*"), (("uprobe",), "doings:repeat/3"):
            out, err = erlbpf(*command, wanted, "-p", node.pid, "-d", 1, code=3)
            assert not out and "Erlang code of the JIT" in err and "; `erlbpf calls --via vm --by caller` shows" in err, err
            assert len(err.splitlines()) == 1, err


@over([STOCK])
def test_functions_that_are_none_of_the_vm_are_refused(vm):
    with shared(vm) as node:
        for function, said in ("nosuch:repeat/3", "no function of this VM is named nosuch:repeat/3"), ("nothing_of_it", "nothing_of_it"):
            out, err = erlbpf("profile", "-p", node.pid, "-e", function, 1, code=3)
            assert not out and said in err, err
    _, err = erlbpf("profile", "-e", "ets:lookup/2", "--weight", "size", 1, code=2)
    assert "--weight is for arguments of probes" in err, err
