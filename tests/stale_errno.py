#!/usr/bin/env python3
"""Where errno may be another call's, or nobody's: `stale_errno.py [--tree DIR]`.

Of a place that reads errno, the last call in front of it has to be one that sets it: of the C library or the kernel
(SETTERS), or one of ours whose comment says so ("NULL and errno"). Such a function of ours is held to its word: the last
call in front of each `return NULL` or `return -1` sets errno, or the function does. What changes no errno may stand in
between (NEUTRAL). It reads text, not the flow of control. Prints what it finds; exits 1 if there is anything.
tests/stale_errno_check.py shows that it finds what it should."""
import argparse
import os
import re
import sys

from tags import c_files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("user", "tools")
SETTERS = set("""
accept4 calloc cap_set_flag cap_set_proc connect dup2 epoll_create1 epoll_ctl epoll_wait eventfd execvp fcntl fdopen
fflush fopen fopencookie fork fread fstat getc_unlocked gethostname getrandom getsockopt ioctl kill listen lseek malloc mmap open openat opendir pipe2 poll
prctl pread ptrace read readdir readlinkat recv recvmsg scandir sched_setaffinity send sendmsg setresuid sigaction signalfd socket
socketpair stat strtol strtoul strtoull syscall system tcgetattr timer_create timerfd_create timerfd_settime waitpid write
bpf_enable_stats bpf_map_delete_elem bpf_map_get_next_key bpf_map_lookup_and_delete_batch bpf_map_lookup_batch
bpf_map_lookup_elem bpf_map_update_elem bpf_obj_get_info_by_fd bpf_object__open_mem bpf_prog_test_run_opts
ring_buffer__new
array_has_room array_has_room_for
""".split())
# free() keeps errno since glibc 2.33, and what prints messages and cleans up is made so in base/.
NEUTRAL = set("""
ferror free is_shortage isdigit pr_debug pr_err pr_info pr_warn strerror strlen
for if return sizeof switch while
""".split())
PROMISE = re.compile(r"(?:NULL|-1)[^.;:]{0,12}\berrno\b|\b0 and errno\b")
OF_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
FUNCTION = re.compile(r"^(?:[a-z_][^\n;{}=]*?)\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.S | re.M)
CALL = re.compile(r"\b(\w+)\s*\(")
READS = re.compile(r"(?<![.\w>&])errno\b(?!\s*=[^=])")
TELLS = re.compile(r"\berrno\s*=[^=]")
GIVES_UP = re.compile(r"return (?:[^;?]*, )?(?:NULL|-1);")
LEAVES = re.compile(r"\breturn\b[^;]*;")
NEVER_COMES_BACK = re.compile(r"\b_Noreturn\b[^;{}()]*?(\w+)\(")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def promised(texts):
    """Names of functions whose comment says that they set errno."""
    names = set()
    for text in texts.values():
        for match in re.finditer(r"/\*((?:(?!\*/).)*?)\*/\n([^\n/;{}#]+?\b(\w+)\([^;{}]*\))(?:;|\n\{)", text, re.S):
            if PROMISE.search(match.group(1)):
                names.add(match.group(3))
    return names


def without_untaken(code):
    """The text in front of a place, without what is not run on the way there: earlier returns, and of `a ? b : errno`
    the b."""
    code = LEAVES.sub(blank, code)
    if not re.search(r":[\s(-]*$", code):
        return code
    depth, at = 0, code.rindex(":") - 1
    while at >= 0 and (depth or code[at] not in "?;{}"):
        depth += {")": 1, "(": -1}.get(code[at], 0)
        at -= 1
    return code[:at] if at >= 0 and code[at] == "?" else code


def end_of_call(code, at):
    """Where its arguments end; None if they do not: then it is still to be called."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if not depth:
            return i
    return None


def last_call(code, neutral):
    """The name of what was called last, or "errno" if that was set since; None: nothing was."""
    done = [(match.start(), "errno") for match in TELLS.finditer(code)]
    for match in CALL.finditer(code):
        end = end_of_call(code, match.end() - 1) if match.group(1) not in neutral else None
        if end is not None:
            done.append((end, match.group(1)))
    return max(done)[1] if done else None


def stale(path, text, ours):
    code = OF_NO_CODE.sub(blank, text)
    neutral = NEUTRAL | set(NEVER_COMES_BACK.findall(code))
    setters = SETTERS | ours | {"errno"}
    for function in FUNCTION.finditer(code):
        name, body = function.group(1), function.group(3)
        places = [(match.start(), "reads errno") for match in READS.finditer(body)]
        if name in ours:
            places += [(match.end() - 1, "promises errno") for match in GIVES_UP.finditer(body)]
        for at, what in sorted(places):
            before = body[:at]
            if what == "promises errno":  # with what the return itself calls
                before = re.sub(r"\breturn\b([^;]*)$", r"      \1", before)
            call = last_call(without_untaken(before), neutral)
            if call and call not in setters:
                line = code.count("\n", 0, function.start(3) + at) + 1
                yield "%s:%d: %s() %s after %s()" % (path, line, name, what, call)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", default=ROOT)
    tree = parser.parse_args().tree
    texts = {}
    for path in c_files(tree, FOLDERS):
        with open(os.path.join(tree, path), encoding="utf-8", errors="replace") as file:
            texts[path] = file.read()
    ours = promised(texts)
    found = [line for path, text in sorted(texts.items()) for line in stale(path, text, ours)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
