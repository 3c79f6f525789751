/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams for what has more to do than to print. Who looks at a page of less, or has stopped his terminal, does not
 * read on, and a write to him lasts until he does.
 */
#ifndef ERLBPF_BASE_IO_OUTPUT_STREAM_H
#define ERLBPF_BASE_IO_OUTPUT_STREAM_H

#include <stdio.h>

typedef void output_stream_work(void *data);

struct output_stream;

/*
 * Writes to the fd, which stays the caller's. Write by output_stream_file(), which is buffered and a terminal's by
 * lines. While a write lasts, `meanwhile`, which may be NULL, is called every OUTPUT_STREAM_MS or so; it must not write
 * to the stream. SIGALRM is ours from now on. NULL and errno.
 */
struct output_stream *output_stream_new(int fd, output_stream_work *meanwhile, void *data);

/*
 * The same to a file, which is closed with it; `flags`: O_APPEND or O_TRUNC. NULL: to standard output, behind what
 * stdio has for it. NULL and errno.
 */
struct output_stream *output_stream_open(const char *path, int flags, output_stream_work *meanwhile, void *data);

FILE *output_stream_file(const struct output_stream *output);

/* What it writes to. */
int output_stream_fd(const struct output_stream *output);

/* 0 or -errno, also of what was written before: -EPIPE if the reader is gone. */
int output_stream_flush(struct output_stream *output);

/* Flushes. */
void output_stream_free(struct output_stream *output);

#define OUTPUT_STREAM_MS 5

#endif
