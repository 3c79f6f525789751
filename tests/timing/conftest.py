"""Tests of this folder measure time. They run on a machine that does nothing else, or not at all."""
import time

import pytest

MOST_BUSY = 0.1  # of all CPUs' time, by others, while nothing of ours runs
LOOK_S = 2


def busy_share():
    """How much of the CPUs' time is used."""
    def read():
        with open("/proc/stat", encoding="ascii") as stat:
            times = [int(word) for word in stat.readline().split()[1:]]
        return sum(times) - times[3] - times[4], sum(times)

    used, total = read()
    time.sleep(LOOK_S)
    used_then, total_then = read()
    return (used_then - used) / max(1, total_then - total)


def pytest_collection_modifyitems(config, items):
    if not any("timing" in item.path.parts for item in items):
        return
    if hasattr(config, "workerinput"):
        pytest.exit("tests of time run one after the other: without -n", 2)
    share = busy_share()
    if share > MOST_BUSY:
        pytest.exit("this machine is busy (%.0f %% of its CPUs): what tests of time would say is not known. Run them again when it is idle"
                    % (100 * share), 2)
