"""The image and the Debian package: what is in them, that the same sources give the same bytes, and that what comes
out of them traces a node with no more rights than it is given."""
import errno
import fcntl
import functools
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile

from lib import BUILD, LIMIT, ROOT, STOCK, Node, Skip, erlbpf, status_of, unique, wait_until
from otlp import Receiver, authority
from test_deploy import DEPLOY, Agent, run

CAPABILITIES = ["bpf", "perfmon", "sys_ptrace", "dac_read_search"]
# What was made, to look at: another run of the tests makes it in the same place.
MADE = tempfile.TemporaryDirectory(prefix="erlbpf-made-")
IMAGE = os.path.join(MADE.name, "image")
MOST_BYTES = 15000000


@functools.cache
def make(target):
    with open(os.path.join(BUILD, "package.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("make", "--no-print-directory", "-s", "BUILD=" + BUILD, target, limit=10 * LIMIT)
        if target == "image":
            shutil.rmtree(IMAGE, ignore_errors=True)
            shutil.copytree(os.path.join(BUILD, "image"), IMAGE)
        name = {"image": "image.tar", "deb": os.path.basename(package())}[target]
        shutil.copy(os.path.join(BUILD, name), MADE.name)


# The image.

def blob(folder, descriptor):
    """The bytes that a descriptor names, which must be what it says."""
    kind, digest = descriptor["digest"].split(":")
    with open(os.path.join(folder, "blobs", kind, digest), "rb") as file:
        data = file.read()
    assert len(data) == descriptor["size"] and hashlib.sha256(data).hexdigest() == digest, descriptor
    return data


def image_parts():
    """(config, tar of the layer, its compressed size), checked up to the index."""
    with open(os.path.join(IMAGE, "oci-layout")) as layout, open(os.path.join(IMAGE, "index.json")) as index:
        assert json.load(layout) == {"imageLayoutVersion": "1.0.0"}
        first, = json.load(index)["manifests"]
    manifest = json.loads(blob(IMAGE, first))
    config = json.loads(blob(IMAGE, manifest["config"]))
    layer, = manifest["layers"]
    tar = gzip.decompress(blob(IMAGE, layer))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(tar).hexdigest()]
    digests = {d["digest"].split(":")[1] for d in (first, manifest["config"], layer)}
    assert set(os.listdir(os.path.join(IMAGE, "blobs", "sha256"))) == digests, "there are other blobs"
    assert first["platform"] == {"architecture": config["architecture"], "os": config["os"]}
    return config, tar, layer["size"]


def test_the_image_is_a_valid_layout_of_files_of_root_and_small():
    make("image")
    config, tar, size = image_parts()
    assert size < MOST_BYTES, size
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        members = archive.getmembers()
    assert [m.name for m in members] == sorted(m.name for m in members)
    for member in members:
        assert (member.uid, member.gid, member.mtime) == (0, 0, 0), member
        assert member.isdir() or member.isfile(), member
        assert not member.mode & 0o6022 or member.name == "tmp", member
    names = {m.name for m in members}
    assert config["config"]["Entrypoint"][0].lstrip("/") in names
    assert all("usr/share/doc/%s/copyright" % package in names
               for package in ("erlbpf", "libmicrohttpd12", "libcurl4", "libc6"))
    # In the archive are the same blobs.
    with tarfile.open(IMAGE + ".tar") as archive:
        one, = json.load(archive.extractfile("manifest.json"))
        assert one["RepoTags"] == ["erlbpf:" + config["config"]["Labels"]["org.opencontainers.image.version"]]
        assert {"index.json", "oci-layout", one["Config"]} | set(one["Layers"]) <= set(archive.getnames())


def test_the_same_sources_give_the_same_image_and_package():
    def digests():
        make("image")
        make("deb")
        paths = [IMAGE + ".tar", package()]
        return [hashlib.sha256(open(path, "rb").read()).hexdigest() for path in paths]
    first = digests()
    make.cache_clear()
    assert digests() == first


def test_the_dockerfile_makes_the_same_image():
    make("image")
    config = image_parts()[0]["config"]
    with open(os.path.join(ROOT, "packaging", "Dockerfile")) as file:
        lines = dict(line.split(" ", 1) for line in file.read().splitlines() if re.match("[A-Z]+ ", line))
    assert json.loads(lines["ENTRYPOINT"]) == config["Entrypoint"] and json.loads(lines["CMD"]) == config["Cmd"]
    assert lines["USER"] == config["User"] and lines["WORKDIR"] == config["WorkingDir"]
    assert lines["EXPOSE"] + "/tcp" in config["ExposedPorts"]
    run("make", "-n", "setup-build", "build/erlbpf")


class Root:
    """The image's files, where they can be a root."""

    def __enter__(self):
        make("image")
        self.folder = tempfile.mkdtemp(prefix="erlbpf-image-")
        os.chmod(self.folder, 0o755)
        with tarfile.open(fileobj=io.BytesIO(image_parts()[1])) as archive:
            archive.extractall(self.folder, filter="fully_trusted") if hasattr(tarfile, "data_filter") \
                else archive.extractall(self.folder)
            # What runtimes do, and tarfile does not.
            for member in archive.getmembers():
                value = member.pax_headers.get("SCHILY.xattr.security.capability")
                if value:
                    os.setxattr(os.path.join(self.folder, member.name), "security.capability",
                                value.encode("utf-8", "surrogateescape"))
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def in_root(folder):
    """A command that runs what follows in the image as its container would: a mount namespace of its own, read-only, as
    nobody, with the four capabilities only, which the program has of its file."""
    script = ("mount --make-rprivate / && mount --bind {0} {0} && mount --rbind /proc {0}/proc && "
              "mount --rbind /sys {0}/sys && mount -o remount,ro,bind {0} && "
              "exec capsh --chroot={0} --drop={1} --gid=65534 --uid=65534 --shell=/usr/sbin/erlbpf -- \"$@\"")
    with open("/proc/sys/kernel/cap_last_cap") as last:
        known = run("capsh", "--decode=%x" % ((2 << int(last.read())) - 1)).split("=")[1].strip().split(",")
    drop = [name for name in known if name not in ["cap_" + one for one in CAPABILITIES]]
    return ["unshare", "-m", "sh", "-c", script.format(folder, ",".join(drop))]


def is_traced(agent, node):
    text = agent.get("/metrics")
    return re.search(r'^erlbpf_target_up{node="%s".*tool="mailbox".*} 1$' % re.escape(node), text, re.M) and \
        re.search(r'^erlbpf_mailbox_wait_seconds_count{node="%s"' % re.escape(node), text, re.M)


def check_agent(*args, meanwhile=lambda: None, **how):
    """An agent traces a node that was there before it, and one that came later. `meanwhile`: before it ends."""
    name = unique("package")
    talk = "[begin self() ! N, receive N -> ok end end || N <- lists:seq(1, 100)]"
    with Node(STOCK, "-sname", name) as node:
        agent = Agent("--node", name + "*", *args, **how)
        with Node(STOCK, "-sname", name + "later") as later:
            for one in (node, later):
                called = one.eval("node()").strip("'")
                wait_until("%s is traced" % called, lambda: one.eval(talk) and is_traced(agent, called))
            effective = status_of(agent.pid)["CapEff"]
        meanwhile()
        agent.stop()
        return run("capsh", "--decode=" + effective).strip().split("=")[1]


def test_the_image_traces_nodes_with_four_capabilities_and_a_read_only_root():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Root() as folder:
        # capsh takes the place of the program's name.
        capable = run("getcap", os.path.join(folder, "usr/sbin/erlbpf")).split()[1]
        assert set(capable.split("=")[0].split(",")) == {"cap_" + name for name in CAPABILITIES}, capable
        kept = check_agent(prefix=in_root(folder), program="--")
        assert set(kept.split(",")) <= {"cap_" + name for name in CAPABILITIES}, kept


def test_the_image_pushes_to_whom_it_has_a_certificate_for():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Root() as folder, tempfile.TemporaryDirectory(prefix="erlbpf-authority-") as place:
        certificate, context = authority(place)
        with open(os.path.join(folder, "etc/ssl/certs/ca-certificates.crt")) as known:
            assert known.read().count("BEGIN CERTIFICATE") > 50
        shutil.copyfile(certificate, os.path.join(folder, "etc/ssl/certs/ca-certificates.crt"))
        # The kubelet's.
        with open(os.path.join(folder, "etc/hosts"), "w") as hosts:
            hosts.write("127.0.0.1 localhost\n")
        with Receiver(context=context) as receiver:
            agent = Agent("--node", unique("nobody"), "--otlp", receiver.url, "--otlp-interval", "1s", prefix=in_root(folder), program="--")
            assert "erlbpf_build_info" in receiver.next().metrics
            agent.stop()


# The profile for the kubelet.

def seccomp_module():
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, whichever python3 this is
    import seccomp
    return seccomp


def under_profile():
    """Puts the system call filter of docs/deploy/seccomp/ on the calling process."""
    seccomp = seccomp_module()
    actions = {"SCMP_ACT_ALLOW": lambda rule: seccomp.ALLOW,
               "SCMP_ACT_ERRNO": lambda rule: seccomp.ERRNO(rule.get("errnoRet", 1))}
    with open(os.path.join(DEPLOY, "seccomp", "erlbpf.json")) as file:
        profile = json.load(file)
    profile_filter = seccomp.SyscallFilter(seccomp.ERRNO(profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        args = [seccomp.Arg(a["index"], seccomp.MASKED_EQ, a["value"], a["valueTwo"]) for a in rule.get("args", [])]
        assert all(a["op"] == "SCMP_CMP_MASKED_EQ" for a in rule.get("args", []))
        for name in rule["names"]:
            try:
                profile_filter.add_rule(actions[rule["action"]](rule), name, *args)
            except (OSError, RuntimeError):
                pass  # none of this architecture's
    return profile_filter


def test_the_agent_works_under_the_shipped_seccomp_profile():
    # The filter is on from before the program begins, as with the kubelet.
    with Receiver() as receiver:
        pushed = []
        check_agent("--otlp", receiver.url, "--otlp-interval", "1s", preexec_fn=under_profile().load,
                    meanwhile=lambda: pushed.append(receiver.next().metrics))
        assert "erlbpf_build_info" in pushed[0]


# The package.

def package():
    version = erlbpf("--version")[0].split()[1]
    return os.path.join(MADE.name, "erlbpf_%s_%s.deb" % (version, run("dpkg", "--print-architecture").strip()))


EXPECTED = """/usr/sbin/erlbpf /usr/share/man/man8/erlbpf.8.gz /usr/share/man/man8/erlbpf-export.8.gz /usr/share/man/man8/erlbpf-profile.8.gz
/usr/share/bash-completion/completions/erlbpf /usr/share/zsh/vendor-completions/_erlbpf
/lib/systemd/system/erlbpf-export.service /etc/default/erlbpf-export /usr/share/doc/erlbpf/copyright
/usr/share/doc/erlbpf/changelog.gz /usr/share/doc/erlbpf/deploy/base/daemonset.yaml""".split()


def test_the_package_has_what_it_should_and_all_of_root():
    make("deb")
    rows = [line.split(None, 5) for line in run("dpkg-deb", "-c", package()).splitlines()]
    files = {row[5][1:]: row for row in rows}
    assert set(EXPECTED) <= set(files), set(EXPECTED) - set(files)
    for row in rows:
        assert row[1] == "root/root" and "s" not in row[0] and row[0][8] != "w", row
    assert files["/etc/default/erlbpf-export"][0] == "-rw-r-----", "tokens stand in it"
    assert not any(name.startswith(("/usr/local", "/home", "/root")) for name in files)
    fields = dict(re.findall(r"^([A-Z][A-Za-z-]*): (.*)$", run("dpkg-deb", "-f", package()), re.M))
    assert all(name in fields["Depends"] for name in ("libc6", "libzydis4.0", "libmicrohttpd12")), fields
    assert "libcurl4" in fields["Suggests"], fields
    assert run("dpkg-deb", "-f", package(), "Architecture") == run("dpkg", "--print-architecture")


def test_options_that_everybody_could_read_are_closed_by_an_upgrade():
    make("deb")
    with tempfile.TemporaryDirectory(prefix="erlbpf-root-") as folder:
        for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "etc/default"):
            os.makedirs(os.path.join(folder, name))
        open(os.path.join(folder, "var/lib/dpkg/status"), "w").close()
        options = os.path.join(folder, "etc/default/erlbpf-export")
        with open(options, "w") as file:
            file.write('OTEL_EXPORTER_OTLP_HEADERS="authorization=secret"\n')
        os.chmod(options, 0o644)
        run("dpkg", "--root=" + folder, "--log=/dev/null", "--force-depends", "--force-confold",
            "--force-script-chrootless", "-i", package())
        assert os.stat(options).st_mode & 0o777 == 0o640, oct(os.stat(options).st_mode)
        with open(options) as file:
            assert "secret" in file.read()


class Unpacked:
    """The package's files in a folder."""

    def __enter__(self):
        make("deb")
        self.folder = tempfile.mkdtemp(prefix="erlbpf-deb-")
        os.chmod(self.folder, 0o755)
        run("dpkg", "-x", package(), self.folder)
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def test_what_is_in_the_package_runs_and_its_unit_is_well_formed():
    with Unpacked() as folder:
        program = os.path.join(folder, "usr/sbin/erlbpf")
        assert run(program, "--version").startswith("erlbpf ")
        assert subprocess.run(["readelf", "-S", program], stdout=subprocess.PIPE).stdout.find(b".debug_info") < 0
        unit = os.path.join(folder, "lib/systemd/system/erlbpf-export.service")
        with open(unit) as file:
            text = file.read()
        with open(unit, "w") as file:
            file.write(re.sub(r"^Documentation=.*\n", "", text.replace("/usr/sbin/erlbpf", program), flags=re.M))
        done = subprocess.run(["systemd-analyze", "verify", unit], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0 and b"erlbpf-export" not in done.stdout, done.stdout


def unit_settings():
    with open(os.path.join(ROOT, "packaging", "erlbpf-export.service")) as file:
        return dict(line.strip().split("=", 1) for line in file if "=" in line and line[0] != "#")


def test_the_unit_limits_memory():
    assert unit_settings()["MemoryMax"] == "256M"
    # Otherwise systemd stops all of it when the kernel ends one process.
    assert unit_settings()["OOMPolicy"] == "continue"


def calls_of(words):
    """Names of system calls; a word with @ is a group of them, which systemd knows."""
    for word in words:
        if word.startswith("@"):
            lines = run("systemd-analyze", "--no-pager", "syscall-filter", word).splitlines()[1:]
            yield from calls_of(line.strip() for line in lines if not line.strip().startswith("#"))
        else:
            yield word


def under_unit():
    """The system call filter of the unit."""
    seccomp, unit = seccomp_module(), unit_settings()
    assert unit["SystemCallErrorNumber"] == "EPERM"
    unit_filter = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name in set(calls_of(unit["SystemCallFilter"].split())) | set(calls_of(["@default"])):
        try:
            unit_filter.add_rule(seccomp.ALLOW, name)
        except (OSError, RuntimeError):
            pass  # none of this architecture's
    return unit_filter


def test_the_agent_runs_as_the_units_user_with_the_units_capabilities_and_calls():
    unit = unit_settings()
    wanted = sorted(name.lower() for name in unit["AmbientCapabilities"].split())
    assert unit["MemoryMax"] == "256M"
    assert wanted == sorted("cap_" + name for name in CAPABILITIES)
    assert unit["CapabilityBoundingSet"] == unit["AmbientCapabilities"]
    some = ",".join("+" + name for name in CAPABILITIES)
    with Unpacked() as folder:
        check_agent(program=os.path.join(folder, "usr/sbin/erlbpf"), preexec_fn=under_unit().load, prefix=[
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs",
            "--bounding-set=-all," + some, "--inh-caps=-all," + some, "--ambient-caps=-all," + some])


# The service manager.

def test_the_service_manager_is_told_when_it_is_ready_lives_and_ends():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        name = unique("erlbpf-test")
        manager.bind("\0" + name)
        manager.settimeout(LIMIT)
        agent = Agent("--node", unique("nobody"), env=dict(os.environ, NOTIFY_SOCKET="@" + name, WATCHDOG_USEC="1000000"))
        assert manager.recv(1000).decode().split("\n")[0] == "READY=1"
        assert agent.get("/-/ready") == "ready\n"
        assert [manager.recv(1000) for _ in range(2)] == [b"WATCHDOG=1"] * 2
        agent.stop()
        said = b""
        while said != b"STOPPING=1":
            said = manager.recv(1000)
            assert said in (b"WATCHDOG=1", b"STOPPING=1"), said


def test_a_manager_that_does_not_listen_harms_nobody():
    agent = Agent("--node", unique("nobody"), env=dict(os.environ, NOTIFY_SOCKET="/nonexistent/socket"))
    assert agent.get("/-/healthy") == "healthy\n"
    agent.stop()
