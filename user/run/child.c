// SPDX-License-Identifier: BSD-2-Clause
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 3000

struct child {
	pid_t pid;
	int pidfd;
	int go;		/* a byte written here lets it run */
	int failed;	/* what is read from here is the errno of its exec */
};

static _Noreturn void run_command(char **command, int go, int failed)
{
	char byte;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (read(go, &byte, 1) == 1) {
		execvp(command[0], command);
		(void)!write(failed, &errno, sizeof(errno));
	}
	_exit(127);
}

struct child *child_start(char **command)
{
	struct child *child = calloc(1, sizeof(*child));
	int go[2], failed[2];

	if (!child)
		return NULL;
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
		free(child);
		return NULL;
	}
	child->pid = fork();
	if (child->pid == 0) {
		close(go[1]);
		run_command(command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	child->go = go[1];
	child->failed = failed[0];
	child->pidfd = child->pid > 0 ? (int)syscall(SYS_pidfd_open, child->pid, 0) : -1;
	if (child->pidfd < 0) {
		child_free(child);
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

int child_release(struct child *child)
{
	int err = 0;

	if (write(child->go, "", 1) != 1)
		return -errno;
	/* The other end closes by itself when exec succeeds. */
	if (read(child->failed, &err, sizeof(err)) != sizeof(err))
		return 0;
	errno = err;
	return -err;
}

/* Politely first; one that does not listen has GRACE_MS. */
static void end(const struct child *child)
{
	struct pollfd poll_fd = { .fd = child->pidfd, .events = POLLIN };

	kill(child->pid, SIGTERM);
	if (child->pidfd < 0 || poll(&poll_fd, 1, GRACE_MS) <= 0)
		kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void child_free(struct child *child)
{
	if (!child)
		return;
	close(child->go);
	close(child->failed);
	if (child->pid > 0)
		end(child);
	if (child->pidfd >= 0)
		close(child->pidfd);
	free(child);
}
