"""Results as a table for the terminal and as the page docs/bench/README.md."""
import machine


def number(value, digits):
    return "{:,.{}f}".format(value, digits)


def cell(row, column):
    value = row["values"].get(column["name"])
    return number(value["median"], column["digits"]) if value else ""


def ratio(row):
    return "" if row["ratio"] is None else "%.2f" % row["ratio"]


def spread(row, columns):
    """How far the runs of the first column lie apart, in percent of the median."""
    value = row["values"].get(columns[0]["name"])
    return "" if not value or not value["median"] or row["runs"] < 2 else "%.0f" % (
        100 * (value["max"] - value["min"]) / abs(value["median"]))


def shown(section):
    """The columns that any row of a section has."""
    return [column for column in section["columns"]
            if any(column["name"] in row["values"] for row in section["rows"])]


def table(section):
    """Lists of texts: the head, then the rows."""
    columns = shown(section)
    yield [""] + [column["unit"] for column in columns] + ["ratio", "spread %"]
    for row in section["rows"]:
        yield [row["name"]] + [cell(row, column) for column in columns] + \
            [ratio(row), spread(row, section["columns"])]


def failures(section):
    """What is said below the table."""
    return ["Not measured: %s: %s" % (row["name"], row["failed"]) for row in section["rows"] if row["failed"]]


BUSY = 0.5


def state(result):
    """What to know before anything is believed."""
    lines = [] if result["complete"] else ["not complete: it was stopped"]
    if result["machine"]["load"] > BUSY:
        lines.append("the machine did other work (load average %.1f): these figures are no more than an example" %
                     result["machine"]["load"])
    return lines


def as_text(result):
    lines = machine.describe(result["machine"]) + state(result)
    for section in result["sections"]:
        lines += ["", section["title"] + (": " + section["failed"] if section.get("failed") else "")]
        if section["rows"]:
            lines += aligned(list(table(section))) + failures(section)
    return "\n".join(lines)


def aligned(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]).rstrip()
            for row in rows]


def as_markdown(result, groups):
    """The page: how to read it, the machine, and a table for each section."""
    lines = [HEAD.strip(), ""] + ["* " + line for line in machine.describe(result["machine"])]
    lines += ["* %s of %.0f minutes" % ("a quick run" if result["scale"] != "full" else "a run", result["seconds"] / 60)]
    lines += ["* " + line for line in state(result)]
    lines += ["", "![the chart](chart.svg)"]
    for group in groups:
        sections = [section for section in result["sections"] if section["group"] == group.NAME]
        if sections:
            lines += ["", "## " + group.TITLE, "", group.ABOUT]
        for section in sections:
            lines += markdown_section(section, len(sections) > 1)
    return "\n".join(lines) + "\n"


def earlier(section):
    """What to know of the run, if it was an older one than the page's."""
    run = section.get("run")
    return [] if not run else [
        "", "Of an earlier run: %s; a hit of an empty probe %.0f ns; load average at the start %.1f; %s." % (
            run["erlbpf"], run["trap_ns"], run["load"], run["date"])]


def markdown_section(section, with_title):
    lines = ["", "### " + section["title"]] if with_title else []
    lines += earlier(section)
    if section.get("failed"):
        lines += ["", "Not measured: " + section["failed"]]
    rows = list(table(section)) if section["rows"] else []
    for i, row in enumerate(rows):
        lines += [""] if not i else []
        lines.append("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |")
        lines += ["|---" + "|---:" * (len(row) - 1) + "|"] if not i else []
    for line in failures(section):
        lines += ["", line]
    return lines


HEAD = """
# Speed and cost

`make bench` writes this page, [results.json](results.json) and the chart. It measures erlbpf, and in the same run bpftrace
and Erlang's own tracing where they answer the same question. It takes about an hour, as root, on a machine that does
nothing else; `make bench QUICK=1` takes two minutes, and writes to `build/bench`.

Each figure is the median of several runs. The rows of a table are measured in turn, so that a disturbance falls on all of
them alike. "ratio" compares the first column of a row with the first row of its table, or with the first that answers the
same question; "spread %" is how far apart the runs of a row were. A difference smaller than the spread says nothing.

A hit of a probe costs most where the kernel does most: a breakpoint takes from 0.5 to 6 us, by machine, whatever the
tracer then does. So the machine and its cost of an empty probe come first, and `make bench-compare OLD=FILE` compares
these results with older ones only if CPU, cores and kernel are the same and an empty probe costs nearly the same.

This run:
"""
