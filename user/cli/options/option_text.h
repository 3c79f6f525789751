/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of options as text, for people and for shells. */
#ifndef ERLBPF_CLI_OPTIONS_OPTION_TEXT_H
#define ERLBPF_CLI_OPTIONS_OPTION_TEXT_H

#include "cli/options/option.h"

/* A line per option, for `erlbpf help COMMAND`. */
void option_print_help(FILE *to, const struct option_table *table);

/* "[-elqv] [-p PID]", broken into lines that are indented by `indent`. */
void option_print_synopsis(FILE *to, const struct option_table *table, int indent);

/*
 * For completions, a line per option: "option", its names with commas between, what its value is called, what to
 * offer for it, and the help; "-" where there is none, blanks instead of tabs, and tabs between.
 */
void option_print_completion(FILE *to, const struct option_table *table);

#endif
