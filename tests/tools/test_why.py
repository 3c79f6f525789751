"""why, on nodes that are ill in one way each (tests/erl/ill.erl), and on healthy ones. What an ill node has to do fast to be ill
is in tests/timing/test_why.py, and with given numbers in tests/unit/why_rules.c."""
import contextlib
import csv
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from lib import (ERLBPF, IS_ONE_VM, JIT_VMS, LIMIT, NEWEST, NO_BUSY_WAIT, OLDEST_AND_NEWEST, STOCK, Fake, Node, Skip, Trace, erlbpf, over, shared, unique,
                 wait_until)
from pods import Agent

# Of the machine, which may be busy with something else; not of the node.
HOST = "cpu-wait"
CGROUP = "/sys/fs/cgroup"

# What makes it ill: the rule that has to come first, the process that it has to name, and all that has to be said of the
# cause.
ILLS = {
    "stuck_server": ("mailbox-grows", "ill_stuck", "gen_server:call/3", "100 % from ill:feed/2 <0."),
    "slow_server": ("mailbox-grows", "ill_slow", "ill:handle_cast/2", "100 % from ill:feed/2 <0."),
    "hog": ("long-slice", "ill_hog", "ets:delete_object/2"),
    "gc_storm": ("gc-storm", "ill_gc", "ill:collecting/1"),
    "huge_heap": ("heap-huge", "ill_heap", "MiB"),
    "binary_leak": ("binaries-held", "ill_leak", "ill:leaking/2"),
    "busy_port": ("port-busy", "ill_writer", "sleep 120"),
    "ets_contention": ("ets-lock", "ill:contending/1", "ets:delete_object/2", "the ETS table contended, which"),
    "spawn_storm": ("spawn-storm", "ill_spawner", "ill:spawning/0"),
    "fragmented": ("memory-unused", "", "most of it in binary_alloc"),
    "slow_log": ("log-backlog", "logger_std_h_ill_log", "from ill:logging/0 (", "processes)"),
    "sleepy_server": ("mailbox-stuck", "ill_sleepy", "from ill:asking/1 (", "timer:sleep/1 < ill:sleepy/0"),
    "global_lock": ("lock-wait", "ill_keeper", "processes wait for locks of global"),
    "call_chain": ("mailbox-stuck", "ill_first", "waits for the reply of ill_last", "runs"),
    "busy_server": ("server-full", "ill_works", "ill:work/2", "10 of its senders wait for a reply"),
    "asked_server": ("table-search", "ill_scanner", "all objects of the ETS table scanned", "ets:select/2 < ill:handle_call/3"),
    "process_leak": ("processes-grow", "ill_leaker", "ill:leaking_processes/0"),
    "port_leak": ("ports-grow", "ill_ports", "of its ports are new, such as udp_inet", "ill:leaking_ports/0"),
    "table_leak": ("tables-grow", "ill_tables", "such as leaked; the node has", "ill:leaking_tables/0"),
    "table_growth": ("ets-grows", "ill_cache", "the ETS table ill_cached grows by", "of all tables"),
    "timer_leak": ("timers-grow", "ill_timers", "timers are pending", "ill:leaking_timers/0"),
    "replaced_terms": ("terms-storm", "ill_writes", "persistent_term:put/2 < ill:replacing/1"),
    "term_leak": ("terms-grow", "ill_terms", "ill_terms", "persistent terms and never erases any"),
    "replaced_code": ("code-storm", "ill_reloads", "erts_code_purger does", "ill:reloading/1"),
    "large_messages": ("long-slice", "ill_copier", "erlang:send/2: its messages are very large", "ill:copying/2"),
    "deadlock": ("deadlock", "ill_o", "wait for replies of each other", "gen_server:call/3 < ill:handle_cast/2"),
    "silent_server": ("mailbox-stuck", "ill_silent", "always holds at least 8 messages"),
    "skipped_messages": ("mailbox-long", "ill_skips", "each receive scans past those that it never takes", "ill:skipping/1"),
    "slow_leader": ("io-backlog", "ill_leader", "from ill:printing/0 (", "timer:sleep/1 < ill:slow_device/0"),
    "suspended": ("mailbox-grows", "ill_suspended", "it is suspended", "100 % from ill:feed/2 <0."),
    "crash_loop": ("restart-storm", "ill_boss", "restarts ill_child all the time"),
    "nameless_crash_loop": ("restart-storm", "ill_boss", "restarts children all the time", "its own log has at least "),
    "starving": ("priority-starves", "ill_urgent", "processes of lower priority", "ill:work/2"),
    "one_online": ("schedulers-off", "ill_full", "only 1 of 2 schedulers", "processes wait in the run queues"),
    "exhausted_pool": ("answer-wait", "ill_pool", "processes wait for replies of ill_pool", "3 processes that it monitors do not wait for it", "which waits in ill:forgetting/0"),
    "monitor_leak": ("monitors-held", "ill_monitors", "monitors of only 1 process: it does not remove them", "are of ill_monitored"),
    "alias_leak": ("monitors-held", "ill_aliases", "12000 aliases"),
    "binary_table": ("ets-grows", "ill_keeps", "the ETS table ill_parts gets", "a part of a binary keeps all of it"),
    "unaccepted": ("accept-wait", "ill_listens", "10 connections to TCP port", "no sampled process accepts connections", "ill:dozing/1"),
    "slow_timer_leak": ("timers-grow", "ill_waits", "timers are pending", "of them are for ill_waits", "ill:delaying/0"),
    "missing_module": ("code-backlog", "code_server", "calls into unloaded modules wait", "ill:calling_nobody/0"),
    "mnesia_lock": ("lock-wait", "ill_thinks", "processes wait for locks of mnesia because ill_thinks", "ill:thinking/0 < "),
    "short_lived": ("gc-storm", "ill_spawns", "most of it for short-lived processes spawned by ill_spawns"),
    "pollers": ("wake-storm", "ill:polling/0", "wake up by short timeouts", "ill:polling/0"),
    "searched_table": ("table-search", "ill_searches", "all objects of the ETS table ill_searched", "it has 50000 objects", "ets:tab2list/1 < ill:searching/1"),
    "matched_table": ("table-search", "ill:matching_all/1", "all objects of the ETS table ill_matched", "ets:select/2 < ill:matching_all/1"),
    "inspected": ("inspect-storm", "ill_inspects", "queries the node and its processes all the time", "ill:inspecting/0"),
    "copied_lists": ("large-messages", "ill_sends", "messages of 32 KiB or more", "main receiver: ill_receives", "ill:telling/2"),
    "long_lists": ("long-list", "ill_looks", "in lists:member/2", "ill:looking_up/1"),
    "forced_collections": ("gc-storm", "ill_forces", "forced by ill_forces", "ill:forcing/0"),
    "atom_growth": ("atoms-grow", "ill_atoms", "ill:making/1"),
}
# The same of those of tests/erl/ill_costs.erl.
COSTS = {
    "unlimited_pool": ("answer-wait", "ill_unlimited", "12 processes wait for replies of ill_unlimited", "2 processes that it monitors do not wait for it", "ill_costs:checkout/1"),
    "flooded_log": ("log-flood", "ill_logs", "most of it in ill_logs", "logger"),
    "flooded_error": ("log-flood", "standard_error", "main writer to a device: ill_complains", "ill_costs:complaining/1"),
    "large_closures": ("large-spawns", "ill_copies", "each process gets a copy", "ill_costs:starting/1"),
    "copied_binary": ("binary-appends", "ill_appends", "by copying all of it", "ill_costs:appending/2"),
    "syncing_server": ("file-sync", "ill_journal", "4 processes wait for its reply", "prim_file:sync"),
    "syncing_disk_log": ("file-sync", "disk_log:init/2", "12 processes wait for its reply", "disk_log_1:fsync/2"),
    "syncing_crowd": ("file-sync", "ill_costs:syncing/1", "20 processes keep calling fsync", "of 10 dirty I/O schedulers"),
    "growing_state": ("state-grows", "ill_remembers", "a map in the state of ill_remembers", "at this rate memory is full"),
    "growing_list": ("state-grows", "ill_lists", "a list or queue in the state of ill_lists", "at this rate memory is full"),
    "growing_queue": ("state-grows", "ill_queues", "a list or queue in the state of ill_queues", "at this rate memory is full"),
    "busy_polling": ("busy-polling", "ill_asks", "its empty mailbox", "ill_costs:looking/1", "1 process does this"),
    "busy_asking": ("busy-polling", "ill_looks_up", "repeat the same call until its result changes", "in ets:lookup/2", "in the ETS table ill_flags", "ill_costs:until_ready/1"),
    "busy_waiting": ("busy-polling", "ill_awaits", "repeat the same call until its result changes", "in erlang:whereis/1", "ill_costs:until_there/0"),
    "few_pollers": ("busy-polling", "ill_turns", "in ill_costs:turning/0", "5 processes do this"),
    "slow_handler": ("log-backlog", "ill_costs:alerting/0", "logging processes wait in a handler of logger", "timer:sleep/1 < ill_costs:log/2"),
    "restarted_transactions": ("lock-wait", "ill_costs:counting_up/0", "mnesia transactions, such as", "keep restarting"),
    "blocking_nif": ("scheduler-blocked", "ill_naps", "blocks its scheduler in sleeper:nap/1", "ill_costs:napping/0"),
    "slow_dets": ("file-sync", "dets:init/2", "processes wait for its reply", "prim_file:sync"),
    "forgotten_timers": ("timers-held", "ill_forgets", "timers are pending", "of them are for ill_forgets"),
    "large_lookups": ("large-lookups", "ill_prices_of", "large objects in the ETS table ill_prices", "it has 20 objects", "ets:lookup/2 < ill_costs:looking_up/2"),
    "slow_tracer": ("tracing", "ill_traces", "more than it can handle", "is from a trace of '", "ill_costs:tracing/1"),
    "fast_tracer": ("tracing", "ill_follows", "gets a message for each traced event", "is from a trace of '", "ill_costs:tracing/1"),
    "hibernating": ("gc-storm", "ill_hibernates", "most of it for ill_hibernates", "it keeps hibernating"),
    "large_terms": ("large-terms", "ill_saves", "terms of 32 KiB or more", "erlang:term_to_binary/1", "ill_costs:saving/1"),
    "list_of_tuples": ("long-list", "ill_seeks", "in lists:keyfind/3", "ill_costs:seeking/1"),
    "keys_of_a_map": ("long-list", "ill_counts_keys", "in maps:keys/1", "ill_costs:counting_keys/1"),
    "growing_dictionary": ("state-grows", "ill_keeps_all", "the process dictionary of ill_keeps_all", "at this rate memory is full"),
}
ILLS.update(COSTS)
# Of these it is told only if they are watched for some seconds: the peer of the only sender does not read; the last of those
# that wait for each other; who yields in a loop; what the start of an application waits for.
LONG = {
    "ill:full_connection": ("port-busy", "ill_client", "waits all the time to send", "ill:pushing/2"),
    "ill:waiting_chain": ("server-waits", "ill_mute", "is idle all the time while 5 processes wait for its reply", "ill:'-waiting_chain/0-fun"),
    "ill:stuck_for_few": ("server-waits", "ill_mutes", "is idle all the time while 4 processes wait for its reply"),
    "ill_costs:yielders": ("busy-polling", "ill_yields", "yield in a loop (erlang:yield/0)", "in ill_costs:yielding/0"),
    "ill_costs:hung_call": ("server-waits", "ill_hangs", "is idle all the time while 3 processes wait for its reply", "ill_costs:handle_call/3 < gen_server:try_handle_call/4"),
    "ill_costs:slow_answers": ("server-slow", "ill_slowly", "4 processes wait for one", "while it waits in timer:sleep/1", "one of them: ill_costs:asking/3", "ill_costs:handle_call/3"),
    "ill_costs:slow_work": ("server-slow", "ill_works_long", "4 processes wait for one", "while it runs", "ill_costs:"),
    "ill_costs:large_bag": ("bag-inserts", "ill_collects", "into the ETS table ill_bag, a bag with very many objects per key", "it has 30000 objects", "ets:insert/2 < ill_costs:inserting/3"),
    "ill_costs:stuck_start": ("start-stuck", "ill_unready", "ill_costs:waiting_for_peers/0", "application_master:start_it"),
}
# Near what there may be of them: what they are, the option that says how many.
LIMITS = {
    "atoms-limit": ("atoms", "+t", 65536),
    "processes-limit": ("processes", "+P", 2048),
    "ports-limit": ("ports", "+Q", 2048),
}
HEALTHY = ("storage", "builder", "workers", "state", "receivers", "lookups")  # of the same file
SHORT_S = 0.3
LONG_S = 6  # a peer or a server may take five seconds

