"""Every function of D evaluates each of its arguments exactly once."""
import json
import re
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, Skip
from test_d_limits import need_root

# An argument of each type that counts its evaluations in n. A type that is not here is an integer.
COUNTED = {
    "string": '(n++, "a")',
    "pointer": "(n++, this->p)",
    "ipaddr_t *": "(n++, (ipaddr_t *)this->p)",
    "in6_addr_t *": "(n++, (in6_addr_t *)this->p)",
    "agg": "@%(name)s",
}
INTEGER = "(n++, 2)"

# Calls that prototypes cannot say: constant arguments, formats, and aggregating functions.
CALLS = {
    "llquantize": "llquantize((n++, 2), 10, 0, 2, 10, (n++, 2))",
    "lquantize": "lquantize((n++, 2), 0, 100, 10, (n++, 2))",
    "quantize": "quantize((n++, 2), (n++, 2))",
    "freopen": 'freopen("%%s", (n++, ""))',
    "printf": 'printf("%%*.*d %%s", (n++, 2), (n++, 2), (n++, 2), (n++, ""))',
    "system": 'system("exit %%d", (n++, 0))',
    "setopt": 'setopt("quiet")',
    "printa": "printa(@%(name)s)",
    "stack": "stack(2)",
    "ustack": "ustack(2, 0)",
    "jstack": "jstack(2, 0)",
    "tracemem": "tracemem((n++, this->p), 4, (n++, 2))",
    "inet_ntoa6": "inet_ntoa6((n++, (in6_addr_t *)this->p), 1)",
}
MORE = [
    "print((n++, (int *)this->p))",  # it records the pointer and what it points to
    "trace((n++, *(struct in6_addr *)this->p))",
    "@keys[(n++, 2), (n++, \"a\")] = sum((n++, 2))",
    "@stacks[ufunc((n++, 2)), sym((n++, 2))] = count()",
    "strtok((n++, \"a,b\"), (n++, \",\"))",
]
APART = ("exit", "speculate", "stop", "copyout", "copyoutstr")
CLAUSES = """
BEGIN { n = 0; }
BEGIN { %(before)sthis->p = (char *)alloca(16); %(call)s; }
BEGIN { printf("\\n%(name)s: %%d of %(count)d\\n", n); }
"""


def call_of(function):
    name, prototype = function["name"], function["prototype"]
    parameters = re.search(r"\((.*)\)", prototype).group(1).replace("[", "").replace("]", "")
    types = [word for word in parameters.split(", ") if word not in ("", "...")]
    call = CALLS.get(name) or "%s(%s)" % (name, ", ".join(COUNTED.get(word, INTEGER) for word in types))
    call = call % {"name": name}
    return "@%s = %s" % (name, call) if function["kind"] == "aggregating" else call


def clauses(name, call):
    before = "@%s = sum(1); " % name if "@%s)" % name in call or "@%s," % name in call else ""
    return CLAUSES % {"name": name, "call": call, "count": call.count("n++"), "before": before}


def run(program):
    with tempfile.NamedTemporaryFile("w", suffix=".d") as file:
        file.write(program)
        file.flush()
        return subprocess.run([ERLBPF, "-q", "-w", "-s", file.name], capture_output=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL)


def wrong_in(named_calls):
    """What was not evaluated once, with the messages of the run."""
    done = run("\n".join(clauses(*each) for each in named_calls) + "\nBEGIN { exit(0); }\n")
    lines = re.findall(r"^(\S+): (\d+) of (\d+)$", done.stdout.decode("latin-1"), re.M)
    wrong = [line for line in lines if line[1] != line[2]]
    missing = sorted({name for name, _ in named_calls} - {line[0] for line in lines})
    return [str(each) for each in wrong + missing] + ([done.stderr.decode()[:2000]] if wrong or missing else [])


def test_every_function_evaluates_each_argument_once():
    need_root()
    listed = json.loads(subprocess.check_output([ERLBPF, "help", "--json"]))["d"]["functions"]
    calls = [(each["name"], call_of(each)) for each in listed if each["name"] not in APART]
    calls += [("more-%d" % i, call) for i, call in enumerate(MORE)]
    wrong = sum((wrong_in(calls[at:at + 16]) for at in range(0, len(calls), 16)), [])
    assert not wrong, wrong


def test_exit_and_speculate_evaluate_their_argument_once():
    need_root()
    done = run("BEGIN { n = 0; i = speculation(); } BEGIN { speculate((n++, i)); } BEGIN { exit(n++); } "
               "END { printf(\"%d\", n); }")
    assert (done.returncode, done.stdout.strip()) == (1, b"2"), done


def test_copyout_evaluates_each_argument_once():
    need_root()
    wrong = wrong_in([("copyout", "copyout((n++, this->p), (n++, 2), (n++, 2))"),
                      ("copyoutstr", 'copyoutstr((n++, "a"), (n++, 2), (n++, 2))')])
    if wrong and "this kernel does not allow" in wrong[-1]:
        raise Skip("this kernel does not let BPF programs write to processes")
    assert not wrong, wrong
