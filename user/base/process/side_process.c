// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/side_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/process/sanitizer.h"

/* stdin to stderr: the reader of an inherited pipe would wait until its last writer ends. */
static void redirect_to_null(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

/* The location of the command line: arg_start and arg_end in proc(5). */
#define FIELDS_BEFORE_ARGS 45 /* from the third field on */

static bool find_arguments(unsigned long *start, unsigned long *end)
{
	_cleanup_file_ FILE *file = fopen("/proc/self/stat", "re");
	char text[1024] = {}, *at;

	if (!file || !fread(text, 1, sizeof(text) - 1, file))
		return false;
	at = strrchr(text, ')');
	for (int i = 0; at && i <= FIELDS_BEFORE_ARGS; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %lu %lu", start, end) == 2 && *start && *end > *start;
}

/* Otherwise, a kill by command line would also hit this process. */
static void rename_process(const char *name)
{
	unsigned long start, end;

	prctl(PR_SET_NAME, name);
	if (!find_arguments(&start, &end))
		return;
	memset((void *)start, 0, end - start);
	snprintf((void *)start, end - start, "%s", name);
}

/* `ulimit -f` is meant for the user's output, but also applies to memory files. */
static void lift_file_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/*
 * This process can hold locks that others need: while a probe is placed, the kernel locks the node's memory. With a low
 * priority, it would hold them long, so nice values and batch policies do not apply here.
 */
static void reset_priority(void)
{
	struct sched_param normal = {};

	if (sched_getscheduler(0) == SCHED_IDLE || sched_getscheduler(0) == SCHED_BATCH)
		sched_setscheduler(0, SCHED_OTHER, &normal);
	if (getpriority(PRIO_PROCESS, 0) > 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

static _Noreturn void run_side_process(int fd, const char *name, void (*run)(int fd))
{
	int kept = 3;

	setsid();
	if (fd != kept) {
		/*
		 * Otherwise, descriptor 3 could be the parent's end of another side process's socket, which would never
		 * see its end.
		 */
		if (dup2(fd, kept) < 0)
			_exit(EXIT_FAILURE);
		close(fd);
	}
	fcntl(kept, F_SETFD, FD_CLOEXEC);
	close_range((unsigned int)kept + 1, ~0U, 0);
	redirect_to_null();
	lift_file_size();
	reset_priority();
	(void)!chdir("/");
	rename_process(name);
	run(kept);
	_exit(0);
}

int side_process_start(struct side_process *side, const char *name, void (*run)(int fd))
{
	sigset_t all, ours;
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	/* Before fork(), so that no signal can arrive in between. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &ours);
	side->pid = fork();
	if (side->pid == 0)
		run_side_process(pair[1], name, run);
	err = side->pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &ours, NULL);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		side->fd = pair[0];
	return err;
}

void side_process_end(struct side_process *side)
{
	close(side->fd);
	while (waitpid(side->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*side = (struct side_process){ .fd = -1 };
}

/* The control message with descriptors, aligned for the kernel. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(SIDE_MAX_FDS * sizeof(int))];
};

static void put_fds(struct msghdr *message, union control *control, const int *fds, size_t count)
{
	memset(control, 0, sizeof(*control));
	message->msg_control = control;
	message->msg_controllen = CMSG_SPACE(count * sizeof(int));
	control->header.cmsg_level = SOL_SOCKET;
	control->header.cmsg_type = SCM_RIGHTS;
	control->header.cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(&control->header), fds, count * sizeof(int));
}

int side_send(int fd, const void *data, size_t size, const int *fds, size_t fd_count)
{
	union control control;

	if (fd_count > SIDE_MAX_FDS)
		return -E2BIG;
	for (size_t done = 0; done < size;) {
		struct iovec part = { (char *)data + done, size - done };
		struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
		ssize_t sent;

		if (!done && fds && fd_count)
			put_fds(&message, &control, fds, fd_count);
		/* Not all roles may call sendmsg(2) (privileges.h). */
		sent = message.msg_control ? sendmsg(fd, &message, MSG_NOSIGNAL)
					   : send(fd, part.iov_base, part.iov_len, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			return errno == ECONNRESET ? -EPIPE : -errno;
		done += sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

/* Closes surplus descriptors. False: expected ones were lost because the descriptor table is full. */
static bool take_fds(struct msghdr *message, int *fds, size_t wanted)
{
	size_t taken = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (taken < wanted && fds[taken] < 0)
				fds[taken++] = fd;
			else
				close(fd);
		}
	}
	return taken == wanted || !(message->msg_flags & MSG_CTRUNC);
}

int side_receive(int fd, void *data, size_t size, int *fds, size_t fd_count)
{
	bool has_all = true;

	for (size_t i = 0; i < fd_count; i++)
		fds[i] = -1;
	for (size_t done = 0; done < size;) {
		union control control;
		struct iovec part = { (char *)data + done, size - done };
		struct msghdr message = {
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};
		ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 && errno != ECONNRESET ? -errno : -EPIPE;
		has_all &= take_fds(&message, fds, fd_count);
		done += (size_t)got;
	}
	return has_all ? 0 : -EMFILE;
}

void side_process_limit(size_t data)
{
	struct rlimit memory = { data, data };
	_cleanup_file_ FILE *file = fopen("/proc/self/oom_score_adj", "we");

	if (!IS_SANITIZED)
		setrlimit(RLIMIT_DATA, &memory);
	if (file)
		fputs("1000", file);
}
