"""Commands that are no tools: what they print is whole, or they say that it is not."""
import json
import subprocess

import examples
from lib import ERLBPF, Fake, LIMIT, STOCK, WITH_NEWEST, erlbpf, over, shared

PRINTING = [["help"], ["help", "gc"], ["gc", "--help"], ["help", "export"], ["export", "--help"], ["help", "dtrace"],
            ["--version"], ["gc", "--version"], ["-V", "-x", "quiet"], ["-l"], ["-l", "-n", "BEGIN"],
            ["-e", "-v", "-n", "BEGIN"], ["help", "--complete"]]


def fails_on_a_full_disk(*args):
    with open("/dev/full", "w") as full:
        done = subprocess.run([ERLBPF, *map(str, args)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    assert done.returncode == 1, (args, done)
    assert done.stderr == "erlbpf: cannot write to standard output: No space left on device\n", (args, done)


def test_a_full_disk_is_an_error():
    for args in PRINTING:
        fails_on_a_full_disk(*args)


def test_a_full_disk_is_an_error_of_list_and_doctor():
    with shared(STOCK) as node:
        for args in (["list"], ["list", "-j"], ["list", "-f", "csv"], ["doctor"], ["doctor", "-j"]):
            fails_on_a_full_disk(*args, "-p", node.pid)


@over(["help --json", "list -p PID", "-l -p PID", "doctor -p PID"])
def test_a_reader_that_goes_away_is_no_error(command):
    with Fake() as fake:
        words = command.replace("PID", str(fake.pid))
        done = subprocess.run(["bash", "-c", "set -o pipefail; %s %s | true" % (ERLBPF, words)], timeout=LIMIT, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0 and not done.stderr, done


def test_doctor_judges_every_tool():
    with Fake() as fake:
        target = json.loads(erlbpf("doctor", "-p", fake.pid, "-j")[0])["targets"][0]
        text, _ = erlbpf("doctor", "-p", fake.pid)
    failing = [failure["tool"] for failure in target["fails"]]
    assert sorted(target["works"] + failing) == sorted(examples.tools())
    assert all(failure["why"] for failure in target["fails"])
    works = [line.split(None, 1)[1] for line in text.splitlines() if line.startswith("  works ")]
    assert works == [", ".join(target["works"])], text


@over(WITH_NEWEST)
def test_doctor_has_advice_only_where_something_is_missed(vm):
    with shared(vm) as node:
        text, _ = erlbpf("doctor", "-p", node.pid)
        target = json.loads(erlbpf("doctor", "-p", node.pid, "-j")[0])["targets"][0]
    assert target["fails"] == [], target
    assert target["to_do"] is None and "to do" not in text and "not needed" not in text, text
    titles = [line[:12].strip() for line in text.splitlines() if line.strip() and line[:12].strip()]
    assert len(set(titles)) == len(titles), titles


def test_help_explains_the_terms_that_it_uses():
    for command, terms in (("gc", ["note"]), ("slices", ["port", "dirty"]), ("tasks", ["task", "port"])):
        explained = erlbpf("help", command)[0].split("\nTerms:")[1]
        assert all("\n  %-12s " % term in explained for term in terms), (command, explained)
    assert "\n  stock " in erlbpf("help")[0].split("\nTerms:")[1]
