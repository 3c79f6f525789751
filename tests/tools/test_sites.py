"""Where probes are put in functions must not change what they see: each tool here runs twice beside the other, with the sites
that cost least, and with first instructions and returns alone (ERLBPF_SITES=plain)."""
import re

from lib import JIT_VMS, Trace, erlbpf, of_type, over, shared

PLAIN = {"ERLBPF_SITES": "plain"}

# Processes that are scheduled for all reasons there are: they yield, wait, time out, collect, call dirty functions, are
# suspended, and exit. Its value is their pids; none of them lives any more.
MANY_WAYS = """
(fun() ->
Work = fun(0, _) -> ok;
          (N, Work) ->
              erlang:yield(),
              receive after N rem 3 -> ok end,
              erlang:garbage_collect(),
              self() ! N, receive N -> ok end,
              erts_debug:dirty_cpu(wait, 1),
              erts_debug:dirty_io(wait, 1),
              Work(N - 1, Work)
       end,
Done = [spawn_monitor(fun() -> Work(40, Work) end) || _ <- lists:seq(1, 8)],
[begin erlang:suspend_process(P, [asynchronous]), erlang:resume_process(P) end || {P, _} <- Done],
[receive {'DOWN', R, _, _, normal} -> ok end || {_, R} <- Done],
[P || {P, _} <- Done]
end)()
"""


def one_line(expression):
    return re.sub(r"\s+", " ", expression.strip())


def counts(lines, pids):
    return {h["key"]: h["count"] for h in of_type(lines, "hist") if h["key"] in pids}


def sites(node, probe, env=None):
    text, _ = erlbpf("list", "-v", "-p", node.pid, probe, env=env)
    return re.findall(r"^    site: (.*)$", text, re.M)


@over(JIT_VMS)
def test_a_slice_begins_as_often_before_the_return_of_erts_schedule_as_at_it(vm):
    with shared(vm, "+S", "1", "+SDcpu", "1:1", "+SDio", "1") as node:
        cheap, plain = sites(node, "process-scheduled"), sites(node, "process-scheduled", env=PLAIN)
        assert plain == ["return of erts_schedule"], plain
        assert len(cheap) == 1 and re.fullmatch(r"erts_schedule\+0x[0-9a-f]+, just before it returns", cheap[0]), cheap
        traces = [Trace("slices", "--by", "pid", "-j", "-p", node.pid, env=env) for env in ({}, PLAIN)]
        # The return probe does not see the first return of a scheduler that slept in the function: all are woken first.
        node.eval(one_line(MANY_WAYS))
        pids = re.findall(r"<[0-9.]+>", node.eval(one_line(MANY_WAYS)))
        ours, theirs = [counts(trace.stop_json(), pids) for trace in traces]
        assert len(pids) == 8 and sorted(ours) == sorted(pids), (pids, ours)
        assert min(ours.values()) > 200, ours
        assert ours == theirs, (ours, theirs)


# BIFs whose functions begin in many ways: with pushes, loads, comparisons, shifts, and with a change of the stack pointer.
BIFS = """
(fun() ->
  M = maps:from_list([{N, N} || N <- lists:seq(1, 9)]),
  [{maps:is_key(N, M), is_map_key(N, M), lists:keymember(N, 1, [{3, a}]), lists:keyfind(N, 1, [{5, b}]),
    process_info(self(), trap_exit), binary:copy(<<N>>), iolist_size([N, <<N>>]), erlang:phash2(N), maps:keys(#{N => a}),
    erlang:'or'(true, N > 3), erlang:'and'(true, N > 3), list_to_binary([N]), element(1, {N}), erlang:max(N, 4), erlang:min(N, 4),
    math:exp(0), erlang:group_leader() == self(), atom_to_list(a), lists:member(N, [1, 2]), integer_to_list(N)}
   || N <- lists:seq(1, 6)]
end)()
"""
FUNCTIONS = "[abilmpt]*_[0123]"


def shown(lines):
    return [(event["call"], event["result"]) for event in of_type(lines, "event")]


@over(JIT_VMS)
def test_calls_their_arguments_and_results_are_the_same_at_both_places(vm):
    with shared(vm) as node:
        caller = node.eval("self()")
        node.eval(one_line(BIFS))
        traces = [Trace("uprobe", FUNCTIONS, "--show", "--unsafe", "-j", "-p", node.pid, "--erl-pid", caller, env=env)
                  for env in ({}, PLAIN)]
        node.eval(one_line(BIFS))
        ours, theirs = [shown(trace.stop_json()) for trace in traces]
        assert len(ours) > 100, ours
        assert ours == theirs, [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:5]


@over(JIT_VMS)
def test_calls_of_bifs_are_counted_the_same_at_both_places(vm):
    with shared(vm) as node:
        caller = node.eval("self()")
        node.eval(one_line(BIFS))
        traces = [Trace("calls", "*", "--by", "function", "--erl-pid", caller, "-j", "-p", node.pid, env=env) for env in ({}, PLAIN)]
        node.eval(one_line(BIFS))
        ours, theirs = [{h["key"]: h["count"] for h in of_type(trace.stop_json(), "hist")} for trace in traces]
        assert len(ours) > 10 and ours["maps:is_key/2"] == 6, ours
        assert ours == theirs, set(ours.items()) ^ set(theirs.items())
