/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_CLI_EXPORT_H
#define ERLBPF_CLI_EXPORT_H

#include "cli/options/option.h"

extern const struct option_table export_options;

/* `argv` begins with "export". An enum exit_code. */
int export_main(int argc, char **argv);
void export_help(void);

/* The tools that it can run: "a, b and c", in lines of at most that many characters; 0: in one. */
void export_print_tools(FILE *to, int width);

#endif
