// SPDX-License-Identifier: BSD-2-Clause
/*
 * The keeper forks and kills readers. It is itself forked before we have much memory or many descriptors; later our own
 * seccomp filter forbids fork(2). A reader may look into processes, make the system calls that reads need, and open
 * files for reading only.
 */
#include "target/reader/reader_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <poll.h>
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

#include "base/process/privileges.h"
#include "base/process/sanitizer.h"
#include "base/process/side_process.h"
#include "base/process/thread.h"

#define MAX_FILES 64

/* As far as erlbpf has them. Without them, readers see what our user may read. */
#define WANTED (PRIVILEGE(CAP_SYS_PTRACE) | PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_CHECKPOINT_RESTORE))

#define MOST_READERS 8 /* two, and some that are ending */

/* The readers that we forked: we signal no other process. */
static struct kept {
	pid_t pid; /* 0: unused */
	int pidfd;
} kept[MOST_READERS];

static void limit(void)
{
	struct rlimit memory = { READER_MAX_MEMORY, READER_MAX_MEMORY }, files = { MAX_FILES, MAX_FILES },
		      none = { 0, 0 };

	if (!IS_SANITIZED)
		setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &none);
}

/* Reports an error through `failed` before the first read; later errors are not trusted. */
static _Noreturn void be_reader(int fd, int area, int failed)
{
	struct reader_area *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, area, 0);
	int err = shared == MAP_FAILED ? -errno : 0;

	/* A reader that hangs in a page fault ends with the keeper, and the keeper ends with us. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit();
	if (!err)
		err = privileges_filter(ROLE_READER);
	if (err) {
		(void)!write(failed, &err, sizeof(err));
		_exit(1);
	}
	close(failed);
	reader_run(fd, shared);
}

static void forget(struct kept *reader)
{
	close(reader->pidfd);
	*reader = (struct kept){};
}

/* A reader must not have the descriptors of others. */
static void forget_all(void)
{
	for (int i = 0; i < MOST_READERS; i++) {
		if (kept[i].pid)
			forget(&kept[i]);
	}
}

static bool has_ended(const struct kept *reader)
{
	struct pollfd end = { .fd = reader->pidfd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

/* NULL: there are too many. */
static struct kept *find_room(void)
{
	for (int i = 0; i < MOST_READERS; i++) {
		if (kept[i].pid && has_ended(&kept[i]))
			forget(&kept[i]);
		if (!kept[i].pid)
			return &kept[i];
	}
	return NULL;
}

/* A reader that is not in the list ends when its socket is closed. */
static int keep(pid_t pid)
{
	struct kept *room = find_room();
	int pidfd = room ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (pidfd < 0)
		return room ? -errno : -EAGAIN;
	*room = (struct kept){ pid, pidfd };
	return 0;
}

static void end_reader(pid_t pid)
{
	for (int i = 0; i < MOST_READERS; i++) {
		if (kept[i].pid != pid)
			continue;
		syscall(SYS_pidfd_send_signal, kept[i].pidfd, SIGKILL, NULL, 0);
		forget(&kept[i]);
	}
}

/* Returns when the reader is ready or has failed. */
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
		forget_all();
		be_reader(pair[1], area, failed[1]);
	}
	close(failed[1]);
	if (!err && read(failed[0], &said, sizeof(said)) == sizeof(said))
		err = said;
	close(failed[0]);
	return err;
}

/* The caller owns the descriptors. */
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
	return keep(*pid);
}

/* If the keeper itself failed (`ours`), the answer is that error. */
static int give_reader(int fd, int ours)
{
	int fds[READER_FDS] = { -1, -1 }, err;
	struct reader_made made = {};
	pid_t pid = -1;

	made.err = ours ? ours : make_reader(fd, &pid, fds);
	made.pid = pid;
	err = side_send(fd, &made, sizeof(made), fds, made.err ? 0 : READER_FDS);
	for (int i = 0; i < READER_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return err;
}

static int serve(int fd, int ours)
{
	struct reader_command command;
	int err = side_receive(fd, &command, sizeof(command), NULL, 0);

	if (err)
		return err;
	if (!command.ended)
		return give_reader(fd, ours);
	end_reader(command.ended);
	return 0;
}

void reader_keeper(int fd)
{
	int err;

	/* No zombies. */
	signal(SIGCHLD, SIG_IGN);
	/* Readers inherit this, and must not be allowed to set it. */
	short_slices_request();
	privileges_leave_root();
	err = privileges_keep(WANTED);
	if (!err)
		err = privileges_filter(ROLE_KEEPER);
	while (!serve(fd, err))
		;
}
