// SPDX-License-Identifier: BSD-2-Clause
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/dtrace/dtrace.h"
#include "cli/export.h"
#include "cli/options/option_text.h"
#include "cli/options/parse.h"
#include "cli/profile/profile_options.h"
#include "dtrace/options/options.h"

static int complete_commands(void)
{
	for (size_t i = 0; i < tools_count; i++)
		printf("command\t%s\t%s\n", tools[i]->name, tools[i]->summary);
	for (size_t i = 0; i < builtin_count; i++)
		printf("command\t%s\t%s\n", builtins[i].name, builtins[i].summary);
	return EXIT_OK;
}

static int complete_dtrace(void)
{
	option_print_completion(stdout, &dtrace_options);
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help option = d_option_help(i);

		if (option.has_effect)
			printf("x\t%s\t%s\n", option.name, option.help);
	}
	return EXIT_OK;
}

/* The table of a command that has its own, else NULL. */
static const struct option_table *own_table(const char *command)
{
	if (!strcmp(command, "export"))
		return &export_options;
	return strcmp(command, "profile") ? NULL : &profile_run_options;
}

int completion_print(const char *command)
{
	const struct other_command *builtin = command ? builtin_find(command) : NULL;
	const struct tool *tool = command ? tool_find(command) : NULL;
	unsigned int takes = tool ? tool->takes | TAKES_ALL_OF_TOOLS : builtin ? builtin->takes : 0;
	const struct option_table table = parse_table(takes);

	if (!command)
		return complete_commands();
	if (!strcmp(command, "dtrace"))
		return complete_dtrace();
	if (!tool && !builtin)
		return EXIT_USAGE;
	option_print_completion(stdout, own_table(command) ? own_table(command) : &table);
	if (!strcmp(command, "profile"))
		option_print_completion(stdout, &profile_files_own_options);
	if (takes & TAKES_GLOB)
		puts("argument\tprobes");
	return EXIT_OK;
}
