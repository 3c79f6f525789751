// SPDX-License-Identifier: BSD-2-Clause
/* `erlbpf help`, `erlbpf help COMMAND`: all from the tools themselves. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/options/command.h"
#include "cli/commands.h"
#include "cli/dtrace/dtrace.h"
#include "cli/export.h"
#include "cli/glossary.h"
#include "cli/options/option_text.h"
#include "cli/options/parse.h"
#include "cli/profile/profile_options.h"
#include "tool.h"

static void print_indented(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		printf("  %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void help_tool(const struct tool *tool)
{
	const struct option_table table = parse_table(tool->takes | TAKES_ALL_OF_TOOLS);

	printf("usage: erlbpf %s [OPTIONS] %s\n", tool->name, parse_words(tool->takes));
	printf("\n%s: %s.\n\n%s\n\nExamples:\n", tool->name, tool->summary, tool->description);
	print_indented(tool->examples);
	puts("\nOptions:");
	option_print_help_of_command(stdout, &table);
	glossary_print(stdout, tool->description);
}

static void help_builtin(const struct other_command *builtin)
{
	const struct option_table table = parse_table(builtin->takes);

	printf("usage: erlbpf %s %s\n\n%s: %s.\n\n%s\n\nExamples:\n", builtin->name, builtin->usage, builtin->name,
	       builtin->summary, builtin->description);
	print_indented(builtin->examples);
	puts("\nOptions:");
	option_print_help_of_command(stdout, &table);
	glossary_print(stdout, builtin->description);
}

/* The options that all tools take. */
static void help_options(void)
{
	const struct option_table table = parse_table(TAKES_ALL_OF_TOOLS);

	puts("Options that all tools take; other commands take some of them (see `erlbpf help COMMAND`):\n");
	option_print_help(stdout, &table, option_is_common);
}

static void help_all(void)
{
	puts("erlbpf: DTrace for the Erlang VM on Linux.\n\n"
	     "usage: erlbpf COMMAND [OPTIONS] [interval [count]]\n"
	     "       erlbpf -n 'D' | -s FILE [args...] | -l [-n GLOB]\n\nTools:");
	for (size_t i = 0; i < tools_count; i++)
		printf("  %-16s %s\n", tools[i]->name, tools[i]->summary);
	puts("\nOther commands:");
	for (size_t i = 0; i < builtin_count; i++)
		printf("  %-16s %s\n", builtins[i].name, builtins[i].summary);
	puts("\nD, with the options of dtrace(1):\n"
	     "  -s FILE, -n 'D'  run a D program; `erlbpf help dtrace` lists the options\n"
	     "  -l               list the probes that D programs can name\n"
	     "  --etf            run D for Erlang, as a port program: see erlbpf_port in probes/app");
	glossary_print(stdout, NULL);
	puts("\nExamples:\n"
	     "  # What can be traced on this machine, and what is missing?\n"
	     "  sudo erlbpf doctor\n"
	     "  # How long do messages wait before their receiver runs?\n"
	     "  sudo erlbpf sched-latency\n"
	     "  # Which processes spawn most?\n"
	     "  sudo erlbpf -n 'erlang*:::process-spawn { @[copyinstr(arg1)] = count(); }'\n\n"
	     "`erlbpf help COMMAND` explains a command.");
}

int command_help(const char *command)
{
	const struct tool *tool = command ? tool_find(command) : NULL;
	const struct other_command *builtin = command ? builtin_find(command) : NULL;

	if (tool)
		help_tool(tool);
	else if (builtin && !strcmp(builtin->name, "export"))
		export_help();
	else if (builtin && !strcmp(builtin->name, "profile"))
		profile_help();
	else if (builtin)
		help_builtin(builtin);
	else if (!command)
		help_all();
	else if (!strcmp(command, "options"))
		help_options();
	else if (!strcmp(command, "dtrace"))
		dtrace_usage(stdout, "erlbpf");
	else
		return command_unknown(command);
	return EXIT_OK;
}
