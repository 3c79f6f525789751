"""A guest: its kernel, a file system in memory with erlbpf and what it is tried on, and what it says."""
import collections
import glob
import os
import re
import shutil
import subprocess
import tempfile

import lib
import packages
from packages import run

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 900
# One thread for all CPUs of a guest: with one for each, TCG panics now and then while the kernel changes its text.
QEMU = {
    "amd64": ["qemu-system-x86_64", "-machine", "pc", "-cpu", "max"],
    "arm64": ["qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72"],
}
CONSOLE = {"amd64": "ttyS0", "arm64": "ttyAMA0"}
TRIPLET = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}


class Tree:
    """A folder with programs and the libraries that they need. `root` is where those of its architecture are."""

    def __init__(self, arch, folder, root):
        self.folder, self.root = folder, root
        os.chmod(self.folder, 0o755)
        self.libraries = [os.path.join(root, below, TRIPLET[arch]) for below in ("lib", "usr/lib")]
        for name in ("bin", "proc", "sys", "dev", "tmp", "lib"):
            os.mkdir(os.path.join(self.folder, name))

    def add(self, source, name):
        """A file, or a folder with all that is in it."""
        target = os.path.join(self.folder, name.lstrip("/"))
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True)
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    def add_program(self, source, name):
        """An executable or a library, and the libraries that it needs."""
        self.add(source, name)
        # What a guest does not need costs the time to unpack it. Notes and symbols stay.
        run(["llvm-strip", "--strip-debug", os.path.join(self.folder, name.lstrip("/"))])
        headers = run(["readelf", "-ldW", source])
        loader = re.search(r"interpreter: (\S+)\]", headers)
        if loader:
            self.add_library(os.path.basename(loader[1]), loader[1])
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", headers):
            self.add_library(needed, "/lib/" + needed)

    def add_library(self, library, name):
        if os.path.exists(os.path.join(self.folder, name.lstrip("/"))):
            return
        found = [path for path in (os.path.join(folder, library) for folder in self.libraries) if os.path.exists(path)]
        assert found, "there is no %s in %s" % (library, self.libraries)
        self.add_program(found[0], name)


class Image(Tree):
    """The file system of a guest, as a cpio archive."""

    def __init__(self, arch, path, root="/"):
        super().__init__(arch, tempfile.mkdtemp(prefix="erlbpf-guest."), root)
        self.path = path

    def write(self):
        run(["sh", "-c", 'cd "$1" && find . | cpio -o -H newc > "$2"', "sh", self.folder, self.path])
        shutil.rmtree(self.folder)


def root_of(arch):
    """Where the libraries for programs of the architecture are."""
    return "/" if arch == "amd64" else packages.sysroot(arch)


def build_of(arch):
    return lib.BUILD if arch == "amd64" else os.path.join(lib.BUILD, arch)


def beams(arch, with_notes):
    """Where OTP of this machine's release is installed: Debian's, and with notes ours."""
    if arch != "amd64":
        return {"stock": os.path.join(packages.erlang(arch, "bookworm"), "usr/lib/erlang")}
    if not with_notes:
        return {"stock": "/usr/lib/erlang"}
    if not lib.USDT.is_there():
        raise lib.Skip("there is no %s; `make otp` builds it" % lib.USDT.erl)
    return {"stock": "/usr/lib/erlang", "notes": os.path.dirname(os.path.dirname(lib.USDT.erl))}


def add_beams(image, arch, with_notes):
    """One tree of modules, a folder of programs for each."""
    roots = beams(arch, with_notes)
    for name, root in roots.items():
        programs = glob.glob(os.path.join(root, "erts-*", "bin"))[0]
        for program in ("beam.smp", "erlexec", "erl_child_setup", "inet_gethost"):
            image.add_program(os.path.join(programs, program), "otp/%s/bin/%s" % (name, program))
    stock = roots["stock"]
    for folder in glob.glob(stock + "/lib/kernel-*/ebin") + glob.glob(stock + "/lib/stdlib-*/ebin"):
        image.add(folder, os.path.join("otp", os.path.relpath(folder, stock)))
    image.add(glob.glob(stock + "/bin/start.boot")[0], "otp/bin/start.boot")
    image.add(os.path.join(lib.BUILD, "erl"), "otp/tests")


