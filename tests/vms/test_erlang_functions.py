"""calls --via vm on RabbitMQ and on an Elixir application, as each release has them, held against what their nodes know."""
import contextlib
import os
import re
import statistics
import time

from lib import STOCK, Trace, erlbpf, of_type, over
from test_export import need
from test_systems import DEBIANS, Elixir, rabbitmq

VMS = [STOCK] + DEBIANS
# A node that is never idle may call a function between two looks at it.
TRIES = 4
TIMES = 15


@contextlib.contextmanager
def shop(vm):
    if not vm.root:
        need("elixir")
    with Elixir(vm, "shop.exs", "--sname", "shop%d" % os.getpid(), "--cookie", "shop") as node:
        yield node


def trace(node, pattern, *options):
    return Trace("calls", pattern, "--via", "vm", "-p", node.pid, "--exact", "-j", *options)


class OwnCounts:
    """The VM's call_count of all functions of a module: in a session of its own, or, before there were any, where erlbpf
    has set it."""

    def __init__(self, node, module):
        self.node, self.before = node, 0
        self.has_sessions = node.eval("code:ensure_loaded(trace)") == "{module,trace}"
        node.eval("begin {module, _} = code:ensure_loaded(%s), put(own, [{%s, F, A} || {F, A} <- %s:module_info(functions) -- %s:module_info(nifs)]), ok end" %
                  ((module,) * 4))
        if self.has_sessions:
            node.eval("put(session, trace:session_create(own, self(), []))")
            node.eval("[trace:function(get(session), F, true, [call_count]) || F <- get(own)]")

    def read(self):
        return int(self.node.eval("lists:sum([N || F <- get(own), {call_count, N} <- [%s], is_integer(N)])" %
                                  ("trace:info(get(session), F, call_count)" if self.has_sessions
                                   else "erlang:trace_info(F, call_count)")))

    def begin(self):
        self.before = self.read() if self.has_sessions else 0

    def settled(self):
        """When the node has done what it was asked for."""
        reads = [self.read()]
        while len(reads) < 50 and (len(reads) < 2 or reads[-1] != reads[-2]):
            time.sleep(0.1)
            reads.append(self.read())
        return reads[-1] - self.before

    def end(self):
        if self.has_sessions:
            self.node.eval("trace:session_destroy(erase(session))")


def counted(node, work, module, pattern):
    """(calls by function, summary), once they are as many as the VM says."""
    seen = []
    for _ in range(TRIES):
        own = OwnCounts(node, module)
        running = trace(node, pattern, "--by", "function")
        own.begin()
        work()
        count = own.settled()
        lines = running.stop_json()
        own.end()
        summary = lines[-1]
        assert summary["lost"] == summary["deep"] == 0, summary
        seen.append((summary["entered"], count))
        if 0 < count == summary["entered"]:
            return {hist["key"]: hist["count"] for hist in of_type(lines, "hist")}, summary
    raise AssertionError("calls of %s, and the VM's own count: %s" % (pattern, seen))


def is_text(node, text, expression):
    return node.eval("lists:flatten(%s) =:= %s" % (expression, [ord(c) for c in text])) == "true"


def assert_shown(node, function, *args):
    """A call with the arguments as the node prints them, and what it returns, or raises."""
    module, name = function.rsplit(":", 1)
    node.eval("begin put(args, [%s]), code:ensure_loaded(%s) end" % (", ".join(args), module))
    running = trace(node, "%s/%d" % (function, len(args)), "--show")
    node.eval("put(ended, try {none, apply(%s, %s, get(args))} catch C:R -> {C, R} end)" % (module, name))
    events = of_type(running.stop_json(), "event")
    ended = [event for event in events if is_text(node, event["call"], 'io_lib:format("~0p:~0p(", [%s, %s]) ++ '
                                                  'lists:join(",", [io_lib:format("~0p", [A]) || A <- get(args)]) ++ ")"' % (module, name))]
    assert ended, (function, events)
    # The last of a recursion is the first call.
    assert is_text(node, ended[-1]["result"], 'io_lib:format("~0p", [element(2, get(ended))])'), (function, ended)
    assert is_text(node, ended[-1]["class"] or "none", 'io_lib:format("~0p", [element(1, get(ended))])'), (function, ended)


