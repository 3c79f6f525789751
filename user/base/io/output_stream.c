// SPDX-License-Identifier: BSD-2-Clause
/*
 * A timer interrupts each write. O_NONBLOCK is no alternative: other processes share the open file, and a terminal
 * accepts part of a write and then blocks.
 */
#include "base/io/output_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"

/* Linux: the thread that receives the signal. Older C libraries do not name it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct output_stream {
	FILE *stream;
	int fd, error; /* error: -errno of the first failed write */
	output_stream_work *meanwhile;
	void *data;
	timer_t timer;
	bool has_timer, owns_fd;
};

static void interrupt(int signal)
{
	(void)signal;
}

/* Without SA_RESTART, so that the signal interrupts the write. */
static int enable_alarm(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	return sigaction(SIGALRM, &action, NULL) ? errno : pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
}

static int start_timer(struct output_stream *output)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	int err = enable_alarm();

	event.sigev_notify_thread_id = gettid();
	if (!err && timer_create(CLOCK_MONOTONIC, &event, &output->timer))
		err = errno;
	output->has_timer = !err;
	return err;
}

static void set_interval(const struct output_stream *output, long every_ns)
{
	const struct itimerspec when = { { .tv_nsec = every_ns }, { .tv_nsec = every_ns } };

	if (output->has_timer)
		timer_settime(output->timer, 0, &when, NULL);
}

/* Bytes, or -errno. The timer is periodic, because the first signal may arrive before the write begins. */
static ssize_t write_for_a_while(const struct output_stream *output, const char *text, size_t size)
{
	ssize_t written;

	set_interval(output, OUTPUT_STREAM_MS * NS_PER_MS);
	written = write(output->fd, text, size);
	if (written < 0)
		written = -errno;
	set_interval(output, 0);
	return written;
}

/* For fopencookie(3). */
static ssize_t write_all(void *cookie, const char *text, size_t size)
{
	struct output_stream *output = cookie;
	size_t done = 0;

	while (done < size) {
		ssize_t written = write_for_a_while(output, text + done, size - done);

		if (written < 0 && written != -EINTR) {
			output->error = output->error ? output->error : (int)written;
			break;
		}
		done += written > 0 ? (size_t)written : 0;
		if (done < size && output->meanwhile)
			output->meanwhile(output->data);
	}
	return (ssize_t)done;
}

static int open_stream(struct output_stream *output)
{
	output->stream = fopencookie(output, "w", (cookie_io_functions_t){ .write = write_all });
	if (!output->stream)
		return errno;
	setvbuf(output->stream, NULL, isatty(output->fd) == 1 ? _IOLBF : _IOFBF, BUFSIZ);
	return start_timer(output);
}

struct output_stream *output_stream_new(int fd, output_stream_work *meanwhile, void *data)
{
	struct output_stream *output = calloc(1, sizeof(*output));
	int err;

	if (!output)
		return NULL;
	*output = (struct output_stream){ .fd = fd, .meanwhile = meanwhile, .data = data };
	err = open_stream(output);
	if (err) {
		output_stream_free(output);
		errno = err;
		return NULL;
	}
	return output;
}

struct output_stream *output_stream_open(const char *path, int flags, output_stream_work *meanwhile, void *data)
{
	_cleanup_close_ int fd = -1;
	struct output_stream *output;

	if (!path) {
		fflush(stdout);
		return output_stream_new(STDOUT_FILENO, meanwhile, data);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	if (fd < 0)
		return NULL;
	output = output_stream_new(fd, meanwhile, data);
	if (!output)
		return NULL;
	output->owns_fd = true;
	fd = -1;
	return output;
}

FILE *output_stream_file(const struct output_stream *output)
{
	return output->stream;
}

int output_stream_fd(const struct output_stream *output)
{
	return output->fd;
}

int output_stream_flush(struct output_stream *output)
{
	if (fflush(output->stream) && !output->error)
		output->error = -errno;
	return output->error;
}

void output_stream_free(struct output_stream *output)
{
	if (!output)
		return;
	if (output->stream)
		fclose(output->stream);
	if (output->has_timer)
		timer_delete(output->timer);
	if (output->owns_fd)
		close(output->fd);
	free(output);
}
