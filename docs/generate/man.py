"""The generated parts of the man pages in docs/man/, in scdoc. They stand between comments that name them."""
import re

from places import fill, read

PLACE = re.compile(r"(?P<begin>; begin of (?P<part>\S+), made by `make docs`\n).*?(?P<end>; end of (?P=part)\n)", re.S)
PAGES = ("erlbpf", "erlbpf-export", "erlbpf-profile")
LIST_WIDTH = 110


def escaped(text):
    return re.sub(r"[\\*_~<#\[\]|`+]", r"\\\g<0>", text)


def sentence(text):
    return text[0].upper() + escaped(text[1:])


def listed(words, last):
    """"a, b and c"."""
    return words[0] if len(words) == 1 else "%s %s %s" % (", ".join(words[:-1]), last, words[-1])


# --- Options -------------------------------------------------------------------------------------------------------

def argument(text):
    """The words of "PID[,PID]" are underlined."""
    return "".join("_%s_" % part if part.isalnum() else escaped(part)
                   for part in re.findall(r"[a-zA-Z0-9]+|[^a-zA-Z0-9]", text))


def title(option):
    name = "*--%s*" % option["name"] if option["name"] else ""
    if option["spelled"]:
        first, space, rest = option["spelled"].partition(" ")
        return "*%s*%s%s" % (first, argument(space + rest), name)
    letter = "*-%s*" % option["letter"] if option["letter"] else ""
    value = " " + argument(option["argument"]) if option["argument"] else ""
    return letter + (", " if letter and name else "") + name + value


def indented(text):
    """Each line behind a tab; empty ones part paragraphs."""
    return "".join("\t%s\n" % line if line else "\n" for line in text.splitlines())


def options(table):
    for option in table:
        choices = [choice["name"] for choice in option["choices"]]
        if option["section"]:
            yield "## %s\n\n" % option["section"]
        yield title(option) + "\n"
        if option["manual"]:
            yield indented(option["manual"])
        else:
            yield "\t%s%s.\n" % (sentence(option["help"]), " " + listed(choices, "or") if choices else "")
        yield "\n"


def profile_options(what):
    yield from options(what["options"]["profile"])
    yield from options(what["options"]["profile_show"])


def x_options(what):
    yield "[[ *Option*\n:- *Meaning*\n"
    for option in what["d"]["options"]:
        if not option["has_effect"]:
            continue
        value = option["value"]
        if value:
            value = "=" + (value.replace(" ", "|") if " " in value else "_%s_" % value)
        yield "|[ %s%s\n:[ %s%s\n" % (option["name"], value, escaped(option["help"]),
                                      "; setopt()" if option["can_change"] else "")
    yield "\n"


# --- Commands ------------------------------------------------------------------------------------------------------

def summary(command, words):
    return "*%s*%s%s\n\t%s.\n\n" % (command["name"], " " if words else "", escaped(words), sentence(command["summary"]))


def description(text):
    """Text with lines of its own: behind tabs; what is indented already stays as it is."""
    is_literal = False
    for line in text.splitlines():
        if line and line.startswith(" ") != is_literal:
            yield "\t```\n"
            is_literal = not is_literal
        if not line or is_literal:
            yield "\t%s\n" % line if line else "\n"
        else:
            yield "\t%s%s\n" % ("\\" if line[0] in "-.;" else "", escaped(line))
    if is_literal:
        yield "\t```\n"


def own_words(tool):
    """Without what is the same for all: options, the interval and the count."""
    return tool["usage"].removeprefix("[OPTIONS] ").removesuffix("[interval [count]]").strip()


def own_options(tool, what):
    """"--by pid or name; --min"."""
    tools = {tool["name"] for tool in what["tools"]}
    shown = []
    for option in what["options"]["erlbpf"]:
        if tool["name"] not in option["commands"] or tools <= set(option["commands"]):
            continue
        choices = [choice["name"] for choice in option["choices"] if tool["name"] in choice["commands"]]
        shown.append("*--%s*%s" % (option["name"], " " + listed(choices, "or") if choices else ""))
    return "\n\tOptions, in addition to those of all tools: %s.\n" % "; ".join(shown) if shown else ""


def commands(what):
    for tool in what["tools"]:
        yield summary(tool, own_words(tool))
        yield from description(tool["description"])
        yield own_options(tool, what) + "\n"
    for command in what["commands"]:
        yield summary(command, command["usage"])
        yield from description(command["description"])
        yield "\n"


# --- Lists ---------------------------------------------------------------------------------------------------------

def glossary(what):
    for row in what["glossary"]:
        yield "*%s*\n\t%s.\n\n" % (row["term"], sentence(row["meaning"]))


def export_tools(what):
    lines = [""]
    for word in listed(what["agent_tools"], "and").replace(" and ", " and\0").split(" "):
        word = word.replace("\0", " ")
        if lines[-1] and len(lines[-1]) + len(word) > LIST_WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    yield "\n".join(lines) + ".\n\n"


# --- The pages -----------------------------------------------------------------------------------------------------

PARTS = {
    "commands": commands,
    "glossary": glossary,
    "options": lambda what: options(what["options"]["erlbpf"]),
    "d-options": lambda what: options(what["options"]["dtrace"]),
    "x-options": x_options,
    "export-options": lambda what: options(what["options"]["export"]),
    "profile-options": profile_options,
    "export-tools": export_tools,
}


def page(path, what):
    return fill(path, PLACE, read(path), lambda match: "".join(PARTS[match.group("part")](what)))


def pages(what):
    paths = ["docs/man/%s.8.scd" % name for name in PAGES]
    return {path: page(path, what) for path in paths}
