"""erlbpf help --json: what scripts read of commands, tools, probes and D."""
import functools
import json
import os
import re
import unicodedata

import examples
from lib import ROOT, erlbpf, over


@functools.cache
def text():
    return erlbpf("help", "--json")[0]


@functools.cache
def described():
    return json.loads(text())


def names_in_help(tool):
    """Of the options that `erlbpf help TOOL` shows."""
    text = erlbpf("help", tool)[0]
    own, common = (re.search(r"^%s:\n((?: +.*\n)+)" % title, text, re.M)
                   for title in ("Options", "Common options .*"))
    shown = re.findall(r"^  +((?:-\w, )?--?[a-z][\w-]*)", own.group(1), re.M) if own else []
    return {name for names in shown for name in names.split(", ")} | set(re.findall(r"--?[\w-]+", common.group(1)))


def names_of(option):
    return {"--" + option["name"]} | ({"-" + option["letter"]} if option["letter"] else set())


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def test_help_json_is_one_line_without_control_characters():
    assert text().endswith("}\n")
    assert not [c for c in text()[:-1] if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
    assert described()["schema"] == 1


def test_help_json_has_the_tools_and_commands_of_help():
    help_text = erlbpf("help")[0]
    for title, key in (("Tools", "tools"), ("Other commands", "commands")):
        listed = re.search(r"^%s:\n((?:  .*\n)+)" % title, help_text, re.M).group(1)
        assert re.findall(r"^  (\S+) +(.*)$", listed, re.M) == [(row["name"], row["summary"]) for row in described()[key]]


@over(examples.tools())
def test_help_json_has_the_options_that_help_shows_for(tool):
    options = [option for option in described()["options"]["erlbpf"] if tool in option["commands"]]
    assert set().union(*map(names_of, options)) == names_in_help(tool)


def test_help_json_has_the_keys_of_by_that_a_tool_takes():
    keys = re.search(r"--by KEY +one result per (.*)", erlbpf("help", "gc")[0]).group(1)
    by = next(option for option in described()["options"]["erlbpf"] if option["name"] == "by")
    assert [key["name"] for key in by["choices"] if "gc" in key["commands"]] == re.split(", | or ", keys)


def test_help_json_has_every_probe_that_a_tool_names():
    catalogue = {probe["name"]: probe for probe in described()["probes"]}
    for tool in described()["tools"]:
        assert tool["probes"] or tool["probes_named"] or tool["name"] in ("top", "heap"), tool["name"]
        for used in tool["probes"]:
            assert max(used["arguments"], default=-1) < len(catalogue[used["name"]]["arguments"]), (tool["name"], used)


def test_the_page_of_help_json_has_every_key():
    with open(os.path.join(ROOT, "docs", "help-json.md"), encoding="utf-8") as file:
        documented = set(re.findall(r"`(\w+)`", file.read()))
    assert keys_of(described()) <= documented, keys_of(described()) - documented
