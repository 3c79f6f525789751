// SPDX-License-Identifier: BSD-2-Clause
/*
 * The preprocessor reads the text from standard input and writes to standard output, concurrently: a pipe holds 64 kB,
 * and two processes that only write would deadlock. An included file can be endless (/dev/zero) or block (a pipe), so
 * time and memory are limited.
 */
#include "d/syntax/preprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"

#define OUTPUT_MOST (64UL << 20) /* more than nested headers need */
#define READ_SIZE 65536
#define LIMIT_MS 30000
#define MOST_MEMORY (1UL << 30) /* address space of each of its processes */

struct preprocessor {
	pid_t pid;
	int in, out; /* our ends: `in` is its output */
	uint64_t until_ns;
};

#ifdef __x86_64__
#define MACHINE "-D__amd64"
#else
#define MACHINE "-D__arm64"
#endif

/*
 * The definitions of DTrace, in its order. The version (2.0.1, as 8.12.12 bits) shows headers and scripts that they are
 * read as D. Without __GNUC__ headers are standard C; the remaining gcc words are empty in D, or renamed.
 */
static const char *const own_args[] = {
	"-U__GNUC__",
	"-D__linux",
	"-D__unix",
	"-D__SVR4",
	"-D__SUNW_D=1",
	"-D__SUNW_D_64",
	"-D__Linux",
	MACHINE,
	"-D__SUNW_D_VERSION=0x02000001",
	"-U__SIZEOF_INT128__",
	"-D__signed__=signed",
	"-D__inline__=inline",
	"-D__volatile__=volatile",
	"-D__const=const",
	"-D__extension__=",
	"-D__attribute__(xyz)=",
	"-D__builtin_va_list=caddr_t",
};

#define OWN_ARGS (sizeof(own_args) / sizeof(*own_args))

/* program, C standard, our options, the caller's, "-" for standard input */
static char **make_argv(const struct preprocess *how)
{
	char **argv = calloc(how->arg_count + OWN_ARGS + 4, sizeof(*argv));
	size_t count = 0;

	if (!argv)
		return NULL;
	/* execvp() does not change its arguments, although its prototype is not const. */
	argv[count++] = (char *)(uintptr_t)(how->program ? how->program : "cpp");
	argv[count++] = (char *)(uintptr_t)(how->is_traditional ? "-traditional-cpp" : "-std=c99");
	for (size_t i = 0; i < OWN_ARGS; i++)
		argv[count++] = (char *)(uintptr_t)own_args[i];
	for (size_t i = 0; i < how->arg_count; i++)
		argv[count++] = how->args[i];
	argv[count] = (char *)(uintptr_t) "-";
	return argv;
}

static void close_both(const int pipes[2])
{
	close(pipes[0]);
	close(pipes[1]);
}

/* In its own process group with all its children, which end together. The limits are set before it starts any. */
static _Noreturn void be_preprocessor(char **argv, int in, int out, int failed)
{
	static const struct rlimit memory = { MOST_MEMORY, MOST_MEMORY };

	if (!setpgid(0, 0) && !setrlimit(RLIMIT_AS, &memory) && dup2(in, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	(void)!write(failed, &errno, sizeof(errno));
	_exit(127);
}

/* 0, or -errno, also of exec. */
static int spawn_with_pipes(char **argv, const int in[2], const int out[2], pid_t *pid)
{
	int failed[2], err;

	if (pipe2(failed, O_CLOEXEC) != 0)
		return -errno;
	*pid = fork();
	err = *pid < 0 ? -errno : 0;
	if (!*pid)
		be_preprocessor(argv, in[0], out[1], failed[1]);
	close(failed[1]);
	/* exec closes it on success. */
	if (!err && read(failed[0], &err, sizeof(err)) == sizeof(err)) {
		waitpid(*pid, NULL, 0);
		err = -err;
	}
	close(failed[0]);
	return err;
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

/* 1: more can follow, 0: end, or -errno */
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

/* A preprocessor that stops reading (EPIPE) reports the reason by its status. */
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
		uint64_t now = duration_now();

		if (now >= child->until_ns)
			return -ETIMEDOUT;
		if (poll(fds, 2, (int)((child->until_ns - now) / NS_PER_MS) + 1) < 0 && errno != EINTR)
			return -errno;
		if (child->in >= 0 && fds[1].revents)
			feed(child, &text, &size);
		if (fds[0].revents)
			more = buffer_read(buffer, child->out);
	}
	return more;
}

static int child_end(struct preprocessor *child, bool is_killed)
{
	int status;

	if (is_killed)
		kill(-child->pid, SIGKILL);
	if (child->in >= 0)
		close(child->in);
	close(child->out);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EINVAL;
}

/* Its process group, for the signal handler: Ctrl-C reaches only us. */
static volatile pid_t running;

static void end_both(int number)
{
	kill(-running, SIGKILL);
	signal(number, SIG_DFL);
	raise(number);
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

#define ENDS (sizeof(ends) / sizeof(*ends))

/* Writing to an ended preprocessor must be an error and not kill us. */
static int converse_guarded(struct preprocessor *child, const char *text, size_t size, struct buffer *buffer)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, end = { .sa_handler = end_both }, pipe, before[ENDS];
	int err;

	running = child->pid;
	for (size_t i = 0; i < ENDS; i++)
		sigaction(ends[i], &end, &before[i]);
	sigaction(SIGPIPE, &ignore, &pipe);
	err = converse(child, text, size, buffer);
	sigaction(SIGPIPE, &pipe, NULL);
	for (size_t i = 0; i < ENDS; i++)
		sigaction(ends[i], &before[i], NULL);
	return err;
}

static int run(const struct preprocess *how, char **argv, const char *text, size_t size, struct buffer *buffer)
{
	unsigned int limit_ms = how->limit_ms ? how->limit_ms : LIMIT_MS;
	struct preprocessor child = { .in = -1, .out = -1, .until_ns = duration_now() + limit_ms * NS_PER_MS };
	int err = child_start(&child, argv), status;

	if (err) {
		pr_err("cannot start the preprocessor %s: %s", argv[0], strerror(-err));
		return err;
	}
	err = converse_guarded(&child, text, size, buffer);
	status = child_end(&child, err);
	if (status && !err)
		pr_err("the preprocessor %s failed", argv[0]);
	else if (err == -ETIMEDOUT)
		pr_err("the preprocessor %s did not end within %u seconds", argv[0], limit_ms / 1000);
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
	/* "#!" is no directive of C. A blank line keeps the line numbers. */
	if (size > 3 && copy[0] == '#' && copy[1] == '!')
		memset(copy, ' ', strcspn(text, "\n") < size ? strcspn(text, "\n") : size);
	err = run(how, argv, copy, size, &buffer);
	if (err) {
		free(buffer.data);
		return err;
	}
	*output = buffer.data;
	*output_size = buffer.size;
	return 0;
}
