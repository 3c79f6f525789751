"""Names of processes, read from outside, against what the node says."""
import re

from lib import VMS, Node, Trace, of_type, over


def names_of(vm, start, ask):
    """{pid: name} that slices gives for processes that ran, and the node's own answer."""
    with Node(vm) as node:
        node.eval(start)
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid")
        node.eval("[P ! go || P <- Ps], [receive {went, P} -> ok end || P <- Ps], ok")
        # Who is gone has no name any more, so the node lives on until the trace has ended.
        hists = of_type(trace.stop_json(), "hist")
        return {hist["key"]: hist["name"] for hist in hists}, node.eval(ask)


LOOP = "Me = self(), F = fun L() -> receive go -> Me ! {went, self()} end, L() end, "


@over(VMS)
def test_registered_names_are_those_that_the_node_knows(vm):
    start = LOOP + ("Ps = [begin P = spawn(F), register(list_to_atom(\"reg_\" ++ integer_to_list(N)), P), P end "
                    "|| N <- lists:seq(1, 100)], ok")
    ask = "[{P, element(2, process_info(P, registered_name))} || P <- Ps]"
    got, own = names_of(vm, start, ask)
    wanted = dict(pair.split(",") for pair in own.strip("[]{}").split("},{"))
    assert len(wanted) == 100
    assert {pid: got.get(pid) for pid in wanted} == wanted


@over(VMS)
def test_processes_without_a_name_are_shown_by_their_initial_call(vm):
    start = LOOP + "Ps = [spawn(F), proc_lib:spawn(F), spawn(erlang, apply, [F, []])], ok"
    # A process of proc_lib is known by what it runs, as the node's own tools show it.
    ask = ("[{P, case proc_lib:translate_initial_call(P) of {proc_lib, init_p, 5} -> "
           "element(2, process_info(P, initial_call)); MFA -> MFA end} || P <- Ps]")
    got, own = names_of(vm, start, ask)
    calls = re.findall(r"\{(<[0-9.]+>),\{(\w+),('[^']*'|\w+),(\d+)\}\}", own)
    assert len(calls) == 3 and calls[0][1:] == ("erlang", "apply", "2"), own
    assert [got[pid] for pid, *_ in calls] == ["%s:%s/%s" % tuple(call) for _, *call in calls], got


@over([vm for vm in VMS if vm.otp >= 27])
def test_of_a_large_label_a_little_is_shown(vm):
    start = LOOP + ("Deep = lists:foldl(fun(_, L) -> lists:duplicate(9, L) end, x, lists:seq(1, 9)), "
                    "Ps = [spawn(fun() -> proc_lib:set_label(L), F() end) || L <- "
                    "[Deep, list_to_tuple(lists:seq(1, 9)), lists:duplicate(5000, $y)]], timer:sleep(100), ok")
    got, own = names_of(vm, start, "Ps")
    deep, wide, long = (got[pid] for pid in own.strip("[]").split(","))
    assert deep.startswith("[[[[[[[[[x,x,") and len(deep) < 64, deep
    assert wide == "{1,2,3,4,5,6,7,8,9}"
    assert long.startswith('"yyyy') and len(long) < 64, long


LABELS = ["alpha", "{worker,7}", '"a string"', '<<"binary">>', "[a,{b,-1}]"]


@over([vm for vm in VMS if vm.otp >= 27])
def test_labels_are_shown_where_there_is_no_registered_name(vm):
    start = LOOP + ("Ps = [spawn(fun() -> proc_lib:set_label(L), F() end) || L <- [%s]], "
                    "timer:sleep(100), ok" % ",".join(LABELS))
    got, own = names_of(vm, start, "Ps")
    assert [got[pid] for pid in own.strip("[]").split(",")] == LABELS, got


@over(VMS)
def test_processes_that_are_gone_keep_the_name_that_they_had(vm):
    with Node(vm) as node:
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "1ns", "--by", "pid")
        pid = node.eval("{P, R} = spawn_monitor(fun() -> register(brief, self()), receive go -> ok end end), "
                        "P ! go, receive {'DOWN', R, _, _, _} -> P end")
        lines = trace.stop_json()
    assert "brief" in {event["name"] for event in of_type(lines, "event") if event["pid"] == pid}


@over([vm for vm in VMS if vm.otp >= 27])
def test_cases_that_are_printed_show_labels_too(vm):
    with Node(vm) as node:
        node.eval(LOOP + "P = spawn(fun() -> proc_lib:set_label({worker, 7}), F() end), timer:sleep(100), ok")
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "1ns")
        node.eval("P ! go, receive {went, P} -> ok end")
        lines = trace.stop_json()
        pid = node.eval("P")
    assert {event["name"] for event in of_type(lines, "event") if event["pid"] == pid} == {"{worker,7}"}


@over(VMS)
def test_a_name_that_needs_quotes_has_them_and_cannot_write_to_the_terminal(vm):
    start = LOOP + r'''P = spawn(F), register(list_to_atom("\e[31mmy\nserver"), P), Ps = [P], ok'''
    got, own = names_of(vm, start, "P")
    assert got[own] == r"'\e[31mmy\nserver'", got[own]
    with Node(vm) as node:
        node.eval(start)
        trace = Trace("slices", "-p", node.pid, "--by", "pid")
        node.eval("P ! go, receive {went, P} -> ok end")
        text = trace.stop()
    assert r"'\e[31mmy\nserver'" in text and "\x1b" not in text


@over(VMS)
def test_names_are_right_or_absent_while_processes_come_and_go(vm):
    with Node(vm) as node:
        node.eval("Spawn = fun S() -> P = spawn(fun() -> ok end), catch register(brief, P), S() end, "
                  "X = spawn(Spawn), ok")
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "-i", "100ms", "-d", "1")
        hists = of_type(trace.stop_json(sig=None), "hist")
        assert node.is_alive()
    names = {hist["name"] for hist in hists}
    known = {None, "brief", "erlang:apply/2"}
    # The node's own processes have proper names; a torn read would show as anything else.
    assert all(name in known or name.replace("_", "").replace(":", "").replace("/", "").isalnum()
               for name in names), names
    assert len(hists) > 100
