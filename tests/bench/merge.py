"""A run of some groups beside what an older run on the same machine said of the others."""
from compare import check, load

TOLD = ("erlbpf", "trap_ns", "load", "date")  # of the run that a section is from, where it is an older one


def kept(old, groups):
    """Its sections of other groups, each with what there is to know of the run."""
    run = {name: old["machine"].get(name) for name in TOLD}
    return [dict(section, run=section.get("run") or run) for section in old["sections"] if section["group"] not in groups]


def merge(path, new, order):
    """The result with all groups, in their order. Raises compare.Different if the old one is of another machine."""
    old = load(path)
    check(old, new)
    sections = kept(old, {section["group"] for section in new["sections"]}) + new["sections"]
    return dict(new, sections=sorted(sections, key=lambda section: order.index(section["group"])),
                complete=old["complete"] and new["complete"])
