"""What `make test-vms` runs, with one VM and one file of tests."""
import os
import subprocess
import sys

from lib import BUILD

MATRIX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "matrix.py")


def test_a_row_of_the_matrix_runs_and_its_results_are_counted():
    done = subprocess.run([sys.executable, MATRIX, "--build", BUILD, "--area", "vms_node", "29-stripped"], capture_output=True,
                          text=True, timeout=600)
    text = done.stdout + done.stderr
    assert done.returncode == 0 and done.stdout.endswith("\n5 passed, 0 failed, 0 awaited, 0 skipped\n"), text[-2000:]
    assert "\n29-stripped: 3 passed, 0 failed, 0 awaited, " in done.stdout, text[-2000:]
