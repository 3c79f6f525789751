// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/builtins.h"

#include <errno.h>
#include <net/if_arp.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "d.h"
#include "d/lang/beam_spec.h"

#define ARG(n)                                                                                                         \
	{                                                                                                              \
		"arg" #n, (enum builtin)(BUILTIN_ARG0 + n), "int64_t", "argument " #n " of the probe"                  \
	}

const struct builtin_variable d_builtins[] = {
	ARG(0),
	ARG(1),
	ARG(2),
	ARG(3),
	ARG(4),
	ARG(5),
	ARG(6),
	ARG(7),
	ARG(8),
	ARG(9),
	{ "args", BUILTIN_ARGS, NULL, "typed arguments of the probe: args[0], args[1]..." },
	{ "timestamp", BUILTIN_TIMESTAMP, "uint64_t", "nanoseconds of a monotonic clock" },
	{ "walltimestamp", BUILTIN_WALLTIMESTAMP, "int64_t", "nanoseconds since 1970, UTC" },
	{ "vtimestamp", BUILTIN_VTIMESTAMP, "uint64_t",
	  "nanoseconds that the thread has run on a CPU, up to the last update by the kernel", true },
	{ "pid", BUILTIN_PID, "pid_t", "process id" },
	{ "tid", BUILTIN_TID, "id_t", "thread id" },
	{ "ppid", BUILTIN_PPID, "pid_t", "process id of the parent", true },
	{ "uid", BUILTIN_UID, "uid_t", "user id of the process" },
	{ "gid", BUILTIN_GID, "gid_t", "group id of the process" },
	{ "execname", BUILTIN_EXECNAME, "string", "name of the program" },
	{ "cpu", BUILTIN_CPU, "int", "number of the CPU" },
	{ "probeprov", BUILTIN_PROBEPROV, "string", "provider of the probe" },
	{ "probemod", BUILTIN_PROBEMOD, "string", "module of the probe" },
	{ "probefunc", BUILTIN_PROBEFUNC, "string", "function of the probe" },
	{ "probename", BUILTIN_PROBENAME, "string", "name of the probe" },
	{ "epid", BUILTIN_EPID, "uint_t", "number of the clause and its probe" },
	{ "id", BUILTIN_ID, "uint_t", "id of the probe, as shown by -l" },
	{ "errno", BUILTIN_ERRNO, "int", "error of the returning system call" },
	{ "caller", BUILTIN_CALLER, "uintptr_t", "program counter of the calling kernel function" },
	{ "ucaller", BUILTIN_UCALLER, "uint64_t", "program counter of the calling function" },
	{ "stackdepth", BUILTIN_STACKDEPTH, "uint32_t", "number of frames on the kernel stack" },
	{ "ustackdepth", BUILTIN_USTACKDEPTH, "uint32_t", "number of frames on the stack of the thread" },
	{ "uregs", BUILTIN_UREGS, NULL, "registers of the thread: uregs[R_RIP]" },
	{ "curthread", BUILTIN_CURTHREAD, "struct task_struct *", "kernel structure of the thread: curthread->comm" },
	{ "cwd", BUILTIN_CWD, "string", "current directory of the process, as the process sees it", true },
	{ "root", BUILTIN_ROOT, "string", "root directory of the process", true },
	{ "zonename", BUILTIN_ZONENAME, "string", "name of the zone: always \"global\", because Linux has no zones" },
	{ "ipl", BUILTIN_IPL, "uint_t", "interrupt priority: always 0" },
	{ "argterm", BUILTIN_ARGTERM, "term",
	  "extension: the Erlang term that an erlang probe is about, such as a message: printf(\"%T\", argterm)" },
};

const size_t d_builtin_count = sizeof(d_builtins) / sizeof(*d_builtins);

/* It has no name that a program could write, and so no documentation. */
static const struct builtin_variable beam_meant = { BEAM_MEANT, BUILTIN_BEAM_MEANT, "uint64_t", "" };

const struct builtin_variable *d_builtin_find(const char *name)
{
	if (!strcmp(name, BEAM_MEANT))
		return &beam_meant;
	for (size_t i = 0; i < d_builtin_count; i++)
		if (strcmp(d_builtins[i].name, name) == 0)
			return &d_builtins[i];
	return NULL;
}

#define INT(name)                                                                                                      \
	{                                                                                                              \
#name, name, "int"                                                                                     \
	}

