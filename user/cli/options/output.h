/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_CLI_OPTIONS_OUTPUT_H
#define ERLBPF_CLI_OPTIONS_OUTPUT_H

#include <stdio.h>

/*
 * For commands that print to stdout and end: was all of it written? `code` if so, or if the reader went away; else
 * EXIT_FAILED, and it was said why.
 */
int output_finish(int code);

/* The same for another file, with its name for messages. */
int output_check(FILE *to, const char *name, int code);

#endif
