"""aio, held against a node that writes to descriptors which its async thread must write to."""
import os
import shutil
import tempfile
import time
from lib import BUILD, VMS, WITH_NEWEST, Node, Trace, of_type, over, shared, stat_of, wait_until, within
from test_functions import STOCK_ONES

JOBS = 30
PIPE_SIZE = 65536


class Writer(Node):
    """Has a pipe that nobody reads as descriptor 7, and files as 6, 8 and 9; its standard output is not in use
    while it works, since that is an async job too on some releases."""

    def __init__(self, vm):
        self.folder = tempfile.mkdtemp(prefix="erlbpf-aio-")
        os.mkfifo(self.folder + "/7")
        self.fifo = os.open(self.folder + "/7", os.O_RDONLY | os.O_NONBLOCK)
        super().__init__(vm, "+A", "1", prefix=[
            "sh", "-c", "cd %s && exec 6>6 7>7 8>8 9>9 \"$@\"" % self.folder, "sh"])
        self.eval("Open = fun(Fd) -> open_port({fd, Fd, Fd}, [out, binary]) end")
        self.eval("Wait = fun Self(P) -> case erlang:port_info(P, queue_size) of {queue_size, 0} -> ok; "
                  "_ -> timer:sleep(1), Self(P) end end")
        self.eval("Write = fun(P, Data) -> port_command(P, Data), Wait(P) end")
        self.eval("P = Open(6)")
        self.eval("Write(P, <<\"x\">>)")

    def drain(self):
        read = b""
        while True:
            try:
                part = os.read(self.fifo, PIPE_SIZE)
            except BlockingIOError:
                return len(read)
            if not part:
                return len(read)
            read += part

    def close(self):
        if self.fifo is not None:
            os.close(self.fifo)
            self.fifo = None
            shutil.rmtree(self.folder)
        super().close()


def table_of(lines):
    return [row for table in of_type(lines, "table") for row in table["rows"]]


@over(WITH_NEWEST)
def test_jobs_are_counted_exactly(vm):
    with Writer(vm) as node:
        trace = Trace("aio", "-p", node.pid, "-j", "--by", "port", "--erl-pid", node.eval("self()"))
        node.eval("[Write(P, <<\"x\">>) || _ <- lists:seq(1, %d)], ok" % JOBS)
        port = node.eval("P")
        lines = trace.stop_json()
    assert {hist["key"]: hist["count"] for hist in of_type(lines, "hist")} == {port: JOBS}
    assert [(row["jobs"], row["largest_queue"]) for row in table_of(lines)] == [(JOBS, 1)], table_of(lines)
    assert lines[-1]["queued"] == lines[-1]["ready"] == JOBS and lines[-1]["lost"] == 0, lines[-1]


@over(VMS)
def test_a_pool_that_nobody_uses_gives_0(vm):
    with shared(vm) as node:
        trace = Trace("aio", "-p", node.pid, "-j")
        lines = trace.stop_json()
    assert [(row["jobs"], row["largest_queue"]) for row in table_of(lines)] == [(0, 0)]


WRITES = ("1", "20", "64", "66")  # numbers of write and writev, of x86-64 and arm64


def waits_in(pid, numbers):
    """Does a thread of the process sleep in one of these system calls?"""
    for thread in os.listdir("/proc/%d/task" % pid):
        task = "%d/task/%s" % (pid, thread)
        with open("/proc/%s/syscall" % task) as syscall:
            number = syscall.read().split()[0]
        if number in numbers and stat_of(task)[0] == "S":
            return True
    return False


NAP_S = 0.1


@over(VMS)
def test_a_job_that_blocks_takes_its_time_and_others_queue_behind_it(vm):
    with Writer(vm) as node:
        node.eval("Pipe = Open(7), Files = [Open(Fd) || Fd <- [8, 9]]")
        trace = Trace("aio", "-p", node.pid, "-j", "--by", "port", "--erl-pid", node.eval("self()"))
        pipe = node.eval("Pipe")
        node.say("begin Begin = os:perf_counter(nanosecond), port_command(Pipe, binary:copy(<<0>>, %d)), "
                 "[port_command(F, <<\"x\">>) || F <- [P | Files]], ok = file:write_file(\"asked\", <<>>, [raw]), Wait(Pipe), "
                 "os:perf_counter(nanosecond) - Begin end." % (PIPE_SIZE + 1))
        wait_until("all is asked for", lambda: os.path.exists(node.folder + "/asked"))
        wait_until("the pipe is full", lambda: waits_in(node.pid, WRITES))
        begin = time.monotonic_ns()
        time.sleep(NAP_S)
        least = time.monotonic_ns() - begin
        wait_until("the pipe was written", lambda: node.drain() > 0)
        most = int(node.line()[2:])
        node.eval("Wait(hd(Files)), Wait(P)")
        lines = trace.stop_json()
    # One is worked on and three wait.
    assert [row["largest_queue"] for row in table_of(lines)] == [4], table_of(lines)
    hist, = [hist for hist in of_type(lines, "hist") if hist["key"] == pipe]
    within(least, hist["max"], most)


