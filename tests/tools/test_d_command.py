"""The command line of D, as dtrace(1) has it: what is listed, refused and said, under the name that it is called by."""
import os
import subprocess
import tempfile

from lib import ERLBPF, LIMIT, Skip


TRACEFS = "/sys/kernel/tracing"


def mount_tracefs():
    """It tells the groups of tracepoints. Not every machine has mounted it at its start."""
    if os.geteuid() == 0 and not os.path.exists(TRACEFS + "/events"):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACEFS], check=True)


def dtrace(*argv, code=0):
    """It runs called as dtrace."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory() as folder:
        called = os.path.join(folder, "dtrace")
        os.symlink(ERLBPF, called)
        done = subprocess.run([called] + [str(arg) for arg in argv], capture_output=True, timeout=LIMIT, text=True,
                              stdin=subprocess.DEVNULL)
    assert done.returncode == code, (done.returncode, done.stdout[:200], done.stderr[:500])
    return done


def names_of(*argv):
    """(provider, module, function, name) of what is listed."""
    lines = dtrace("-l", *argv).stdout.splitlines()[1:]
    return [(line[6:16].strip(), line[17:34].strip(), line[35:68].strip(), line[69:].strip()) for line in lines]


def test_a_description_without_a_provider_means_those_of_the_kernel_too():
    mount_tracefs()
    assert {("syscall", "read", "entry"), ("syscall", "read", "return")} <= {
        (provider, function, name) for provider, _, function, name in names_of("-f", "read")}
    for argv, wanted in ((("-n", "wakeup"), ("sched", "vmlinux", "", "wakeup")),
                         (("-n", "profile-*"), ("profile", "", "", "profile-97")),
                         (("-n", "sched_*"), ("rawtp", "sched", "", "sched_switch")),
                         (("-m", "vmlinux"), ("proc", "vmlinux", "", "exit")),
                         (("-P", "rawtp"), ("rawtp", "raw_syscalls", "", "sys_enter"))):
        assert wanted in names_of(*argv), argv


def test_arguments_of_a_tracepoint_are_listed_with_the_types_of_the_kernel():
    mount_tracefs()
    assert "args[0]: struct task_struct *\n\t\targs[1]: struct task_struct *\n\n" in dtrace(
        "-l", "-v", "-n", "rawtp:sched::sched_process_fork").stdout
    assert "args[2]: cpuinfo_t *\n\t\targs[3]: int\n\n" in dtrace("-l", "-v", "-n", "sched:::enqueue").stdout


def test_what_is_listed_can_be_traced_by_its_names():
    done = dtrace("-q", "-n", 'write:entry { @[probeprov, probefunc] = count(); }'
                  'sched_switch { @[probeprov, probename] = count(); }', "-c", "/bin/echo done")
    assert "syscall" in done.stdout and "write" in done.stdout and "sched_switch" in done.stdout, done.stdout


def test_more_probes_than_the_kernel_can_free_at_once_are_refused():
    done = dtrace("-xerrtags", "-n", ":::", code=1)
    assert "[D_PROG_LEN]" in done.stderr and "use fewer probes" in done.stderr, done.stderr


def test_a_command_of_a_program_has_signals_as_a_shell_has_them():
    done = dtrace("-w", "-q", "-n", 'BEGIN { system("yes | head -1"); exit(0); }')
    assert done.stdout.strip() == "y" and not done.stderr, done


def test_options_alone_are_compiled():
    dtrace("-b", "4m", "-e")


def test_programs_of_32_bits_are_refused_with_the_reason():
    assert "-32: programs of 32 bits do not exist: BPF has 64, so sizeof (long) is 8" in dtrace("-32", "-n", "BEGIN", code=2).stderr


TREE = """Parse tree (Pass 2):
  CLAUSE
    PDESC :::BEGIN [0]
  PREDICATE /
    OP2 > (type=<int>)
      VARIABLE pid (type=<pid_t>)
      INT 0x1 (type=<int>)
  /
  ACTION
    D EXPRESSION
      OP2 = (type=<int64_t>)
        VARIABLE self->x (type=<int64_t>)
        INT 0x3 (type=<int64_t>)
    D EXPRESSION
      OP2 = (type=<void>)
        AGGREGATE @n [
          VARIABLE execname (type=<string>)
        ,
          STRING "a\\"\\012" (type=<string>)
        ]
        FUNC count (type=<void>)
