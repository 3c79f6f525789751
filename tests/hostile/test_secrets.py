"""What is nobody's business (T14): contents of messages, arguments, tables, files, sockets and the environment are in no output
that nobody asked for them."""
import os
import subprocess
import tempfile

from hostile import times
from lib import ERLBPF, LIMIT, STOCK, USDT, Node, Trace, over, wait_until
from otlp import Receiver
from pods import Agent
from test_all import tools, words_of_recipe

SECRET = "hunter2secret"

# It is a text, a binary, an atom and a part of a term, everywhere where a program would have one.
USE = """begin
    S = "%(s)s", B = <<"%(s)s">>, A = list_to_atom(S),
    Loop = fun Loop() -> receive {From, M} -> From ! {self(), M}, Loop(); stop -> ok end end,
    [begin P = spawn(fun() -> put(S, B), Loop() end),
           [begin P ! {self(), X}, receive {P, X} -> ok end end || X <- [S, B, A, {S, [B]}, #{A => B}]],
           garbage_collect(P), P ! stop end || _ <- lists:seq(1, 10)],
    [spawn(lists, member, [X, [S]]) || X <- [S, B, A]],
    [spawn(fun() -> lists:member(X, [S, B]), lists:reverse([X, S]), erlang:phash2({X, S}), binary:match(B, B) end) || X <- [S, B, A]],
    T = ets:new(table, [public]), ets:insert(T, {S, B}), ets:lookup(T, S), ets:match(T, {S, '_'}),
    file:write_file("/tmp/erlbpf-plain-name", B), file:read_file("/tmp/erlbpf-plain-name"), file:delete("/tmp/erlbpf-plain-name"),
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}]), {ok, {_, N}} = inet:sockname(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, N, [binary, {active, false}]), {ok, D} = gen_tcp:accept(L),
    gen_tcp:send(C, B), gen_tcp:recv(D, 0), gen_tcp:close(C), gen_tcp:close(D), gen_tcp:close(L),
    Cat = open_port({spawn, "cat"}, [binary]), port_command(Cat, B), receive {Cat, {data, B}} -> ok end, port_close(Cat),
    erlang:send_after(1, self(), {S, B}), receive {S, B} -> ok end,
    os:putenv(S, S), application:set_env(kernel, A, B), persistent_term:put(A, B),
    ok end"""

SECRETS = " ".join((USE % {"s": SECRET}).split("\n"))

# A trace of everything shows the reasons of exits and user tags, and names; what the VM passes to its own probes.
WITHOUT = {"user-trace"}


def check_free(text, what):
    at = text.find(SECRET.encode())
    assert at < 0, (what, text[max(0, at - 300):at + 100])


def command_of(tool, folder, pid):
    """Its words, if it wants any; into a file."""
    for words in ([], words_of_recipe(tool)):
        if "--show" in words or "-v" in words:
            continue
        path = os.path.join(folder, tool)
        trace = Trace(tool, *words, "-p", pid, "-o", path, wait=False)
        try:
            trace.wait_for("Tracing")
            return trace, path
        except AssertionError:
            if trace.child.wait(LIMIT) == 2:
                continue
            return None, None
    return None, None


@over((USDT, STOCK) if times(0, 1) else (USDT,))
def test_no_tool_shows_a_secret_by_default(vm):
    shown = 0
    for group in (tools()[::2], tools()[1::2]) if times(0, 1) else (tools()[::3],):
        with tempfile.TemporaryDirectory() as folder, Node(vm, env={"PASSWORD": SECRET}) as node:
            traces = [(tool, *command_of(tool, folder, node.pid)) for tool in group if tool not in WITHOUT]
            assert node.eval(SECRETS) == "ok"
            for tool, trace, path in traces:
                if not trace:
                    continue
                said = trace.stop()
                with open(path, "rb") as file:
                    text = file.read() + said.encode() + "\n".join(trace.stderr).encode()
                check_free(text, tool)
                shown += len(text) > 200
    assert shown > times(4, 10), "they printed hardly anything: it is no test"


def test_neither_metrics_nor_targets_nor_pushes_have_a_secret():
    pushed = []
    with Receiver() as receiver, Node(STOCK, "-sname", "keeper", env={"PASSWORD": SECRET}) as node, \
            Agent("--node", "keeper", "--otlp", receiver.url, "--otlp-interval", "1s") as agent:
        wait_until("it is traced", lambda: agent.targets())
        assert node.eval(SECRETS) == "ok"
        wait_until("it is counted", lambda: agent.value("erlbpf_mailbox_wait_seconds_count") > 10)
        for path in ("/metrics", "/targets", "/"):
            check_free(agent.get(path).encode(), path)
        push = receiver.fresh()
        pushed = [str(push.metrics), str(push.resource), str(push.headers)]
        check_free(agent.stop().encode(), "the log")
    check_free("".join(pushed).encode(), "a push")
    assert pushed


def test_what_is_asked_without_tracing_has_no_secret():
    with Node(STOCK, env={"PASSWORD": SECRET}) as node:
        assert node.eval(SECRETS) == "ok"
        for words in (["doctor"], ["doctor", "-j"], ["list", "-v"], ["-l", "-n", "erlang%d:::" % node.pid]):
            done = subprocess.run([ERLBPF] + words + (["-p", str(node.pid)] if words[0] != "-l" else []), capture_output=True, timeout=LIMIT)
            assert done.returncode == 0, done
            check_free(done.stdout + done.stderr, words)
