/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that can stand behind `erlbpf`. */
#ifndef ERLBPF_CLI_COMMANDS_H
#define ERLBPF_CLI_COMMANDS_H

#include <stddef.h>

#include "cli/parse.h"
#include "tool.h"

struct builtin {
	const char *name;
	const char *usage;
	const char *summary;
	const char *description;
	const char *examples;
	unsigned int takes;
	int (*run)(const struct parsed *parsed);
	/* Of one with options of its own, instead: argv begins with its name. Its help says what they are. */
	int (*main)(int argc, char **argv);
	void (*help)(void);
};

extern const struct builtin builtins[];
extern const size_t builtin_count;

const struct builtin *builtin_find(const char *name);
const struct tool *tool_find(const char *name);

/* Says that there is no such command, and which is nearest. EXIT_USAGE. */
int command_unknown(const char *name);

/* The whole command line. An enum exit_code. */
int command_main(int argc, char **argv);

#endif