# OTP of a suite with libraries that guests do not have: it runs in a root of its own.
HIDDEN = "sid"


def add_hidden(image, arch):
    """A VM that hides its functions."""
    erlang = os.path.join(packages.erlang(arch, HIDDEN), "usr/lib/erlang")
    folder = os.path.join(image.folder, "hidden")
    os.mkdir(folder)
    tree = Tree(arch, folder, packages.erlang_libraries(arch, HIDDEN))
    for program in ("beam.smp", "erlexec", "erl_child_setup", "inet_gethost"):
        tree.add_program(glob.glob(os.path.join(erlang, "erts-*", "bin", program))[0], "otp/hidden/bin/" + program)
    tree.add_program(os.path.join(root_of(arch), "bin/busybox"), "bin/sh")
    for name in ("kernel", "stdlib"):
        ebin = glob.glob(os.path.join(erlang, "lib", name + "-*", "ebin"))[0]
        tree.add(ebin, os.path.join("otp", os.path.relpath(ebin, erlang)))
    tree.add(glob.glob(os.path.join(erlang, "bin/start.boot"))[0], "otp/bin/start.boot")
    tree.add(os.path.join(lib.BUILD, "erl"), "otp/tests")


def make_image(arch, lanes):
    """The file system of guests of the architecture, with the BEAMs for some of these lanes; its path."""
    with_beams = bool(lanes)
    path = os.path.join(tempfile.gettempdir(), "erlbpf-guest-%d-%s" % (os.getpid(), "-".join([arch, *lanes])))
    image = Image(arch, path, root_of(arch))
    for name in ("erlbpf", "fake-beam", "fake-beam-nop5", "debug-registers"):
        image.add_program(os.path.join(build_of(arch), name), "bin/" + name)
    image.add_program(os.path.join(image.root, "bin/busybox"), "bin/busybox")
    image.add_program(os.path.join(image.root, "usr/bin/setpriv"), "usr/bin/setpriv")
    for name in ("init", "lanes.sh"):
        image.add(os.path.join(HERE, name), name)
    if with_beams:
        add_beams(image, arch, "beam_notes" in lanes)
    if "beam_hidden" in lanes:
        add_hidden(image, arch)
    image.write()
    return path


Lane = collections.namedtuple("Lane", "name verdict seconds text")


class Said:
    """What a guest said: each lane that came to its end, and all of it."""

    def __init__(self, log):
        self.log, self.lanes = log, []
        text, begin = [], 0.0
        for line in log.splitlines():
            before, mark, rest = line.partition("@@")
            words = rest.split()
            if before or not mark or not words:
                continue
            if words[0].startswith("|"):
                text.append(rest[2:])
            elif words[0] == "kernel":
                begin = float(words[2])
            else:
                self.lanes.append(Lane(words[1], words[0], float(words[2]) - begin, "\n".join(text)))
                text, begin = [], float(words[2])


def boot(arch, kernel, image, lanes, kills=None):
    """Runs a guest to its end: what it said. How many kills the lane `kill` makes, if not its own number."""
    words = "console=%s quiet loglevel=2 panic=-1 lanes=%s" % (CONSOLE[arch], ",".join(lanes))
    words += " kills=%d" % kills if kills else ""
    limit_s = LIMIT_S + 10 * (kills or 0)
    argv = QEMU[arch] + ["-accel", "tcg,thread=single", "-smp", "2", "-m", "768", "-nodefaults", "-no-user-config",
                         "-no-reboot", "-display", "none", "-serial", "stdio", "-kernel", kernel, "-initrd", image,
                         "-append", words]
    try:
        log = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=limit_s).stdout
    except subprocess.TimeoutExpired as late:
        log = (late.stdout or b"") + b"\nnot done within %d s\n" % limit_s
    return Said(log.decode("utf-8", "replace").replace("\r", ""))
