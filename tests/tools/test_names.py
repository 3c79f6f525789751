"""Names of processes, read from outside, against what the node says."""
import json
import re

from lib import STOCK, VMS, WITH_NEWEST, Node, Trace, erlbpf, of_type, over, shared


def names_of(vm, start, ask):
    """{pid: name} that slices gives for processes that ran, and the node's own answer."""
    with shared(vm) as node:
        node.eval(start)
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid")
        node.eval("[P ! go || P <- Ps], [receive {went, P} -> ok end || P <- Ps], ok")
        # Who is gone has no name any more, so the node lives on until the trace has ended.
        hists = of_type(trace.stop_json(), "hist")
        return {hist["key"]: hist["name"] for hist in hists}, node.eval(ask)


LOOP = "Me = self(), F = fun L() -> receive go -> Me ! {went, self()} end, L() end, "
# Processes that have a label when this is evaluated.
LABELLED = LOOP + ("Ps = [begin P = spawn(fun() -> proc_lib:set_label(L), Me ! labelled, F() end), receive labelled -> P end end "
                   "|| L <- %s], ok")


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
    start = LOOP + "Ps = [spawn(timer, tc, [F]), proc_lib:spawn(F), proc_lib:spawn(timer, tc, [F])], ok"
    # A process of proc_lib is known by what it runs, as the node's own tools show it.
    ask = ("[{P, case proc_lib:translate_initial_call(P) of {proc_lib, init_p, 5} -> "
           "element(2, process_info(P, initial_call)); MFA -> MFA end} || P <- Ps]")
    got, own = names_of(vm, start, ask)
    calls = re.findall(r"\{(<[0-9.]+>),\{(\w+),('[^']*'|\w+),(\d+)\}\}", own)
    assert len(calls) == 3 and calls[0][1:] == ("timer", "tc", "1"), own
    assert [got[pid] for pid, *_ in calls] == ["%s:%s/%s" % tuple(call) for _, *call in calls], got


@over([vm for vm in WITH_NEWEST if vm.otp >= 27])
def test_of_a_large_label_a_little_is_shown(vm):
    # A process that is spawned gets a copy in which nothing is shared any more: 60,000 terms, not 400 million.
    start = LABELLED % ("[lists:foldl(fun(_, Part) -> lists:duplicate(3, Part) end, lists:duplicate(9, x), lists:seq(1, 8)), "
                        "list_to_tuple(lists:seq(1, 9)), lists:duplicate(5000, $y)]")
    got, own = names_of(vm, start, "Ps")
    deep, wide, long = (got[pid] for pid in own.strip("[]").split(","))
    assert deep.startswith("[[[[[[[[[x,x,") and len(deep) < 64, deep
    assert wide == "{1,2,3,4,5,6,7,8,9}"
    assert long.startswith('"yyyy') and len(long) < 64, long


LABELS = ["alpha", "{worker,7}", '"a string"', '<<"binary">>', "[a,{b,-1}]"]


@over([vm for vm in WITH_NEWEST if vm.otp >= 27])
def test_labels_are_shown_where_there_is_no_registered_name(vm):
    start = LABELLED % "[%s]" % ",".join(LABELS)
    got, own = names_of(vm, start, "Ps")
    assert [got[pid] for pid in own.strip("[]").split(",")] == LABELS, got


@over(VMS)
def test_processes_that_are_gone_keep_the_name_that_they_had(vm):
    with shared(vm) as node:
        trace = Trace("slices", "-p", node.pid, "-j", "--min", "1ns", "--by", "pid")
        pid = node.eval("{P, R} = spawn_monitor(fun() -> register(brief, self()), receive go -> ok end end), "
                        "P ! go, receive {'DOWN', R, _, _, _} -> P end")
        lines = trace.stop_json()
    assert "brief" in {event["name"] for event in of_type(lines, "event") if event["pid"] == pid}


@over([vm for vm in WITH_NEWEST if vm.otp >= 27])
def test_cases_that_are_printed_show_labels_too(vm):
    with shared(vm) as node:
        node.eval(LABELLED % "[{worker, 7}]")
        node.eval("[P] = Ps")
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
    with shared(vm) as node:
        node.eval(start)
        trace = Trace("slices", "-p", node.pid, "--by", "pid")
        node.eval("P ! go, receive {went, P} -> ok end")
        text = trace.stop()
    assert r"'\e[31mmy\nserver'" in text and "\x1b" not in text


