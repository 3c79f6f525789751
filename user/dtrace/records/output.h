/* SPDX-License-Identifier: BSD-2-Clause */
/* The output stream of a program: stdout or a file, which freopen() can replace and restore. */
#ifndef ERLBPF_DTRACE_RECORDS_OUTPUT_H
#define ERLBPF_DTRACE_RECORDS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/io/output_stream.h"

struct output {
	FILE *to;
	struct output_stream *output; /* of `to`; NULL: `to` is the caller's */
	int fd;			      /* of the stream */
	bool is_terminal;
	int first; /* copy of the original file after freopen(); -1: unchanged */
};

/*
 * Uses the stream `to`, which the caller owns, or appends to a file; both NULL: standard output. `meanwhile(data)` as
 * in base/io/output_stream.h. 0 or -errno.
 */
int output_open(struct output *output, const char *path, FILE *to, output_stream_work *meanwhile, void *data);
void output_close(struct output *output);

int output_flush(struct output *output);

/* Appends to that file from now on; "": restores the original output. -errno: nothing changed. */
int output_reopen(struct output *output, const char *path);

int output_truncate(struct output *output);

/* Runs a shell command, after flushing the output. */
int output_system(struct output *output, const char *command);

#endif
