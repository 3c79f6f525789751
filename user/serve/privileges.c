// SPDX-License-Identifier: BSD-2-Clause
/*
 * Capabilities go by libcap, system calls by libseccomp. The filter answers what it does not know with EPERM, so that
 * a C library of next year that tries a new call goes on with the old one; what only an intruder would call ends the
 * agent. Of bpf(2), the commands that make, load, link and read our own things are allowed, and none that finds those
 * of others.
 */
#include "serve/privileges.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/log.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Capabilities. */

static const struct needed {
	cap_value_t capability;
	const char *name, *without;
} needed[] = {
	{ CAP_BPF, "BPF", "BPF programs cannot be loaded" },
	{ CAP_PERFMON, "PERFMON", "BPF programs cannot read the memory of the nodes" },
	{ CAP_SYS_PTRACE, "SYS_PTRACE", "nodes of other users and in containers cannot be found" },
	{ CAP_DAC_READ_SEARCH, "DAC_READ_SEARCH",
	  "the environment of nodes of other users cannot be read, so some names are unknown, such as those of "
	  "pods without logs" },
};

static bool has(const struct kernel *kernel, cap_value_t capability)
{
	return kernel->capabilities >> capability & 1;
}

/* CAP_SYS_ADMIN has been both of these before they were split off. */
static bool is_covered(const struct kernel *kernel, cap_value_t capability)
{
	return (capability == CAP_BPF || capability == CAP_PERFMON) && has(kernel, CAP_SYS_ADMIN);
}

void privileges_check(const struct kernel *kernel)
{
	for (size_t i = 0; i < COUNT(needed); i++) {
		if (!has(kernel, needed[i].capability) && !is_covered(kernel, needed[i].capability))
			pr_warn("the capability %s is missing: %s", needed[i].name, needed[i].without);
	}
}

static int keep(cap_t caps, cap_value_t capability)
{
	if (cap_set_flag(caps, CAP_PERMITTED, 1, &capability, CAP_SET) ||
	    cap_set_flag(caps, CAP_EFFECTIVE, 1, &capability, CAP_SET))
		return -errno;
	return 0;
}

static int keep_needed(const struct kernel *kernel, cap_t caps)
{
	int err = 0;

	for (size_t i = 0; !err && i < COUNT(needed); i++) {
		if (has(kernel, needed[i].capability))
			err = keep(caps, needed[i].capability);
	}
	/* A probe that is a perf event takes it; uprobe_multi does not. */
	if (!err && has(kernel, CAP_SYS_ADMIN) &&
	    (kernel->attach == KERNEL_ATTACH_PERF || !has(kernel, CAP_BPF) || !has(kernel, CAP_PERFMON)))
		err = keep(caps, CAP_SYS_ADMIN);
	return err;
}

/* Needs CAP_SETPCAP; without it, PR_SET_NO_NEW_PRIVS alone keeps us from getting them back. */
static void drop_bounding(cap_t caps)
{
	cap_flag_value_t kept;

	for (cap_value_t c = 0; c < cap_max_bits(); c++) {
		if (!cap_get_flag(caps, c, CAP_PERMITTED, &kept) && kept == CAP_CLEAR)
			cap_drop_bound(c);
	}
	cap_reset_ambient();
}

static int drop_capabilities(const struct kernel *kernel)
{
	cap_t caps = cap_init();
	int err = caps ? keep_needed(kernel, caps) : -ENOMEM;

	if (!err) {
		drop_bounding(caps);
		err = cap_set_proc(caps) ? -errno : 0;
	}
	if (err)
		pr_err("cannot drop capabilities: %s", strerror(-err));
	cap_free(caps);
	return err;
}

/* System calls. */

static const char *const allowed[] = {
	/* Files, and directories of /proc and logs. */
	"read",
	"readv",
	"pread64",
	"preadv",
	"write",
	"writev",
	"pwrite64",
	"close",
	"close_range",
	"open",
	"openat",
	"openat2",
	"stat",
	"lstat",
	"fstat",
	"newfstatat",
	"fstatfs",
	"statfs",
	"statx",
	"lseek",
	"_llseek",
	"access",
	"faccessat",
	"faccessat2",
	"readlink",
	"readlinkat",
	"getdents64",
	"fcntl",
	"dup",
	"dup3",
	"pipe2",
	"sendfile",
	"getcwd",
	"inotify_init1",
	"inotify_add_watch",
	"inotify_rm_watch",
	/* Memory. */
	"brk",
	"mmap",
	"munmap",
	"mremap",
	"mprotect",
	"madvise",
	"membarrier",
	/* Waiting, time, signals. */
	"epoll_create1",
	"epoll_ctl",
	"epoll_wait",
	"epoll_pwait",
	"epoll_pwait2",
	"poll",
	"ppoll",
	"select",
	"pselect6",
	"eventfd2",
	"signalfd4",
	"timerfd_create",
	"timerfd_settime",
	"timerfd_gettime",
	"nanosleep",
	"clock_nanosleep",
	"clock_gettime",
	"clock_getres",
	"gettimeofday",
	"time",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sigaltstack",
	"restart_syscall",
	"pidfd_send_signal",
	/* Sockets. */
	"socketpair",
	"accept",
	"accept4",
	"bind",
	"listen",
	"shutdown",
	"getsockname",
	"getpeername",
	"getsockopt",
	"setsockopt",
	"sendto",
	"recvfrom",
	"sendmsg",
	"recvmsg",
	"ioctl",
	/* Threads of our own: detaching has some. */
	"futex",
	"futex_waitv",
	"set_robust_list",
	"get_robust_list",
	"rseq",
	"set_tid_address",
	"sched_yield",
	"sched_getaffinity",
	"gettid",
	"exit",
	"exit_group",
	/* What we are, and what we use. */
	"getpid",
	"getppid",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"uname",
	"sysinfo",
	"getrusage",
	"getrandom",
	"getrlimit",
	"prlimit64",
	"capget",
	"getcpu",
	"tgkill",
	/* The nodes. */
	"process_vm_readv",
	"pidfd_open",
	"perf_event_open",
};

