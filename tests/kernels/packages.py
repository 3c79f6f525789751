#!/usr/bin/env python3
"""Debian packages of other suites and architectures: kernels, and libraries to build against. They come from where
this machine's own packages come from, through a state of apt of our own: the machine's is not touched, and nothing
is installed. `packages.py ARCH PACKAGE...` fetches a sysroot with these packages."""
import fcntl
import glob
import os
import re
import shutil
import subprocess
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from lib import CACHE

FOLDER = os.path.join(CACHE, "kernels")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LISTS_LAST_S, LISTS_LAST_FETCHING_S = 24 * 3600, 600
# "linux-image-6.12.117+deb13-cloud-amd64"; from 6.19 on the image depends on "linux-binary-...", which has the file.
KERNEL = re.compile(r"linux-(?:image|binary)-(\d+\.\d+)\.\d\S*-cloud-\w+$")


def run(argv, **more):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, "%s: %s" % (" ".join(argv[:2]), text[-2000:])
    return text


def machine_sources():
    """(address, suite) of each source of this machine's apt."""
    rows = run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"])
    return [tuple(row.split()) for row in rows.splitlines()]


def source_of(suite, sources):
    """A line for apt: the address from which this machine has such suites."""
    is_security = suite.endswith("-security")
    addresses = [address for address, known in sources if known.endswith("-security") == is_security]
    assert addresses, "this machine's apt has no source of Debian for suites like %s" % suite
    return "deb [signed-by=%s] %s %s main\n" % (KEYRING, addresses[0], suite)


class Apt:
    """A state of apt for one architecture and some suites."""

    def __init__(self, arch, *suites):
        self.suites = sorted(suites)
        self.folder = os.path.join(FOLDER, "apt-%s-%s" % (arch, "-".join(self.suites)))
        os.makedirs(os.path.join(self.folder, "lists", "partial"), exist_ok=True)
        os.makedirs(os.path.join(self.folder, "archives", "partial"), exist_ok=True)
        self.options = ["-q"]
        for name, value in (("Dir::State", self.folder), ("Dir::State::status", self.path("status")),
                            ("Dir::Cache", self.folder), ("Dir::Etc::sourcelist", self.path("sources.list")),
                            ("Dir::Etc::sourceparts", "/dev/null"), ("Dir::Etc::preferencesparts", "/dev/null"),
                            ("APT::Architecture", arch), ("APT::Architectures", arch),
                            ("APT::Install-Recommends", "false"), ("APT::Sandbox::User", "root"),
                            # Lists of unstable suites are valid for a week; a mirror may be later than that.
                            ("Acquire::Check-Valid-Until", "false")):
            self.options += ["-o", "%s=%s" % (name, value)]
        open(self.path("status"), "a").close()
        self.update(LISTS_LAST_S)

    def path(self, name):
        return os.path.join(self.folder, name)

    def update(self, lasting_s):
        stamp = self.path("stamp")
        if os.path.exists(stamp) and 0 <= time.time() - os.path.getmtime(stamp) < lasting_s:
            return
        with open(self.path("sources.list"), "w") as file:
            sources = machine_sources()
            file.writelines(source_of(suite, sources) for suite in self.suites)
        run(["apt-get"] + self.options + ["update", "--error-on=any"])
        open(stamp, "w").close()

    def kernels(self):
        """The newest package of each series: {"6.12": (version, package)}."""
        newest = {}
        text = run(["apt-cache"] + self.options + ["search", "--full", "--names-only", "^linux-(image|binary)-[0-9].*-cloud-"])
        for record in text.split("\n\n"):
            fields = dict(re.findall(r"^(Package|Version): (.*)$", record, re.M))
            match = KERNEL.match(fields.get("Package", ""))
            if match:
                version = [int(number) for number in re.findall(r"\d+", fields["Version"])]
                rank = (version, fields["Package"].startswith("linux-binary-"))
                row = (rank, fields["Version"], fields["Package"])
                newest[match[1]] = max(newest.get(match[1], row), row)
        return {series: row[1:] for series, row in newest.items()}

    def kernel(self, series):
        offered = self.kernels()
        assert series in offered, "%s has no kernel %s, but %s" % (", ".join(self.suites), series, ", ".join(sorted(offered)))
        return offered[series]

    def download(self, package, folder):
        run(["apt-get"] + self.options + ["download", package], cwd=folder)
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb")][0]

    def unpack_all(self, packages, folder):
        """The packages and all they depend on, below the folder."""
        run(["apt-get"] + self.options + ["install", "-y", "--download-only"] + packages)
        for name in sorted(os.listdir(self.path("archives"))):
            if name.endswith(".deb"):
                run(["dpkg-deb", "-x", self.path(os.path.join("archives", name)), folder])
                os.unlink(self.path(os.path.join("archives", name)))


