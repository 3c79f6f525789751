// SPDX-License-Identifier: BSD-2-Clause
/*
 * The text goes to the preprocessor's standard input and comes back from its standard output. Both at once:
 * a pipe holds 64 kB, and whoever only writes waits for ever once the other side only writes, too.
 */
#include "d/syntax/preprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"

#define OUTPUT_MOST (64UL << 20) /* headers of headers; more is an accident */
#define READ_SIZE 65536

struct preprocessor {
	pid_t pid;
	int in, out; /* our ends: in is what it reads */
};

/* By which headers and scripts know that they are read as D, and which: 2.0.1, as 8.12.12 bits. */
static const char *const own_args[] = { "-D__SUNW_D=1", "-D__SUNW_D_VERSION=0x02000001" };

#define OWN_ARGS (sizeof(own_args) / sizeof(*own_args))

/* program, our own, the caller's, "-" for standard input */
static char **make_argv(const struct preprocess *how)
{
	char **argv = calloc(how->arg_count + OWN_ARGS + 3, sizeof(*argv));
	size_t count = 0;

	if (!argv)
		return NULL;
	/* posix_spawn() does not change its arguments, and cannot say so: execve() is that old. */
	argv[count++] = (char *)(uintptr_t)(how->program ? how->program : "cpp");
	for (size_t i = 0; i < OWN_ARGS; i++)
		argv[count++] = (char *)(uintptr_t)own_args[i];
	for (size_t i = 0; i < how->arg_count; i++)
		argv[count++] = how->args[i];
	argv[count] = (char *)(uintptr_t) "-";
	return argv;
}

static int spawn_with_pipes(char **argv, int in[2], int out[2], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int err;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return -ENOMEM;
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	err = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

static void close_both(int pipes[2])
{
	close(pipes[0]);
	close(pipes[1]);
}

static int child_start(struct preprocessor *child, char **argv)
{
	int in[2], out[2], err;

	if (pipe2(in, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) != 0) {
		err = -errno;
		close_both(in);
		return err;
	}
	err = spawn_with_pipes(argv, in, out, &child->pid);
	if (err) {
		close_both(in);
		close_both(out);
		return err;
	}
	close(in[0]);
	close(out[1]);
	child->in = in[1];
	child->out = out[0];
	fcntl(child->in, F_SETFL, O_NONBLOCK);
	return 0;
}

struct buffer {
	char *data;
	size_t size, room;
};

/* 1: there may be more, 0: that was all, or -errno */
static int buffer_read(struct buffer *buffer, int fd)
{
	ssize_t count;

	if (buffer->size > OUTPUT_MOST)
		return -E2BIG;
	if (!array_has_room_for(buffer->data, buffer->room, buffer->size + READ_SIZE + 1))
		return -ENOMEM;
	count = read(fd, buffer->data + buffer->size, READ_SIZE);
	if (count < 0)
		return errno == EINTR ? 1 : -errno;
	buffer->size += (size_t)count;
	buffer->data[buffer->size] = '\0';
	return count > 0;
}

/* A preprocessor that does not want all of it (EPIPE) will say why by its status. */
static void feed(struct preprocessor *child, const char **text, size_t *left)
{
	ssize_t count = *left ? write(child->in, *text, *left) : 0;

	if (count > 0) {
		*text += count;
		*left -= (size_t)count;
	}
	if (!*left || (count < 0 && errno != EAGAIN && errno != EINTR)) {
		close(child->in);
		child->in = -1;
	}
}

static int converse(struct preprocessor *child, const char *text, size_t size, struct buffer *buffer)
{
	int more = 1;

	while (more > 0) {
		struct pollfd fds[2] = { { .fd = child->out, .events = POLLIN },
					 { .fd = child->in, .events = POLLOUT } };

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (child->in >= 0 && fds[1].revents)
			feed(child, &text, &size);
		if (fds[0].revents)
			more = buffer_read(buffer, child->out);
	}
	return more;
}

static int child_end(struct preprocessor *child)
{
	int status;

	if (child->in >= 0)
		close(child->in);
	close(child->out);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EINVAL;
}

/* Writing to a preprocessor that has gone must be an error and not the end of us. */
static int run(char **argv, const char *text, size_t size, struct buffer *buffer)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	struct preprocessor child = { .in = -1, .out = -1 };
	int err = child_start(&child, argv), status;

	if (err) {
		pr_err("cannot start the preprocessor %s: %s", argv[0], strerror(-err));
		return err;
	}
	sigaction(SIGPIPE, &ignore, &before);
	err = converse(&child, text, size, buffer);
	sigaction(SIGPIPE, &before, NULL);
	status = child_end(&child);
	if (status && !err)
		pr_err("the preprocessor %s failed", argv[0]);
	else if (err)
		pr_err("cannot read from the preprocessor %s: %s", argv[0], strerror(-err));
	return err ? err : status;
}

int preprocess(const struct preprocess *how, const char *text, size_t size, char **output, size_t *output_size)
{
	_cleanup_free_ char **argv = make_argv(how);
	_cleanup_free_ char *copy = malloc(size + 1);
	struct buffer buffer = { 0 };
	int err;

	if (!argv || !copy)
		return -ENOMEM;
	memcpy(copy, text, size);
	/* "#!" is no directive of C. A blank line keeps those behind it in their places. */
	if (size > 3 && copy[0] == '#' && copy[1] == '!')
		memset(copy, ' ', strcspn(text, "\n") < size ? strcspn(text, "\n") : size);
	err = run(argv, copy, size, &buffer);
	if (err) {
		free(buffer.data);
		return err;
	}
	*output = buffer.data;
	*output_size = buffer.size;
	return 0;
}
