"""-h: the header of the providers that a D program declares."""
import os
import re
import subprocess
import tempfile

from lib import ERLBPF, LIMIT

HERE = os.path.dirname(os.path.abspath(__file__))
PROVIDER = """provider my_app {
	probe request__start(int id, char *url);
	probe request__done(int code, uint32_t bytes) : (int code, uint32_t bytes);
	probe idle();
};
#pragma D attributes Evolving/Evolving/Common provider my_app provider
"""
MAIN = """#include "probes.h"
#include <stdio.h>
int other(void);
int main(void)
{
	MY_APP_IDLE();
	MY_APP_REQUEST_START(7, "x");
	MY_APP_REQUEST_DONE(200, 4u);
	printf("%d %d\\n", MY_APP_REQUEST_START_ENABLED() != 0, other());
	return 0;
}
"""
OTHER = """#include "probes.h"
int other(void)
{
	MY_APP_REQUEST_START(8, "y");
	return MY_APP_REQUEST_START_ENABLED();
}
"""


def run(folder, *argv, code=0):
    done = subprocess.run(argv, cwd=folder, capture_output=True, timeout=LIMIT, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (argv, done.returncode, done.stdout, done.stderr)
    return done


def write(folder, **texts):
    for name, text in texts.items():
        with open(os.path.join(folder, name.replace("_", ".")), "w") as file:
            file.write(text)


def notes(folder, program):
    return re.findall(r"Provider: (\S+)\n\s+Name: (\S+)\n.*Semaphore: (\S+)", run(folder, "readelf", "-n", program).stdout)


def test_the_header_of_a_provider_is_compiled_and_linked_as_it_is():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, probes_d=PROVIDER, main_c=MAIN, other_c=OTHER)
        assert not run(folder, ERLBPF, "-h", "-s", "probes.d").stdout
        for compiler in ("gcc", "clang"):
            run(folder, compiler, "-Wall", "-Wextra", "-Werror", "-O2", "main.c", "other.c", "-o", "program")
            found = notes(folder, "program")
            assert sorted((provider, name) for provider, name, _ in found) == [
                ("my_app", "idle"), ("my_app", "request__done"), ("my_app", "request__start"),
                ("my_app", "request__start")], found
            assert len({semaphore for _, name, semaphore in found if name == "request__start"}) == 1, found
            assert run(folder, "./program").stdout == "0 0\n"
            run(folder, compiler, "-O2", "-shared", "-fPIC", "other.c", "-o", "library.so")


def test_the_header_is_written_to_the_file_of_o():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, probes_d=PROVIDER)
        run(folder, ERLBPF, "-h", "-s", "probes.d", "-o", "here.h")
        assert os.listdir(folder) == ["probes.d", "here.h"] or sorted(os.listdir(folder)) == ["here.h", "probes.d"]


def test_h_alone_is_help():
    assert "usage: erlbpf" in run("/", ERLBPF, "-h").stdout


def test_a_script_without_a_provider_has_no_header():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, probes_d="BEGIN { exit(0); }\n")
        assert "declares no provider" in run(folder, ERLBPF, "-h", "-s", "probes.d", code=1).stderr


def test_a_probe_that_sdt_cannot_have_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, probes_d="provider p { probe q(%s); };\n" % ", ".join(["int"] * 13))
        assert "probe q has more than 12 parameters" in run(folder, ERLBPF, "-h", "-s", "probes.d", code=1).stderr


def test_the_declarations_of_otp_are_compiled():
    """probes/erlang.d is made from OTP's erlang_dtrace.d: without our kinds it is that, with pragmas at its end."""
    with open(os.path.join(HERE, "..", "..", "probes", "erlang.d")) as file:
        text = re.sub(r"\s*:\s*\w+(?=\s*[,)])", "", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))
    text = text.rstrip() + "\n" + "".join("#pragma D attributes Evolving/Evolving/Common provider erlang %s\n" % part
                                           for part in ("provider", "module", "function", "name", "args"))
    with tempfile.TemporaryDirectory() as folder:
        write(folder, erlang_d=text)
        run(folder, ERLBPF, "-e", "-s", "erlang.d")
        run(folder, ERLBPF, "-h", "-s", "erlang.d")
        with open(os.path.join(folder, "erlang.h")) as file:
            assert "#define ERLANG_PROCESS_SPAWN(arg0, arg1) DTRACE_PROBE2(erlang, process__spawn, arg0, arg1)" in \
                file.read()


def test_no_object_is_needed():
    done = run("/", ERLBPF, "-G", "-s", "x.d", code=2)
    assert "no object is needed on Linux: write a header with -h -s FILE.d" in done.stderr
