/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line after the command's name, for tools, list, doctor and help. */
#ifndef ERLBPF_CLI_OPTIONS_PARSE_H
#define ERLBPF_CLI_OPTIONS_PARSE_H

#include "cli/options/option.h"
#include "options.h"

/* The data of a command's own options begins with this, because common_options.c writes here. */
struct parsed {
	struct options options;
	int verbosity;			/* -1 with -q, then 0, 1, 2 */
	const char *topic;		/* first word of `help` */
	bool wants_help, wants_version; /* and nothing else: what follows was not read */

	/* While it is read. */
	const char *command;
	unsigned int takes;
	unsigned int words; /* the interval, the count */
	char problem[320];
	char function[OPTIONS_MAX_FUNCTION + 1]; /* the glob, if it was one of Elixir */
};

/*
 * `command` is the name for messages and help, `takes` what it takes (enum option_set). argv[0] is the command.
 * EXIT_OK; or EXIT_USAGE or EXIT_FAILED, and it was said why.
 */
int parse_options(const char *command, unsigned int takes, int argc, char **argv, struct parsed *parsed);

/* Of -q and -v. */
void parse_set_log_level(const struct parsed *parsed);

/* The options that a command takes. */
struct option_table parse_table(unsigned int takes);

/* The arguments of a tool: "[GLOB] [interval [count]]". */
const char *parse_words(unsigned int takes);

#endif