@over(VMS)
def test_names_are_right_or_absent_while_processes_come_and_go(vm):
    with shared(vm) as node:
        # Until it has done so often enough.
        node.eval("Spawn = fun S(0) -> ok; S(N) -> P = spawn(fun() -> ok end), catch register(brief, P), S(N - 1) end, ok")
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "pid", "-i", "100ms")
        node.eval("{_, Ref} = spawn_monitor(fun() -> Spawn(5000) end), receive {'DOWN', Ref, _, _, _} -> ok end")
        hists = of_type(trace.stop_json(), "hist")
        assert node.is_alive()
    names = {hist["name"] for hist in hists}
    known = {None, "brief", "erlang:apply/2"}
    # The node's own processes have proper names; a torn read would show as anything else.
    assert all(name in known or name.replace("_", "").replace(":", "").replace("/", "").isalnum()
               for name in names), names
    assert len(hists) > 100


CART = "'Elixir.Shop.Cart'"


class Shop(Node):
    """A node with processes as Elixir has them: see tests/erl/Elixir.Shop.Cart.erl."""

    def __init__(self, vm):
        super().__init__(vm)
        started = self.eval("Ps = %s:start(), [P ! go || {_, P} <- Ps], Ps" % CART)
        self.pids = dict(re.findall(r"\{'?(\w+)'?,(<[0-9.]+>)\}", started))
        assert len(self.pids) == 11, started
        self.starter = self.eval("self()")

    def send(self):
        self.eval("%s:send([P || {_, P} <- Ps])" % CART)


def erlang_names(vm):
    """What stands for each process of the shop, in Erlang's spelling: which of its funs a number is, the node says."""
    return {"repo": "'Elixir.Shop.Repo'", "tasks": "'Elixir.Shop.Tasks'", "call": CART + ":loop/1", "tail": CART + ":idle/0",
            "deep": CART + r":'-processes_of/1-fun-\d+-'/1", "deeper": r"lists:foreach(_1)?/2", "server": CART + ":init/1",
            "fun": CART + r":'-processes_of/1-fun-\d+-'/0", "task": CART + r":'-processes_of/1-fun-\d+-'/0",
            "nameless": CART + r":'-processes_of/1-fun-\d+-'/0",
            "bare": CART + r":'-processes_of/1-fun-\d+-'/1"}


def elixir(name):
    return re.sub(r"^'Elixir\.([\w.]+)'(:?)", lambda m: m[1] + ("." if m[2] else ""), name).replace("'", "")


def differing(got, wanted):
    return {what: (got.get(what), name) for what, name in wanted.items() if not re.fullmatch(name, got.get(what) or "")}


@over(VMS)
def test_a_process_that_was_spawned_with_a_fun_is_named_by_the_oldest_function_on_its_stack(vm):
    with Shop(vm) as shop:
        trace = Trace("slices", "-p", shop.pid, "-j", "--by", "pid")
        shop.send()
        hists = {hist["key"]: hist["name"] for hist in of_type(trace.stop_json(), "hist")}
    got = {what: hists.get(pid) for what, pid in shop.pids.items()}
    assert not differing(got, erlang_names(vm)), differing(got, erlang_names(vm))


@over(VMS)
def test_keys_by_name_are_the_same_names_each_once(vm):
    with Shop(vm) as shop:
        trace = Trace("slices", "-p", shop.pid, "-j", "--by", "name")
        shop.send()
        keys = [hist["key"] for hist in of_type(trace.stop_json(), "hist")]
    assert len(keys) == len(set(keys)), keys
    missing = [name for name in erlang_names(vm).values() if not any(re.fullmatch(name, key) for key in keys)]
    assert not missing and "erlang:apply/2" not in keys, (missing, keys)


