// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reference.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/dtrace.h"
#include "cli/export.h"
#include "cli/option_text.h"
#include "cli/parse.h"
#include "cli/profile_run.h"
#include "dtrace/session/options.h"

/* --- Completion -------------------------------------------------------------------------------------------- */

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

/* Of the commands that have one; NULL: it is made of what the command takes. */
static const struct option_table *own_table(const char *command)
{
	if (!strcmp(command, "export"))
		return &export_options;
	return strcmp(command, "profile") ? NULL : &profile_run_options;
}

int reference_completion(const char *command)
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
	if (takes & TAKES_GLOB)
		puts("argument\tprobes");
	return EXIT_OK;
}

/* --- Man pages --------------------------------------------------------------------------------------------- */

/* Text with lines of its own: behind tabs; what is indented already stays as it is. */
static void print_description(const char *text)
{
	bool is_literal = false;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[256];

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		text += n + (text[n] == '\n');
		if (n && (line[0] == ' ') != is_literal) {
			puts("\t```");
			is_literal = !is_literal;
		}
		if (n) {
			putchar('\t');
			if (!is_literal && strchr("-.;", line[0]))
				putchar('\\');
			if (is_literal)
				fputs(line, stdout);
			else
				option_print_escaped(stdout, line);
		}
		putchar('\n');
	}
	if (is_literal)
		puts("\t```");
}

/* "Options of its own: --by pid or name, --min TIME." */
static void print_own_options(const struct tool *tool)
{
	const struct option_table table = parse_table(tool->takes);
	const char *before = "\n\tOptions, in addition to those of all tools: ";

	for (size_t i = 0; i < table.count; i++) {
		const struct option_row *row = &table.rows[i];

		if (!row->needs || !(row->needs & tool->takes))
			continue;
		printf("%s*--%s*", before, row->name);
		if (row->choices) {
			putchar(' ');
			option_list_choices(stdout, row->choices, tool->takes);
		}
		before = "; ";
	}
	if (before[0] == ';')
		puts(".");
}

static void print_summary(const char *name, const char *words, const char *summary)
{
	printf("*%s*%s", name, *words ? " " : "");
	option_print_escaped(stdout, words);
	printf("\n\t%c", toupper((unsigned char)summary[0]));
	option_print_escaped(stdout, summary + 1);
	puts(".\n");
}

/* The first word alone: the interval and the count are the same everywhere. */
static const char *own_words(unsigned int takes)
{
	return takes & TAKES_GLOB	    ? "[GLOB]"
	       : takes & TAKES_FUNCTIONS    ? "[FUNCTION]"
	       : takes & TAKES_VM_FUNCTIONS ? "FUNCTION"
					    : "";
}

void reference_man_commands(void)
{
	for (size_t i = 0; i < tools_count; i++) {
		print_summary(tools[i]->name, own_words(tools[i]->takes), tools[i]->summary);
		print_description(tools[i]->description);
		print_own_options(tools[i]);
		putchar('\n');
	}
	for (size_t i = 0; i < builtin_count; i++) {
		print_summary(builtins[i].name, builtins[i].usage, builtins[i].summary);
		print_description(builtins[i].description);
		putchar('\n');
	}
}

void reference_man_options(void)
{
	const struct option_table table = parse_table(~0u);

	option_print_man(stdout, &table);
}

void reference_man_d_options(void)
{
	option_print_man(stdout, &dtrace_options);
}

void reference_man_x_options(void)
{
	puts("[[ *Option*\n:- *Meaning*");
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help option = d_option_help(i);

		if (!option.has_effect)
			continue;
		printf("|[ %s", option.name);
		if (strchr(option.value, ' ')) {
			putchar('=');
			for (const char *c = option.value; *c; c++)
				putchar(*c == ' ' ? '|' : *c);
		} else if (*option.value) {
			printf("=_%s_", option.value);
		}
		fputs("\n:[ ", stdout);
		option_print_escaped(stdout, option.help);
		puts(option.can_change ? "; setopt()" : "");
	}
	putchar('\n');
}

void reference_man_export_options(void)
{
	option_print_man(stdout, &export_options);
}

void reference_man_profile_options(void)
{
	option_print_man(stdout, &profile_run_options);
}

void reference_man_export_tools(void)
{
	export_print_tools(stdout, 110);
	puts(".\n");
}
