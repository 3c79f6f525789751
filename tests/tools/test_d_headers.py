"""The system's headers in D programs (-C)."""
import os
import subprocess

from lib import ERLBPF, LIMIT, Skip, over

HEADERS = """
aio.h arpa/inet.h asm/types.h ctype.h dirent.h endian.h errno.h fcntl.h inttypes.h limits.h linux/bpf.h linux/if_ether.h linux/in.h
linux/in6.h linux/ip.h linux/ipv6.h linux/nfc.h linux/perf_event.h linux/signal.h linux/socket.h linux/stat.h linux/tcp.h linux/types.h net/if.h netdb.h netinet/in.h
netinet/ip.h netinet/tcp.h poll.h pthread.h pwd.h regex.h sched.h signal.h spawn.h stddef.h stdint.h stdio.h stdlib.h string.h
sys/mman.h sys/param.h sys/resource.h sys/socket.h sys/stat.h sys/syscall.h sys/time.h sys/types.h sys/un.h sys/wait.h
time.h unistd.h
""".split()


def compile_with(headers, use="exit(0);", *options):
    if os.geteuid() != 0:
        raise Skip("needs root")
    text = "".join("#include <%s>\n" % header for header in headers) + "BEGIN { %s }\n" % use
    return subprocess.run([ERLBPF, "-xerrtags", "-C", *options, "-n", text], capture_output=True, timeout=LIMIT,
                          text=True, stdin=subprocess.DEVNULL)


@over(HEADERS)
def test_each_header_can_be_included(header):
    done = compile_with([header], "exit(0);", "-e")
    assert not done.returncode and not done.stderr, done


def test_constants_of_a_header_have_64_bits():
    done = compile_with(["linux/bpf.h"], 'x = sizeof (union bpf_attr); '
                        'printf("%x %d %d", BPF_F_CTXLEN_MASK, BPF_F_INDEX_MASK, BPF_MAP_TYPE_HASH); exit(0);', "-q")
    assert done.returncode == 0 and done.stdout.strip() == "fffff00000000 4294967295 1", (done.stdout, done.stderr)


def test_headers_can_be_included_together():
    done = compile_with(["sys/types.h", "sys/socket.h", "netinet/in.h", "arpa/inet.h", "errno.h", "fcntl.h",
                         "sys/stat.h", "signal.h"],
                        'printf("%d %d %d %d", O_CREAT, ENOENT, SIGKILL, sizeof (struct sockaddr_in)); exit(0);', "-q")
    assert done.returncode == 0 and done.stdout.strip() == "64 2 9 16", (done.stdout, done.stderr)


def test_members_whose_alignment_a_header_computes_lie_where_c_has_them():
    done = compile_with(["linux/signal.h"], 'x = (siginfo_t *)0; printf("%d %d", sizeof (siginfo_t), '
                        'sizeof (x->_sifields._sigfault)); exit(0);', "-q")
    assert done.returncode == 0 and done.stdout.strip() == "128 32", (done.stdout, done.stderr)
