"""The reference of functions, variables and options in docs/d-language.md, and its differences from DTrace."""
import re

import differences
from places import fill, read

PATH = "docs/d-language.md"
REFERENCE = re.compile(r"(?P<begin><!-- d reference: made by `make docs` -->\n).*?(?P<end><!-- end of d reference -->)", re.S)
DIFFERENCES = re.compile(r"(?P<begin><!-- differences: made by `make docs` -->\n).*?(?P<end><!-- end of differences -->)", re.S)
TITLES = {"action": "Actions", "aggregating": "Aggregating functions", "subroutine": "Subroutines"}


def prototype(function):
    """"string(string, int)" as "string NAME(string, int)"."""
    result, parenthesis, arguments = function["prototype"].partition("(")
    return "`%s %s%s%s`" % (result, function["name"], parenthesis, arguments)


def function_section(function):
    is_destructive = function["is_destructive"]
    yield "#### %s\n\n%s: %s%s\n\n" % (function["name"], prototype(function), function["doc"],
                                       "; needs `-w`" if is_destructive else "")
    if function["example"]:
        yield "```d -q%s\n%s\n```\n\n" % (" -w" if is_destructive else "", function["example"])
        if function["prints"] is not None:
            yield "```\n%s```\n\n" % function["prints"]


def functions(all_of_them):
    for kind, title in TITLES.items():
        yield "### %s\n\n" % title
        for function in all_of_them:
            if function["kind"] == kind:
                yield from function_section(function)


def variables(all_of_them):
    yield "### Built-in variables\n\n| name | type | |\n|---|---|---|\n"
    for variable in all_of_them:
        yield "| `%s` | %s | %s |\n" % (variable["name"], variable["type"] or "", variable["doc"])
    yield "\n"


def options(all_of_them):
    yield "### Options of -x\n\n| option | |\n|---|---|\n"
    for option in all_of_them:
        if option["has_effect"]:
            value = option["value"].replace(" ", "\\|")
            yield "| `%s%s%s` | %s |\n" % (option["name"], "=" if value else "", value, option["help"])
    yield "\nAccepted so that existing scripts run, but without effect:"
    for option in all_of_them:
        if not option["has_effect"]:
            yield "\n`%s`" % option["name"]
    yield ".\n\n"


def reference(d):
    return "".join([*functions(d["functions"]), *variables(d["variables"]), *options(d["options"])])


def page(d):
    text = fill(PATH, REFERENCE, read(PATH), lambda _: reference(d))
    return fill(PATH, DIFFERENCES, text, lambda _: differences.markdown() + "\n")