/* Who pushes calls others, and asks for their addresses: several questions at once (sendmmsg). */
static const char *const calling[] = { "connect", "sendmmsg", "recvmmsg" };
static const int calling_families[] = { AF_INET, AF_INET6, AF_NETLINK };

/* Nothing of ours calls them, and an intruder would. */
static const char *const deadly[] = {
	"execve",
	"execveat",
	"fork",
	"vfork",
	"ptrace",
	"process_vm_writev",
	"mount",
	"umount2",
	"pivot_root",
	"chroot",
	"setns",
	"unshare",
	"init_module",
	"finit_module",
	"delete_module",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"setuid",
	"setgid",
	"setreuid",
	"setresuid",
	"setregid",
	"setresgid",
	"capset",
	"add_key",
	"keyctl",
	"request_key",
	"open_by_handle_at",
	"pidfd_getfd",
	"userfaultfd",
	"io_uring_setup",
};

static const enum bpf_cmd bpf_commands[] = {
	BPF_MAP_CREATE,
	BPF_MAP_LOOKUP_ELEM,
	BPF_MAP_UPDATE_ELEM,
	BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_MAP_LOOKUP_BATCH,
	BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,
	BPF_MAP_DELETE_BATCH,
	BPF_MAP_FREEZE,
	BPF_PROG_LOAD,
	BPF_PROG_TEST_RUN,
	BPF_PROG_BIND_MAP,
	BPF_RAW_TRACEPOINT_OPEN,
	BPF_LINK_CREATE,
	BPF_LINK_DETACH,
	BPF_OBJ_GET_INFO_BY_FD,
	BPF_BTF_LOAD,
	BPF_ENABLE_STATS,
	/* libbpf looks for the BTF of the kernel's modules. */
	BPF_BTF_GET_NEXT_ID,
	BPF_BTF_GET_FD_BY_ID,
};

/* A call that this architecture does not have is no rule. */
static int add(scmp_filter_ctx filter, uint32_t action, const char *name)
{
	int call = seccomp_syscall_resolve_name(name);

	return call < 0 ? 0 : seccomp_rule_add_array(filter, action, call, 0, NULL);
}

static int add_names(scmp_filter_ctx filter, uint32_t action, const char *const *names, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = add(filter, action, names[i]);
	return err;
}

static int add_with_first(scmp_filter_ctx filter, int call, unsigned long first)
{
	struct scmp_arg_cmp is = { .arg = 0, .op = SCMP_CMP_EQ, .datum_a = first };

	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &is);
}

/* clone(2) of a thread; clone3(2) hides its flags, and the C library goes back to the former when there is none. */
static int add_threads(scmp_filter_ctx filter)
{
	struct scmp_arg_cmp is_thread = {
		.arg = 0,
		.op = SCMP_CMP_MASKED_EQ,
		.datum_a = CLONE_THREAD,
		.datum_b = CLONE_THREAD,
	};
	int err = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &is_thread);

	return err ? err : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, NULL);
}

/* The name of a thread may be set; nothing else of a process. */
static int add_prctl(scmp_filter_ctx filter)
{
	int err = add_with_first(filter, SCMP_SYS(prctl), PR_SET_NAME);

#ifdef PR_SET_VMA
	/* glibc 2.41 names its maps. */
	if (!err)
		err = add_with_first(filter, SCMP_SYS(prctl), PR_SET_VMA);
#endif
	return err;
}

static int add_calling(scmp_filter_ctx filter)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, calling, COUNT(calling));

	for (size_t i = 0; !err && i < COUNT(calling_families); i++)
		err = add_with_first(filter, SCMP_SYS(socket), (unsigned long)calling_families[i]);
	return err;
}

static int fill(scmp_filter_ctx filter, enum privileges_filter which)
{
	int err = add_names(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));

	if (!err)
		err = add_names(filter, SCMP_ACT_KILL_PROCESS, deadly, COUNT(deadly));
	for (size_t i = 0; !err && i < COUNT(bpf_commands); i++)
		err = add_with_first(filter, SCMP_SYS(bpf), bpf_commands[i]);
	if (!err)
		err = add_with_first(filter, SCMP_SYS(socket), AF_UNIX);
	if (!err && which == FILTER_WITH_CALLS)
		err = add_calling(filter);
	if (!err)
		err = add_threads(filter);
	return err ? err : add_prctl(filter);
}

static int apply_filter(enum privileges_filter which)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err = filter ? fill(filter, which) : -ENOMEM;

	/* A tree instead of a list: a call costs some ten instructions, not two hundred. */
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!err)
		err = seccomp_load(filter);
	if (err)
		pr_err("cannot filter system calls: %s; use --no-seccomp to run without the filter", strerror(-err));
	seccomp_release(filter);
	return err;
}

int privileges_drop(const struct kernel *kernel, enum privileges_filter which)
{
	int err = drop_capabilities(kernel);

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		err = -errno;
		pr_err("cannot set no_new_privs: %s", strerror(-err));
	}
	return err || which == FILTER_NONE ? err : apply_filter(which);
}
