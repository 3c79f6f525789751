"""make bench, in a few seconds: that it measures, keeps and draws; never how fast anything is."""
import copy
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from lib import BUILD, LIMIT, ROOT, USDT, Process, Skip

BENCH = os.path.join(ROOT, "tests", "bench")
SAMPLE = ["hits", "startstop", "sites", "keys", "calls", "pingpong"]


def bench(*argv, code=0):
    done = subprocess.run([os.path.join(BENCH, "bench.py")] + list(argv), capture_output=True, text=True, timeout=5 * LIMIT)
    assert done.returncode == code, (done.returncode, done.stdout[-500:], done.stderr[-1500:])
    return done


def linked_build(folder):
    """A build folder with our programs, and results of its own."""
    for name in os.listdir(BUILD):
        if name != "bench":
            os.symlink(os.path.join(BUILD, name), os.path.join(folder, name))


def results(folder):
    with open(os.path.join(folder, "bench", "results.json")) as file:
        return json.load(file)


def check_section(section):
    """Each row is measured, or says why it is not; and what is ours is measured."""
    assert not section.get("failed"), (section["title"], section["failed"])
    assert section["rows"], section["title"]
    columns = {column["name"] for column in section["columns"]}
    for row in section["rows"]:
        assert row["runs"] or row["failed"], row
        assert not row["failed"] or "bpftrace" in row["name"] + section["title"], (section["title"], row)
        assert set(row["values"]) <= columns, row
        for value in row["values"].values():
            assert value["min"] <= value["median"] <= value["max"], row


def test_a_sample_of_each_kind_is_measured_kept_and_drawn():
    if os.geteuid() != 0 or not os.path.exists(USDT.erl):
        raise Skip("needs root, and a VM with notes")
    with tempfile.TemporaryDirectory() as folder:
        linked_build(folder)
        done = bench("--build", folder, "--scale", "sample", "--only", ",".join(SAMPLE), "--publish", folder + "/page")
        result = results(folder)
        assert result["complete"] and result["schema"] == 1 and result["scale"] == "sample", result
        assert result["machine"]["trap_ns"] > 0 and result["machine"]["cpu"], result["machine"]
        assert done.stdout.index("empty probe") < done.stdout.index("ns per hit"), "the machine comes first"
        assert {section["group"] for section in result["sections"]} == set(SAMPLE)
        for section in result["sections"]:
            check_section(section)
        check_page(folder + "/page", result)
        bench("--build", folder, "--scale", "sample", "--only", "hits", "--publish", folder + "/page")
        check_merged(folder + "/page", result, results(folder))


def check_merged(folder, before, again):
    """What was not measured again is as before, and says so."""
    with open(folder + "/results.json") as file:
        merged = json.load(file)
    new = [section for section in merged["sections"] if "run" not in section]
    assert new == again["sections"] and {section["group"] for section in new} == {"hits"}, new
    old = [section for section in merged["sections"] if "run" in section]
    assert [{name: section[name] for name in section if name != "run"} for section in old] == \
        [section for section in before["sections"] if section["group"] != "hits"]
    assert old[0]["run"]["trap_ns"] == before["machine"]["trap_ns"], old[0]["run"]
    with open(folder + "/README.md") as file:
        assert file.read().count("Of an earlier run: ") == len(old)


def check_page(folder, result):
    with open(folder + "/chart.svg") as file:
        picture = file.read()
    assert xml.etree.ElementTree.fromstring(picture).tag.endswith("svg")
    assert "prefers-color-scheme: dark" in picture and "currentColor" in picture
    again = subprocess.run([os.path.join(BENCH, "chart.py"), folder + "/results.json"], capture_output=True, text=True, check=True)
    assert again.stdout == picture, "two charts of one result differ"
    with open(folder + "/README.md") as file:
        page = file.read()
    for text in (result["machine"]["cpu"], result["machine"]["kernel"]):
        assert text in page, text
    rows = sum(len(section["rows"]) for section in result["sections"])
    assert len(re.findall(r"^\| (?! \|)\S", page, re.M)) == rows, page


def fabricated():
    machine = {"cpu": "a CPU", "cores": 2, "arch": "x86_64", "kernel": "6.18", "build": "a", "trap_ns": 500.0}
    section = {"group": "hits", "title": "Cost", "columns": [{"name": "ns", "unit": "ns", "better": "less", "digits": 0}],
               "rows": [{"name": "count", "base": "count", "runs": 1, "failed": None, "ratio": 1,
                         "values": {"ns": {"median": 600, "min": 600, "max": 600}}}]}
    return {"schema": 1, "scale": "full", "complete": True, "seconds": 1, "machine": machine, "sections": [section]}


def compared(old, new, code):
    with tempfile.TemporaryDirectory() as folder:
        for name, result in (("old", old), ("new", new)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(result if isinstance(result, str) else json.dumps(result))
        return bench("--compare", os.path.join(folder, "old"), os.path.join(folder, "new"), code=code)


def test_results_of_one_machine_are_compared():
    new = fabricated()
    new["machine"]["trap_ns"] *= 1.2
    new["sections"][0]["rows"][0]["values"]["ns"]["median"] = 900
    assert re.search(r"Cost: count +ns +600 +900 +1\.50", compared(fabricated(), new, 0).stdout)


def test_results_of_different_machines_are_not_compared():
    changes = {"cpu": "another CPU", "cores": 4, "kernel": "6.19", "build": "b", "arch": "aarch64", "trap_ns": 900.0}
    for name, value in changes.items():
        new = fabricated()
        new["machine"][name] = value
        done = compared(fabricated(), new, 2)
        assert not done.stdout and "different machines" in done.stderr and name in done.stderr, done
    unlike = copy.deepcopy(fabricated())
    unlike["scale"] = "quick"
    assert "a full run, the other a quick run" in compared(fabricated(), unlike, 2).stderr
    for text in ("", "{}", "[]", "null"):
        assert not compared(fabricated(), text, 2).stdout


def test_what_was_measured_before_it_was_stopped_is_kept():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory() as folder:
        linked_build(folder)
        with Process([sys.executable, os.path.join(BENCH, "bench.py"), "--build", folder, "--scale", "sample", "--only", "hits"],
                     stderr=subprocess.PIPE) as run:
            seen = ""
            while "count: erlbpf D" not in seen:
                part = os.read(run.child.stderr.fileno(), 4096).decode()
                assert part, "it ended by itself"
                seen += part
            run.child.send_signal(signal.SIGTERM)
            run.child.communicate(timeout=LIMIT)
            assert run.child.returncode == 1, run.child.returncode
        result = results(folder)
        assert not result["complete"]
        assert [row["runs"] for row in result["sections"][0]["rows"]][:2] == [1, 1], result["sections"]
