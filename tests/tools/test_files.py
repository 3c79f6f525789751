"""files, held against what the node itself did with files, and how long it says that took."""
import os
import shutil
import tempfile
import time
from lib import VMS, WITH_NEWEST, Node, Trace, of_type, over, shared, wait_until, within
from test_aio import waits_in

WRITES, READS, RENAMES = 40, 25, 30
WAIT = "wait for a dirty I/O scheduler"


class Folder:
    """A folder that is gone afterwards."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="erlbpf-files-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def rows_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


def work(node, folder):
    """On one file; the modules that this needs are loaded by doing it once with another."""
    node.eval("Work = fun(Name) -> {ok, F} = file:open(Name, [read, write, raw, binary]), "
              "[ok = file:write(F, <<0:8000>>) || _ <- lists:seq(1, %d)], "
              "[{ok, _} = file:pread(F, N * 10, 100) || N <- lists:seq(1, %d)], ok = file:close(F), "
              "[ok = prim_file:rename(Name, Name) || _ <- lists:seq(1, %d)], ok end" % (WRITES, READS, RENAMES))
    node.eval("Work(\"%s/first\")" % folder)
    return "%s/second" % folder


EXPECTED = {"efile_open": (1, 0), "efile_writev": (WRITES, WRITES * 1000), "efile_preadv": (READS, READS * 100),
            "efile_close": (1, 0), "efile_rename": (RENAMES, 0)}
OPERATIONS = sum(calls for calls, _ in EXPECTED.values())


@over(WITH_NEWEST)
def test_operations_and_bytes_of_a_process_are_exact(vm):
    with Folder() as folder, shared(vm) as node:
        name = work(node, folder)
        trace = Trace("files", "-p", node.pid, "-j", "--erl-pid", node.eval("self()"))
        node.eval("Work(\"%s\")" % name)
        lines = trace.stop_json()
    found = {row["function"]: (row["calls"], row["bytes"]) for row in rows_of(lines)}
    waits = found.pop(WAIT)
    assert found == EXPECTED, found
    # Each is one NIF, and what is waited for is run.
    assert waits == (OPERATIONS, 0) and lines[-1]["dirty_io_jobs"] == OPERATIONS, waits
    assert of_type(lines, "hist")[0]["count"] == OPERATIONS
    assert lines[-1]["lost"] == 0


@over(VMS)
def test_operations_are_told_apart_by_file(vm):
    with Folder() as folder, shared(vm) as node:
        name = work(node, folder)
        trace = Trace("files", "-p", node.pid, "-j", "--by", "name", "--erl-pid", node.eval("self()"))
        node.eval("Work(\"%s\")" % name)
        lines = trace.stop_json()
    found = {row["function"]: (row["calls"], row["bytes"]) for row in rows_of(lines) if row["key"] == name}
    assert found == EXPECTED, found
    assert {hist["key"]: hist["count"] for hist in of_type(lines, "hist")} == {
        name: OPERATIONS, WAIT: OPERATIONS}


@over(VMS)
def test_a_file_that_was_open_before_is_shown_by_its_descriptor(vm):
    with Folder() as folder, shared(vm) as node:
        name = work(node, folder)
        node.eval("{ok, Open} = file:open(\"%s\", [write, raw])" % name)
        # Of a node in another mount namespace, the path is not ours.
        fds = {os.path.basename(os.readlink("/proc/%d/fd/%s" % (node.pid, fd))): fd
               for fd in os.listdir("/proc/%d/fd" % node.pid)}
        trace = Trace("files", "-p", node.pid, "-j", "--min", "1ns", "--erl-pid", node.eval("self()"))
        node.eval("file:write(Open, <<\"x\">>)")
        node.eval("file:close(Open)")
        node.eval("Work(\"%s\")" % name)
        events = [event for event in of_type(trace.stop_json(), "event") if event["kind"] == "operation"]
    assert [(event["function"], event["file"]) for event in events[:2]] == [
        ("efile_writev", "fd " + fds[os.path.basename(name)]), ("efile_close", "fd " + fds[os.path.basename(name)])], events[:2]
    assert {event["file"] for event in events[2:]} == {name}
    assert events[0]["bytes"] == 1


NAP_S = 0.2
OPENS = ("2", "257", "56")  # numbers of open and openat, of x86-64 and arm64


def slow_open(vm):
    """One process opens a pipe that nobody writes to yet, and three wait behind it. All is one expression, since
    the node's own standard output waits for the only dirty I/O scheduler too, from OTP 26 on. Of the opening and of the
    longest wait: how long it took at least, as erlbpf says, and at most."""
    with Folder() as folder, Node(vm, "+SDio", "1") as node:
        fifo, asked = folder + "/fifo", folder + "/asked"
        os.mkfifo(fifo)
        node.eval("Last = fun(Statistic) -> lists:last(statistics(Statistic)) end")
        node.eval("Until = fun Self(S, N) -> case Last(S) of N -> ok; _ -> timer:sleep(1), Self(S, N) end end")
        node.eval("Timed = fun(F) -> Me = self(), Now = fun() -> os:perf_counter(nanosecond) end, "
                  "spawn(fun() -> Begin = Now(), F(), Me ! {ns, self(), Now() - Begin} end) end")
        # The scheduler has taken the first one before others come. Somebody is told when all of them wait.
        node.eval("All = fun(Name, Shell, Behind) -> Open = Timed(fun() -> file:open(Name, [read, raw]) end), "
                  "Until(active_tasks_all, Behind div 3), Until(run_queue_lengths_all, 0), "
                  "Asks = [Timed(fun() -> prim_file:read_file_info(\"/\") end) || _ <- [1, 2, 3]], "
                  "Until(run_queue_lengths_all, Behind), open_port({spawn, Shell}, []), "
                  "[receive {ns, P, Ns} -> Ns end || P <- [Open | Asks]] end")
        # Once without waiting, since loading of modules would wait for the scheduler too.
        node.eval("timer:sleep(1), All(\"/dev/null\", \"true\", 0)")
        trace = Trace("files", "-p", node.pid, "-j", "--by", "function")
        node.say("All(\"%s\", \"touch %s\", 3)." % (fifo, asked))
        wait_until("all wait", lambda: os.path.exists(asked))
        wait_until("the pipe is being opened", lambda: waits_in(node.pid, OPENS))
        begin = time.monotonic_ns()
        time.sleep(NAP_S)
        least = time.monotonic_ns() - begin
        os.close(os.open(fifo, os.O_WRONLY))
        most = [int(ns) for ns in node.line()[2:].strip("[]").split(",")]
        lines = trace.stop_json()
    hists = {hist["key"]: hist for hist in of_type(lines, "hist")}
    # The code server, too, may load something meanwhile.
    assert lines[-1]["longest_queue"] in (3, 4), lines[-1]
    return (least, (hists["efile_open"]["max"] or 0), most[0]), (least, (hists[WAIT]["max"] or 0), max(most[1:]))


@over(VMS)
def test_slow_operations_take_as_long_as_the_node_says(vm):
    within(*slow_open(vm)[0])


@over(VMS)
def test_processes_wait_for_the_dirty_scheduler_as_long_as_the_node_says(vm):
    within(*slow_open(vm)[1])
