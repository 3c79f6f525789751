/* SPDX-License-Identifier: BSD-2-Clause */
/* dtrace(1)'s command line: `erlbpf -n 'D'`, `erlbpf -qs FILE args`, and all that is called by the name dtrace. */
#ifndef ERLBPF_CLI_DTRACE_DTRACE_H
#define ERLBPF_CLI_DTRACE_DTRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options/option.h"

extern const struct option_table dtrace_options;

/* Is this command line one of dtrace(1), and not one of erlbpf's own? */
bool dtrace_is_meant(int argc, char **argv);

/* Is it what is called by the name dtrace, or are there programs in it, or what is done instead of running one? */
bool dtrace_is_certain(int argc, char **argv);

/* All its options. */
void dtrace_usage(FILE *to, const char *called);

/* Returns the exit status of dtrace(1). */
int dtrace_main(int argc, char **argv);

#endif