# These are ill by what there is: how much or how long, however slow the machine is. Where it is always the same is known by then.
STATES = ["stuck_server", "slow_server", "suspended", "huge_heap", "binary_leak", "busy_port", "fragmented", "slow_log", "sleepy_server",
          "global_lock", "call_chain", "process_leak", "port_leak", "table_leak", "table_growth", "timer_leak", "term_leak", "deadlock",
          "silent_server", "slow_leader", "exhausted_pool", "monitor_leak", "alias_leak", "binary_table", "unaccepted",
          "slow_timer_leak", "missing_module", "mnesia_lock", "unlimited_pool", "slow_handler", "forgotten_timers"]
LONG_STATES = ["ill:full_connection", "ill:waiting_chain", "ill:stuck_for_few", "ill_costs:hung_call", "ill_costs:stuck_start"]

# Elsewhere than on the stock VM, those that depend most on how a release lays out its memory.
# Those of which each release, and each way to build it, has to name the cause; two more are tests of their own.
TWELVE = ["stuck_server", "slow_server", "hog", "gc_storm", "huge_heap", "binary_leak", "busy_port", "ets_contention", "spawn_storm", "atom_growth"]
FEW = [*COSTS, "pollers", "searched_table", "matched_table", "copied_lists", "long_lists", "forced_collections", "slow_timer_leak", "unaccepted", "binary_table", "exhausted_pool", "monitor_leak", "alias_leak", "deadlock", "term_leak", "skipped_messages", "nameless_crash_loop", "silent_server", "slow_leader", "crash_loop", "starving", "one_online", "large_messages", "port_leak", "table_leak", "table_growth", "timer_leak", "replaced_terms", "replaced_code", "stuck_server", "hog", "binary_leak", "gc_storm", "ets_contention", "call_chain"]
LAID_OUT = ["copied_lists", "deadlock", "growing_state", "monitor_leak", "table_growth", "timer_leak", "unaccepted"]  # ... on those in between
OF_STRIPPED = ["fragmented"]  # and what needs data of the VM that is found by comparison


