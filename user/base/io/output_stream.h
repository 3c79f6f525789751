/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output streams for programs with other work to do. A write blocks while the reader is paused, for example in less or
 * at a stopped terminal.
 */
#ifndef ERLBPF_BASE_IO_OUTPUT_STREAM_H
#define ERLBPF_BASE_IO_OUTPUT_STREAM_H

#include <stdio.h>

typedef void output_stream_work(void *data);

struct output_stream;

/*
 * Writes to `fd`, which the caller keeps. Write to output_stream_file(), which is line-buffered on a terminal. While a
 * write blocks, `meanwhile` (or NULL) is called about every OUTPUT_STREAM_MS; it must not write to the stream. SIGALRM
 * is reserved from now on. NULL and errno on failure.
 */
struct output_stream *output_stream_new(int fd, output_stream_work *meanwhile, void *data);

/*
 * Same, for a file that is closed with the stream; `flags`: O_APPEND or O_TRUNC. NULL as path: standard output, after
 * flushing stdio. NULL and errno on failure.
 */
struct output_stream *output_stream_open(const char *path, int flags, output_stream_work *meanwhile, void *data);

FILE *output_stream_file(const struct output_stream *output);

int output_stream_fd(const struct output_stream *output);

/* 0, or -errno of this or an earlier write: -EPIPE if the reader is gone. */
int output_stream_flush(struct output_stream *output);

/* Flushes first. */
void output_stream_free(struct output_stream *output);

#define OUTPUT_STREAM_MS 5

#endif
