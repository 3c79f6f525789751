"""What is written about the command for D, held against its own help; and its JSON lines against the man page."""
import json
import os
import re
import subprocess

from lib import ERLBPF, LIMIT, ROOT, Skip

from test_docs import given_to_zsh, offered_by_bash  # noqa: E402


def text_of(path):
    with open(os.path.join(ROOT, path)) as file:
        return file.read()


def help_of_d():
    return subprocess.run([ERLBPF, "help", "dtrace"], stdout=subprocess.PIPE, check=True).stdout.decode()


def names():
    """-n, --node..."""
    return set(re.findall(r"^  +(-\w|--[\w-]+)\w?\b", help_of_d().split("\nOptions of -x:\n")[0], re.M))


def options():
    """Those of -x that have an effect."""
    section = help_of_d().split("\nOptions of -x:\n")[1].split("\n\n")[0]
    return [line.split()[0].split("=")[0] for line in section.splitlines()]


def section_of_man():
    return re.search(r"^# D\n.*?(?=^# )", text_of("docs/man/erlbpf.8.scd"), re.M | re.S).group(0)


def test_the_man_page_has_every_option_of_the_command():
    shown = set(re.findall(r"^\*(-\w|--[\w-]+)\w?\*", section_of_man(), re.M))
    assert names() == shown, names() ^ shown


def test_the_man_page_has_every_option_of_x():
    shown = re.findall(r"^[|\[]\[ (\w+)(?:=.*)?$", section_of_man(), re.M)
    assert shown == options(), set(shown) ^ set(options())


def test_the_language_page_has_every_option_of_x():
    page = text_of("docs/d-language.md").split("### Options of -x")[1].split("Taken for")[0]
    assert re.findall(r"^\| `(\w+)", page, re.M) == options()


def test_the_completions_have_every_option():
    assert set(offered_by_bash("-n", "-x")) == set(options())
    zsh = set(re.findall(r"^(?:\*|\(.*?\))(-\w|--[\w-]+)=?\[", "\n".join(given_to_zsh("-n")), re.M))
    bash = set(offered_by_bash("-l", last="-"))
    assert zsh == bash == names(), (zsh ^ bash, names() ^ bash)


def run(program, *arguments, status=0):
    done = subprocess.run([ERLBPF, "-q", "-j"] + list(arguments) + ["-n", program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=LIMIT)
    assert done.returncode == status, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


PROGRAM = """
BEGIN { printf("%d %s\\n", 5, "y"); trace("x\\377"); @a["k", 1] = quantize(5); @b = sum(10); @c = count(); normalize(@b, 5); }
BEGIN { trace(1 / (int)(timestamp & 0)); }
BEGIN { stack(); exit(3); }
"""


def shapes_of_man():
    """{type: its keys} of the examples in the man page."""
    text = section_of_man().split("## JSON lines of D")[1]
    lines = [json.loads(block.replace("\n", "")) for block in re.findall(r"^```\n(.*?)^```", text, re.M | re.S)]
    return {line["type"]: set(line) - {"schema"} for line in lines}


def test_json_lines_have_the_fields_of_the_man_page():
    if os.geteuid() != 0:
        raise Skip("needs root")
    lines = run(PROGRAM, status=3)
    shapes = shapes_of_man()
    assert {line["type"] for line in lines} == set(shapes)
    assert all(set(line) - {"schema"} == shapes[line["type"]] for line in lines), lines
    assert [line.get("schema") for line in lines] == [1] + [None] * (len(lines) - 1)
    events = [line for line in lines if line["type"] == "event"]
    assert events[0]["actions"] == [{"action": "printf", "text": "5 y\n", "values": [5, "y"]},
                                    {"action": "trace", "value": "x\ufffd"}]
    assert [action["action"] for action in events[1]["actions"]] == ["stack", "exit"]
    assert [line["what"].split(" at ")[0] for line in lines if line["type"] == "error"] == ["divide-by-zero"]
    entries = {line["name"]: line["entries"] for line in lines if line["type"] == "aggregation"}
    assert entries == {"@a": [{"key": ["k", 1], "buckets": [{"lo": 4, "hi": 7, "count": 1}]}],
                       "@b": [{"key": [], "value": 2}], "@c": [{"key": [], "value": 1}]}, entries
    assert lines[-1] == {"type": "summary", "tool": "d", "events": 2, "errors": 1, "lost": 0,
                         "drops": {key: 0 for key in lines[-1]["drops"]}}


def test_json_lines_tell_what_was_lost():
    if os.geteuid() != 0:
        raise Skip("needs root")
    lines = run("BEGIN { x[1] = 1; x[2] = 1; x[3] = 1; exit(0); }", "-x", "dynvarsize=64")
    assert lines[-1]["drops"]["dynamic"] == 2, lines


def test_listed_probes_are_json_lines_too():
    lines = run("BEGIN,END", "-l")
    assert [(line["type"], line.get("schema"), line["name"]) for line in lines] == [
        ("probe", 1, "BEGIN"), ("probe", None, "END")]


def test_csv_is_refused_with_what_to_do():
    done = subprocess.run([ERLBPF, "-n", "BEGIN", "-f", "csv"], stderr=subprocess.PIPE, timeout=LIMIT)
    assert done.returncode == 2 and b"-j" in done.stderr, done