def findings(pid, *options, code=0, seconds=1):
    out, _ = erlbpf("why", "-j", "-d", str(seconds), *options, str(pid), code=code)
    rows = [row for line in out.splitlines() for row in json.loads(line).get("rows", [])]
    return [row for row in rows if row["rule"] != HOST]


def own_findings(pid, seconds=SHORT_S):
    """Of a node that is well: a disk may be slow all the same."""
    return [row for row in findings(pid, seconds=seconds) if row["rule"] != "io-wait"]


def names_first(node, what, rule, name, *causes, seconds=SHORT_S):
    """As soon as it is ill: building it up may take some seconds on a busy machine, on which also more of it has to be watched to
    see as much."""
    def is_named(first):
        said = "".join(first.get(part) or "" for part in ("finding", "evidence", "stack"))
        return first["rule"] == rule and (first["name"] or "").startswith(name) and all(cause in said for cause in causes)

    end = time.monotonic() + 2 * LIMIT
    found = findings(node.pid, seconds=seconds)
    while not found or not is_named(found[0]):
        assert time.monotonic() < end, "%s is to be found first, not %r" % (what, found)
        seconds = min(1.5 * seconds, 10)
        found = findings(node.pid, seconds=seconds)
    first = found[0]
    assert first["os_pid"] == node.pid and "-p %d" % node.pid in first["command"], first
    assert first["pid"].startswith("<0.") if name else not first["pid"], first


