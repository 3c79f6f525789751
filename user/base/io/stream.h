/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of output streams: disk full, closed, or without a reader. */
#ifndef ERLBPF_BASE_IO_STREAM_H
#define ERLBPF_BASE_IO_STREAM_H

#include <stdio.h>

/*
 * Call at start. Opens closed descriptors among 0 to 2; otherwise, the next opened file would become standard output.
 * Ignores SIGXFSZ and SIGPIPE, so that write(2) returns an error instead.
 */
void stream_prepare(void);

/* Restores these signals, in a child before exec. */
void stream_restore(void);

/* 0, or -errno of this or an earlier write: -EPIPE without a reader. */
int stream_flush(FILE *to);

#endif