@over(VMS)
def test_top_has_the_name_the_initial_call_and_in_text_who_a_process_belongs_to(vm):
    with Shop(vm) as shop:
        arguments = ["top", "-p", shop.pid, "--probes", "never", "--rows", "1000", "1", "1"]
        text = erlbpf(*arguments)[0]
        erlang = erlbpf(*arguments, "--names", "erlang")[0]
        shown = {row["pid"]: row for row in json_rows(erlbpf(*arguments, "-j")[0])}
    rows = {what: shown[pid] for what, pid in shop.pids.items()}
    names = erlang_names(vm)
    got = {what: row["name"] for what, row in rows.items()}
    assert not differing(got, names), differing(got, names)
    # What the VM itself says does not change.
    assert rows["tail"]["initial_call"] == rows["deep"]["initial_call"] == "erlang:apply/2", rows
    kin = {"server": " of Shop.Tasks", "fun": " of Shop.Tasks", "task": " of Shop.Tasks for Shop.Repo", "bare": " of Shop.Tasks",
           "nameless": " of Shop.Tasks for " + shop.starter}
    for what, pid in shop.pids.items():
        line = next(line for line in text.splitlines() if line.startswith(pid + " "))
        assert re.match(re.escape(pid) + " +" + elixir(names[what]) + kin.get(what, "") + " {2,}", line), (what, line)
        line = next(line for line in erlang.splitlines() if line.startswith(pid + " "))
        assert re.match(re.escape(pid) + " +" + names[what], line), (what, line)
    assert "'Elixir.Shop.Tasks'" in erlang and "Elixir" not in text, text
    # The column is as wide as its texts: what follows is in line.
    ends = {len(re.match(r".*?\d\.\d", line)[0]) for line in text.splitlines() if line.startswith("<")}
    assert len(ends) == 1, text


def json_rows(out):
    return [row for line in out.splitlines() for row in json.loads(line).get("rows", [])]


def test_names_are_spelled_as_asked_and_as_the_environment_says():
    with Shop(STOCK) as shop:
        def keys(*options, env=None):
            trace = Trace("sched-latency", "-p", shop.pid, "--by", "name", *options, env=env)
            shop.send()
            return trace.stop()
        for_erlang = {"ERLBPF_NAMES": "erlang"}
        for text, is_elixir in ((keys(), True), (keys("--names", "erlang"), False), (keys(env=for_erlang), False),
                                (keys("--names", "elixir", env=for_erlang), True), (keys("-j"), False),
                                (keys("-f", "csv"), False), (keys("-j", "--names", "elixir"), True),
                                (keys(env={"ERLBPF_NAMES": "nonsense"}), True)):
            assert ("Shop.Cart.init/1" in text and "Shop.Repo" in text) is is_elixir, text
            assert ("'Elixir.Shop.Cart':init/1" in text and "'Elixir.Shop.Repo'" in text) is not is_elixir, text
        assert "expected erlang or elixir" in erlbpf("gc", "--names", "ruby", code=2)[1]


def test_while_stacks_change_names_are_functions_or_absent():
    """Processes that call deep, return and collect garbage all the time."""
    with shared(STOCK) as node:
        node.eval("[spawn(fun() -> churn:run() end) || _ <- lists:seq(1, 30)], ok")
        out = erlbpf("top", "-p", node.pid, "--probes", "never", "--rows", "100", "-j", "50ms", "10")[0]
        trace = Trace("slices", "-p", node.pid, "-j", "--by", "name")
        # Others have had turns when this one has had some.
        node.eval("[erlang:yield() || _ <- lists:seq(1, 20)]")
        keys = {hist["key"] for hist in of_type(trace.stop_json(), "hist")}
        assert node.is_alive()
    churning = [row for row in json_rows(out) if row["initial_call"] == "erlang:apply/2"]
    assert len(churning) >= 30 * 10, len(churning)
    # 0/1 is the port of standard input and output.
    names = {row["name"] for row in churning} | (keys - {"0/1"})
    wrong = {name for name in names if not re.fullmatch(r"[a-z_0-9]+|[a-z_0-9]+:('-[a-z_/0-9]+-fun-\d+-'|[a-z_0-9]+)/\d+", name)}
    assert not wrong, wrong
    assert {"churn:run/0", "churn:deep/2"} & names, names
