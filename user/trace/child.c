// SPDX-License-Identifier: BSD-2-Clause
#include "trace/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/stream.h"
#include "base/log.h"
#include "base/process/limits.h"
#include "target/reader/procfs.h"
#include "trace/command_signal.h"

#define GRACE_MS 3000
#define GO_RUN 'r'
#define GO_TRACED 't' /* and stop behind exec: we are its tracer */

struct child {
	pid_t pid;
	int pidfd;
	struct side_process command_signal; /* fd -1: not yet */
	int go;				    /* a byte written here lets it run */
	int failed;			    /* what is read from here is the errno of its exec */
	bool is_entered;		    /* stopped, and traced by us */
	bool is_released;
	bool is_reaped; /* has ended before it was let go; its pid is nobody's */
};

static _Noreturn void run_command(char **command, int go, int failed)
{
	static const int untraced = EOPNOTSUPP; /* which is no errno of exec */
	char byte;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	stream_restore();
	files_limit_restore();
	if (read(go, &byte, 1) == 1) {
		/* Who may not be traced runs all the same; nobody waits for a stop that does not come. */
		if (byte == GO_TRACED && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			(void)!write(failed, &untraced, sizeof(untraced));
		execvp(command[0], command);
		(void)!write(failed, &errno, sizeof(errno));
	}
	_exit(127);
}

/* Both or none. -1 and errno. */
static int make_pipes(int go[2], int failed[2])
{
	int err;

	if (pipe2(go, O_CLOEXEC))
		return -1;
	if (!pipe2(failed, O_CLOEXEC))
		return 0;
	err = errno;
	close(go[0]);
	close(go[1]);
	errno = err;
	return -1;
}

struct child *child_start(char **command)
{
	struct child *child = calloc(1, sizeof(*child));
	int go[2], failed[2], err;

	if (!child)
		return NULL;
	if (make_pipes(go, failed)) {
		free(child);
		return NULL;
	}
	child->pid = fork();
	err = child->pid < 0 ? errno : 0;
	if (child->pid == 0) {
		close(go[1]);
		run_command(command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	child->go = go[1];
	child->failed = failed[0];
	child->pidfd = -1;
	child->command_signal.fd = -1;
	if (child->pid > 0) {
		child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
		err = child->pidfd < 0 ? errno : -command_signal_start(&child->command_signal, child->pidfd);
	}
	if (err) {
		child_free(child);
		errno = err;
		return NULL;
	}
	return child;
}

pid_t child_pid(const struct child *child)
{
	return child->pid;
}

int child_fd(const struct child *child)
{
	return child->pidfd;
}

static int go(const struct child *child, char how)
{
	int err = 0;

	if (write(child->go, &how, 1) != 1)
		return -errno;
	/* The other end closes by itself when exec succeeds. */
	if (read(child->failed, &err, sizeof(err)) != sizeof(err))
		return 0;
	errno = err;
	return -err;
}

int child_release(struct child *child)
{
	child->is_released = true;
	if (!child->is_entered)
		return go(child, GO_RUN);
	child->is_entered = false;
	return ptrace(PTRACE_DETACH, child->pid, NULL, NULL) ? -errno : 0;
}

#ifdef __x86_64__
#define BREAKPOINT 0xccUL
#define BREAKPOINT_MASK 0xffUL
#define BREAKPOINT_PASSES 1 /* by so much the instruction pointer is behind it when it was hit */
#define PROGRAM_COUNTER(regs) ((regs)->rip)
#else
#define BREAKPOINT 0xd4200000UL
#define BREAKPOINT_MASK 0xffffffffUL
#define BREAKPOINT_PASSES 0
#define PROGRAM_COUNTER(regs) ((regs)->pc)
#endif

/* 0, or -1 and errno. */
static int registers(pid_t pid, struct user_regs_struct *regs, bool set)
{
	struct iovec where = { regs, sizeof(*regs) };

	return (int)ptrace(set ? PTRACE_SETREGSET : PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &where);
}

/* Let a traced process run until it traps; other signals are its own. -ESRCH: it has ended. */
static int run_to_trap(struct child *child)
{
	long signal_to_give = 0;
	int status;

	for (;;) {
		if (ptrace(PTRACE_CONT, child->pid, NULL, (void *)signal_to_give) ||
		    waitpid(child->pid, &status, 0) < 0)
			return -errno;
		child->is_reaped = !WIFSTOPPED(status);
		if (child->is_reaped)
			return -ESRCH;
		if (WSTOPSIG(status) == SIGTRAP)
			return 0;
		signal_to_give = WSTOPSIG(status);
	}
}

/* From exec, where the dynamic linker has not run yet, to where it hands over to the executable. */
static int run_to_entry(struct child *child)
{
	pid_t pid = child->pid;
	struct user_regs_struct regs = { 0 };
	uint64_t entry;
	long word;
	int err = procfs_auxv(pid, AT_ENTRY, &entry);

	if (err || registers(pid, &regs, false))
		return err ? err : -errno;
	if (PROGRAM_COUNTER(&regs) == entry)
		return 0;
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, (void *)entry, NULL);
	if (errno || ptrace(PTRACE_POKETEXT, pid, (void *)entry,
			    (void *)(((unsigned long)word & ~BREAKPOINT_MASK) | BREAKPOINT)))
		return -errno;
	err = run_to_trap(child);
	if (err)
		return err;
	if (ptrace(PTRACE_POKETEXT, pid, (void *)entry, (void *)word) || registers(pid, &regs, false))
		return -errno;
	if (PROGRAM_COUNTER(&regs) != entry + BREAKPOINT_PASSES)
		return 0;
	PROGRAM_COUNTER(&regs) = entry;
	return registers(pid, &regs, true) ? -errno : 0;
}

int child_enter(struct child *child)
{
	int status, err;

	if (child->is_entered || child->is_released)
		return 0;
	err = go(child, GO_TRACED);
	if (err)
		return err;
	if (waitpid(child->pid, &status, 0) < 0)
		return -errno;
	child->is_reaped = !WIFSTOPPED(status);
	if (child->is_reaped)
		return -ESRCH;
	ptrace(PTRACE_SETOPTIONS, child->pid, NULL, (void *)PTRACE_O_EXITKILL);
	child->is_entered = true;
	return run_to_entry(child);
}

/* We ourselves may not: see trace/command_signal.h. Without it, nothing of ours is given up yet. 0 or -errno. */
static int send_signal(const struct child *child, int number)
{
	if (child->command_signal.fd >= 0)
		return command_signal_send(&child->command_signal, number);
	return kill(child->pid, number) ? -errno : 0;
}

static bool ends_within(const struct child *child, int ms)
{
	struct pollfd end = { .fd = child->pidfd, .events = POLLIN };

	return child->pidfd >= 0 && poll(&end, 1, ms) > 0;
}

/* Politely first; one that does not listen has GRACE_MS. */
static void end(const struct child *child)
{
	int err = ends_within(child, 0) ? 0 : send_signal(child, SIGTERM);

	if (child->is_entered)
		ptrace(PTRACE_DETACH, child->pid, NULL, NULL);
	if (!err && !ends_within(child, GRACE_MS))
		err = send_signal(child, SIGKILL);
	if (err) {
		pr_warn("the command cannot be ended (%s): process %d goes on", strerror(-err), child->pid);
		return;
	}
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void child_free(struct child *child)
{
	if (!child)
		return;
	close(child->go);
	close(child->failed);
	if (child->pid > 0 && !child->is_reaped)
		end(child);
	if (child->command_signal.fd >= 0)
		side_process_end(&child->command_signal);
	if (child->pidfd >= 0)
		close(child->pidfd);
	free(child);
}
