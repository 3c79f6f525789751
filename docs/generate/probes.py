"""docs/probes.md: every probe of the catalogue, with its arguments and its faults."""

HEAD = """\
# Probes

Generated from `probes/*.d` by `make docs`; do not edit. OTP defines the probes of the provider
`erlang`. erlbpf adds the probes of the provider `vm`, which it takes from functions of the VM.

On a VM without notes, functions also replace the probes of OTP: [translators.md](translators.md)
lists them with their accuracy. The word in parentheses after an argument is its kind.
"""
FAULTS = {
    "wrong": "Known to be wrong",
    "deny_always": "Refused without --unsafe",
    "deny_jit": "Refused under the JIT without --unsafe",
    "never": "Never fires",
    "emu_only": "Under the JIT",
    "note_only": "Without notes",
}


def name_of(probe):
    if probe["last"] is None:
        return probe["name"]
    return "%s%d … %s%d" % (probe["name"], probe["first"], probe["name"], probe["last"])


def argument(arg):
    between = "" if arg["type"].endswith("*") else " "
    return "`%s%s%s` (%s)" % (arg["type"], between, arg["name"], arg["kind"])


def section(probe):
    arguments = ", ".join(map(argument, probe["arguments"]))
    yield "\n### %s\n\n%s\n\n" % (name_of(probe), probe["doc"])
    yield "Arguments: %s.\n" % arguments if arguments else "No arguments.\n"
    for fault, title in FAULTS.items():
        if probe["faults"][fault]:
            yield "\n*%s:* %s\n" % (title, probe["faults"][fault])


def page(catalogue):
    parts, provider = [HEAD], None
    for probe in catalogue:
        if probe["provider"] != provider:
            provider = probe["provider"]
            parts.append("\n## Provider %s\n" % provider)
        parts += section(probe)
    return "".join(parts)
