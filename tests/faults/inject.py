"""erlbpf with a fault: build/inject (inject.c) makes the N-th of some system calls fail, or kills at that moment."""
import errno
import os
import select
import signal
import subprocess
import time

from lib import BUILD, ERLBPF, LIMIT, Process

INJECT = os.path.join(BUILD, "inject")
PROBE = "process-spawn"
LIVE = 'tick-1ms /!is_live/ { is_live = 1; printf("live\\n"); }'  # a clause of D that tells when all of them are in place
IS_WHOLE = "ERLBPF_SAMPLE" not in os.environ  # a sample of what `make test-faults` runs otherwise


class Faulty(Process):
    """One run of erlbpf. `live` is printed when its probes are in place. `report` has how often each of the system
    calls was made, once all of its processes have ended."""

    def __init__(self, calls, options, argv, live, env=None):
        reader, writer = os.pipe()
        self.report_fd = reader
        try:
            super().__init__([INJECT, "-s", str(writer)] + [str(o) for o in options] + [",".join(calls), ERLBPF] +
                             [str(a) for a in argv], stderr=subprocess.PIPE, pass_fds=[writer],
                             env=dict(os.environ, **(env or {})))
        finally:
            os.close(writer)
        self.printed = {self.child.stdout.fileno(): b"", self.child.stderr.fileno(): b""}
        self.live = live.encode()
        self.is_hung = False

    @property
    def out(self):
        return self.printed[self.child.stdout.fileno()].decode("utf-8", "replace")

    @property
    def err(self):
        return self.printed[self.child.stderr.fileno()].decode("utf-8", "replace")

    def is_live(self):
        return any(self.live in text for text in self.printed.values())

    def read(self, is_enough, limit):
        """Until both streams have ended: true then, or when it is enough."""
        end = time.monotonic() + limit
        streams = list(self.printed)
        while streams and not is_enough():
            ready = select.select(streams, [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                return False
            for stream in ready:
                more = os.read(stream, 1 << 16)
                self.printed[stream] += more
                if not more:
                    streams.remove(stream)
        return True

    def wait_live(self, limit=LIMIT):
        self.read(self.is_live, limit)
        return self.is_live()

    def finish(self, sig=None):
        """The exit code. One that does not end is killed."""
        if sig is not None and self.is_alive():
            self.child.send_signal(sig)
        if not self.read(lambda: False, LIMIT):
            self.is_hung = True
            self.child.kill()
        self.child.wait(LIMIT)
        return self.child.returncode

    def report(self):
        """Comes when no process of this run is left."""
        text = b""
        while select.select([self.report_fd], [], [], LIMIT)[0]:
            more = os.read(self.report_fd, 1 << 16)
            if not more:
                return {name: int(times) for name, times in map(str.split, text.decode().splitlines())}
            text += more
        raise AssertionError("a process of erlbpf is left after %d s" % LIMIT)

    def close(self):
        super().close()
        if self.report_fd is not None:
            os.close(self.report_fd)
        self.report_fd = None


def error_number(name):
    return getattr(errno, name)


def counted(calls, argv, live, while_live, env=None, options=()):
    """How often a run without a fault makes each of the calls."""
    with Faulty(calls, options, argv, live, env) as run:
        assert run.wait_live(), run.err
        while_live()
        assert run.finish(signal.SIGINT) == 0, run.err
        return run.report()
