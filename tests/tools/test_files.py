"""files, held against what the node itself did with files, and how long it says that took."""
import os
import shutil
import tempfile
from lib import VMS, Node, Trace, of_type, over, probe_ns

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


@over(VMS)
def test_operations_and_bytes_of_a_process_are_exact(vm):
    with Folder() as folder, Node(vm) as node:
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
    with Folder() as folder, Node(vm) as node:
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
    with Folder() as folder, Node(vm) as node:
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


PIPE_S = 0.4  # from when all wait until somebody writes to the pipe
SURELY_NS = 300 * 10**6  # what an operation takes that began a little before that, on a machine with much else to do


def slow_open(vm):
    """One process opens a pipe that nobody writes to yet, and three wait behind it. All is one expression, since
    the node's own standard output waits for the only dirty I/O scheduler too, from OTP 26 on."""
    with Folder() as folder, Node(vm, "+SDio", "1") as node:
        fifo = folder + "/fifo"
        os.mkfifo(fifo)
        node.eval("Last = fun(Statistic) -> lists:last(statistics(Statistic)) end")
        node.eval("Until = fun Self(S, N) -> case Last(S) of N -> ok; _ -> timer:sleep(1), Self(S, N) end end")
        node.eval("Timed = fun(F) -> Me = self(), "
                  "spawn(fun() -> {Us, _} = timer:tc(F), Me ! {us, self(), Us} end) end")
        # The scheduler has taken the first one before others come, and the pipe is opened when all of them wait.
        node.eval("All = fun(Name, Shell, Behind) -> Open = Timed(fun() -> file:open(Name, [read, raw]) end), "
                  "Until(active_tasks_all, Behind div 3), Until(run_queue_lengths_all, 0), "
                  "Asks = [Timed(fun() -> prim_file:read_file_info(\"/\") end) || _ <- [1, 2, 3]], "
                  "Until(run_queue_lengths_all, Behind), open_port({spawn, Shell}, []), "
                  "[receive {us, P, Us} -> Us end || P <- [Open | Asks]] end")
        # Once without waiting, since loading of modules would wait for the scheduler too.
        node.eval("All(\"/dev/null\", \"true\", 0)")
        trace = Trace("files", "-p", node.pid, "-j", "--by", "function")
        took = node.eval("All(\"%s\", \"sh -c 'sleep %.1f; : > %s'\", 3)" % (fifo, PIPE_S, fifo))
        took = [int(us) * 1000 for us in took.strip("[]").split(",")]
        lines = trace.stop_json()
    hists = {hist["key"]: hist for hist in of_type(lines, "hist")}
    # Other processes of the node may load code meanwhile.
    assert lines[-1]["longest_queue"] in (3, 4), lines[-1]
    return hists["efile_open"]["max"], took[0], hists[WAIT]["max"], max(took[1:])


def assert_within(ours, own):
    """It takes as long as the pipe is not open, and less than from when the process asks until it runs again: on a busy
    machine, that is much longer."""
    assert SURELY_NS <= ours <= own + probe_ns(), (ours, own)


@over(VMS)
def test_slow_operations_take_as_long_as_the_node_says(vm):
    assert_within(*slow_open(vm)[:2])


@over(VMS)
def test_processes_wait_for_the_dirty_scheduler_as_long_as_the_node_says(vm):
    assert_within(*slow_open(vm)[2:])
