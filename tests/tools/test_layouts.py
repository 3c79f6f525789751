"""probes/fields.def, against the debug information of builds."""
import glob
import os
import subprocess

from lib import CACHE, ROOT, Skip, over


def beam_of(name):
    found = glob.glob(os.path.join(CACHE, "otp-" + name, "erts-*", "bin", "beam.smp"))
    has_debug = found and b".debug_info" in subprocess.run(["readelf", "-SW", found[0]], stdout=subprocess.PIPE, check=True).stdout
    return found[0] if has_debug else "-"


@over([25, 27, 29])
def test_members_are_where_debug_information_says(release):
    builds = [beam_of("%d-%s" % (release, kind)) for kind in ("stock", "usdt")]
    if builds == ["-", "-"]:
        raise Skip("no build of OTP %d with debug information: probes/otp/build-otp.sh %d usdt" % (release, release))
    done = subprocess.run([os.path.join(ROOT, "probes", "layouts.py"), "--check", str(release), *builds],
                          stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout
