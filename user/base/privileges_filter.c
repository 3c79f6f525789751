// SPDX-License-Identifier: BSD-2-Clause
/*
 * The filter of system calls, by libseccomp. Files are only opened to read: a process that may look into others could
 * else write to their /proc/PID/mem, and one that is root to all of /etc. openat2(2) is allowed to nobody, because its
 * flags are behind a pointer, which a filter cannot follow. Landlock is no substitute: a process that it restricts
 * may not read the memory of others (security/landlock/ptrace.c of the kernel). Of bpf(2), only commands for what is
 * ours: none that finds those of others.
 */
#include "base/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ROOM (4u << 20)

/* Lists of names, for add_names(). */

static const char always[] =
	/* Descriptors that we have. */
	"read readv pread64 preadv write writev pwrite64 close close_range lseek _llseek fstat dup dup3 pipe2 "
	"sendfile recvfrom recvmsg shutdown getsockopt getsockname getpeername "
	/* Memory. */
	"brk mmap munmap mremap mprotect madvise membarrier "
	/* Waiting, time, signals. */
	"epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6 eventfd2 signalfd4 "
	"timerfd_create timerfd_settime timerfd_gettime timer_settime timer_delete "
	"nanosleep clock_nanosleep clock_gettime clock_getres "
	"gettimeofday time rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait sigaltstack restart_syscall "
	/* Threads of our own: detaching has some. */
	"futex futex_waitv set_robust_list get_robust_list rseq set_tid_address sched_yield sched_getaffinity gettid "
	"exit exit_group "
	/* What we are, and what we use. */
	"getpid getppid getuid geteuid getgid getegid uname sysinfo getrusage getrandom getrlimit capget getcpu "
	/* The end of processes of our own. */
	"wait4 waitid";

/* Beside open(2) and openat(2). */
static const char of_files[] =
	"stat lstat newfstatat fstatfs statfs statx access faccessat faccessat2 readlink "
	"readlinkat getdents64 getcwd fadvise64 inotify_init1 inotify_add_watch inotify_rm_watch";

/* What was read is handed on in a file without a name. */
static const char of_nodes[] = "process_vm_readv pidfd_open memfd_create ftruncate";
static const char of_tracing[] = "perf_event_open";
static const char of_terminals[] = "getpgrp getpgid";
static const char of_serving[] = "accept accept4 bind listen setsockopt";
/* Who calls others asks for their addresses: several questions at once (sendmmsg). */
static const char of_connecting[] = "connect sendmmsg recvmmsg";

/* Nothing of ours calls them, and an intruder would. */
static const char deadly[] =
	"execve execveat fork vfork ptrace process_vm_writev mount umount2 pivot_root chroot setns "
	"unshare init_module finit_module delete_module kexec_load kexec_file_load reboot setuid "
	"setgid setreuid setresuid setregid setresgid add_key keyctl request_key "
	"open_by_handle_at pidfd_getfd userfaultfd io_uring_setup";

static const unsigned long any_ioctls[] = { FIONREAD, FIONBIO, TCGETS, TIOCGWINSZ };
static const unsigned long terminal_ioctls[] = { TCSETS, TCSETSW, TCSETSF, TCFLSH, TIOCGPGRP };

/* None that has the kernel send a signal (F_SETOWN, F_SETSIG, F_NOTIFY, F_SETLEASE). */
static const unsigned long descriptor_commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_ADD_SEALS, F_GET_SEALS,
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
	BPF_LINK_DETACH,
};

static const unsigned long trace_commands[] = {
	BPF_MAP_CREATE,
	BPF_MAP_FREEZE,
	BPF_PROG_LOAD,
	BPF_PROG_BIND_MAP,
	BPF_RAW_TRACEPOINT_OPEN,
	BPF_LINK_CREATE,
	BPF_BTF_LOAD,
	BPF_ENABLE_STATS,
	/* libbpf looks for the BTF of the kernel's modules. */
	BPF_BTF_GET_NEXT_ID,
	BPF_BTF_GET_FD_BY_ID,
};

/* A filter does not see whose pidfd it is: only for who is not told so by others. */
static const unsigned long ends[] = { SIGTERM, SIGKILL };

static const unsigned long call_families[] = { AF_INET, AF_INET6, AF_NETLINK };

/* A call that this architecture does not have is no rule. */
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

/* Allowed if the argument, under the mask, is this. */
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

/* Allowed if two arguments, each under its mask, are these. */
static int add_if_both(scmp_filter_ctx filter, const char *name, const struct scmp_arg_cmp both[2])
{
	int call = seccomp_syscall_resolve_name(name);

	return call < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 2, both);
}

/* Who has its signals sent by the kernel (O_ASYNC) would choose whom to. */
static int add_descriptors(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp no_signal[] = {
		{ .arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = ALL_BITS, .datum_b = F_SETFL },
		{ .arg = 2, .op = SCMP_CMP_MASKED_EQ, .datum_a = O_ASYNC, .datum_b = 0 },
	};
	int err = add_each(filter, "fcntl", 1, descriptor_commands, COUNT(descriptor_commands));

	return err ? err : add_if_both(filter, "fcntl", no_signal);
}

#define SOCKET_TYPE 0xf /* SOCK_TYPE_MASK of the kernel */

/* Sockets of this machine that are streams: a datagram may go to any other socket, with descriptors of ours. */
static int add_streams(scmp_filter_ctx filter, const char *name)
{
	const struct scmp_arg_cmp stream[] = {
		{ .arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = ALL_BITS, .datum_b = AF_UNIX },
		{ .arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = SOCKET_TYPE, .datum_b = SOCK_STREAM },
	};

	return add_if_both(filter, name, stream);
}

/*
 * To the other end of a connection, not to an address. The C library asks the kernel for our own addresses by one
 * (struct sockaddr_nl) when it looks up those of others. sendmsg(2) can hand on descriptors: for who opens files.
 */
static int add_sending(scmp_filter_ctx filter, unsigned int calls)
{
	int err = add_if(filter, "sendto", 4, UINT64_MAX, 0);

	if (!err && calls & CALLS_CONNECT)
		err = add_if(filter, "sendto", 5, ALL_BITS, sizeof(struct sockaddr_nl));
	return err || !(calls & CALLS_FILES) ? err : add_names(filter, SCMP_ACT_ALLOW, "sendmsg");
}

/* O_TMPFILE has the bit of O_DIRECTORY, which is no writing. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

static int add_files(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_files);

	if (!err)
		err = add_if(filter, "open", 1, WRITING, O_RDONLY);
	return err ? err : add_if(filter, "openat", 2, WRITING, O_RDONLY);
}

/* clone(2) of a thread; clone3(2) hides its flags, and the C library goes back to the former when there is none. */
static int add_threads(scmp_filter_ctx filter)
{
	int err = add_if(filter, "clone", 0, CLONE_THREAD, CLONE_THREAD);

	return err ? err : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, NULL);
}

/* The name of a thread may be set, and nothing else of a process; signals go to ourselves, and limits are our own. */
static int add_own(scmp_filter_ctx filter)
{
	int err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_NAME);

#ifdef PR_SET_VMA
	/* glibc 2.41 names its maps. */
	if (!err)
		err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_VMA);
#endif
	if (!err)
		err = add_if(filter, "tgkill", 0, ALL_BITS, (uint64_t)getpid());
	return err ? err : add_if(filter, "prlimit64", 0, ALL_BITS, 0);
}

/* fork(3), and what a child does before its own filter. */
static int add_forks(scmp_filter_ctx filter)
{
	int err = add_if(filter, "clone", 0, UINT64_MAX, SIGCHLD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID);

	if (!err)
		err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_PDEATHSIG);
	if (!err)
		err = add_if(filter, "prctl", 0, ALL_BITS, PR_SET_NO_NEW_PRIVS);
	if (!err)
		err = add_names(filter, SCMP_ACT_ALLOW, "seccomp");
	return err ? err : add_streams(filter, "socketpair");
}

static const unsigned long shed_operations[] = { PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_SET_NO_NEW_PRIVS };

/* Capabilities only become fewer. */
static int add_shedding(scmp_filter_ctx filter, unsigned int calls)
{
	int err = calls & CALLS_SHED ? add_each(filter, "prctl", 0, shed_operations, COUNT(shed_operations)) : 0;

	return err ? err : add(filter, calls & CALLS_SHED ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS, "capset");
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
	return err ? err : add_own(filter);
}

/* A screen that is suspended (Ctrl-Z) stops us. */
static int add_terminal(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_terminals);

	if (!err)
		err = add_if(filter, "kill", 0, ALL_BITS, (uint64_t)getpid());
	return err ? err : add_each(filter, "ioctl", 1, terminal_ioctls, COUNT(terminal_ioctls));
}

static int add_bpf(scmp_filter_ctx filter, unsigned int calls)
{
	int err = add_each(filter, "bpf", 0, map_commands, COUNT(map_commands));

	if (!err && calls & CALLS_TRACE)
		err = add_each(filter, "bpf", 0, trace_commands, COUNT(trace_commands));
	return err || !(calls & CALLS_TRACE) ? err : add_names(filter, SCMP_ACT_ALLOW, of_tracing);
}

static int add_sockets(scmp_filter_ctx filter, unsigned int calls)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, of_serving);

	if (!err)
		err = add_streams(filter, "socket");
	if (!err)
		err = add_streams(filter, "socketpair");
	if (!err && calls & CALLS_CONNECT)
		err = add_names(filter, SCMP_ACT_ALLOW, of_connecting);
	if (!err && calls & CALLS_CONNECT)
		err = add_each(filter, "socket", 0, call_families, COUNT(call_families));
	return err;
}

static int fill(scmp_filter_ctx filter, unsigned int calls)
{
	int err = add_always(filter);

	if (!err)
		err = add_shedding(filter, calls);
	if (!err)
		err = add_sending(filter, calls);
	if (!err && calls & CALLS_FILES)
		err = add_files(filter);
	if (!err && calls & CALLS_NODES)
		err = add_names(filter, SCMP_ACT_ALLOW, of_nodes);
	if (!err && calls & CALLS_SIGNAL)
		err = add_each(filter, "pidfd_send_signal", 1, ends, COUNT(ends));
	if (!err && calls & CALLS_TERMINAL)
		err = add_terminal(filter);
	if (!err && calls & CALLS_FORK)
		err = add_forks(filter);
	if (!err && calls & (CALLS_MAPS | CALLS_TRACE))
		err = add_bpf(filter, calls);
	if (!err && calls & (CALLS_SERVE | CALLS_CONNECT))
		err = add_sockets(filter, calls);
	return err;
}

/* libseccomp 2.5.4 loops for ever when it runs out of memory while it makes a filter, which takes some 100 KiB. */
static bool has_memory(void)
{
	void *volatile room = malloc(ROOM); /* which a compiler would else leave out */
	bool is_there = room != NULL;

	free(room);
	return is_there;
}

int privileges_filter(unsigned int calls)
{
	scmp_filter_ctx filter = has_memory() ? seccomp_init(SCMP_ACT_ERRNO(EPERM)) : NULL;
	int err = filter ? fill(filter, calls) : -ENOMEM;

	/* A tree instead of a list: a call costs some ten instructions, not two hundred. */
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}
