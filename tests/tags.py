"""What universal-ctags finds in the C of the tree: names, and how long functions are. For the checks of the tree."""
import glob
import json
import subprocess

# Macros that stand before or between definitions, which ctags would take for functions.
IGNORED = "__noinline,__always_inline,__weak,_cleanup_free_,D_ALL+,D_TEN+,D_ARRAY+,D_AGG+,__uint+,__type+,__array+"
C_FOLDERS = ("user", "tools", "bpf", "probes", "tests")


def c_files(root, folders=C_FOLDERS):
    return sorted(path for folder in folders for end in ("c", "h")
                  for path in glob.glob("%s/**/*.%s" % (folder, end), root_dir=root, recursive=True))


def tags(root, kinds, folders=C_FOLDERS):
    """The tags of these kinds (of ctags --list-kinds=C), as dictionaries: name, path, line, end, signature, kind."""
    command = ["ctags", "--sort=no", "--languages=C", "--langmap=C:.c.h", "--kinds-C=" + kinds, "--fields=+neSK",
               "--output-format=json", "-I", IGNORED, "-f", "-", "-L", "-"]
    done = subprocess.run(command, cwd=root, input="\n".join(c_files(root, folders)), capture_output=True, text=True,
                          check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