def ills_of(vm):
    if vm is STOCK:
        return list(ILLS)
    return TWELVE + (FEW + OF_STRIPPED if "stripped" in vm.name else LAID_OUT)


def cases():
    """In `make test-all` all that a release has, also what needs a machine that is not too busy."""
    if IS_ONE_VM:
        return ["%s,%s" % (vm, ill) for vm in JIT_VMS for ill in dict.fromkeys(ills_of(vm))]
    return ["%s,%s" % (vm, ill) for vm in JIT_VMS for ill in STATES if ill in ills_of(vm)] + ["%s,call_chain" % NEWEST]


def run_ill(node, ill):
    node.eval("%s:%s()" % ("ill_costs" if ill in COSTS else "ill", ill))


@contextlib.contextmanager
def ill_node(name):
    """Of the VM of that name. It has a folder for its files."""
    with tempfile.TemporaryDirectory() as folder, \
            Node(next(vm for vm in [*JIT_VMS, NEWEST] if vm.name == name), "+S", "2", env={"ILL_FOLDER": folder}) as node:
        yield node


@over(cases())
def test_the_process_and_the_cause_are_named_first_of(case):
    name, ill = case.split(",")
    with ill_node(name) as node:
        if ill in ("mnesia_lock", "restarted_transactions") and node.eval("code:which(mnesia)") == "non_existing":
            raise Skip("there is no mnesia")
        run_ill(node, ill)
        names_first(node, ill, *ILLS[ill])


