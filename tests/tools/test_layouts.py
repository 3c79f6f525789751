"""probes/fields.def, against the debug information of builds."""
import glob
import os
import subprocess

from lib import CACHE, ROOT, Skip, over


def beam_of(name):
    found = glob.glob(os.path.join(CACHE, "otp-" + name, "erts-*", "bin", "beam.smp"))
    has_debug = found and b".debug_info" in subprocess.run(["readelf", "-SW", found[0]], stdout=subprocess.PIPE, check=True).stdout
    return found[0] if has_debug else "-"


def test_members_of_an_interpreter_beside_a_jit_are_where_debug_information_says():
    beam = os.path.join(os.path.dirname(beam_of("25-usdt")), "beam.emu")
    if not os.path.exists(beam):
        raise Skip("no build of OTP 25 with debug information: probes/otp/build-otp.sh 25 usdt")
    done = subprocess.run([os.path.join(ROOT, "probes", "layouts.py"), "--check", "25", "-", beam], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout


@over([25, 27, 29])
def test_members_are_where_debug_information_says(release):
    builds = [beam_of("%d-%s" % (release, kind)) for kind in ("stock", "usdt")]
    if builds == ["-", "-"]:
        raise Skip("no build of OTP %d with debug information: probes/otp/build-otp.sh %d usdt" % (release, release))
    done = subprocess.run([os.path.join(ROOT, "probes", "layouts.py"), "--check", str(release), *builds],
                          stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout
