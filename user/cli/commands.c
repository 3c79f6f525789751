// SPDX-License-Identifier: BSD-2-Clause
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/dtrace.h"
#include "cli/export.h"
#include "cli/markdown_d.h"
#include "run/run.h"
#include "version.h"

static int run_list(const struct parsed *parsed)
{
	return command_list(&parsed->options, parsed->verbosity);
}

static int run_doctor(const struct parsed *parsed)
{
	return command_doctor(&parsed->options);
}

static int run_help(const struct parsed *parsed)
{
	return command_help(parsed->topic);
}

const struct builtin builtins[] = {
	{
		.name = "list",
		.usage = "[OPTIONS] [GLOB]",
		.summary = "probes of the VMs found, and where they come from",
		.description =
			"Without -v: name, source and number of sites. With -v also the arguments with their types,\n"
			"how exact a translator is, and what is known to be wrong. Probes that a VM does not have\n"
			"are listed with the reason.",
		.examples = "# All probes of all VMs\nerlbpf list\n"
			    "# Arguments of the message probes of one VM\nerlbpf list 'message-*' -p 1234 -v",
		.takes = TAKES_GLOB | TAKES_SOURCE | TAKES_TARGETS | TAKES_FORMAT,
		.run = run_list,
	},
	{
		.name = "doctor",
		.usage = "[OPTIONS]",
		.summary = "kernel, privileges, VMs found, what works, and what to do",
		.description = "Looks and tells; it attaches nothing.",
		.examples = "erlbpf doctor",
		.takes = TAKES_TARGETS | TAKES_FORMAT,
		.run = run_doctor,
	},
	{
		.name = "export",
		.usage = "[OPTIONS]",
		.summary = "an agent: tools on all nodes all the time, served to Prometheus",
		.main = export_main,
		.help = export_help,
	},
	{
		.name = "help",
		.usage = "[COMMAND]",
		.summary = "this overview, or the help of a command",
		.description = "Everything is in the man page too: man erlbpf.",
		.examples = "erlbpf help sched-latency",
		.run = run_help,
	},
};

const size_t builtin_count = sizeof(builtins) / sizeof(*builtins);

const struct builtin *builtin_find(const char *name)
{
	for (size_t i = 0; i < builtin_count; i++) {
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	}
	return NULL;
}

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; i < tools_count; i++) {
		if (!strcmp(tools[i]->name, name))
			return tools[i];
	}
	return NULL;
}

int command_unknown(const char *name)
{
	const char *names[64];
	const char *nearest;
	size_t count = 0;

	for (size_t i = 0; i < tools_count && count < 60; i++)
		names[count++] = tools[i]->name;
	for (size_t i = 0; i < builtin_count; i++)
		names[count++] = builtins[i].name;
	nearest = text_nearest(name, names, count);
	if (nearest)
		pr_err("there is no command \"%s\"; did you mean \"%s\"? `erlbpf help` lists them", name, nearest);
	else
		pr_err("there is no command \"%s\"; `erlbpf help` lists them", name);
	return EXIT_USAGE;
}

static int run_command(const char *name, int argc, char **argv)
{
	const struct builtin *builtin = builtin_find(name);
	const struct tool *tool = tool_find(name);
	struct parsed parsed;

	if (!builtin && !tool)
		return command_unknown(name);
	if (builtin && builtin->main)
		return builtin->main(argc, argv);
	/* For `make docs` only. */
	if (argc == 2 && !strcmp(argv[1], "--markdown-tools"))
		return command_markdown_tools(), EXIT_OK;
	if (argc == 2 && !strcmp(argv[1], "--markdown-translators"))
		return command_markdown_translators(), EXIT_OK;
	if (argc == 2 && !strcmp(argv[1], "--markdown-d"))
		return command_markdown_d(), EXIT_OK;
	parse_options(name, builtin ? builtin->takes : tool->takes | TAKES_ALL_OF_TOOLS, argc, argv, &parsed);
	log_set_level((enum log_level)(parsed.verbosity > LOG_DEBUG ? LOG_DEBUG : parsed.verbosity));
	return builtin ? builtin->run(&parsed) : run_tool(tool, &parsed.options);
}

int command_main(int argc, char **argv)
{
	if (dtrace_is_meant(argc, argv))
		return dtrace_main(argc, argv);
	if (argc < 2) {
		command_help(NULL);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return command_help(NULL);
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")) {
		puts("erlbpf " ERLBPF_VERSION);
		return EXIT_OK;
	}
	return run_command(argv[1], argc - 1, argv + 1);
}
