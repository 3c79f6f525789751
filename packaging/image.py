#!/usr/bin/env python3
"""The container image, without Docker: `image.py BUILD` makes BUILD/image/, an OCI image layout, and BUILD/image.tar,
the same in one file for `docker load`, `podman load` and `ctr images import`. `image.py --root DIR BUILD` only makes
the files that are in it; packaging/Dockerfile does that.

In it are the program, the libraries that it names, theirs in turn, the licences of all, and this machine's certificates
of authorities. Else nothing depends on when or where it is made: times are SOURCE_DATE_EPOCH or 0, owners root, files
in order."""
import argparse
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
PROGRAM = "usr/sbin/erlbpf"
PORT = 9568
GZIP_LEVEL = 7  # 9 takes four times as long for 0.6 % less
FILES = {
    "etc/passwd": "root:x:0:0:root:/:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}
# What the program gets of its container without being root: BPF, PERFMON, SYS_PTRACE, DAC_READ_SEARCH, as capabilities(7) has
# them in the attribute security.capability (version 2). Permitted only, or it could not be run at all without one of them.
PERMITTED = 1 << 39 | 1 << 38 | 1 << 19 | 1 << 2
CAPABILITIES = struct.pack("<5I", 0x02000000, PERMITTED & 0xffffffff, 0, PERMITTED >> 32, 0)
# Who may vouch for a receiver of what is pushed.
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
# Where others are mounted: a read-only root has no place for new ones.
FOLDERS = ["dev", "proc", "run", "sys", "tmp", "var/log/containers", "var/log/pods"]


def output(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, env=dict(os.environ, LC_ALL="C")).stdout.decode()


def loaded_later(program):
    """Paths of the libraries that it names, for dlopen(); one that this machine lacks is none of the image's."""
    with open(program, "rb") as file:
        names = set(re.findall(rb"\0(lib[a-z0-9_+-]+\.so\.[0-9]+)\0", file.read()))
    ours = {"amd64": "x86-64", "arm64": "AArch64"}[ARCHITECTURE]
    known = dict(re.findall(r"^\s*(\S+) \(libc6,%s[^)]*\) => (\S+)$" % ours, output("/sbin/ldconfig", "-p"), re.M))
    return [known[name.decode()] for name in sorted(names) if name.decode() in known]


def libraries(program):
    """{path in the image: path here} of all that the program needs; the loader among them."""
    later = loaded_later(program)
    for library, package in (("libmicrohttpd", "libmicrohttpd12"), ("libcurl", "libcurl4")):
        if not any(library in path for path in later):
            raise SystemExit("image: %s is not installed here; apt install %s" % (library, package))
    found = {}
    for file in [program] + later:
        for line in output("ldd", file).splitlines():
            match = re.match(r"\s+(?:\S+ => )?(/\S+) \(0x", line)
            if match:
                found[match.group(1).lstrip("/")] = match.group(1)
    for path in later:
        found["lib/%s" % os.path.relpath(path, "/usr/lib" if path.startswith("/usr/") else "/lib")] = path
    return found


def names_of(path):
    """Which of the two names of a merged /usr dpkg knows depends on the package."""
    real = os.path.realpath(path)
    return real, real.replace("/usr/lib", "/lib", 1), path


def owners(paths):
    """{path: package}, of all at once: each question reads all lists of files."""
    said = subprocess.run(["dpkg-query", "-S", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    lines = [line.rpartition(": ") for line in said.splitlines() if not line.startswith("diversion ")]
    return {path: package.split(":")[0] for package, _, path in lines}


def copyrights(paths):
    """Debian's, of the packages that the libraries are from."""
    known = owners(sorted({name for path in paths for name in names_of(path)}))
    for path in paths:
        package = next((known[name] for name in names_of(path) if name in known), None)
        if not package:
            raise SystemExit("image: %s is of no package" % path)
        yield "usr/share/doc/%s/copyright" % package, "/usr/share/doc/%s/copyright" % package


def add(root, name, mode, copy=None, text=None):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if copy:
        shutil.copyfile(copy, path)
    else:
        with open(path, "w") as file:
            file.write(text)
    os.chmod(path, mode)


def make_root(build, root):
    program = os.path.join(build, "erlbpf")
    found = libraries(program)
    add(root, PROGRAM, 0o755, copy=program)
    subprocess.run(["strip", "--strip-all", os.path.join(root, PROGRAM)], check=True)
    if os.geteuid() == 0:
        os.setxattr(os.path.join(root, PROGRAM), "security.capability", CAPABILITIES)
    for name, path in found.items():
        add(root, name, 0o755, copy=path)
    for name, path in copyrights(found.values()):
        add(root, name, 0o644, copy=path)
    add(root, "usr/share/doc/erlbpf/copyright", 0o644, copy=os.path.join(HERE, "..", "LICENSE"))
    add(root, CERTIFICATES, 0o644, copy="/" + CERTIFICATES)
    for name, text in FILES.items():
        add(root, name, 0o644, text=text)
    for name in FOLDERS:
        os.makedirs(os.path.join(root, name), exist_ok=True)


def entry(name, path):
    info = tarfile.TarInfo(name)
    info.mtime = EPOCH
    if os.path.isdir(path):
        info.type, info.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
    else:
        info.mode, info.size = os.stat(path).st_mode & 0o777, os.path.getsize(path)
    if name == PROGRAM:
        info.pax_headers["SCHILY.xattr.security.capability"] = CAPABILITIES.decode("utf-8", "surrogateescape")
    return info


def pack(folder, to):
    """A tar of all in the folder, in order."""
    names = sorted(os.path.relpath(os.path.join(at, name), folder)
                   for at, folders, files in os.walk(folder) for name in folders + files)
    with tarfile.open(fileobj=to, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in names:
            path = os.path.join(folder, name)
            info = entry(name, path)
            if info.isdir():
                tar.addfile(info)
            else:
                with open(path, "rb") as file:
                    tar.addfile(info, file)


class Layout:
    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "blobs", "sha256"))

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as file:
            json.dump(value, file, sort_keys=True)

    def blob(self, media_type, data):
        digest = hashlib.sha256(data).hexdigest()
        with open(os.path.join(self.folder, "blobs", "sha256", digest), "wb") as file:
            file.write(data)
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(data)}


def config(version, diff_id):
    created = output("date", "-u", "-d", "@%d" % EPOCH, "+%Y-%m-%dT%H:%M:%SZ").strip()
    return {
        "created": created, "architecture": ARCHITECTURE, "os": "linux",
        "config": {
            "User": "65534:65534", "Entrypoint": ["/" + PROGRAM], "Cmd": ["export", "--listen", ":%d" % PORT],
            "ExposedPorts": {"%d/tcp" % PORT: {}}, "WorkingDir": "/",
            "Labels": {"org.opencontainers.image.title": "erlbpf", "org.opencontainers.image.version": version,
                       "org.opencontainers.image.licenses": "BSD-2-Clause",
                       "org.opencontainers.image.description": "DTrace for the Erlang VM on Linux: the agent"}},
        "rootfs": {"type": "layers", "diff_ids": [diff_id]},
        "history": [{"created": created, "created_by": "packaging/image.py"}],
    }


def make_layout(root, folder, version):
    tar = io.BytesIO()
    pack(root, tar)
    diff_id = "sha256:" + hashlib.sha256(tar.getvalue()).hexdigest()
    layout = Layout(folder)
    kind = "application/vnd.oci.image.%s"
    layer = layout.blob(kind % "layer.v1.tar+gzip", gzip.compress(tar.getvalue(), GZIP_LEVEL, mtime=0))
    about = layout.blob(kind % "config.v1+json", json.dumps(config(version, diff_id), sort_keys=True).encode())
    manifest = layout.blob(kind % "manifest.v1+json", json.dumps({
        "schemaVersion": 2, "mediaType": kind % "manifest.v1+json", "config": about, "layers": [layer],
    }, sort_keys=True).encode())
    manifest["platform"] = {"architecture": ARCHITECTURE, "os": "linux"}
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version,
                               "io.containerd.image.name": "erlbpf:" + version}
    layout.write("oci-layout", {"imageLayoutVersion": "1.0.0"})
    layout.write("index.json", {"schemaVersion": 2, "mediaType": kind % "index.v1+json", "manifests": [manifest]})
    return layer, about


def make_archive(folder, path, version, layer, about):
    """With manifest.json beside the layout, for a `docker load` that does not know layouts."""
    def blob(one):
        return "blobs/sha256/" + one["digest"].split(":")[1]
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        with open(os.path.join(copy, "manifest.json"), "w") as file:
            json.dump([{"Config": blob(about), "RepoTags": ["erlbpf:" + version], "Layers": [blob(layer)]}], file)
        with open(path, "wb") as file:
            pack(copy, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--root", help="make only the files, in this folder")
    parser.add_argument("build")
    options = parser.parse_args()
    os.umask(0o022)
    if options.root:
        make_root(options.build, options.root)
        return
    version = output(os.path.join(options.build, "erlbpf"), "--version").split()[1]
    folder = os.path.join(options.build, "image")
    with tempfile.TemporaryDirectory() as root:
        make_root(options.build, root)
        layer, about = make_layout(root, folder, version)
    make_archive(folder, folder + ".tar", version, layer, about)
    print("%s.tar: erlbpf:%s for %s, %.1f MB compressed" % (folder, version, ARCHITECTURE, layer["size"] / 1e6))


if __name__ == "__main__":
    main()