"""


def test_the_tree_of_a_program_is_printed():
    program = r"""BEGIN /pid > 1/ { self->x = (int64_t)(1 + 2); @n[execname, "a\"\n"] = count(); }"""
    trees = {n: dtrace("-e", "-x", "tree=%d" % n, "-n", program).stderr for n in (1, 2, 3, 4)}
    assert trees[2] == TREE, trees[2]
    assert "OP2 >\n      IDENT pid\n" in trees[1] and trees[1].startswith("Parse tree (Pass 1):\n")
    assert trees[3] == trees[1] + trees[2] and trees[4] == ""
    dtrace("-e", "-x", "tree=0", "-n", program, code=1)


def test_a_list_of_an_id_that_does_not_exist_is_empty():
    assert dtrace("-l", "-i", "99999").stdout.count("\n") == 1


def test_more_parts_than_an_option_names_are_refused():
    for argv in (("-P", "dtrace:::BEGIN"), ("-m", "a:b::c"), ("-f", "a:b:c:d")):
        assert "overspecified probe description" in dtrace("-l", *argv, code=1).stderr, argv


def test_the_version_that_it_prints_is_one_that_a_program_may_want():
    version = dtrace("-V").stdout.split()[-1]
    dtrace("-xversion=" + version, "-e", "-n", "BEGIN")


KEYS = 'BEGIN { @[1] = count(); @[2] = count(); @[3] = count(); x[1] = 1; exit(0); }'


def test_an_aggregation_has_the_size_that_is_asked_for():
    keys = "".join("@[%d] = count(); " % key for key in range(100))
    # A key has 8 bytes, and so has a count.
    done = dtrace("-q", "-xaggsize=1k", "-n", "BEGIN { %s exit(0); }" % keys)
    assert "36 aggregation drops" in done.stderr, done.stderr
    done = dtrace("-q", "-xaggsize=1m", "-n", "BEGIN { %s exit(0); }" % keys)
    assert "drop" not in done.stderr and len(done.stdout.split()) == 200, done.stderr


def test_sizes_that_are_too_small_or_cannot_be_had_are_refused():
    for option in ("aggsize=8", "dynvarsize=8"):
        assert option[:7] in dtrace("-x" + option, "-n", KEYS, code=1).stderr, option
    assert "memory allocation failure" in dtrace("-b", "100t", "-n", KEYS, code=1).stderr
    dtrace("-xstrsize=1", "-n", KEYS, code=1)


def test_what_an_option_does_not_do_is_told():
    done = dtrace("-xbufpolicy=ring", "-xaggpercpu", "-xaggrate=1s", "-n", "BEGIN { @ = count(); exit(0); }")
    for option in "bufpolicy", "aggpercpu", "aggrate":
        assert option + " has no effect" in done.stderr, done.stderr
    done = dtrace("-xbufpolicy=switch", "-n", "BEGIN { exit(0); }")
    assert "no effect" not in done.stderr, done.stderr


def test_the_command_has_the_environment_that_is_asked_for():
    done = dtrace("-q", "-xsetenv=A_FIRST=1", "-xsetenv=A_FIRST=2=3", "-xunsetenv=HOME", "-xsetenv=B_SECOND=", "-c", "env",
                  "-w", "-n", 'END { system("echo $A_FIRST $HOME"); }')
    lines = done.stdout.split("\n")
    assert "A_FIRST=2=3" in lines and "A_FIRST=1" not in lines and "B_SECOND=" in lines, done.stdout
    assert not any(line.startswith("HOME=") for line in lines) and os.environ["HOME"] in lines, done.stdout
    for option in "-xsetenv=A", "-xsetenv", "-xsetenv==1", "-xunsetenv=A=1", "-xunsetenv":
        assert "invalid value" in dtrace(option, "-n", "BEGIN { exit(0); }", code=1).stderr


def test_of_several_processes_the_first_is_the_target_and_that_is_told():
    pids = os.getpid(), os.getppid()
    done = dtrace("-p", pids[0], "-p", pids[1], "-n", 'BEGIN { printf("%d", $target); exit(0); }')
    assert "$target is process %d, the first of -p" % pids[0] in done.stderr, done.stderr
    assert str(pids[0]) in done.stdout, done.stdout


def with_libraries(files, *argv, code=0):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        return dtrace("-q", "-L", folder, *argv, code=code)


LIBRARIES = {
    "answer.d": "#pragma D depends_on library parts.d\ninline int ANSWER = PART + 2;\n",
    "parts.d": "struct pair { int a; int b; };\ninline int PART = 40;\n",
    "notes.txt": "this is no D",
}
USES = 'struct pair p; BEGIN { p.b = ANSWER; printf("%d\\n", p.b); exit(0); }'


def test_libraries_are_loaded_those_first_that_others_depend_on():
    assert with_libraries(LIBRARIES, "-n", USES).stdout.strip() == "42"
    with_libraries(LIBRARIES, "-xnolibs", "-n", USES, code=1)


def test_what_is_wrong_in_a_library_is_told_with_its_name():
    done = with_libraries({"broken.d": "inline int X = ;"}, "-n", "BEGIN", code=1)
    assert "broken.d\", line 1: syntax error" in done.stderr, done.stderr
    done = with_libraries({"clauses.d": "BEGIN { exit(0); }"}, "-n", "BEGIN", code=1)
    assert "clauses.d: a library has no clauses" in done.stderr, done.stderr
    circle = {name + ".d": "#pragma D depends_on library %s.d\n" % other for name, other in ("ab", "bc", "ca")}
    done = with_libraries(circle, "-n", "BEGIN { exit(0); }", code=1)
    assert "it depends on itself" in done.stderr, done.stderr


def test_a_library_that_lacks_another_one_is_left_out_and_so_is_who_depends_on_it():
    needs = {"needs.d": LIBRARIES["answer.d"], "more.d": "#pragma D depends_on library needs.d\ninline int MORE = ANSWER;\n",
             "other.d": "inline int OTHER = 7;\n"}
    assert with_libraries(needs, "-n", 'BEGIN { printf("%d\\n", OTHER); exit(0); }').stdout.strip() == "7"
    for name in ("ANSWER", "MORE"):
        done = with_libraries(needs, "-n", "BEGIN { trace(%s); exit(0); }" % name, code=1)
        assert name in done.stderr and "needs.d" not in done.stderr, done.stderr


def test_a_fault_names_the_clause_from_0_and_what_it_is():
    done = dtrace("-q", "-n", "BEGIN { i = 1; } BEGIN { trace(1 / (i - 1)); } BEGIN { exit(0); }")
    assert done.stderr == "dtrace: error in dt_clause_1 for probe ID 1 (dtrace:::BEGIN): divide-by-zero\n", done.stderr


def test_every_message_begins_with_the_name_that_it_is_called_by():
    for done in (dtrace("-C", "-xcpppath=/bin/false", "-n", "BEGIN { exit(0); }", code=1),
                 dtrace("-n", 'BEGIN { system("true"); exit(0); }', code=1)):
        named = [line for line in done.stderr.splitlines() if "matched" not in line]
        assert named and all(line.startswith("dtrace: ") for line in named), done.stderr


def test_copyout_writes_or_is_refused_because_the_kernel_does_not_allow_it():
    """Whether it does, the command finds out itself: it depends on lockdown and on how the kernel was built."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    done = subprocess.run([ERLBPF, "-q", "-w", "-c", "echo here", "-n",
                           'syscall::write:entry /pid == $target/ { copyoutstr("gone", arg1, 5); }'],
                          capture_output=True, timeout=LIMIT, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        assert "this kernel does not allow BPF programs to write" in done.stderr and done.stdout == "", done
    else:
        assert done.stdout.startswith("gone"), done


def test_a_reader_that_goes_away_ends_it_with_0():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with subprocess.Popen([ERLBPF, "-q", "-n", 'tick-10ms { printf("a line\\n"); }'],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdout.read(1) == b"a"
        child.stdout.close()
        assert child.wait(LIMIT) == 0
