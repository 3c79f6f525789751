"""probes/fields.def, against the debug information of builds."""
import glob
import os
import subprocess

from lib import CACHE, ROOT, over


def beam_of(name):
    found = glob.glob(os.path.join(CACHE, "otp-" + name, "erts-*", "bin", "beam.smp"))
    has_debug = found and b".debug_info" in subprocess.run(["readelf", "-SW", found[0]], stdout=subprocess.PIPE, check=True).stdout
    return found[0] if has_debug else "-"


def check(release, *builds):
    done = subprocess.run([os.path.join(ROOT, "probes", "layouts.py"), "--check", str(release), *builds],
                          stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout


@over(["emu"])
def test_members_of_an_interpreter_are_where_debug_information_says(vm):
    check(25, "-", beam_of("25-" + vm))


# Debian's OTP 25 has no debug information.
@over(["usdt", "otp27-stock", "otp27-usdt", "otp29-stock", "otp29-usdt"])
def test_members_are_where_debug_information_says(vm):
    release, kind = ("25", vm) if vm == "usdt" else vm[3:].split("-")
    beam = beam_of("%s-%s" % (release, kind))
    check(release, *([beam, "-"] if kind == "stock" else ["-", beam]))
