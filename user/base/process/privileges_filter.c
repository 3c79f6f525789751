// SPDX-License-Identifier: BSD-2-Clause
/*
 * The seccomp filter, made with libseccomp. Files may only be opened for reading; otherwise, a process that can inspect
 * others could write to /proc/PID/mem, and one with root's rights to /etc. openat2(2) is forbidden in all roles because
 * its flags are behind a pointer, which a filter cannot follow. Landlock is no alternative: a process that it restricts
 * cannot read the memory of others (security/landlock/ptrace.c in the kernel). bpf(2) may only use commands for our own
 * objects, none that finds objects of others.
 */
#include "base/process/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum calls {
	CALLS_FILES = 1,     /* open files for reading, list directories, pass descriptors */
	CALLS_ENDS = 2,	     /* learn about the end of processes */
	CALLS_MEMORY = 4,    /* read the memory of processes, and pass it on */
	CALLS_MAPS = 8,	     /* read and write open BPF maps, run loaded programs */
	CALLS_TRACE = 16,    /* create maps, load and link programs */
	CALLS_LINK = 32,     /* link loaded programs */
	CALLS_TERMINAL = 64, /* set up the terminal, stop itself */
	CALLS_SERVE = 128,   /* accept connections */
	CALLS_CONNECT = 256, /* connect by TCP */
	CALLS_RESOLVE = 512, /* resolve host names */
	CALLS_FORK = 1024,   /* fork, with a socket pair, and add filters */
	CALLS_SIGNAL = 2048, /* end processes by pidfd */
};

#define READ (CALLS_FILES | CALLS_MEMORY)
#define LOOK (CALLS_FILES | CALLS_ENDS | CALLS_MAPS)
#define FOLLOW (LOOK | CALLS_TRACE | CALLS_LINK)
#define ANSWER (FOLLOW | CALLS_SERVE)

static const struct {
	const char *name;
	unsigned int calls;
} roles[ROLES] = {
	[ROLE_READER] = { "reader", READ },
	[ROLE_KEEPER] = { "keeper", READ | CALLS_ENDS | CALLS_FORK | CALLS_SIGNAL },
	[ROLE_COMMAND] = { "command", LOOK | CALLS_TERMINAL },
	[ROLE_FOLLOWER] = { "follower", FOLLOW | CALLS_TERMINAL },
	[ROLE_PROFILE] = { "profile", FOLLOW },
	[ROLE_AGENT] = { "agent", ANSWER },
	[ROLE_PUSHER] = { "pusher", ANSWER | CALLS_CONNECT | CALLS_RESOLVE },
	[ROLE_GUARDIAN] = { "guardian", CALLS_LINK },
	[ROLE_CONNECTION] = { "connection", CALLS_CONNECT },
	[ROLE_SIGNAL] = { "signal", CALLS_SIGNAL },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ROOM (4u << 20)

/* Lists of names for add_names(). */

static const char always[] =
	/* Open descriptors. */
	"read readv pread64 preadv write writev pwrite64 close close_range lseek _llseek fstat dup dup3 pipe2 "
	"recvfrom recvmsg shutdown getsockopt getsockname getpeername "
	/* Memory. */
	"brk munmap mremap madvise membarrier "
	/* Waiting, time, signals. */
	"epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6 eventfd2 signalfd4 "
	"timerfd_create timerfd_settime timerfd_gettime timer_settime timer_delete "
	"nanosleep clock_nanosleep clock_gettime clock_getres "
	"gettimeofday time rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait sigaltstack restart_syscall "
	/* Own threads, also detached ones. */
	"futex futex_waitv set_robust_list get_robust_list rseq set_tid_address sched_yield sched_getaffinity gettid "
	"exit exit_group "
	/* Properties and resource use of this process. */
	"getpid getppid getuid geteuid getgid getegid uname sysinfo getrusage getrandom getrlimit capget getcpu "
	/* The end of own children. */
	"wait4 waitid";

/* In addition to open(2) and openat(2). */
static const char of_files[] = "stat lstat newfstatat fstatfs statfs statx access faccessat faccessat2 readlink "
			       "readlinkat getdents64 getcwd fadvise64 sendmsg";

static const char of_ends[] = "pidfd_open";
/* Results are passed on in a memfd. */
static const char of_memory[] = "process_vm_readv memfd_create ftruncate";
static const char of_linking[] = "perf_event_open";
static const char of_terminals[] = "getpgrp getpgid";
static const char of_serving[] = "accept accept4";
static const char of_connecting[] = "connect";
/* sendmmsg: several DNS queries at once; bind: a netlink socket. */
static const char of_resolving[] = "bind sendmmsg recvmmsg";

/* erlbpf never calls them, but an intruder would. */
static const char deadly[] =
	"execve execveat fork vfork ptrace process_vm_writev mount umount2 pivot_root chroot setns "
	"unshare init_module finit_module delete_module kexec_load kexec_file_load reboot setuid "
	"setgid setreuid setresuid setregid setresgid add_key keyctl request_key "
	"open_by_handle_at pidfd_getfd userfaultfd io_uring_setup capset";

static const unsigned long any_ioctls[] = { FIONREAD, FIONBIO, TCGETS, TIOCGWINSZ };
static const unsigned long terminal_ioctls[] = { TCSETS, TCSETSW, TCSETSF, TCFLSH, TIOCGPGRP };

/* Commands that make the kernel send signals are missing: F_SETOWN, F_SETSIG, F_NOTIFY, F_SETLEASE. */
static const unsigned long descriptor_commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL,
};