# A driver of ours, which is a file of its own: its jobs take so many milliseconds, or until somebody writes to a pipe.
SLOW_DRIVER = ("ok = erl_ddll:load_driver(\"%s\", slow_drv), "
               "Open = fun() -> open_port({spawn, slow_drv}, []) end, "
               "Wait = fun(P) -> receive {P, {data, _}} -> ok end end" % os.path.join(BUILD, "erl"))


@over(VMS)
def test_jobs_of_a_driver_in_a_file_of_its_own_wait_for_each_other(vm):
    with tempfile.TemporaryDirectory(prefix="erlbpf-aio-") as folder, Node(vm, "+A", "1") as node:
        os.mkfifo(folder + "/gate")
        node.eval(SLOW_DRIVER)
        node.eval("P = Open(), Q = Open()")
        trace = Trace("aio", "-p", node.pid, "-j", "--by", "port", "--erl-pid", node.eval("self()"))
        # All are given before the first one, which waits at the gate, can end. How long all three had been there by then
        # at least, and how long the last one was at most.
        least, most = map(int, node.eval(
            "Now = fun() -> os:perf_counter(nanosecond) end, port_command(P, \"%s/gate\"), port_command(P, \"%d\"), "
            "Asks = Now(), port_command(Q, \"1\"), erlang:port_info(Q), Asked = Now(), timer:sleep(%d), Opens = Now(), "
            "ok = file:write_file(\"%s/gate\", <<>>, [raw]), [Wait(X) || X <- [P, P, Q]], {Opens - Asked, Now() - Asks}"
            % (folder, NAP_S * 1000, NAP_S * 1000, folder)).strip("{}").split(","))
        ports = [node.eval(port) for port in "PQ"]
        lines = trace.stop_json()
    hists = {hist["key"]: hist for hist in of_type(lines, "hist")}
    assert [hists[port]["count"] for port in ports] == [2, 1], hists
    # Q waits for both of P, the second of which takes as long again.
    within(least + NAP_S * 10**9, hists[ports[1]]["max"], most)
    assert hists[ports[0]]["min"] >= least / 2, (least, hists)
    assert [(row["jobs"], row["largest_queue"]) for row in table_of(lines)] == [(3, 3)]


@over(VMS)
def test_jobs_that_outlive_their_port_do_not_stay_in_the_length(vm):
    with tempfile.TemporaryDirectory(prefix="erlbpf-aio-") as folder, Node(vm, "+A", "1") as node:
        os.mkfifo(folder + "/gate")
        node.eval(SLOW_DRIVER)
        node.eval("P = Open(), Q = Open()")
        trace = Trace("aio", "-p", node.pid, "-j", "--erl-pid", node.eval("self()"))
        node.eval("port_command(P, \"%s/gate\"), port_close(P), Q ! {self(), {command, \"1\"}}, erlang:port_info(Q), "
                  "ok = file:write_file(\"%s/gate\", <<>>, [raw]), Wait(Q)" % (folder, folder))
        lines = trace.stop_json()
    assert (lines[-1]["queued"], lines[-1]["ready"], lines[-1]["dropped"]) == (2, 1, 1), lines[-1]
    assert [(row["jobs"], row["largest_queue"]) for row in table_of(lines)] == [(2, 1)], table_of(lines)


@over(STOCK_ONES)
def test_d_knows_of_jobs_that_have_ended_though_only_their_beginning_is_asked_for(vm):
    program = 'BEGIN { printf("begun\\n"); } erlang*:::aio_pool-add { @ = max(arg1); @n = count(); }'
    with Writer(vm) as node:
        trace = Trace("-q", "-p", node.pid, "-n", program, wait=False)
        assert trace.line() == "begun"
        node.eval("[Write(P, <<\"x\">>) || _ <- lists:seq(1, %d)], ok" % JOBS)
        most, jobs = map(int, trace.stop().split())
    # One at a time, and perhaps the output of the node.
    assert jobs >= JOBS and 1 <= most <= 3, (most, jobs)
