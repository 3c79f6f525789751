/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line after the command's name, the same for all commands. */
#ifndef ERLBPF_CLI_PARSE_H
#define ERLBPF_CLI_PARSE_H

#include "options.h"

struct parsed {
	struct options options;
	int verbosity;			/* -1 with -q, then 0, 1, 2 */
	const char *topic;		/* first word of `help` */
	bool wants_help, wants_version; /* and nothing else: what follows was not read */
};

/*
 * `command` is the name for messages and help, `takes` what it takes (enum option_set). argv[0] is
 * the command. Mistakes are explained on stderr and end the process with EXIT_USAGE.
 */
void parse_options(const char *command, unsigned int takes, int argc, char **argv, struct parsed *parsed);

/* How a tool is called, as one line. */
void parse_print_usage(const char *tool, unsigned int takes);

/* The options that a command takes, for `erlbpf help COMMAND`. */
void parse_print_options(unsigned int takes);

#endif