@contextlib.contextmanager
def connected_nodes(vm):
    """Two nodes that are connected, and the name of the second one."""
    name = unique("why")
    with Node(vm, "+S", "2", "-sname", name + "near", "-setcookie", "why") as near, \
            Node(vm, "+S", "1", "-sname", name + "far", "-setcookie", "why") as far:
        peer = far.eval("node()").strip("'")
        assert near.eval("net_kernel:connect_node('%s')" % peer) == "true"
        yield near, far, peer


@contextlib.contextmanager
def node_with_stopped_peer(vm):
    """A node, and the name of another one that it is connected to and that does nothing."""
    with connected_nodes(vm) as (near, far, peer):
        os.kill(far.pid, signal.SIGSTOP)
        try:
            yield near, peer
        finally:
            os.kill(far.pid, signal.SIGCONT)


@over(OLDEST_AND_NEWEST)
def test_a_connection_that_is_made_again_and_again_is_named(vm):
    with connected_nodes(vm) as (near, _, peer):
        assert not own_findings(near.pid)
        near.eval("ill_costs:flapping_connection('%s')" % peer)
        names_first(near, "flapping_connection", "connection-flaps", "", peer, "1 node is affected", seconds=1)


@over(JIT_VMS)
def test_a_sender_to_a_node_that_does_not_read_is_suspended(vm):
    with node_with_stopped_peer(vm) as (near, peer):
        near.eval("ill:busy_connection('%s')" % peer)
        names_first(near, "busy_connection", "connection-busy", "ill_sender", peer)


@over(["%s,%s" % (vm, ill) for vm in OLDEST_AND_NEWEST for ill in (LONG if IS_ONE_VM else LONG_STATES)])
def test_the_process_and_the_cause_are_named_if_it_is_watched_for_long(case):
    name, ill = case.split(",")
    with ill_node(name) as node:
        node.eval(ill + "()")
        names_first(node, ill, *LONG[ill], seconds=LONG_S)


@over(["%s,%s" % (vm, rule) for vm in JIT_VMS for rule in LIMITS])
def test_what_is_near_its_limit_is_named(case):
    name, rule = case.split(",")
    what, option, most = LIMITS[rule]
    with Node(next(vm for vm in JIT_VMS if vm.name == name), "+S", "2", option, str(most)) as node:
        node.eval("ill_costs:fill(%s, 75)" % what)
        found = own_findings(node.pid)
        assert not found, found
        for share, severity in ((85, "warning"), (95, "critical")):
            node.eval("ill_costs:fill(%s, %d)" % (what, share))
            first = own_findings(node.pid)[0]
            assert (first["rule"], first["severity"]) == (rule, severity), first
            assert re.search(r"%s, (%d|%d) %% of its limit \(\%s\)" % (what, share, share + 1, option), first["finding"]), first


# Two ills at once: both are named, that first which comes first here.
PAIRS = [
    ("ill:slow_server", "ill:binary_leak"),
    ("ill:deadlock", "ill:monitor_leak"),
    ("ill:port_leak", "ill:huge_heap"),
]


@over(["%s,%s,%s" % (vm, *pair) for vm in OLDEST_AND_NEWEST for pair in PAIRS])
def test_two_ills_at_once_are_both_named_the_worse_one_first(case):
    name, *ills = case.split(",")
    rules = [ILLS[ill.split(":")[1]][:2] for ill in ills]
    with ill_node(name) as node:
        for ill in ills:
            node.eval(ill + "()")

        def named():
            nonlocal seconds
            seconds = min(1.5 * seconds, 10)
            found = [(row["rule"], row["name"] or "") for row in findings(node.pid, seconds=seconds)]
            places = [[i for i, one in enumerate(found) if one[0] == rule and one[1].startswith(who)] for rule, who in rules]
            return all(places) and places[0][0] == 0 and places[0] < places[1]

        seconds = SHORT_S
        wait_until("both of %s are named, the first one first" % ills, named, limit=2 * LIMIT)