static const unsigned long map_commands[] = {
	BPF_MAP_LOOKUP_ELEM,
	BPF_MAP_UPDATE_ELEM,
	BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_MAP_LOOKUP_BATCH,
	BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,
	BPF_MAP_DELETE_BATCH,
	BPF_PROG_TEST_RUN,
	BPF_OBJ_GET_INFO_BY_FD,
};

static const unsigned long link_commands[] = { BPF_LINK_CREATE, BPF_OBJ_GET_INFO_BY_FD };

static const unsigned long trace_commands[] = {
	BPF_MAP_CREATE,
	BPF_MAP_FREEZE,
	BPF_PROG_LOAD,
	BPF_PROG_BIND_MAP,
	BPF_RAW_TRACEPOINT_OPEN,
	BPF_BTF_LOAD,
	BPF_ENABLE_STATS,
	/* libbpf searches the BTF of kernel modules. */
	BPF_BTF_GET_NEXT_ID,
	BPF_BTF_GET_FD_BY_ID,
};

/* A filter cannot check the pidfd, so only roles whose pidfds others cannot choose may use them. */
static const unsigned long ends[] = { SIGTERM, SIGKILL };

static const unsigned long serve_levels[] = { SOL_SOCKET, SOL_TCP };
static const unsigned long resolve_levels[] = { SOL_IP, SOL_IPV6 };
static const unsigned long call_families[] = { AF_INET, AF_INET6 };

/* A call that does not exist on this architecture needs no rule. */
static int add(scmp_filter_ctx filter, uint32_t action, const char *name)
{
	int call = seccomp_syscall_resolve_name(name);

	return call < 0 ? 0 : seccomp_rule_add_array(filter, action, call, 0, NULL);
}

static int add_names(scmp_filter_ctx filter, uint32_t action, const char *names)
{
	char name[32];
	int err = 0, length;

	for (; !err && sscanf(names, " %31s%n", name, &length) == 1; names += length)
		err = add(filter, action, name);
	return err;
}

/* Allowed if the masked argument equals `value`. */
static int add_if(scmp_filter_ctx filter, const char *name, unsigned int arg, uint64_t mask, uint64_t value)
{
	struct scmp_arg_cmp is = { .arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value };
	int call = seccomp_syscall_resolve_name(name);

	return call < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &is);
}

#define ALL_BITS UINT32_MAX /* of an int */

static int add_each(scmp_filter_ctx filter, const char *name, unsigned int arg, const unsigned long *values,
		    size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = add_if(filter, name, arg, ALL_BITS, values[i]);
	return err;
}

#define IS(number, mask, value)                                                                                        \
	{                                                                                                              \
		.arg = (number), .op = SCMP_CMP_MASKED_EQ, .datum_a = (mask), .datum_b = (value)                       \
	}

/* Allowed if several masked arguments have these values. */
static int add_if_all(scmp_filter_ctx filter, const char *name, const struct scmp_arg_cmp *are, unsigned int count)
{
	int call = seccomp_syscall_resolve_name(name);

	return call < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, count, are);
}

