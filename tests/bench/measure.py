"""Rows and how they are measured: all rows of a section in turn, several times, so that what else the machine does falls on
all of them alike. Each row has a bound on its time, each group of sections another; a row that fails keeps its reason."""
import contextlib
import signal
import statistics
import sys
import time

import lib


class Column:
    """One figure of a row. `better` is "less" or "more", or None for what is only said."""

    def __init__(self, name, unit, better="less", digits=0):
        self.name, self.unit, self.better, self.digits = name, unit, better, digits


NOTHING = "nothing"


class Row:
    """`take()` measures once: {name of a column: number}. The ratio is that of the first column to the row `base`, or to the
    section's first row; beside NOTHING there is none. `limit` is the bound on one take, in seconds."""

    def __init__(self, name, take, base=None, limit=60, runs=None):
        self.name, self.take, self.base, self.limit, self.runs = name, take, base, limit, runs


class Scale:
    """How much is measured. Sizes say which of a group's sizes: all, or a few."""

    def __init__(self, name, runs, ms, hits, share):
        self.name, self.runs, self.ms, self.hits, self.share = name, runs, ms, hits, share

    def sizes(self, all_sizes, quick, sample):
        return {"full": all_sizes, "quick": quick, "sample": sample}[self.name]

    def table(self, rows, quick=None):
        """Of a table of rows, all or the first ones."""
        return rows if self.name == "full" else rows[:quick]


# share: of a group's budget.
SCALES = {
    "full": Scale("full", runs=3, ms=500, hits=1000000, share=1),
    "quick": Scale("quick", runs=1, ms=200, hits=100000, share=0.1),
    "sample": Scale("sample", runs=1, ms=50, hits=10000, share=1),
}


class TooLong(Exception):
    """A row has used up its time."""


@contextlib.contextmanager
def time_limit(seconds):
    def ring(*_):
        raise TooLong("not measured within %d s" % seconds)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def end_since(before):
    """End what a row that failed has left running."""
    for process in [process for process in lib.started if process not in before]:
        process.kill()
        process.close()


def reason(error):
    return " ".join(str(error).split())[:200] or type(error).__name__


class Taken:
    """What has been measured of a row."""

    def __init__(self, row):
        self.row, self.runs, self.failed = row, [], None

    def take(self):
        before = list(lib.started)
        try:
            with time_limit(self.row.limit):
                self.runs.append(self.row.take())
        except Exception as error:
            self.failed = reason(error)
            end_since(before)

    def wants_more(self, runs):
        return not self.failed and len(self.runs) < min(runs, self.row.runs or runs)

    def values(self):
        """Per column: median, least, most."""
        columns = {}
        for run in self.runs:
            for name, value in run.items():
                columns.setdefault(name, []).append(value)
        return {name: {"median": statistics.median(values), "min": min(values), "max": max(values)}
                for name, values in columns.items()}


class Progress:
    def __init__(self):
        self.begin = time.monotonic()

    def __call__(self, text):
        print("[%5.0f s] %s" % (time.monotonic() - self.begin, text), file=sys.stderr, flush=True)


def measure_section(section, scale, seconds, tell, changed):
    """Fills in the section, calls `changed` after each row, and says how many of the seconds were not needed."""
    taken = [Taken(row) for row in section["todo"]]
    deadline = time.monotonic() + seconds
    for run in range(scale.runs):
        for one in taken:
            if one.wants_more(run + 1) and time.monotonic() < deadline:
                tell("%s, run %d of %d: %s" % (section["title"], run + 1, scale.runs, one.row.name))
                one.take()
                if one.failed:
                    tell("  failed: " + one.failed)
                section["rows"] = rows_of(taken, section["columns"])
                changed()
    for one in taken:
        if not one.runs and not one.failed:
            one.failed = "no time was left"
    section["rows"] = rows_of(taken, section["columns"])
    return deadline - time.monotonic()


def rows_of(taken, columns):
    """As they are kept: with the ratio of the first column to the row that each is compared with."""
    main = columns[0].name
    rows = [{"name": one.row.name, "base": one.row.base or taken[0].row.name, "runs": len(one.runs), "failed": one.failed,
             "values": one.values()} for one in taken]
    medians = {row["name"]: row["values"][main]["median"] for row in rows if main in row["values"]}
    for row in rows:
        base = medians.get(row["base"])
        row["ratio"] = medians[row["name"]] / base if base and row["name"] in medians else None
    return rows


def measure_group(group, scale, tell, changed):
    """A list of sections, each a dict that can be kept as JSON; `changed(sections)` after each row. The budget is for the
    rows, and what a section does not need of its part is for the next; starting nodes for them is not counted."""
    left = group.BUDGET * scale.share
    done, todo = [], group.sections(scale)
    for i, make in enumerate(todo):
        section = {"group": group.NAME, "title": group.TITLE, "columns": group.COLUMNS, "rows": []}
        done.append(section)
        before = list(lib.started)
        try:
            with make() as (title, rows):
                section["title"], section["todo"] = title, rows
                part = left / (len(todo) - i)
                left -= part - measure_section(section, scale, part, tell, lambda: changed([kept(one) for one in done]))
        except Exception as error:
            section["failed"] = reason(error)
            tell("  failed: " + section["failed"])
            end_since(before)
    return [kept(section) for section in done]


def kept(section):
    section = {name: value for name, value in section.items() if name != "todo"}
    section["columns"] = [vars(column) for column in section["columns"]]
    return section
