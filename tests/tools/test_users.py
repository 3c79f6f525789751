"""D for users without rights: `erlbpf export --d-socket`, and `erlbpf --etf` of who is not root."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, OLDEST_AND_NEWEST, STOCK, Node, Process, Skip, children_of, name_of, over, status_of, wait_until
from process_text import ProcessText
from test_app import MODULES, compile_package
from test_export import Agent

# Users that no other test has.
USER, OTHER = 10000000 + 2 * os.getpid(), 10000001 + 2 * os.getpid()


def package_modules():
    """That any user can read."""
    if not os.path.exists(os.path.join(MODULES.name, "erlbpf.beam")):
        compile_package("src")
    os.chmod(MODULES.name, 0o755)
    return MODULES.name


def as_user(uid, *before):
    return [*before, "setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--inh-caps=-all"]


class Door:
    """An agent with a socket."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.path = os.path.join(self.folder.name, "d.sock")
        self.agent = Agent("--d-socket", self.path)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        with contextlib.suppress(AssertionError):
            if self.agent.child.poll() is None:
                self.agent.stop()
        self.folder.cleanup()

    def node(self, vm, uid=USER, before=()):
        return Node(vm, "-pa", package_modules(), prefix=as_user(uid, *before), env={"ERLBPF_SOCKET": self.path, "HOME": "/"})

    def sessions(self):
        """Processes that serve a user: those below the one that keeps this door."""
        keepers = [pid for pid in children_of(self.agent.pid) if name_of(pid) == "bpf-users"]
        return [pid for keeper in keepers for pid in children_of(keeper) if name_of(pid) == "bpf-users"]


def opened(node, name="P"):
    node.eval('{ok, %s} = erlbpf_port:open(#{command => ["%s"]}), ok' % (name, ERLBPF))


def compiled(node, program, name="P", options="#{}"):
    return node.eval("erlbpf_port:compile(%s, <<%s>>, %s)" % (name, ",".join(str(b) for b in program.encode()), options))


def started(node):
    answer = node.eval("erlbpf_port:go(P)")
    assert answer == "ok", answer


def problem(node, program, options="#{}"):
    """What is wrong with a program: its first text."""
    answer = compiled(node, program, options=options)
    assert answer.startswith("{error,{compile,"), (program, answer)
    return re.search(r'text => *<<"(.*?)">>', answer.replace("\n", " ")).group(1)


@over(OLDEST_AND_NEWEST)
def test_a_user_traces_nodes_that_are_his_own(vm):
    with Door() as door, door.node(vm) as mine, door.node(vm, OTHER) as theirs, Node(vm) as roots:
        opened(mine)
        assert re.match(r"{ok,\d+}", compiled(mine, "erlang*:::process-spawn { @[pid] = count(); }"))
        started(mine)
        for node, count in ((mine, 7), (theirs, 5), (roots, 3)):
            node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, %d)], ok" % count)
        assert mine.eval("{ok, [#{entries := Entries}]} = erlbpf_port:walk(P), "
                         "[{K, V >= 7} || #{key := [K], value := V} <- Entries]") == "[{%d,true}]" % mine.pid
        assert mine.eval("{ok, S} = erlbpf_port:stop(P), maps:get(lost, S)") == "0"
        for node in (theirs, roots):
            why = problem(mine, "erlang$target:::process-spawn { }", "#{pids => [%d]}" % node.pid)
            assert "does not match any probes: this user can trace no node" in why, why


def test_a_session_is_the_users_own_and_has_no_more_rights_than_it_needs():
    with Door() as door, door.node(STOCK) as node:
        opened(node)
        assert compiled(node, "erlang*:::process-spawn { @ = count(); }").startswith("{ok,")
        started(node)
        [session] = door.sessions()
        status = status_of(session)
        assert set(status["Uid"].split()) == set(status["Gid"].split()) == {str(USER)}, status
        # BPF and PERFMON
        assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 1 << 38 | 1 << 39, status
        # What the agent was started with, such as tokens of receivers, is in its environment and memory.
        for file in ("environ", "mem", "maps"):
            done = subprocess.run([*as_user(USER), "head", "-c1", "/proc/%d/%s" % (session, file)], capture_output=True, check=False)
            assert done.returncode and not done.stdout, (file, done)
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status
        guards = [pid for pid in filter(str.isdigit, os.listdir("/proc"))
                  if os.path.exists("/proc/%s/status" % pid) and int(status_of(pid)["PPid"]) == session
                  and status_of(pid)["Name"] == "bpf-guardian"]
        assert len(guards) == 1 and not {str(USER), "0"} & set(status_of(guards[0])["Uid"].split()), guards


