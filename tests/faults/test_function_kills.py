"""SIGKILL while Erlang functions are traced with --via vm: of erlbpf at every moment, of the process that speaks with the
node, of the one on the node that guards. Every time no breakpoint of the VM stays, and the node works on.

`make test-faults` kills 1,000 times on each VM, a sample 16 times."""
import os
import re
import signal
import time

from inject import IS_WHOLE
from lib import BUDGET, ERLBPF, LIMIT, Process, children_of, name_of, over, wait_line, wait_until
from test_kills import GOLDEN, end_by_kill
from test_functions import STOCK_ONES, assert_clean, start

SAMPLE = 100  # one in so many, and one of each
FEW, MANY = "called:leaf/1", "lists:*"
WATCHDOG = re.compile(r"process (<[0-9.]+>) of the node removes them")


class Tracer(Process):
    """erlbpf in a session of its own."""

    def __init__(self, scene, env=None):
        argv = [ERLBPF, "calls", scene.pattern, "--via", "vm", "-v", "-p", str(scene.node.pid)]
        super().__init__(argv, stderr=-1, env=env or dict(os.environ), start_new_session=True)
        self.said = ""

    def wait_for(self, word):
        while word not in self.said:
            line = wait_line(self.child.stderr)
            assert line, "erlbpf ended (%s): %s" % (self.child.wait(LIMIT), self.said[-400:])
            self.said += line

    def end(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.communicate(timeout=LIMIT)
        self.close()


class Scene:
    def __init__(self, vm, pattern):
        self.vm, self.pattern = vm, pattern
        self.start_node()
        self.start_s, self.end_s = max(self.peaceful() for _ in range(2))

    def start_node(self):
        self.node = start(self.vm)
        self.node.eval("P ! busy")

    def peaceful(self):
        """How long starting and ending take if nothing is killed."""
        begin = time.monotonic()
        tracer = Tracer(self)
        tracer.wait_for("Tracing")
        live = time.monotonic()
        tracer.end()
        return live - begin, time.monotonic() - live


def kill_at_any_time(scene, part, group=False):
    tracer = Tracer(scene)
    time.sleep(part * scene.start_s * 1.3)
    end_by_kill(tracer, group)


def kill_while_it_ends(scene, part):
    tracer = Tracer(scene)
    tracer.wait_for("Tracing")
    tracer.child.send_signal(signal.SIGTERM)
    time.sleep(part * scene.end_s * 1.3)
    end_by_kill(tracer)


def kill_within_the_budget(scene, part):
    """While it takes breakpoints away and sets them again."""
    tracer = Tracer(scene, dict(os.environ, **BUDGET))
    tracer.wait_for("Tracing")
    time.sleep(part)
    end_by_kill(tracer)


def speakers_of(tracer):
    return [child for child in children_of(tracer.pid) if name_of(child) == "erlbpf-dist"]


def kill_the_connection(scene, part):
    """At any moment of its life: it is there before erlbpf is ready."""
    tracer = Tracer(scene)
    wait_until("it speaks with the node", lambda: speakers_of(tracer))
    time.sleep(part * scene.start_s)
    for speaker in speakers_of(tracer):
        os.kill(speaker, signal.SIGKILL)
    tracer.end()


def kill_the_watchdog(scene, part):
    tracer = Tracer(scene)
    tracer.wait_for("of the node removes them")
    time.sleep(part * scene.start_s)
    scene.node.eval('exit(list_to_pid("%s"), kill)' % WATCHDOG.search(tracer.said)[1])
    tracer.end()


def kill_while_code_is_new(scene, part):
    tracer = Tracer(scene)
    tracer.wait_for("Tracing")
    scene.node.eval("spawn(fun() -> code:purge(called), code:load_file(called), code:purge(called) end), ok")
    time.sleep(part * 0.05)
    end_by_kill(tracer)
    scene.node.eval("P%d = called:start(), P%d ! busy, ok" % ((part * 1e9,) * 2))


def end_the_node(scene, part):
    """It starts anew under its name."""
    tracer = Tracer(scene)
    time.sleep(part * scene.start_s * 1.3)
    scene.node.kill()
    scene.node.close()
    tracer.child.communicate(timeout=LIMIT)
    tracer.close()
    scene.start_node()


HOWS = {
    kill_at_any_time: 300,
    lambda scene, part: kill_at_any_time(scene, part, group=True): 100,
    kill_while_it_ends: 200,
    kill_within_the_budget: 50,
    kill_the_connection: 150,
    kill_the_watchdog: 100,
    kill_while_code_is_new: 50,
    end_the_node: 50,
}
assert sum(HOWS.values()) == 1000


@over(STOCK_ONES)
def test_a_kill_leaves_no_breakpoint_of_the_vm(vm):
    for pattern in FEW, MANY:
        scene, kills = Scene(vm, pattern), 0
        for how, times in HOWS.items():
            for i in range(times // 2 if IS_WHOLE else max(1, times // SAMPLE // 2)):
                how(scene, (i + 1) * GOLDEN % 1)
                assert scene.node.is_alive(), "the node died: %s" % how
                assert_clean(scene.node)
                kills += 1
        print("        %s: %d kills; to start: %.0f ms, to end: %.0f ms" %
              (pattern, kills, 1e3 * scene.start_s, 1e3 * scene.end_s))
        assert scene.node.eval("1 + 1") == "2"
        scene.node.kill()
        scene.node.close()