static const struct builtin_constant constants[] = {
	{ "NULL", 0, "long" },

	/* arg4 of the ERROR probe */
	{ "DTRACEFLT_UNKNOWN", D_FAULT_NONE, "int" },
	{ "DTRACEFLT_BADADDR", D_FAULT_BADADDR, "int" },
	{ "DTRACEFLT_BADALIGN", D_FAULT_BADALIGN, "int" },
	{ "DTRACEFLT_ILLOP", D_FAULT_ILLOP, "int" },
	{ "DTRACEFLT_DIVZERO", D_FAULT_DIVZERO, "int" },
	{ "DTRACEFLT_NOSCRATCH", D_FAULT_NOSCRATCH, "int" },
	{ "DTRACEFLT_KPRIV", D_FAULT_KPRIV, "int" },
	{ "DTRACEFLT_UPRIV", D_FAULT_UPRIV, "int" },
	{ "DTRACEFLT_TUPOFLOW", D_FAULT_TUPOFLOW, "int" },
	{ "DTRACEFLT_BADSTACK", D_FAULT_BADSTACK, "int" },
	{ "DTRACEFLT_BADSIZE", D_FAULT_BADSIZE, "int" },
	{ "DTRACEFLT_BADINDEX", D_FAULT_BADINDEX, "int" },
	{ "DTRACEFLT_LIBRARY", D_FAULT_LIBRARY, "int" },

	/* pr_dmodel of psinfo_t; pr_state and pr_flag of lwpsinfo_t */
	{ "PR_MODEL_ILP32", 1, "char" },
	{ "PR_MODEL_LP64", 2, "char" },
	{ "SSLEEP", 1, "char" },
	{ "SRUN", 2, "char" },
	{ "SZOMB", 3, "char" },
	{ "SSTOP", 4, "char" },
	{ "SIDL", 5, "char" },
	{ "SONPROC", 6, "char" },
	{ "SWAIT", 7, "char" },
	{ "PR_STOPPED", 0x1, "int" },
	{ "PR_ISTOP", 0x2, "int" },
	{ "PR_DSTOP", 0x4, "int" },
	{ "PR_IDLE", 0x10000000, "int" },

	/* fi_oflags of fileinfo_t, and arguments of system calls */
	INT(O_ACCMODE),
	INT(O_RDONLY),
	INT(O_WRONLY),
	INT(O_RDWR),
	INT(O_APPEND),
	INT(O_CREAT),
	INT(O_DSYNC),
	INT(O_EXCL),
	INT(O_NOCTTY),
	INT(O_NONBLOCK),
	INT(O_NDELAY),
	INT(O_RSYNC),
	INT(O_SYNC),
	INT(O_TRUNC),
	INT(O_CLOEXEC),
	INT(O_DIRECTORY),
	INT(O_NOFOLLOW),

	/* b_flags of bufinfo_t; only the last two are ever set */
	{ "B_DONE", 0x2, "int" },
	{ "B_ERROR", 0x4, "int" },
	{ "B_PAGEIO", 0x10, "int" },
	{ "B_PHYS", 0x20, "int" },
	{ "B_ASYNC", 0x400, "int" },
	{ "B_READ", 0x40, "int" },
	{ "B_WRITE", 0x100, "int" },

	/* pr_stype of lwpsinfo_t, which is always the first */
	{ "SOBJ_NONE", 0, "char" },
	{ "SOBJ_MUTEX", 1, "char" },
	{ "SOBJ_RWLOCK", 2, "char" },
	{ "SOBJ_CV", 3, "char" },
	{ "SOBJ_SEMA", 4, "char" },
	{ "SOBJ_USER", 5, "char" },
	{ "SOBJ_USER_PI", 6, "char" },
	{ "SOBJ_SHUTTLE", 7, "char" },

	/* How a child ends: args[0] of proc:::exit */
	INT(CLD_EXITED),
	INT(CLD_KILLED),
	INT(CLD_DUMPED),
	INT(CLD_TRAPPED),
	INT(CLD_STOPPED),
	INT(CLD_CONTINUED),

	INT(AF_INET),
	INT(AF_INET6),
	INT(ARPHRD_ETHER),
	INT(ARPHRD_INFINIBAND),

	INT(EPERM),
	INT(ENOENT),
	INT(ESRCH),
	INT(EINTR),
	INT(EIO),
	INT(ENXIO),
	INT(E2BIG),
	INT(ENOEXEC),
	INT(EBADF),
	INT(ECHILD),
	INT(EAGAIN),
	INT(EWOULDBLOCK),
	INT(ENOMEM),
	INT(EACCES),
	INT(EFAULT),
	INT(ENOTBLK),
	INT(EBUSY),
	INT(EEXIST),
	INT(EXDEV),
	INT(ENODEV),
	INT(ENOTDIR),
	INT(EISDIR),
	INT(EINVAL),
	INT(ENFILE),
	INT(EMFILE),
	INT(ENOTTY),
	INT(ETXTBSY),
	INT(EFBIG),
	INT(ENOSPC),
	INT(ESPIPE),
	INT(EROFS),
	INT(EMLINK),
	INT(EPIPE),
	INT(EDOM),
	INT(ERANGE),
	INT(EDEADLK),
	INT(ENAMETOOLONG),
	INT(ENOLCK),
	INT(ENOSYS),
	INT(ENOTEMPTY),
	INT(ELOOP),
	INT(EPROTO),
	INT(EOVERFLOW),
	INT(ENOTSOCK),
	INT(EDESTADDRREQ),
	INT(EMSGSIZE),
	INT(EPROTOTYPE),
	INT(ENOPROTOOPT),
	INT(EPROTONOSUPPORT),
	INT(EOPNOTSUPP),
	INT(ENOTSUP),
	INT(EAFNOSUPPORT),
	INT(EADDRINUSE),
	INT(EADDRNOTAVAIL),
	INT(ENETDOWN),
	INT(ENETUNREACH),
	INT(ENETRESET),
	INT(ECONNABORTED),
	INT(ECONNRESET),
	INT(ENOBUFS),
	INT(EISCONN),
	INT(ENOTCONN),
	INT(ESHUTDOWN),
	INT(ETIMEDOUT),
	INT(ECONNREFUSED),
	INT(EHOSTDOWN),
	INT(EHOSTUNREACH),
	INT(EALREADY),
	INT(EINPROGRESS),
	INT(ESTALE),
	INT(EDQUOT),
	INT(ECANCELED),

	INT(SIGHUP),
	INT(SIGINT),
	INT(SIGQUIT),
	INT(SIGILL),
	INT(SIGTRAP),
	INT(SIGABRT),
	INT(SIGBUS),
	INT(SIGFPE),
	INT(SIGKILL),
	INT(SIGUSR1),
	INT(SIGSEGV),
	INT(SIGUSR2),
	INT(SIGPIPE),
	INT(SIGALRM),
	INT(SIGTERM),
	INT(SIGCHLD),
	INT(SIGCONT),
	INT(SIGSTOP),
	INT(SIGTSTP),
	INT(SIGTTIN),
	INT(SIGTTOU),
	INT(SIGURG),
	INT(SIGXCPU),
	INT(SIGXFSZ),
	INT(SIGVTALRM),
	INT(SIGPROF),
	INT(SIGWINCH),
	INT(SIGIO),
	INT(SIGPWR),
	INT(SIGSYS),

/* uregs[]: in the order of struct pt_regs */
#if defined(__x86_64__)
	{ "R_R15", 0, "int" },
	{ "R_R14", 1, "int" },
	{ "R_R13", 2, "int" },
	{ "R_R12", 3, "int" },
	{ "R_RBP", 4, "int" },
	{ "R_RBX", 5, "int" },
	{ "R_R11", 6, "int" },
	{ "R_R10", 7, "int" },
	{ "R_R9", 8, "int" },
	{ "R_R8", 9, "int" },
	{ "R_RAX", 10, "int" },
	{ "R_RCX", 11, "int" },
	{ "R_RDX", 12, "int" },
	{ "R_RSI", 13, "int" },
	{ "R_RDI", 14, "int" },
	{ "R_TRAPNO", 25, "int" },
	{ "R_RIP", 16, "int" },
	{ "R_CS", 17, "int" },
	{ "R_RFL", 18, "int" },
	{ "R_RSP", 19, "int" },
	{ "R_SS", 20, "int" },
	{ "R_PC", 16, "int" },
	{ "R_SP", 19, "int" },
	{ "R_FP", 4, "int" },
	{ "R_R0", 10, "int" },
	{ "R_R1", 5, "int" },
	{ "R_GS", 24, "int" },
	{ "R_FS", 23, "int" },
	{ "R_ES", 22, "int" },
	{ "R_DS", 21, "int" },
	{ "R_EDI", 14, "int" },
	{ "R_ESI", 13, "int" },
	{ "R_EBP", 4, "int" },
	{ "R_EBX", 5, "int" },
	{ "R_EDX", 12, "int" },
	{ "R_ECX", 11, "int" },
	{ "R_EAX", 10, "int" },
	{ "R_ESP", 19, "int" },
	{ "R_EIP", 16, "int" },
	{ "R_EFL", 18, "int" },
	{ "R_ERR", 15, "int" },
#elif defined(__aarch64__)
	{ "R_PC", 32, "int" },
	{ "R_SP", 31, "int" },
	{ "R_FP", 29, "int" },
	{ "R_R0", 0, "int" },
	{ "R_R1", 1, "int" },
#endif
};

const struct builtin_constant *d_constant_find(const char *name)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
		if (strcmp(constants[i].name, name) == 0)
			return &constants[i];
	return NULL;
}