def assert_lasts(node, function, *args):
    """Calls of some ms, as long as timer:tc says."""
    module, name = function.rsplit(":", 1)
    node.eval("begin put(args, [%s]), code:ensure_loaded(%s) end" % (", ".join(args), module))
    running = trace(node, "%s/%d" % (function, len(args)), "--min", "1ms")
    own = eval(node.eval("[element(1, timer:tc(fun() -> catch apply(%s, %s, get(args)) end)) || _ <- lists:seq(1, %d)]" %
                         (module, name, TIMES)))
    events = of_type(running.stop_json(), "event")
    # Of a recursion, the last of each is the first call.
    events = events[len(events) // TIMES - 1::len(events) // TIMES]
    ratio = statistics.median(event["took"] / 1000 / us for event, us in zip(events, own))
    assert len(events) == TIMES and 0.95 <= ratio <= 1.05, (function, ratio, own, events)


# Of the application, a library of Elixir and one of OTP, and one whose function wraps a NIF.
OF_SHOP = {"'Elixir.Shop'": "Shop.*", "'Elixir.Enum'": "Enum.*", "array": "array:*", "crypto": "crypto:*"}
OF_RABBITMQ = ("rabbit_reader", "rabbit_channel", "rabbit_misc", "rabbit_binary_generator")


@over(VMS)
def test_calls_of_an_elixir_application_are_those_that_the_vm_counts(vm):
    with shop(vm) as node:
        def work():
            assert node.eval("'Elixir.Shop':work()") == "done"

        work()
        counts = {}
        for module, pattern in OF_SHOP.items():
            counts[module], summary = counted(node, work, module, pattern)
            if "Shop" in module:
                assert summary["raised"] == 200, summary
        # What throws does not return, nor does what waits for ever.
        assert counts["'Elixir.Shop'"] == {"'Elixir.Shop':%s" % name: number for name, number in (
            ("work/0", 1), ("order/1", 100), ("price/1", 200), ("digest/1", 100), ("set/1", 100), ("factorial/1", 600),
            ("catch_fail/1", 100), ("catch_it/1", 100), ("'-work/0-fun-%d-'/2" % (vm.otp == 25), 100))}, counts
        assert counts["crypto"]["crypto:hash/2"] == counts["array"]["array:from_list/1"] == 100, counts


@over(VMS)
def test_calls_of_rabbitmq_are_those_that_the_vm_counts(vm):
    with rabbitmq(vm) as (node, work):
        work()
        for module in OF_RABBITMQ:
            counts, summary = counted(node, work, module, module + ":*")
            assert sum(counts.values()) > 2000, (module, counts)
            if module == "rabbit_reader":
                # It calls itself as its last act as long as there is a connection, and does not return.
                assert summary["tail"] > 100 and "rabbit_reader:mainloop/4" not in counts, (counts, summary)
        said = erlbpf("calls", "*:*", "--via", "vm", "-p", node.pid, "-d", "1", code=3)[1]
        assert int(re.search(r"are (\d+) functions, and 1000 at most can have breakpoints", said)[1]) > 10000, said
        assert_shown(node, "rabbit_misc:r", '<<"/">>', "queue", '<<"a queue">>')
        assert_shown(node, "rabbit_misc:protocol_error", "not_found", '"no ~s"', '["queue"]')
        assert_shown(node, "rabbit_password_hashing_sha256:hash", '<<"secret">>')
        assert_lasts(node, "rabbit_password_hashing_sha256:hash", "binary:copy(<<1>>, 8000000)")


@over(VMS)
def test_arguments_and_results_of_an_elixir_application_are_those_that_the_node_prints(vm):
    with shop(vm) as node:
        assert_shown(node, "'Elixir.Shop':echo", "#{a => [1.5, -3], \"b\" => {}}", '<<"t\\x{e9}xt", 0>>')
        assert_shown(node, "'Elixir.Shop':fail", "{a, #{b => 12345678901234567890}}")
        assert_shown(node, "'Elixir.Shop':factorial", "25")
        assert_shown(node, "'Elixir.Enum':sum", "[1, 2, 3]")
        assert_shown(node, "array:from_list", "[c, b, a]")
        assert_shown(node, "crypto:hash", "md5", '"abc"')


@over(VMS)
def test_calls_of_an_elixir_application_last_as_long_as_the_node_says(vm):
    with shop(vm) as node:
        assert_lasts(node, "'Elixir.Shop':slow", "150000")
        assert_lasts(node, "'Elixir.Shop':slow_recursion", "3", "100000")
        assert_lasts(node, "'Elixir.Shop':slow_failure", "150000")
        assert_lasts(node, "'Elixir.Enum':sort", "[erlang:phash2(N) || N <- lists:seq(1, 30000)]")
        assert_lasts(node, "crypto:hash", "sha256", "binary:copy(<<1>>, 8000000)")