REFUSED = [
    ("BEGIN { printf(\"%d\", curthread->pid); }", "curthread needs root rights"),
    ("erlang*:::process-spawn { trace(curpsinfo->pr_pid); }", "needs root rights"),
    ("erlang*:::process-spawn { stack(); }", "stack() needs root rights"),
    ("erlang*:::process-spawn { trace(caller); }", "caller needs root rights"),
    ("erlang*:::process-spawn { sym(arg0); }", "sym() needs root rights"),
    ("erlang*:::process-spawn { trace(cwd); }", "cwd needs root rights"),
    ("erlang*:::process-spawn { raise(9); }", "raise() needs root rights"),
    ("erlang*:::process-spawn { system(\"id\"); }", "system() needs root rights"),
    ("#pragma D option destructive\nerlang*:::process-spawn { system(\"id\"); }", "destructive"),
    ("erlang*:::process-spawn { freopen(\"/tmp/x\"); }", "freopen() needs root rights"),
    ("tick-1s { trace(execname); }", "providers erlang, vm and app"),
    ("tick-1s { trace(copyinstr(4096)); }", "providers erlang, vm and app"),
    ("tick-1s { ustack(); }", "providers erlang, vm and app"),
    ("tick-1s { trace(arg1); }", "providers erlang, vm and app"),
    ("END { usym(4096); }", "providers erlang, vm and app"),
    ("erlang*:::process-spawn, tick-1s { ustack(); }", "providers erlang, vm and app"),
    ("*:::process-spawn { ustack(); }", "providers erlang, vm and app"),
    ("inline int me = pid; tick-1s { trace(me); }", "providers erlang, vm and app"),
    ("syscall:::entry { @ = count(); }", "does not match any probes"),
    ("sched:::on-cpu { @ = count(); }", "does not match any probes"),
    ("profile-97 { @ = count(); }", "does not match any probes"),
    ("tick-1ms { @ = count(); }", "does not match any probes"),
    ("pid$target:libc.so:malloc:entry { @ = count(); }", ""),
    ("rawtp:::sys_enter { @ = count(); }", "does not match any probes"),
    ("beam*:lists:reverse/1:entry { @ = count(); }", ""),
]


def test_what_takes_more_than_the_rights_of_a_user_is_refused():
    with Door() as door, door.node(STOCK) as node:
        opened(node)
        for program, why in REFUSED:
            options = "#{pids => [%d]}" % node.pid if "$target" in program else "#{}"
            assert why in problem(node, program, options), (program, why)
        for name, value in (("destructive", ""), ("cpp", ""), ("via", "vm"), ("unsafe", ""), ("keepcaps", ""),
                            ("bufsize", "1g"), ("cookiefile", "/etc/shadow")):
            why = problem(node, "BEGIN { exit(0); }", '#{options => [{"%s", "%s"}]}' % (name, value))
            assert why.startswith("option %s: " % name), why
        # The session lives on.
        assert compiled(node, 'BEGIN { @[strjoin("a", "b"), probename] = count(); exit(0); }') == "{ok,1}"


def value_at(node, clause, address):
    """What a clause finds at an address: a number, or "" if it cannot read there."""
    program = "%s { @[*(uint32_t *)0x%xULL] = count(); } ERROR { @failed = count(); }" % (clause, address)
    assert compiled(node, program).startswith("{ok,"), program
    started(node)
    node.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 3)], ok")
    node.eval("erlbpf_port:stop(P), ok")
    return node.eval("[K || #{entries := E} <- element(2, erlbpf_port:walk(P)), #{key := [K]} <- E]")


def file_start(pid, word):
    with open("/proc/%d/maps" % pid) as maps:
        return next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(word) and " 00000000 " in line)


def kernel_text():
    with open("/proc/kallsyms") as symbols:
        return next(int(line.split()[0], 16) for line in symbols if line.split()[2] == "_stext")


def test_memory_is_that_of_the_users_nodes():
    """Each address can be read by root, in the same way, so that it is the rights that make the difference."""
    elf = "[%d]" % 0x464c457f
    spawn = "erlang*:::process-spawn"
    with Door() as door, door.node(STOCK) as node, Node(STOCK, "-pa", package_modules()) as roots:
        for user, is_root in ((node, False), (roots, True)):
            opened(user)
            assert compiled(user, "BEGIN { exit(0); }") == "{ok,1}"
            session = int(user.eval("{_, Port} = P, {os_pid, Pid} = erlang:port_info(Port, os_pid), Pid"))
            if not is_root:
                [session] = door.sessions()
            target = spawn.replace("*", str(user.pid))
            assert value_at(user, target, file_start(user.pid, "/beam.smp")) == elf
            assert (value_at(user, target, kernel_text()) != "[]") == is_root
            assert (value_at(user, "BEGIN", kernel_text()) != "[]") == is_root
            assert value_at(user, "BEGIN", file_start(session, "/erlbpf")) == (elf if is_root else "[]")


