"""Files of the tree, and the places in them that are generated."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def fill(path, place, text, values):
    """`text`, which is that of the file `path`, with what `values(match)` says at the place, between its two markers:
    groups of the pattern."""
    filled, found = place.subn(lambda match: match.group("begin") + "\n" + values(match) + match.group("end"), text)
    assert found, "%s has no place for what is generated: %s" % (path, place.pattern)
    return filled