/* O_ASYNC would let the process choose who gets the signals. */
static int add_descriptors(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp no_signal[] = { IS(1, ALL_BITS, F_SETFL), IS(2, O_ASYNC, 0) };
	int err = add_each(filter, "fcntl", 1, descriptor_commands, COUNT(descriptor_commands));

	return err ? err : add_if_all(filter, "fcntl", no_signal, 2);
}

#define SOCKET_TYPE 0xf /* SOCK_TYPE_MASK of the kernel */

/*
 * Only pairs of streams. A datagram socket can send to any other socket on this machine, with our descriptors; a Unix
 * socket plus connect() would reach local services with root's rights.
 */
static int add_pairs(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp stream[] = { IS(0, ALL_BITS, AF_UNIX), IS(1, SOCKET_TYPE, SOCK_STREAM) };

	return add_if_all(filter, "socketpair", stream, 2);
}

static int add_socket(scmp_filter_ctx filter, int family, int type, int protocol)
{
	const struct scmp_arg_cmp socket[] = { IS(0, ALL_BITS, (uint64_t)family), IS(1, SOCKET_TYPE, (uint64_t)type),
					       IS(2, ALL_BITS, (uint64_t)protocol) };

	return add_if_all(filter, "socket", socket, 3);
}

/* The protocol as the default of the type (0), or by its number. */
static int add_internet(scmp_filter_ctx filter, int type, int protocol)
{
	int err = 0;

	for (size_t i = 0; !err && i < COUNT(call_families); i++) {
		err = add_socket(filter, (int)call_families[i], type, 0);
		if (!err)
			err = add_socket(filter, (int)call_families[i], type, protocol);
	}
	return err;
}

/* O_TMPFILE includes the bit of O_DIRECTORY, which is harmless. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

static int add_files(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_files);

	if (!err)
		err = add_if(filter, "open", 1, WRITING, O_RDONLY);
	return err ? err : add_if(filter, "openat", 2, WRITING, O_RDONLY);
}

/* The flags of pthread_create(3), which create no namespace. musl adds CLONE_DETACHED, which has no effect. */
#define THREAD                                                                                                         \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |             \
	 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* clone3(2) hides its flags behind a pointer; on ENOSYS, the C library uses clone(2). */
static int add_threads(scmp_filter_ctx filter)
{
	int err = add_if(filter, "clone", 0, ~(uint64_t)CLONE_DETACHED, THREAD);

	return err ? err : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, NULL);
}

/* No executable memory: code written by an intruder cannot run. */
static int add_memory(scmp_filter_ctx filter)
{
	int err = add_if(filter, "mmap", 2, PROT_EXEC, 0);

	return err ? err : add_if(filter, "mprotect", 2, PROT_EXEC, 0);
}

/* Except for files mapped read-only: the C library loads libraries to resolve names. */
static int add_libraries(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp file[] = { IS(2, PROT_WRITE, 0), IS(3, MAP_TYPE | MAP_ANONYMOUS, MAP_PRIVATE) };

	return add_if_all(filter, "mmap", file, 2);
}

/* prctl() only for thread names; signals only to this process; limits only its own. */
static int add_own(scmp_filter_ctx filter)
{
	int err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_NAME);

#ifdef PR_SET_VMA
	/* glibc 2.41 names its mappings. */
	if (!err)
		err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_VMA);
#endif
	if (!err)
		err = add_if(filter, "tgkill", 0, ALL_BITS, (uint64_t)getpid());
	return err ? err : add_if(filter, "prlimit64", 0, ALL_BITS, 0);
}

/* fork(3), and what a child does before its own filter. A filter with a listener could override the kernel. */
static int add_forks(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp no_listener[] = { IS(0, ALL_BITS, SECCOMP_SET_MODE_FILTER),
						    IS(1, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0) };
	int err = add_if(filter, "clone", 0, UINT64_MAX, SIGCHLD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID);

	if (!err)
		err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_PDEATHSIG);
	if (!err)
		err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_NO_NEW_PRIVS);
	if (!err)
		err = add_if_all(filter, "seccomp", no_listener, 2);
	return err ? err : add_pairs(filter);
}

static int add_always(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, always);

	if (!err)
		err = add_names(filter, SCMP_ACT_KILL_PROCESS, deadly);
	if (!err)
		err = add_each(filter, "ioctl", 1, any_ioctls, COUNT(any_ioctls));
	if (!err)
		err = add_descriptors(filter);
	if (!err)
		err = add_threads(filter);
	if (!err)
		err = add_memory(filter);
	/* Only to a connected peer, without an address. */
	if (!err)
		err = add_if(filter, "sendto", 4, UINT64_MAX, 0);
	return err ? err : add_own(filter);
}