def test_each_user_has_two_sessions_and_root_none():
    with Door() as door, door.node(STOCK) as node, door.node(STOCK, OTHER) as other:
        for name in "AB":
            opened(node, name)
            assert compiled(node, "BEGIN { }", name) == "{ok,1}"
        opened(node, "C")
        assert "two D programs" in compiled(node, "BEGIN { }", "C")
        opened(other)
        assert compiled(other, "BEGIN { }") == "{ok,1}"
        node.eval("erlbpf_port:close(A), erlbpf_port:close(C), ok")
        wait_until("a session has ended", lambda: len(door.sessions()) == 2)
        wait_until("there is room again", lambda: compile_anew(node) == "{ok,1}")
        done = subprocess.run(["setpriv", "--bounding-set=-all", "--inh-caps=-all", ERLBPF, "--etf"],
                              env=dict(os.environ, ERLBPF_SOCKET=door.path), capture_output=True, timeout=LIMIT, check=False,
                              input=len(COMPILE).to_bytes(4, "big") + COMPILE)
        assert b"root does not need the agent" in done.stdout, done


def take_pid(pid):
    """A process with this pid, which is free. Others who start processes may get it first: then again."""
    for _ in range(1000):
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(pid - 1))
        child = subprocess.Popen(["sleep", "infinity"])
        if child.pid == pid:
            return child
        child.kill()
        child.wait()
    raise Skip("the pid of a process that has ended is not to be had again")


def connect_as(uid, connection, path):
    """By a process that ends then: its pid."""
    pid = os.fork()
    if not pid:
        with contextlib.suppress(OSError):
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            connection.connect(path)
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def test_who_has_connected_is_not_the_process_that_has_its_pid_now():
    with Door() as door, socket.socket(socket.AF_UNIX) as connection:
        [keeper] = [pid for pid in children_of(door.agent.pid) if name_of(pid) == "bpf-users"]
        os.kill(keeper, signal.SIGSTOP)
        try:
            other = take_pid(connect_as(USER, connection, door.path))
        finally:
            os.kill(keeper, signal.SIGCONT)
        try:
            connection.settimeout(LIMIT)
            connection.sendall(frame("BEGIN { }"))
            answer = connection.recv(4, socket.MSG_WAITALL) + connection.recv(4096)
            assert b"the process that has connected" in answer, answer
        finally:
            other.kill()
            other.wait()


class Client(Process):
    """A process that connects, and says which answer it gets to a program. `inside`: its user in a user namespace that
    the user makes, which has nine subordinate users as 1 to 9; one with an even number makes another namespace in it."""

    SCRIPT = """if True:
        import ctypes, os, socket, sys
        path, inside, program = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
        if inside:
            assert not ctypes.CDLL(None).unshare(0x10000000)
            print("apart", flush=True)
            sys.stdin.readline()
            os.setresgid(inside, inside, inside)
            os.setresuid(inside, inside, inside)
            assert inside % 2 or not ctypes.CDLL(None).unshare(0x10000000)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        connection.sendall(program)
        print(repr(connection.recv(4, socket.MSG_WAITALL) + connection.recv(4096)), flush=True)
        sys.stdin.readline()
    """

    def __init__(self, door, uid, inside=0, subordinate=0):
        super().__init__([*as_user(uid), "/usr/bin/python3", "-c", self.SCRIPT, door.path, str(inside), frame("BEGIN { }").hex()])
        if inside:
            assert self.line() == "apart"
            for ids in ("uid_map", "gid_map"):
                with open("/proc/%d/%s" % (self.pid, ids), "w") as file:
                    file.write("0 %d 1\n1 %d 9\n" % (uid, subordinate))
            self.say("")
        self.answer = self.line()

    def is_served(self):
        return "x02ok" in self.answer


def test_one_person_has_two_sessions_with_however_many_users():
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(Door())
        clients = [stack.enter_context(Client(door, USER, 1 + i, USER + 100000000)) for i in range(4)]
        assert [client.is_served() for client in clients] == [True, True, False, False], [c.answer for c in clients]
        assert "two D programs" in clients[2].answer, clients[2].answer
        mine, other = (stack.enter_context(Client(door, uid)) for uid in (USER, OTHER))
        assert "two D programs" in mine.answer and other.is_served(), (mine.answer, other.answer)


def test_a_user_namespace_that_root_has_made_is_a_person_of_its_own():
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(Door())
        clients = [stack.enter_context(Client(door, 0, 1 + i, USER + 100000000)) for i in range(3)]
        assert all(client.is_served() for client in clients), [client.answer for client in clients]


