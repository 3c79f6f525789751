"""What the tests of erlbpf add to pytest: the cases of lib.over(), tests that run alone, durations, and the closing line.

Tests run in parallel (`pytest -n 4 --dist loadgroup`): any test may run beside any other, but those marked
lib.alone(). Tests of one file on one VM run in one worker, so that they can share a node (lib.shared()). The longest
groups start first, by the durations of the last run (build/durations.json)."""
import collections
import contextlib
import fcntl
import inspect
import json
import os
import re

import lib
import pytest

DURATIONS = os.path.join(lib.BUILD, "durations.json")
GROUP = r"@test_\w+\.py:\S*$"  # that xdist adds to the name of a test
IS_AWAITED = "ERLBPF_AWAITED" in os.environ  # see AWAITED of vms/matrix.py
UNKNOWN_S = 1  # how long a test takes that never ran


def read_durations():
    with contextlib.suppress(OSError, ValueError), open(DURATIONS, encoding="utf-8") as file:
        return json.load(file)
    return {}


def pytest_generate_tests(metafunc):
    """A test that is marked with lib.over() takes its case as its first argument."""
    cases = getattr(metafunc.function, "cases", None)
    if cases is not None:
        first = next(iter(inspect.signature(metafunc.function).parameters))
        metafunc.parametrize(first, cases, ids=str)


def vm_of(item):
    """The VM that the case of a test names, or ""."""
    case = item.callspec.id.split(",")[0] if hasattr(item, "callspec") else ""
    return case if lib.names_vm(case) else ""


def is_wanted(item):
    """Tests of a VM run where that VM is wanted; all other tests run in `make test`."""
    wanted = {vm.name for vm in lib.WITH_NEWEST} | (set() if lib.IS_ONE_VM else {""})
    return vm_of(item) in wanted


def group_of(item):
    return "%s:%s" % (os.path.basename(str(item.path)), vm_of(item))


def is_alone(item):
    return item.get_closest_marker("alone") is not None


# Before xdist's own hook, which writes the group into the name of the test.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    unwanted = [item for item in items if not is_wanted(item)]
    items[:] = [item for item in items if is_wanted(item)]
    config.hook.pytest_deselected(items=unwanted)
    if IS_AWAITED:
        for item in items:
            item.add_marker(pytest.mark.xfail(reason="this VM cannot give the whole result yet", strict=False))
    # All workers must collect in the same order, so they have the durations from the process that starts them.
    sort(items, config.workerinput["durations"] if hasattr(config, "workerinput") else read_durations())


def sort(items, durations):
    """The longest groups first, tests that are alone last. The tests of a group stay in their order."""
    seconds = collections.Counter()
    for item in items:
        if not is_alone(item):
            seconds[group_of(item)] += durations.get(item.nodeid, UNKNOWN_S)
            item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=lambda item: (1, 0, "") if is_alone(item) else (0, -seconds[group_of(item)], group_of(item)))


@pytest.fixture(autouse=True)
def turn(request):
    """Tests hold a lock together; one that is alone holds it for itself."""
    os.makedirs(lib.BUILD, exist_ok=True)
    with open(os.path.join(lib.BUILD, "turn.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if is_alone(request.node) else fcntl.LOCK_SH)
        yield


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Whatever a test started ends with it, and what it shares with its neighbours after the last of them."""
    lib.end_processes(but_shared=nextitem is not None and nextitem.path == item.path)


class Report:
    """Of the whole run: durations and the closing line. Workers have none."""

    def __init__(self):
        self.known = read_durations()
        self.verdicts = {}
        self.seconds = collections.Counter()

    def pytest_runtest_logreport(self, report):
        name = re.sub(GROUP, "", report.nodeid)
        self.seconds[name] += report.duration
        if report.failed or report.when == "call" or report.skipped:
            if self.verdicts.get(name) != "failed":
                self.verdicts[name] = report.outcome

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        """Of xdist, before a worker starts."""
        node.workerinput["durations"] = self.known

    def pytest_collectreport(self, report):
        if report.failed:
            self.verdicts[report.nodeid or "collection"] = "failed"

    def pytest_unconfigure(self):
        self.write_durations()
        count = collections.Counter(self.verdicts.values())
        print("%d passed, %d failed, %d skipped" % (count["passed"], count["failed"], count["skipped"]))

    def write_durations(self):
        known = dict(self.known)
        known.update((name, round(seconds, 2)) for name, seconds in self.seconds.items())
        with contextlib.suppress(OSError), open(DURATIONS + ".new", "w", encoding="utf-8") as file:
            json.dump(known, file, indent=0, sort_keys=True)
        with contextlib.suppress(OSError):
            os.rename(DURATIONS + ".new", DURATIONS)


def pytest_configure(config):
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.pluginmanager.register(Report())
