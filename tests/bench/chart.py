#!/usr/bin/python3
"""chart.py RESULTS: the results as one SVG picture: costs as bars, growth as lines. It is the same for the same results, and readable on a light and
on a dark page: what is drawn in INK takes the colour that the page's theme wants."""
import io
import json
import re
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402 (only after the backend is chosen)

INK = "#010203"
STYLE = "<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #d1d7e0 } }</style>"
COLOURS = {"erlbpf": "#2f81f7", "bpftrace": "#d18616", "Erlang": "#a371f7", "kernel": "#7d8590"}
SETTINGS = {
    "svg.hashsalt": "erlbpf", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 8,
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9, "axes.titleweight": "bold",
    "axes.titlelocation": "left",
}
# group, title, label of the axis: bars, one for each row
BARS = [
    ("hits", "Cost of one hit", "ns"),
    ("stream", "Events a second without loss", "events/s"),
    ("pingpong", "Ping-pong under each question", "share of the untraced node's rate"),
    ("rabbit", "RabbitMQ under each question", "share of the untraced node's rate"),
]
# group, title, column, label of the axis, label of the other: lines, one for each section
LINES = [
    ("keys", "Cost by number of keys", "ns", "keys", "ns per hit"),
    ("sites", "Start by number of sites", "start", "sites", "ms"),
    ("nodes", "Cost by number of nodes", "ns", "nodes", "ns per hit"),
    ("processes", "top by number of processes", "table", "processes", "ms of CPU per table"),
]
SHARES = ("pingpong", "rabbit")


def who(text):
    for name in ("Erlang", "bpftrace", "erlbpf"):
        if name in text:
            return name
    return "kernel"


def sections(result, group):
    return [section for section in result["sections"] if section["group"] == group]


def value(section, row, column=None):
    found = row["values"].get(column or section["columns"][0]["name"])
    return found["median"] if found else None


def amount(text):
    """The number that a row's name or a section's title is about: 10^6 keys, 50 nodes."""
    found = re.search(r"10\^(\d+)", text)
    return 10 ** int(found.group(1)) if found else int(re.search(r"\d+", text).group())


def bars_of(result, group):
    """(name, number) of the rows of a group's first section, or for streams of all."""
    picked = sections(result, group)[:None if group == "stream" else 1]
    for section in picked:
        for row in section["rows"]:
            number = row["ratio"] if group in SHARES else value(section, row)
            if number is not None and row["name"] != "untraced":
                yield row["name"], number


def lines_of(result, group, column):
    """{name: [(x, y)]}: of a group whose rows are sizes, or whose sections are."""
    lines = {}
    for section in sections(result, group):
        by_section = bool(re.search(r"10\^\d+$", section["title"]))
        for row in section["rows"]:
            y = value(section, row, column)
            if y is None:
                continue
            name = row["name"] if by_section else section["title"].split(", ", 1)[-1]
            lines.setdefault(name, []).append((amount(section["title"] if by_section else row["name"]), y))
    return lines


def draw_bars(axes, title, label, bars):
    names = [name for name, _ in bars]
    axes.barh(range(len(bars)), [number for _, number in bars], color=[COLOURS[who(name)] for name in names], height=0.7)
    axes.set_yticks(range(len(bars)), names)
    axes.invert_yaxis()
    axes.set_title(title)
    axes.set_xlabel(label)
    axes.margins(y=0.01)


def draw_lines(axes, title, labels, lines):
    for mark, (name, points) in zip("osD^vx*P" * 4, lines.items()):
        axes.plot(*zip(*sorted(points)), label=name, color=COLOURS[who(name)], marker=mark, markersize=4)
    axes.set_xscale("log")
    sizes = sorted({x for points in lines.values() for x, _ in points})
    axes.set_xticks(sizes, ["{:,}".format(size) for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, 1.1 * max(y for points in lines.values() for _, y in points) or 1)
    axes.set_title(title)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))


def panels(result):
    """(height in inches, how to draw it) of each that has anything."""
    for group, title, label in BARS:
        bars = list(bars_of(result, group))
        if bars:
            yield 0.8 + 0.17 * len(bars), lambda axes, a=(title, label, bars): draw_bars(axes, *a)
    for group, title, column, *labels in LINES:
        lines = lines_of(result, group, column)
        if lines:
            yield 2.6, lambda axes, a=(title, labels, lines): draw_lines(axes, *a)


def svg(result):
    """The text of the picture."""
    drawn = list(panels(result))
    with matplotlib.rc_context(SETTINGS):
        heights = [height for height, _ in drawn] or [1]
        figure, all_axes = pyplot.subplots(len(heights), 1, figsize=(9, sum(heights)), squeeze=False,
                                           gridspec_kw={"height_ratios": heights}, layout="constrained")
        for (_, draw), axes in zip(drawn, all_axes[:, 0]):
            draw(axes)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    return re.sub(r"(<svg [^>]*>)", r"\1\n " + STYLE, text.getvalue().replace(INK, "currentColor"), count=1)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as results:
        sys.stdout.write(svg(json.load(results)))
