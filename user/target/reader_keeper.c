// SPDX-License-Identifier: BSD-2-Clause
/*
 * The keeper is forked before we have much memory or many descriptors, and makes readers: one that does not answer is
 * killed, and the next one is made here, since we ourselves may not fork any more. A reader has the rights to look into
 * processes and no other, may make the system calls that reading takes, and may open files only to read them.
 */
#include "target/reader_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/prompt.h"
#include "base/sanitizer.h"
#include "base/side_process.h"

#define MAX_FILES 64

/* Of those that we have. Without any of them it reads what our user may. */
#define WANTED (PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_CHECKPOINT_RESTORE))

#define READING (CALLS_FILES | CALLS_NODES)

static void limit(void)
{
	struct rlimit memory = { READER_MAX_MEMORY, READER_MAX_MEMORY }, files = { MAX_FILES, MAX_FILES },
		      none = { 0, 0 };

	if (!IS_SANITIZED)
		setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &none);
}

/* Says through `failed` why it cannot be one, before it has read anything: later nobody believes it. */
static _Noreturn void be_reader(int fd, int area, int failed)
{
	struct reader_area *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, area, 0);
	int err = shared == MAP_FAILED ? -errno : 0;

	/* One that waits for a page of somebody goes with the keeper, and the keeper with us. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit();
	if (!err)
		err = privileges_filter(READING);
	if (err) {
		(void)!write(failed, &err, sizeof(err));
		_exit(1);
	}
	close(failed);
	reader_run(fd, shared);
}

/* Returns when it is ready, or cannot be. */
static int fork_reader(int keeper, const int pair[2], int area, pid_t *pid)
{
	int failed[2], err, said;

	if (pipe2(failed, O_CLOEXEC))
		return -errno;
	*pid = fork();
	err = *pid < 0 ? -errno : 0;
	if (!*pid) {
		close(keeper);
		close(pair[0]);
		close(failed[0]);
		be_reader(pair[1], area, failed[1]);
	}
	close(failed[1]);
	if (!err && read(failed[0], &said, sizeof(said)) == sizeof(said))
		err = said;
	close(failed[0]);
	return err;
}

/* The descriptors are the caller's. */
static int make_reader(int keeper, pid_t *pid, int fds[READER_FDS])
{
	int pair[2], err;

	fds[READER_AREA] = memfd_create("erlbpf-reader", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fds[READER_AREA] < 0 || ftruncate(fds[READER_AREA], sizeof(struct reader_area)) ||
	    fcntl(fds[READER_AREA], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fds[READER_SOCKET] = pair[0];
	err = fork_reader(keeper, pair, fds[READER_AREA], pid);
	close(pair[1]);
	if (err)
		return err;
	fds[READER_PIDFD] = (int)syscall(SYS_pidfd_open, *pid, 0);
	return fds[READER_PIDFD] < 0 ? -errno : 0;
}

/* With an error of ours, there are no readers: that is the answer. */
static int serve(int fd, int ours)
{
	int fds[READER_FDS] = { -1, -1, -1 };
	struct reader_made made = {};
	pid_t pid = -1;
	char byte;
	int err = side_receive(fd, &byte, 1, NULL, 0);

	if (err)
		return err;
	made.err = ours ? ours : make_reader(fd, &pid, fds);
	made.pid = pid;
	err = side_send(fd, &made, sizeof(made), fds, made.err ? 0 : READER_FDS);
	for (int i = 0; i < READER_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return err;
}

void reader_keeper(int fd)
{
	int err;

	/* Nobody waits for readers that have ended. */
	signal(SIGCHLD, SIG_IGN);
	/* What it makes inherits this, and may not set it. */
	prompt_become();
	privileges_leave_root();
	err = privileges_keep(WANTED);
	if (!err)
		err = privileges_filter(READING | CALLS_FORK);
	while (!serve(fd, err))
		;
}
