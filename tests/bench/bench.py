#!/usr/bin/env python3
"""Speed and cost of erlbpf, beside bpftrace with the same question and Erlang's own tracing, in one run. One file of this folder
per group of measurements: its rows are at the top. Results are kept after each row, so that a run that is stopped has some."""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GROUPS = ("hits", "startstop", "sites", "stream", "keys", "nodes", "processes", "calls", "functions", "pingpong", "rabbit",
          "budget", "percentiles", "rates", "profiles")


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scale", choices=("full", "quick", "sample"), default="full",
                        help="an hour, two minutes, or a few seconds")
    parser.add_argument("--only", help="these groups, with commas: " + ", ".join(GROUPS))
    parser.add_argument("--otp", metavar="VM", help="where the group functions takes its calls: a VM of tests/run.py")
    parser.add_argument("--publish", metavar="FOLDER", help="write them there too, if the run comes to its end; with --only, "
                        "groups that are there already and were not measured stay")
    parser.add_argument("--compare", nargs=2, metavar=("OLD", "NEW"), help="compare two results, and measure nothing")
    return parser.parse_args()


def as_json(result):
    return json.dumps(result, indent=1) + "\n"


def write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


class Results:
    """All that has been measured so far, as it is in the file."""

    def __init__(self, path, scale, machine):
        self.path, self.begin = path, time.monotonic()
        self.done = []
        self.result = {"schema": 1, "scale": scale.name, "complete": False, "seconds": 0, "machine": machine, "sections": []}

    def keep(self, sections):
        """Those of the group that is being measured."""
        self.result["sections"] = self.done + sections
        self.result["seconds"] = round(time.monotonic() - self.begin)
        write(self.path, as_json(self.result))

    def finish_group(self, sections):
        self.done += sections
        self.keep([])


def run(groups, scale, folder):
    import machine
    from measure import Progress, measure_group
    tell = Progress()
    tell("the machine")
    results = Results(os.path.join(folder, "results.json"), scale, machine.identity(scale))
    print("\n".join(machine.describe(results.result["machine"])), flush=True)
    if results.result["machine"]["load"] > 0.5:
        tell("this machine does other work: its load average is %.1f" % results.result["machine"]["load"])
    try:
        for group in groups:
            results.finish_group(measure_group(group, scale, tell, results.keep))
        results.result["complete"] = True
    except KeyboardInterrupt:
        tell("stopped; what is measured is kept")
        results.done = results.result["sections"]
    results.keep([])
    return results.result


def chart(path):
    """By the Python of the system, which has its packages."""
    return subprocess.run([os.path.join(HERE, "chart.py"), path], check=True, stdout=subprocess.PIPE, text=True).stdout


def publish(result, folder):
    import report
    path = os.path.join(folder, "results.json")
    os.makedirs(folder, exist_ok=True)
    write(path, as_json(result))
    measured = {section["group"] for section in result["sections"]}
    write(os.path.join(folder, "README.md"), report.as_markdown(result, [__import__(name) for name in GROUPS if name in measured]))
    write(os.path.join(folder, "chart.svg"), chart(path))
    print("results.json, chart.svg and README.md are in " + folder)


def with_others(result, folder):
    """Beside the groups that were measured there before, if there are any."""
    from merge import merge
    path = os.path.join(folder, "results.json")
    return merge(path, result, GROUPS) if os.path.exists(path) else result


def compare(old, new):
    from compare import compare, load
    try:
        print("\n".join(compare(load(old), load(new))))
    except (OSError, ValueError) as why:
        return refuse(why)
    return 0


def refuse(why):
    print("bench: %s" % why, file=sys.stderr)
    return 2


def stop(*_):
    raise KeyboardInterrupt


def main():
    wanted = options()
    os.environ["ERLBPF_BUILD"] = os.path.abspath(wanted.build)
    if wanted.otp:
        os.environ["ERLBPF_OTP"] = wanted.otp
    sys.path.insert(0, os.path.dirname(HERE))
    import lib
    import report
    from compare import Different
    from measure import SCALES
    if wanted.compare:
        return compare(*wanted.compare)
    signal.signal(signal.SIGTERM, stop)
    folder = os.path.join(os.path.abspath(wanted.build), "bench")
    os.makedirs(folder, exist_ok=True)
    names = wanted.only.split(",") if wanted.only else GROUPS
    groups = [__import__(name) for name in names]
    try:
        result = run(groups, SCALES[wanted.scale], folder)
        print("\n" + report.as_text(result))
        publish(result, folder)
        if wanted.publish and result["complete"]:
            publish(with_others(result, wanted.publish) if wanted.only else result, wanted.publish)
    except Different as why:
        return refuse(why)
    finally:
        lib.end_processes()
    return 0 if result["complete"] else 1


if __name__ == "__main__":
    sys.exit(main())