@over(OLDEST_AND_NEWEST)
def test_a_regular_expression_without_end_is_told_from_many(vm):
    with Node(vm, "+S", "2") as node:
        node.eval("ill:healthy_matcher()")
        found = own_findings(node.pid, seconds=1)
        assert not found, found
    with Node(vm, "+S", "2") as node:
        node.eval("ill:endless_match()")
        names_first(node, "endless_match", "long-call", "ill_matches", "re:run/3 all the time", "ill:", seconds=LONG_S)


@over(OLDEST_AND_NEWEST)
def test_a_node_that_does_not_answer_is_what_processes_wait_for(vm):
    with node_with_stopped_peer(vm) as (near, peer):
        near.eval("ill:lost_answers('%s')" % peer)
        names_first(near, "lost_answers", "peer-wait", "ill_lost", "10 processes wait all the time for replies of other nodes",
                    seconds=LONG_S)


@contextlib.contextmanager
def group_with(limits, controller):
    """A control group with the first of these limits, {file: value}, that there is here."""
    for root in [os.path.join(CGROUP, controller), CGROUP]:
        path = os.path.join(root, unique("erlbpf-why"))
        try:
            os.mkdir(path)
        except OSError:
            continue
        files = [file for file in limits if os.path.exists(os.path.join(path, file))]
        if not files:
            os.rmdir(path)
            continue
        with open(os.path.join(path, files[0]), "w") as file:
            file.write(limits[files[0]])
        try:
            yield path
        finally:
            wait_until("%s is removed" % path, lambda: is_removed(path))
        return
    raise Skip("no control group of %s can be made here" % controller)


def is_removed(path):
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


@over(JIT_VMS)
def test_a_group_that_throttles_the_node_is_named(vm):
    # Less than it gets on a machine that is busy, too. The machine waits for what the node holds in the kernel: not for long.
    with group_with({"cpu.max": "1000 20000", "cpu.cfs_quota_us": "5000"}, "cpu") as group:
        with Node(vm, "+S", "2") as node:
            node.eval("ill:spinning()")
            move_to(group, node)
            try:
                names_first_throttled(node, os.path.basename(group), "0.05 CPUs")
            finally:
                move_to(os.path.dirname(group), node)


def names_first_throttled(node, group, share):
    def is_named():
        found = findings(node.pid, seconds=1)
        return found and found[0]["rule"] == "cpu-throttled" and group in found[0]["evidence"] and share in found[0]["finding"] \
            and "ill:work/2" in found[0]["evidence"]

    wait_until("the group is named", is_named)


def move_to(group, node):
    with open(os.path.join(group, "cgroup.procs"), "w") as procs:
        procs.write(str(node.pid))


def test_a_group_whose_memory_is_full_is_named():
    limit = str(100 << 20)
    with group_with({"memory.limit_in_bytes": limit, "memory.max": limit}, "memory") as group:
        with Node(STOCK, "+S", "2") as node:
            move_to(group, node)
            node.eval("ill:holding(93)")
            found = findings(node.pid)
            assert found and found[0]["rule"] == "memory-pressure" and found[0]["name"] == "ill_big", found
            assert os.path.basename(group) in found[0]["evidence"] and "of 100 MiB" in found[0]["finding"], found[0]


def test_a_file_that_does_not_answer_is_named():
    with tempfile.TemporaryDirectory() as folder, Node(STOCK, "+S", "2") as node:
        path = os.path.join(folder, "silent")
        os.mkfifo(path)
        node.eval('ill:silent_file("%s")' % path)
        names_first(node, "silent_file", "io-wait", "ill_reader", "prim_file:open", " of 10 dirty I/O schedulers wait like this")
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


def test_a_node_that_has_nearly_all_files_open_that_it_may_have_is_named():
    with Node(STOCK, "+S", "2", prefix=["sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"]) as node:
        assert not own_findings(node.pid)
        node.eval("ill:open_files(170)")
        names_first(node, "open_files", "files-limit", "", "limit: 200", "such as /dev/null")


