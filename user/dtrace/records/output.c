// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/records/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/stream.h"
#include "base/process/limits.h"

static void look(struct output *output)
{
	output->is_terminal = isatty(output->fd) == 1;
}

int output_open(struct output *output, const char *path, FILE *to, output_stream_work *meanwhile, void *data)
{
	*output = (struct output){ .to = to, .first = -1 };
	if (!to) {
		output->output = output_stream_open(path, O_APPEND, meanwhile, data);
		if (!output->output)
			return -errno;
		output->to = output_stream_file(output->output);
	}
	output->fd = to ? fileno(to) : output_stream_fd(output->output);
	look(output);
	return 0;
}

void output_close(struct output *output)
{
	if (!output->to)
		return;
	fflush(output->to);
	if (output->first >= 0) {
		dup2(output->first, output->fd);
		close(output->first);
	}
	output_stream_free(output->output);
	*output = (struct output){ .first = -1 };
}

int output_flush(struct output *output)
{
	return output->output ? output_stream_flush(output->output) : stream_flush(output->to);
}

/* Keeps the stream and replaces its file: freopen(3) would lose the stream if the new file cannot be opened. */
static int turn_to(struct output *output, int fd)
{
	if (output->first < 0) {
		output->first = fcntl(output->fd, F_DUPFD_CLOEXEC, 3);
		if (output->first < 0)
			return -errno;
	}
	if (dup2(fd, output->fd) < 0)
		return -errno;
	look(output);
	return 0;
}

int output_reopen(struct output *output, const char *path)
{
	_cleanup_close_ int fd = -1;
	int err = output_flush(output);

	if (err)
		return err;
	if (!*path)
		return output->first < 0 ? 0 : turn_to(output, output->first);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : turn_to(output, fd);
}

int output_truncate(struct output *output)
{
	int err = output_flush(output);

	if (err)
		return err;
	/* A pipe or a terminal cannot be truncated; dtrace(1) ignores that, too. */
	if (!ftruncate(output->fd, 0))
		lseek(output->fd, 0, SEEK_SET);
	return 0;
}

int output_system(struct output *output, const char *command)
{
	int err = output_flush(output);

	if (err)
		return err;
	files_limit_restore();
	stream_restore();
	err = system(command) == -1 ? -errno : 0;
	stream_prepare();
	files_limit_raise();
	return err;
}