def test_the_last_four_sessions_are_for_those_who_have_none():
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(Door())
        users = [USER + 200000000 + i for i in range(7)]
        ask = lambda uid: stack.enter_context(Client(door, uid))
        assert all(ask(uid).is_served() for uid in users[:2] * 2)
        assert ask(users[2]).is_served()
        again = ask(users[2])
        assert "who have none" in again.answer, again.answer
        assert all(ask(uid).is_served() for uid in users[3:6])
        last = ask(users[6])
        assert "eight D programs" in last.answer, last.answer


COMPILE = bytes([131, 104, 5, 97, 1, 119, 7]) + b"compile" + bytes([109, 0, 0, 0, 8]) + b"BEGIN {}" + bytes([106, 106])


def frame(program):
    """What a port of Erlang sends to have it compiled."""
    text = program.encode()
    term = COMPILE[:COMPILE.index(b"compile") + 7] + bytes([109, 0, 0, 0, len(text)]) + text + bytes([106, 106])
    return len(term).to_bytes(4, "big") + term


NAMES = ("D%d" % i for i in range(1000))


def compile_anew(node):
    name = next(NAMES)
    opened(node, name)
    answer = compiled(node, "BEGIN { }", name)
    node.eval("erlbpf_port:close(%s), ok" % name)
    return answer


def test_who_ends_whatever_no_probe_stays():
    for number, of_agent in ((signal.SIGTERM, True), (signal.SIGKILL, True), (signal.SIGKILL, False)):
        with Door() as door, door.node(STOCK) as node:
            opened(node)
            assert compiled(node, "erlang*:::process-spawn, erlang*:::gc_*-start { @ = count(); }").startswith("{ok,")
            started(node)
            [session] = door.sessions()
            os.kill(door.agent.child.pid if of_agent else session, number)
            wait_until("the session has ended", lambda: not door.sessions())
            wait_until("the port is closed", lambda: node.eval("erlbpf_port:walk(P)") == "{error,closed}")
            wait_until("no probe is left", ProcessText(node.pid).is_clean)
            if of_agent:
                door.agent.child.wait(LIMIT)
                wait_until("the socket is gone", lambda: not os.path.exists(door.path))


def test_who_has_more_printed_than_there_is_time_for_can_stop_and_go_away():
    """What it costs to print is not what it costs to record."""
    with Door() as door, door.node(STOCK) as node:
        opened(node)
        assert compiled(node, "tick-10ms { printf(\"%1000000d\", 1); }\n" * 8 + "tick-10ms { @ticks = sum(1); }").startswith("{ok,")
        started(node)
        ticks = lambda: int(node.eval("lists:sum([V || #{entries := E} <- element(2, erlbpf_port:walk(P)), #{value := V} <- E])"))
        assert lets_drop(node, ticks)
        node.kill()
        wait_until("the session ends", lambda: not door.sessions())


def lets_drop(node, ticks):
    """More than the session may keep is dropped, and what it keeps is given to who asks. It is not asked before it had
    time for more each time."""
    consume = "(fun({ok, Kept, Dropped}) -> {length(Kept) > 0, Dropped > 0} end)(erlbpf_port:consume(P))"
    for more in (25, 100, 400, 1600):
        until = ticks() + more
        wait_until("it has had time for more", lambda: ticks() >= until)
        if node.eval(consume) == "{true,true}":
            return True
    return False


def test_in_a_container_nodes_are_those_of_the_container():
    with Door() as door, door.node(STOCK) as outside, \
            door.node(STOCK, before=["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]) as inside:
        spawns = "erlang*:::process-spawn { @[pid] = count(); }"
        for node, nodes in ((inside, 1), (outside, 2)):
            opened(node)
            assert compiled(node, spawns).startswith("{ok,")
            started(node)
            for each in (inside, outside):
                each.eval("[spawn(fun() -> ok end) || _ <- lists:seq(1, 3)], ok")
            assert node.eval("{ok, [#{entries := Entries}]} = erlbpf_port:walk(P), length(Entries)") == str(nodes)
            node.eval("erlbpf_port:close(P), ok")


def test_a_socket_that_cannot_be_had_is_an_error():
    for path, why in (("/nonesuch/d.sock", "No such file"), ("/" + "x" * 200, "too long"), ("/etc/passwd", "in use")):
        done = subprocess.run([ERLBPF, "export", "--listen", "127.0.0.1:0", "--d-socket", path], capture_output=True,
                              timeout=LIMIT, check=False, text=True)
        assert done.returncode == 1 and "cannot listen at %s" % path in done.stderr and why in done.stderr, done
    done = subprocess.run(["setpriv", "--bounding-set=-setuid", ERLBPF, "export", "--listen", "127.0.0.1:0", "--d-socket",
                           "/tmp/erlbpf-d.sock"], capture_output=True, timeout=LIMIT, check=False, text=True)
    assert done.returncode == 1 and "SETUID" in done.stderr, done