def cached(arch, series, version):
    return os.path.join(FOLDER, "vmlinuz-%s-%s_%s" % (arch, series, version))


def fetch_kernel(apt, path, version, package):
    fresh = path + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh)
    archive = apt.download("%s=%s" % (package, version), fresh)
    names = run(["dpkg-deb", "-c", archive]).split()
    name = [name for name in names if re.search(r"/vmlinuz[^/]*$", name)][0]
    run(["sh", "-c", 'dpkg-deb --fsys-tarfile "$1" | tar -xO "$2" > "$3"', "sh", archive, name,
         os.path.join(fresh, "vmlinuz")])
    for old in glob.glob(path.rsplit("_", 1)[0] + "_*"):
        if not old.endswith(".new"):
            os.unlink(old)
    os.rename(os.path.join(fresh, "vmlinuz"), path)
    shutil.rmtree(fresh)


def kernel(arch, series, suite):
    """(version, path) of the newest kernel of a series that a suite has: from the cache, or fetched."""
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        apt = Apt(arch, suite)
        version, package = apt.kernel(series)
        if not os.path.exists(cached(arch, series, version)):
            # What old lists have may be gone from the mirror.
            apt.update(LISTS_LAST_FETCHING_S)
            version, package = apt.kernel(series)
            fetch_kernel(apt, cached(arch, series, version), version, package)
        return version, cached(arch, series, version)


def series_of(arch, suite):
    """Of all kernels that a suite has."""
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return set(Apt(arch, suite).kernels())


def unpacked(name, arch, suite, packages):
    """The folder with the newest of these packages of a suite, without what they depend on: from the cache, or fetched."""
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, "%s-%s-%s" % (name, arch, suite))
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            fresh = path + ".new"
            shutil.rmtree(fresh, ignore_errors=True)
            os.makedirs(fresh)
            apt = Apt(arch, suite)
            apt.update(LISTS_LAST_FETCHING_S)
            for package in packages:
                archive = apt.download(package, fresh)
                run(["dpkg-deb", "-x", archive, fresh])
                os.unlink(archive)
            os.rename(fresh, path)
    return path


def erlang(arch, suite):
    """OTP that is not run on this machine, or in a guest with libraries of its own."""
    return unpacked("erlang", arch, suite, ["erlang-base"])


def erlang_libraries(arch, suite):
    return unpacked("libraries", arch, suite, ["libatomic1", "libc6", "libgcc-s1", "libstdc++6", "libtinfo6", "zlib1g"])


def sysroot(arch):
    return os.path.join(FOLDER, "sysroot-" + arch)


def make_sysroot(arch, packages):
    """Packages of this machine's suites, for another architecture; once."""
    folder, wanted = sysroot(arch), " ".join(packages)
    stamp = os.path.join(folder, "packages")
    if os.path.exists(stamp) and open(stamp).read() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    Apt(arch, *{suite for _, suite in machine_sources()}).unpack_all(packages, folder)
    with open(stamp, "w") as file:
        file.write(wanted)


if __name__ == "__main__":
    make_sysroot(sys.argv[1], sys.argv[2:])
