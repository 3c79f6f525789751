"""RabbitMQ, ejabberd and Elixir as suites of Debian have them, held against what their nodes count themselves."""
import contextlib
import os
import shutil
import tempfile
import threading
import time

import broker
import lib
from lib import STOCK, SUITES, VMS, Node, Skip, Trace, of_type, over
from test_why import findings, own_findings

DEBIANS = [vm for vm in VMS if vm.name in SUITES]
TIMES = 500
# A node that is never idle does more than it was asked for, also before it looks at its own counter and behind that.
SHARE, AROUND = 0.05, 300

EJABBERD_YML = """
hosts: [localhost]
loglevel: error
listen: []
modules:
  mod_admin_extra: {}
  mod_offline: {}
"""


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def rabbitmq(vm):
    """(node, work): messages that a client publishes and gets."""
    with folder() as path:
        broker.compile_clients(path, vm)
        with broker.Server("vms%d@localhost" % os.getpid(), vm) as server, \
                Node(vm, "-pa", path, *broker.code(vm.root)) as client:
            client.eval("Q = amqp_load:open(%d)" % server.port)
            yield server, lambda: client.eval("amqp_load:exchange(Q, %d)" % TIMES)


EJABBERD = "/usr/lib/x86_64-linux-gnu"


@contextlib.contextmanager
def ejabberd(vm, kind="chat"):
    """(node, work): messages to a user who is not there, by the commands of its administrator."""
    if not any(name.startswith("ejabberd-") for name in os.listdir(vm.root + EJABBERD)):
        raise Skip("there is no ejabberd")
    with folder() as path:
        config = os.path.join(path, "ejabberd.yml")
        with open(config, "w") as file:
            file.write(EJABBERD_YML)
        env = {"ERL_LIBS": EJABBERD, "EJABBERD_CONFIG_PATH": config, "HOME": path,
               "EJABBERD_LOG_PATH": os.path.join(path, "ejabberd.log"), "SPOOL_DIR": path}
        with broker.TalkingNode(vm, "-sname", "vms%d@localhost" % os.getpid(), "-mnesia", "dir", '"%s"' % path, env=env) as node:
            node.eval("{ok, _} = application:ensure_all_started(ejabberd), ok", 120)
            for user in ("from", "to"):
                node.eval('{ok, _} = ejabberd_admin:register(<<"%s">>, <<"localhost">>, <<"secret">>), ok' % user)
            yield node, lambda: node.eval(
                '[ok = mod_admin_extra:send_message(<<"%s">>, <<"from@localhost">>, <<"to@localhost">>, <<>>, <<"text">>) || '
                '_ <- lists:seq(1, %d)], ok' % (kind, TIMES))


# Chat is kept for a user who is not there: for each message more, all of them are read again, and `why` says so.
def ejabberd_headlines(vm):
    return ejabberd(vm, "headline")


class Elixir(Node):
    """A script without mix that defines a module, and then does what it is told."""

    def __init__(self, vm, script="work.exs", *options):
        if not os.path.exists(vm.root + "/usr/bin/elixir"):
            raise Skip("there is no elixir")
        path = os.path.join(lib.ROOT, "tests", "vms", script)
        lib.Process.__init__(self, vm.command("elixir") + list(options) + ["-pa", os.path.join(lib.BUILD, "erl"), path])
        self.ready = self.line()
        assert self.ready == "ready", self.ready


@contextlib.contextmanager
def elixir(vm):
    """(node, work): tasks, each of which calls a server."""
    with Elixir(vm, "work.exs") as node:
        yield node, lambda: node.eval("'Elixir.Work':tasks(%d)" % TIMES)


@contextlib.contextmanager
def elixir_pages(vm):
    """(node, work): users, each of whom asks for pages."""
    with Elixir(vm) as node:
        yield node, lambda: node.eval("'Elixir.Work':requests(%d)" % TIMES)


SYSTEMS = {"rabbitmq": rabbitmq, "ejabberd": ejabberd, "elixir": elixir}


def own_of(node, before, after, work):
    begin = int(node.eval(before))
    work()
    return int(node.eval(after)) - begin


def is_close(ours, own):
    return 0 < own <= ours <= own * (1 + SHARE) + AROUND


def check_collections(node, work):
    count = "element(1, erlang:statistics(garbage_collection))"
    trace = Trace("gc", "-j", "-p", node.pid)
    own = own_of(node, count, count, work)
    summary = trace.stop_json()[-1]
    assert is_close(summary["minor"] + summary["major"], own) and not summary["lost"], (own, summary)


def check_lookups(node, work):
    """Each look into a table, by the tools for tables and for BIFs."""
    for options, rows in (["ets"], lambda lines: [(row["operation"], row["calls"]) for row in of_type(lines, "table")[0]["rows"]]), \
                         (["calls", "ets:lookup/2", "--by", "function"],
                          lambda lines: [(hist["key"], hist["count"]) for hist in of_type(lines, "hist")]):
        trace = Trace(*options, "-j", "-p", node.pid)
        own = own_of(node, "begin erlang:trace_pattern({ets, lookup, 2}, true, [call_count]), 0 end",
                     "element(2, erlang:trace_info({ets, lookup, 2}, call_count))", work)
        lines = trace.stop_json()
        ours = sum(count for name, count in rows(lines) if name == "ets:lookup/2")
        assert is_close(ours, own), (options, ours, own)


