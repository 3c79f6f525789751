/* SPDX-License-Identifier: BSD-2-Clause */
/* The stream that a program prints to: stdout or a file, which freopen() may turn to another one and back. */
#ifndef ERLBPF_DTRACE_RECORDS_OUTPUT_H
#define ERLBPF_DTRACE_RECORDS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/io/output_stream.h"

struct output {
	FILE *to;
	struct output_stream *output; /* what `to` is of; NULL: the caller's stream */
	int fd;			      /* under it */
	bool is_terminal;
	int first; /* what it was before any freopen(); -1: it still is */
};

/*
 * The stream `to`, which stays the caller's, or the file, which is appended to; both NULL: standard output.
 * `meanwhile(data)` as in base/io/output_stream.h. 0 or -errno.
 */
int output_open(struct output *output, const char *path, FILE *to, output_stream_work *meanwhile, void *data);
void output_close(struct output *output);

int output_flush(struct output *output);

/* From now on to that file, which is appended to; "": to what it was at first. -errno: nothing has changed. */
int output_reopen(struct output *output, const char *path);

int output_truncate(struct output *output);

/* A command of the shell, with all that was printed before in front of what it prints. */
int output_system(struct output *output, const char *command);

#endif
