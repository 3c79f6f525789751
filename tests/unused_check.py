#!/usr/bin/env python3
"""Does tests/unused.py find what nobody uses? A function and a member are planted in a copy of the tree's C."""
import os
import shutil
import sys
import tempfile

import unused

HEADER = "struct planted { int is_read, is_set; };\nint planted_used(void);\nint planted_unused(int n);\n"
SOURCE = """/* planted_unused() is only spoken of here, as in "planted_unused". */
int planted_used(void)
{
	struct planted p = { .is_set = 1 };

	return p.is_read;
}

int planted_unused(int n)
{
	return n ? planted_used() : 0;
}
"""


def main():
    with tempfile.TemporaryDirectory() as tree:
        for folder in unused.FOLDERS + ("probes",):
            shutil.copytree(os.path.join(unused.ROOT, folder), os.path.join(tree, folder))
        for path, text in (("planted.h", HEADER), ("planted.c", SOURCE)):
            with open(os.path.join(tree, "user", path), "w", encoding="utf-8") as file:
                file.write(text)
        found = [line for line in unused.unused(tree) if "planted" in line]
    wanted = ["user/planted.c:9: planted_unused() is not used", "user/planted.h:1: nobody reads the member is_set"]
    if found != wanted:
        print("unused_check: %s, not %s" % (found, wanted), file=sys.stderr)
    return found != wanted


if __name__ == "__main__":
    sys.exit(main())