def check_waits(node, work):
    for tool in "sched-latency", "mailbox":
        trace = Trace(tool, "-j", "-p", node.pid)
        work()
        lines = trace.stop_json()
        assert sum(hist["count"] for hist in of_type(lines, "hist")) >= TIMES and not lines[-1]["lost"], lines[-1]


def check_table(node, work):
    """The busiest process has got what it was sent."""
    trace = Trace("top", "-j", "-p", node.pid, "--probes", "always")
    work()
    lines = trace.stop_json()
    assert sum(row["in"] for table in of_type(lines, "table") for row in table["rows"]) >= TIMES, lines[-1]


def check_deliveries(node, work):
    """Of a queue of RabbitMQ: each message that was published is one that it is sent, and one that it passes on."""
    queue = node.eval("begin [QP] = [P || P <- processes(), {dictionary, D} <- [process_info(P, dictionary)], "
                      "proplists:get_value('$initial_call', D) =:= {rabbit_amqqueue_process, init, 1}], QP end")
    trace = Trace("messages", "--show", "-j", "-p", node.pid, "--erl-pid", queue)
    work()
    lines = trace.stop_json()
    events = of_type(lines, "event")
    assert not lines[-1]["lost"], lines[-1]
    assert sum(e["to"] == queue and "{deliver," in e["message"] for e in events) == TIMES
    assert sum(e["from"] == queue and "{queue_event," in e["message"] for e in events) == TIMES


def check_tasks(node, work):
    """Of Elixir: each task is a process, and a call of the server a message there and one back."""
    server = node.eval("whereis('Elixir.Work')")
    births = Trace("births", "-j", "-p", node.pid)
    sends = Trace("messages", "-j", "-p", node.pid, "--erl-pid", server, "--by", "pair")
    work()
    lines = sends.stop_json()
    summary = births.stop_json()[-1]
    assert summary["spawned"] == summary["exited"] == TIMES, summary
    rows = [row for table in of_type(lines, "table") for row in table["rows"]]
    assert sum(row["messages"] for row in rows if row["to"] == server) == TIMES, rows
    assert sum(row["messages"] for row in rows if row["from"] == server) == TIMES, rows


CHECKS = [check_collections, check_lookups, check_waits, check_table]
OWN_CHECKS = {"rabbitmq": [check_deliveries], "elixir": [check_tasks], "ejabberd": []}


@over(["%s,%s" % (vm, system) for vm in DEBIANS for system in SYSTEMS])
def test_a_system_is_seen_as_it_sees_itself(case):
    name, system = case.split(",")
    vm = [vm for vm in DEBIANS if vm.name == name][0]
    with SYSTEMS[system](vm) as (node, work):
        work()
        for check in OWN_CHECKS[system] + CHECKS:
            check(node, work)


@contextlib.contextmanager
def under_load(work):
    """It works all the time, whatever is done meanwhile."""
    is_over = threading.Event()

    def loop():
        while not is_over.is_set():
            work()

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


# What makes each ill: who does it, the rule that has to come first, and who is named.
ILLS = {
    "rabbitmq": ("""begin QP = amqqueue:get_pid(hd(rabbit_amqqueue:list())), sys:suspend(QP),
        [spawn(fun() -> gen_server:call(QP, stat, infinity) end) || _ <- lists:seq(1, 8)], ok end""",
                 "mailbox-stuck", ("rabbit_amqqueue_process", "rabbit_prequeue")),
    "ejabberd": ("""begin spawn(fun() -> register(ill_archive, self()), mnesia:transaction(fun() ->
        mnesia:write_lock_table(passwd), receive never -> ok end end) end), timer:sleep(300),
        [spawn(fun() -> ejabberd_admin:register(<<"late", (48 + N)>>, <<"localhost">>, <<"secret">>) end)
         || N <- lists:seq(1, 8)], ok end""", "lock-wait", "ill_archive"),
    "elixir": ("""begin sys:suspend('Elixir.Work'),
        [spawn(fun() -> 'Elixir.GenServer':call('Elixir.Work', {age, N}, infinity) end) || N <- lists:seq(1, 8)], ok end""",
               "mailbox-stuck", "'Elixir.Work'"),
}


def comes_first(node, rule, who):
    end = time.monotonic() + lib.LIMIT
    found = findings(node.pid)
    while not found or found[0]["rule"] != rule or not (found[0]["name"] or "").startswith(who):
        assert time.monotonic() < end, (rule, who, found)
        found = findings(node.pid)


@over(["%s,%s" % (vm, system) for vm in [STOCK] + DEBIANS for system in SYSTEMS])
def test_a_system_under_load_has_no_finding_until_it_is_ill(case):
    name, system = case.split(",")
    vm = [vm for vm in [STOCK] + DEBIANS if vm.name == name][0]
    act, rule, who = ILLS[system]
    with {**SYSTEMS, "elixir": elixir_pages, "ejabberd": ejabberd_headlines}[system](vm) as (node, work):
        work()
        with under_load(work):
            found = own_findings(node.pid, seconds=2)
        assert not found, found
        node.eval(" ".join(act.split()))
        comes_first(node, rule, who)
