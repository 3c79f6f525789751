// SPDX-License-Identifier: BSD-2-Clause
#include "cli/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"

const struct other_command builtins[] = {
	{
		.name = "why",
		.usage = "[OPTIONS] [NODE]",
		.summary = "what is wrong with a node, the worst first: run this first",
		.description = "Watches nodes for 10 seconds and reports what slows them down or will stop them, each "
			       "with its\n"
			       "evidence and the command that shows more. It detects: missing CPU time (a throttled "
			       "control group,\n"
			       "other programs), processes suspended by a busy connection or port, schedulers that "
			       "wait for a lock,\n"
			       "functions that do not yield, garbage collection, growing mailboxes, spawn storms, a "
			       "growing atom\n"
			       "table, retained binaries, huge heaps, and limits that are near. \"nothing is wrong\" "
			       "means that it\n"
			       "found none of these.\n"
			       "\n"
			       "NODE is the name of a node, for which it waits, or the number of its process. Default: "
			       "all nodes.\n"
			       "It reads only the memory of the nodes and /proc, and attaches no probe.",
		.examples = "# Why is this node slow?\nerlbpf why shop\n"
			    "# All nodes, in a script: fails if anything is critical\n"
			    "erlbpf why -j --fail-on critical\n"
			    "# For a minute\nerlbpf why -d 60 -p 1234",
		.takes = TAKES_TARGETS | TAKES_FORMAT | TAKES_WHY,
	},
	{
		.name = "list",
		.usage = "[OPTIONS] [GLOB]",
		.summary = "list the probes of each node, and where they come from",
		.description = "Prints one line per probe: its name, its source, its number of sites, and the function "
			       "or note\n"
			       "that it comes from. -v adds its arguments with their types, the accuracy of its "
			       "translator, and\n"
			       "known faults. If a VM does not have a probe, the line shows the reason. At the end it "
			       "lists the\n"
			       "probes in the code of applications (package erlbpf) as app:NAME, whether they have "
			       "fired or not.\n"
			       "It attaches no probe, and does not wait for nodes.",
		.examples = "# The probes of all VMs\nerlbpf list\n"
			    "# Also those inside the VM that only erlbpf has\nerlbpf list '*:*'\n"
			    "# Those of an application's own code\nerlbpf list 'app:*'\n"
			    "# Arguments of the message probes of one VM\nerlbpf list 'message-*' -p 1234 -v",
		.takes = TAKES_GLOB | TAKES_SOURCE | TAKES_TARGETS | TAKES_FORMAT,
	},
	{
		.name = "doctor",
		.usage = "[OPTIONS]",
		.summary = "check the kernel, privileges and nodes: which tools work, and what to do",
		.description =
			"Reports what the kernel supports, whether the privileges are sufficient, which nodes run, "
			"which\n"
			"tools work on each node, and how to fix the others. It also reports breakpoints and raised\n"
			"semaphores in each node, of running tracers or left behind by killed ones. Without --heal, "
			"it\n"
			"changes nothing.",
		.examples = "# All nodes of this machine\nerlbpf doctor\n"
			    "# Remove what a killed tracer left behind in a node\nerlbpf doctor --heal -p 1234",
		.takes = TAKES_TARGETS | TAKES_FORMAT | TAKES_HEAL,
	},
	{
		.name = "export",
		.usage = "[OPTIONS]",
		.summary = "run tools on all nodes continuously, and serve metrics to Prometheus",
		.description = "See erlbpf-export(8), or `erlbpf help export`.",
		.has_own_options = true,
	},
	{
		.name = "profile",
		.usage = "[OPTIONS] [SECONDS]",
		.summary = "sample stacks: which Erlang functions, and which C code, use processor time",
		.description = "See erlbpf-profile(8), or `erlbpf help profile`.",
		.has_own_options = true,
	},
	{
		.name = "help",
		.usage = "[COMMAND | options | --json]",
		.summary = "this overview, or the help of a command",
		.description =
			"The man page erlbpf(8) is the full reference. `erlbpf help options` explains the options that "
			"all\n"
			"tools take. --json prints the contents of help and man pages as one JSON object, whose keys\n"
			"docs/help-json.md lists.",
		.examples = "erlbpf help sched-latency",
	},
};

const size_t builtin_count = sizeof(builtins) / sizeof(*builtins);

const struct other_command *builtin_find(const char *name)
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

/* The nearest of the tools, and of the other commands if `with_others`; NULL if none is near. */
static const char *nearest_of(const char *name, bool with_others)
{
	const char *names[64];
	size_t count = 0;

	for (size_t i = 0; i < tools_count && count < 60; i++)
		names[count++] = tools[i]->name;
	for (size_t i = 0; with_others && i < builtin_count; i++)
		names[count++] = builtins[i].name;
	return text_nearest(name, names, count);
}

const char *tool_nearest(const char *name)
{
	return nearest_of(name, false);
}

int command_unknown(const char *name)
{
	const char *nearest = nearest_of(name, true);

	if (*name == '-')
		pr_err("expected a command before \"%s\"; `erlbpf help` lists them", name);
	else if (nearest)
		pr_err("there is no command \"%s\"; did you mean \"%s\"? `erlbpf help` lists them", name, nearest);
	else
		pr_err("there is no command \"%s\"; `erlbpf help` lists them", name);
	return EXIT_USAGE;
}

int command_place(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (builtin_find(argv[i]) || tool_find(argv[i]))
			return i;
	}
	return 0;
}

/* As a shell wants it. */
static void write_word(FILE *to, const char *word)
{
	bool is_plain = *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
						    "-_=,.:@/%+")];

	fprintf(to, is_plain ? " %s" : " '%s'", word);
}

int command_misplaced(int argc, char **argv, int place)
{
	_cleanup_free_ char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return EXIT_USAGE;
	fprintf(to, "erlbpf %s", argv[place]);
	for (int i = 1; i < argc; i++) {
		if (i != place)
			write_word(to, argv[i]);
	}
	fclose(to);
	pr_err("options follow the command: %s; see `erlbpf help %s`", line, argv[place]);
	return EXIT_USAGE;
}