def test_a_name_server_that_does_not_answer_is_named():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent, Node(STOCK, "+S", "2") as node:
        silent.bind(("127.0.0.1", 0))
        node.eval("ill:lost_name(%d)" % silent.getsockname()[1])
        names_first(node, "lost_name", "dns-wait", "ill_resolver", "inet_res:")


@over(JIT_VMS)
def test_nothing_is_wrong_with_a_node_that_works_well(vm):
    with Node(vm, "+S", "2") as node:
        node.eval("ill:healthy()")
        begin = time.monotonic()
        out, _ = erlbpf("why", "-j", "-d", "1", "-p", str(node.pid))
        limit = 1e9 * (time.monotonic() - begin)
        said = json.loads(out)
        assert said["os_pid"] == node.pid and said["otp"] == vm.otp and said["findings"] == len(said["rows"]), said
        assert {row["rule"] for row in said["rows"]} <= {HOST, "io-wait"}, said
        assert said["processes"] > 20 and said["schedulers"] == 2 and 0 < said["busy_percent"] <= 100, said
        assert 0.9e9 < said["watched_ns"] < limit, said
        out, _ = erlbpf("why", "-d", SHORT_S, "-p", str(node.pid))
        assert out.startswith("(no name): process %d, OTP %d, watched for " % (node.pid, vm.otp)), out
        assert "nothing is wrong" in out or HOST in out or "io-wait" in out, out


def shares_of(node, seconds=SHORT_S):
    """What is said of the time of all schedulers, and of each."""
    out, _ = erlbpf("why", "-j", "-d", str(seconds), "-p", str(node.pid))
    said = json.loads(out)
    each = said["scheduler_shares"]
    assert [one["scheduler"] for one in each] == list(range(1, said["schedulers"] + 1)), said
    for shares in [said["shares"], *each]:
        assert abs(sum(shares[name] for name in SHARES) - 1) < 0.02, said
    for name in SHARES:
        assert abs(said["shares"][name] - sum(one[name] for one in each) / len(each)) < 0.01, (name, said)
    return said["shares"], each


SHARES = ("code", "long_calls", "ports", "collecting", "busy_wait", "blocked", "asleep", "cpu_wait", "throttled")


@over(OLDEST_AND_NEWEST)
def test_the_time_of_schedulers_is_split_by_what_it_is_spent_on(vm):
    with shared(vm, "+S", "2") as node:
        shares_of(node)
        out, _ = erlbpf("why", "-d", SHORT_S, "-p", str(node.pid))
        line = out.splitlines()[2]
        assert line.startswith("their time: ") and " % asleep" in line, out
        node.eval("ill:spinning()")
        shares, _ = shares_of(node)
        # It does nothing else; the machine may have nothing for it.
        assert shares["code"] + shares["cpu_wait"] > 0 and shares["fault"] == ("code" if shares["code"] > shares["cpu_wait"] else "machine"), shares
        out, _ = erlbpf("why", "-v", "-d", SHORT_S, "-p", str(node.pid))
        assert "messages are late because of the " in out.splitlines()[2], out
        assert [line.split(":")[0] for line in out.splitlines()[3:5]] == ["  scheduler 1", "  scheduler 2"], out


def test_a_node_that_is_well_is_told_from_none_and_by_its_name():
    with Node(STOCK, "+S", "2", "-sname", unique("why")) as node, Node(STOCK, "+S", "2") as nameless:
        full_name = node.eval("node()").strip("'")
        out, _ = erlbpf("why", "-j", "-d", SHORT_S, "-p", str(node.pid))
        assert json.loads(out)["node"] == full_name, out
        out, _ = erlbpf("why", "-j", "-d", SHORT_S, "-p", str(nameless.pid))
        assert json.loads(out)["node"] is None, out
        rows = csv_rows(node)
        assert {row["os_pid"] for row in rows} == {str(node.pid)} and {row["node"] for row in rows} == {full_name}, rows
        assert [(row["severity"], row["rule"]) for row in rows] == [("ok", "")] or {row["rule"] for row in rows} <= {HOST, "io-wait"}, rows
        nameless.eval("ill:deadlock()")
        names_first(nameless, "deadlock", *ILLS["deadlock"])
        rows = csv_rows(nameless)
        assert rows and all(row["rule"] and row["severity"] != "ok" for row in rows), rows


