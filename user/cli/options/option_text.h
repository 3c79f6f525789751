/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of options as text, for people and for shells. */
#ifndef ERLBPF_CLI_OPTIONS_OPTION_TEXT_H
#define ERLBPF_CLI_OPTIONS_OPTION_TEXT_H

#include "cli/options/option.h"

/* The text of an option. Its parts do not end with '\0'. */
struct option_doc {
	const char *section, *help, *manual;
	int section_size, help_size, manual_size; /* 0: there is none */
};

struct option_doc option_doc(const struct option_table *table, const struct option_row *row);

/* The table takes it, and help shows it. */
bool option_is_shown(const struct option_table *table, const struct option_row *row);

/* A line per option, for `erlbpf help COMMAND`: those that are shown and for which `is_wanted`, NULL for all. */
typedef bool (*option_filter)(const struct option_table *table, const struct option_row *row);
void option_print_help(FILE *to, const struct option_table *table, option_filter is_wanted);

/* The command's own options, and the names of the common ones that it takes. */
void option_print_help_of_command(FILE *to, const struct option_table *table);

/* "-p, --node, --pod": the names, `width` characters per line, without a newline after the last. */
void option_print_names(FILE *to, const struct option_table *table, option_filter is_wanted, int width);

bool option_is_own(const struct option_table *table, const struct option_row *row);
bool option_is_common(const struct option_table *table, const struct option_row *row);

/* "[-elqv] [-p PID]", broken into lines that are indented by `indent`. */
void option_print_synopsis(FILE *to, const struct option_table *table, int indent);

/*
 * For completions, a line per option: "option", its names with commas between, what its value is called, what to
 * offer for it, and the help; "-" where there is none, blanks instead of tabs, and tabs between.
 */
void option_print_completion(FILE *to, const struct option_table *table);

#endif
