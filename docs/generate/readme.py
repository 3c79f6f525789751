"""The list of tools in README.md."""
import re

from places import fill, read

PLACE = re.compile(r"(?P<begin><!-- tools: made by `make docs` -->\n).*?(?P<end><!-- end of tools -->)", re.S)


def page(what):
    rows = "".join("| [%s](docs/tools.md#%s) | %s |\n" % (tool["name"], tool["name"], tool["summary"])
                   for tool in what["tools"])
    return fill("README.md", PLACE, read("README.md"), lambda _: "| tool | answers |\n|---|---|\n%s\n" % rows)
