"""docs/translators.md: which function of the VM stands for a probe."""

HEAD = """\
# Translators: probes of VMs without notes

Generated from `probes/translators.def` by `make docs`; do not edit. A translator says which function
of the VM replaces a probe on a VM without notes. A probe with several rows fires at each of them.
*checked* lists the releases on which tests have run. *presumed* lists releases whose sources have the
same function with the same arguments, but on which no test has run.

| probe | function | checked | presumed | accuracy | missing arguments |
|---|---|---|---|---|---|
"""


def listed(releases):
    return ", ".join(map(str, releases))


def row(translator):
    return "| %s | %s of `%s` | %s | %s | %s | %s |\n" % (
        translator["probe"], translator["at"], translator["function"], listed(translator["otp_checked"]),
        listed(translator["otp_presumed"]), translator["accuracy"], translator["missing"] or "")


def page(translators):
    return HEAD + "".join(map(row, translators))
