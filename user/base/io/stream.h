/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that are not to be written to: full, closed, or without a reader. */
#ifndef ERLBPF_BASE_IO_STREAM_H
#define ERLBPF_BASE_IO_STREAM_H

#include <stdio.h>

/*
 * At start: descriptors 0 to 2 that are closed are opened, or the next files of ours would be standard output; and a
 * file that has reached its limit, or a pipe that nobody reads, is an error of write(2), not a death by SIGXFSZ or
 * SIGPIPE.
 */
void stream_prepare(void);

/* For a command that we start: as signals were. */
void stream_restore(void);

/* 0 or -errno, also of what was written before: -EPIPE if nobody reads. */
int stream_flush(FILE *to);

#endif
