"""Compares two results, if they come from one machine."""
import json

import machine
from report import aligned, number


class Different(ValueError):
    """The results do not compare; the text says why."""


def load(path):
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    if not isinstance(result, dict) or result.get("schema") != 1:
        raise Different("%s: not a result of this version" % path)
    return result


def medians(result):
    """{(section, row): (column, median)} of each section's first column."""
    return {(section["title"], row["name"]): (section["columns"][0], row["values"][section["columns"][0]["name"]]["median"])
            for section in result["sections"] for row in section["rows"]
            if section["columns"][0]["name"] in row["values"]}


def check(old, new):
    reasons = machine.differences(old["machine"], new["machine"])
    if reasons:
        raise Different("these results are of different machines, and say nothing about each other: " + "; ".join(reasons))
    if old["scale"] != new["scale"]:
        raise Different("one is a %s run, the other a %s run" % (old["scale"], new["scale"]))


def compare(old, new):
    """Lines of a table: the first column of each row that both have."""
    check(old, new)
    before, after = medians(old), medians(new)
    rows = [["", "", "old", "new", "ratio"]]
    for key, (column, value) in after.items():
        if key in before and before[key][1]:
            was = before[key][1]
            rows.append(["%s: %s" % key, column["unit"], number(was, column["digits"]), number(value, column["digits"]),
                         "%.2f" % (value / was)])
    return aligned(rows)
