// SPDX-License-Identifier: BSD-2-Clause
/* The generated references: docs/tools.md and docs/translators.md (`make docs`). */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "probe/source.h"
#include "tool.h"

static void print_lines(const char *text, const char *indent)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		printf("%s%.*s\n", indent, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void print_tool(const struct tool *tool)
{
	printf("\n## %s\n\n%s%s.\n\n", tool->name, "Answers: ", tool->summary);
	print_lines(tool->description, "");
	printf("\n```\n");
	print_lines(tool->examples, "");
	printf("```\n");
	if (tool->column_count) {
		printf("\nColumns:");
		for (size_t i = 0; i < tool->column_count; i++)
			printf("%s `%s`", i ? "," : "", tool->columns[i].name);
		printf(".\n");
	}
	if (tool->hist_title)
		printf("\nHistogram: %s, in %s.\n", tool->hist_title, tool->hist_unit);
}

void command_markdown_tools(void)
{
	puts("# Tools\n\nMade by `make docs`; do not edit. Options are those of `erlbpf help TOOL`.");
	for (size_t i = 0; i < tools_count; i++)
		print_tool(tools[i]);
}

static void print_translator(void *data, const char *probe, const char *where, const char *releases,
			     const char *accuracy, const char *missing)
{
	(void)data;
	printf("| %s | %s | %s | %s | %s |\n", probe, where, releases, accuracy, missing);
}

void command_markdown_translators(void)
{
	puts("# Translators: probes of VMs without notes\n\n"
	     "Made from `probes/translators.def` by `make docs`; do not edit. A probe with several rows fires at\n"
	     "each of them.\n\n"
	     "| probe | function | OTP | accuracy | missing arguments |\n"
	     "|---|---|---|---|---|");
	translator_each(print_translator, NULL);
}