def csv_rows(node):
    out, _ = erlbpf("why", "-f", "csv", "-d", SHORT_S, "-p", str(node.pid))
    return list(csv.DictReader(out.splitlines()))


@over(["%s,%s" % (vm, what) for vm in OLDEST_AND_NEWEST for what in ("shop", "loader", "keeper", "starter", "compiler", "pool", "registry", "watched", *HEALTHY)])
def test_nothing_is_wrong_with_a_node_that_is(case):
    """An application under load; one that loads much code; one with large binaries that it needs;
    one that starts and ends much; one that compiles; one with workers, callers and connections that wait on purpose;
    one that monitors very many, and a pool that is used by more than it has; one that is monitored, ticks and asks by key; one with
    journals and logs; one that builds binaries; one with workers that have nothing to do; one with
    states that are emptied, or as large as they were; one that looks up much that is small."""
    name, what = case.split(",")
    with ill_node(name) as node:
        node.eval("%s:healthy_%s()" % ("ill_costs" if what in HEALTHY else "ill", what))
        found = own_findings(node.pid, seconds=1)
        assert not found, found


def test_the_exit_status_is_0_unless_a_severity_is_to_fail():
    with Node(STOCK) as node:
        node.eval("ill:deadlock()")
        names_first(node, "deadlock", *ILLS["deadlock"])
        assert findings(node.pid, "--fail-on", "warn", code=1, seconds=SHORT_S)
        assert findings(node.pid, "--fail-on", "critical", code=1, seconds=SHORT_S)
        assert findings(node.pid, seconds=SHORT_S)


def test_an_interrupt_ends_it_with_what_was_seen():
    with shared(STOCK, "+S", "2") as node, Trace("why", "-d", 100, node.pid, wait=False) as trace:
        wait_until("it watches", trace.is_polling)
        assert "processes" in trace.stop(signal.SIGINT)


def test_what_is_no_node_is_refused():
    with Fake() as fake:
        _, err = erlbpf("why", "-d", "1", str(fake.pid), code=3)
        assert "cannot read its Erlang processes" in err, err
    _, err = erlbpf("why", "--node", "nobody-has-this-name", "--no-wait", code=3)
    assert "no node named nobody-has-this-name is found" in err, err


@over(OLDEST_AND_NEWEST)
def test_each_of_a_hundred_thousand_processes_is_counted(vm):
    with Node(vm, "+P", "262144", "+S", "2") as node:
        node.eval("Ps = [spawn(fun() -> receive x -> ok end end) || _ <- lists:seq(1, 100000)], ok", limit=2 * LIMIT)
        out, _ = erlbpf("why", "-j", "-d", SHORT_S, "-p", node.pid)
        assert json.loads(out)["processes"] == int(node.eval("erlang:system_info(process_count)")), out


SLEEPY = ["+S", "1024:1024", *NO_BUSY_WAIT]


def test_a_thousand_schedulers_are_not_asked_one_by_one():
    """Each question is a switch to the process that reads and one back, which takes long where many threads want a CPU."""
    with Node(STOCK, *SLEEPY) as node:
        child = subprocess.Popen([ERLBPF, "why", "-d", "0.1", str(node.pid)], stdout=subprocess.PIPE)
        child.stdout.read()
        _, _, used = os.wait4(child.pid, 0)
        assert used.ru_nvcsw < 2 * 1024, used


@over(OLDEST_AND_NEWEST)
def test_what_a_thousand_schedulers_have_is_added_up(vm):
    with Node(vm, *SLEEPY) as node:
        node.eval("ill:table_growth()")
        names_first(node, "table_growth", *ILLS["table_growth"])
    with Node(vm, *SLEEPY) as node:
        node.eval("ill:timer_leak()")
        names_first(node, "timer_leak", *ILLS["timer_leak"])


def test_the_agent_exports_what_it_finds():
    """It watches each node for ten seconds."""
    name = unique("why")
    with Node(STOCK, "+S", "2", "-sname", name) as node:
        node.eval("ill:deadlock()")
        agent = Agent("--node", name, "--tools", "gc", "--findings")
        try:
            wait_until("the finding is a metric", lambda: agent.value(
                "erlbpf_finding", rule="deadlock", severity="critical", process="ill_one") or agent.value(
                "erlbpf_finding", rule="deadlock", severity="critical", process="ill_other"), limit=2 * LIMIT)
        finally:
            agent.close()