/* Ctrl-Z in a screen: the process stops itself. */
static int add_terminal(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_terminals);

	if (!err)
		err = add_if(filter, "kill", 0, ALL_BITS, (uint64_t)getpid());
	return err ? err : add_each(filter, "ioctl", 1, terminal_ioctls, COUNT(terminal_ioctls));
}

static int add_bpf(scmp_filter_ctx filter, unsigned int calls)
{
	int err = calls & CALLS_MAPS ? add_each(filter, "bpf", 0, map_commands, COUNT(map_commands)) : 0;

	if (!err && calls & CALLS_TRACE)
		err = add_each(filter, "bpf", 0, trace_commands, COUNT(trace_commands));
	if (!err && calls & CALLS_LINK)
		err = add_each(filter, "bpf", 0, link_commands, COUNT(link_commands));
	return err || !(calls & CALLS_LINK) ? err : add_names(filter, SCMP_ACT_ALLOW, of_linking);
}

/* The agent has a socket pair with each profiler process. */
static int add_serving(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_serving);

	if (!err)
		err = add_each(filter, "setsockopt", 1, serve_levels, COUNT(serve_levels));
	return err ? err : add_pairs(filter);
}

static int add_connecting(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_connecting);

	return err ? err : add_internet(filter, SOCK_STREAM, IPPROTO_TCP);
}

/* When the C library resolves a name, it asks the kernel for our own addresses (struct sockaddr_nl). */
static int add_resolving(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_resolving);

	if (!err)
		err = add_internet(filter, SOCK_DGRAM, IPPROTO_UDP);
	if (!err)
		err = add_socket(filter, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (!err)
		err = add_if(filter, "sendto", 5, ALL_BITS, sizeof(struct sockaddr_nl));
	if (!err)
		err = add_each(filter, "setsockopt", 1, resolve_levels, COUNT(resolve_levels));
	return err ? err : add_libraries(filter);
}

static int add_processes(scmp_filter_ctx filter, unsigned int calls)
{
	int err = calls & CALLS_ENDS ? add_names(filter, SCMP_ACT_ALLOW, of_ends) : 0;

	if (!err && calls & CALLS_MEMORY)
		err = add_names(filter, SCMP_ACT_ALLOW, of_memory);
	if (!err && calls & CALLS_MEMORY)
		err = add_if(filter, "fcntl", 1, ALL_BITS, F_ADD_SEALS);
	if (!err && calls & CALLS_SIGNAL)
		err = add_each(filter, "pidfd_send_signal", 1, ends, COUNT(ends));
	return err || !(calls & CALLS_FORK) ? err : add_forks(filter);
}

static int add_sockets(scmp_filter_ctx filter, unsigned int calls)
{
	int err = calls & CALLS_SERVE ? add_serving(filter) : 0;

	if (!err && calls & CALLS_CONNECT)
		err = add_connecting(filter);
	return err || !(calls & CALLS_RESOLVE) ? err : add_resolving(filter);
}

static int fill(scmp_filter_ctx filter, unsigned int calls)
{
	int err = add_always(filter);

	if (!err && calls & CALLS_FILES)
		err = add_files(filter);
	if (!err)
		err = add_processes(filter, calls);
	if (!err && calls & CALLS_TERMINAL)
		err = add_terminal(filter);
	if (!err)
		err = add_bpf(filter, calls);
	return err ? err : add_sockets(filter, calls);
}

/* libseccomp 2.5.4 loops forever if memory runs out while it makes a filter, which needs about 100 KiB. */
static bool has_memory(void)
{
	void *volatile room = malloc(ROOM); /* volatile: a compiler would remove the malloc() */
	bool is_there = room != NULL;

	free(room);
	return is_there;
}

const char *privileges_role_name(enum privileges_role role)
{
	return roles[role].name;
}

int privileges_filter(enum privileges_role role)
{
	scmp_filter_ctx filter = has_memory() ? seccomp_init(SCMP_ACT_ERRNO(EPERM)) : NULL;
	int err = filter ? fill(filter, roles[role].calls) : -ENOMEM;

	/* Other ABIs, such as int 0x80 of 32 bits. */
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	/* A tree instead of a list: about 10 instructions per call, not 200. */
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}
