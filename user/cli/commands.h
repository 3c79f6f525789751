/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that may follow `erlbpf`: the tools, and the other commands with their help. It calls none of them. */
#ifndef ERLBPF_CLI_COMMANDS_H
#define ERLBPF_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "tool.h"

/* A command that is no tool. */
struct other_command {
	const char *name;
	const char *usage;
	const char *summary;
	const char *description;
	const char *examples;
	unsigned int takes;
	bool has_own_options; /* a table of its own, and takes nothing of the others' */
};

extern const struct other_command builtins[];
extern const size_t builtin_count;

const struct other_command *builtin_find(const char *name);
const struct tool *tool_find(const char *name);

/* The tool whose name is most like a word that is none; NULL if none is. */
const char *tool_nearest(const char *name);

/* Says that there is no such command, and which is nearest. EXIT_USAGE. */
int command_unknown(const char *name);

/* The place of the first word that names a command, 0: none does. */
int command_place(int argc, char **argv);

/* Says that options stand behind the command, whose place that is. EXIT_USAGE. */
int command_misplaced(int argc, char **argv, int place);

#endif
