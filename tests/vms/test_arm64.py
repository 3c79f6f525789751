"""VMs of Debian for aarch64: what is found in them, without running them. `make test-kernels` runs one."""
import glob
import os
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")]
from lib import BUILD
import packages

SUITES = {25: "bookworm", 27: "trixie", 29: "sid"}


def test_functions_and_instructions_of_debians_vms_for_aarch64_are_what_they_are():
    vms = ["%d=%s" % (otp, glob.glob(packages.erlang("arm64", suite) + "/usr/lib/erlang/erts-*/bin/beam.smp")[0])
           for otp, suite in SUITES.items()]
    done = subprocess.run([os.path.join(BUILD, "unit"), "-j1", "--filter=arm64_binaries/*", "--tap"], capture_output=True,
                          timeout=300, env=dict(os.environ, ERLBPF_ARM64_VMS=" ".join(vms)))
    text = done.stdout.decode("utf-8", "replace")
    mine = [line for line in text.splitlines() if "arm64_binaries::" in line]
    assert len(mine) >= 4 and all(line.startswith("ok ") and "# SKIP" not in line for line in mine), text[-4000:]
