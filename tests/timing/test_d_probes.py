"""D's clocks fire as often as they say; a whole process is listed and probed in seconds."""
import os
import time

from lib import STOCK, Node
from test_d_probes import BusyCpus, Script, need_root, pid_of, run, table


def test_clocks_of_every_unit_fire_as_often_as_they_say():
    need_root()
    with BusyCpus():
        out, code = run("-q", "-n", """
        tick-5ms { @["ms"] = count(); } tick-100hz { @["hz"] = count(); } tick-20000us { @["us"] = count(); }
        tick-50000000ns { @["ns"] = count(); } tick-1s { exit(0); }
        profile-100 { @["profile"] = count(); @in[arg0 ? "kernel" : "user", arg0 && arg1 ? "both" : "one"] = count(); }
        """)
    seen = table(out)
    assert code == 0, out
    for name, wanted in (("ms", 200), ("hz", 100), ("us", 50), ("ns", 20)):
        assert wanted * 0.5 <= seen[name] <= wanted * 1.1, out
    assert seen["profile"] >= 60 * len(os.sched_getaffinity(0)), out
    assert "both" not in out, out


def test_a_process_is_listed_and_probed_as_a_whole():
    need_root()
    with Node(STOCK) as node:
        pid = pid_of(node)
        start = time.monotonic()
        out, code = run("-ln", "pid%s:::entry" % pid)
        assert code == 0 and out.count("\n") > 9000, out[-300:]
        assert time.monotonic() - start < 5
        with Script("pid$target:beam.smp::entry { @ = count(); }", "-p", pid) as script:
            node.eval("lists:seq(1, 10)")
            start = time.monotonic()
            out = script.stop()
            assert time.monotonic() - start < 10
        assert int(out.split()[-1]) > 100, out


def test_an_interrupt_ends_it_without_delay():
    need_root()
    with Script("tick-10ms { @ = count(); }") as script:
        time.sleep(0.3)
        start = time.monotonic()
        out = script.stop()
    assert int(out.split()[-1]) > 10 and time.monotonic() - start < 2, out
