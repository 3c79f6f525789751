// SPDX-License-Identifier: BSD-2-Clause
/*
 * The generated part of docs/d-language.md: every function of D with its example, every built-in variable, every
 * option. tests/docs.py puts it where its place is marked (`make docs`), tests/tools/test_d.py runs the examples.
 */
#include "cli/markdown_d.h"

#include <stdio.h>
#include <string.h>

#include "d/lang/builtins.h"
#include "d/functions.h"
#include "dtrace/session/options.h"

/* "string(string, int)" as "string NAME(string, int)". */
static void print_prototype(const struct d_function *function)
{
	size_t n = strcspn(function->prototype, "(");

	printf("`%.*s %s%s`", (int)n, function->prototype, function->name, function->prototype + n);
}

static void print_function(const struct d_function *function)
{
	printf("#### %s\n\n", function->name);
	print_prototype(function);
	printf(": %s%s\n", function->doc, function->is_destructive ? "; needs `-w`" : "");
	if (!function->example) {
		putchar('\n');
		return;
	}
	printf("\n```d -q%s\n", function->is_destructive ? " -w" : "");
	printf("%s\n```\n\n", function->example);
	if (function->prints)
		printf("```\n%s```\n\n", function->prints);
}

static void print_functions(enum function_kind kind, const char *title)
{
	printf("### %s\n\n", title);
	for (size_t i = 0; i < d_functions.count; i++) {
		if (d_functions.rows[i].kind == kind && d_functions.rows[i].doc)
			print_function(&d_functions.rows[i]);
	}
}

static void print_builtins(void)
{
	printf("### Built-in variables\n\n| name | type | |\n|---|---|---|\n");
	for (size_t i = 0; i < d_builtin_count; i++) {
		const struct builtin_variable *variable = &d_builtins[i];

		printf("| `%s` | %s | %s |\n", variable->name, variable->type ? variable->type : "", variable->doc);
	}
	putchar('\n');
}

static void print_options(void)
{
	printf("### Options of -x\n\n| option | |\n|---|---|\n");
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help row = d_option_help(i);

		if (!row.has_effect)
			continue;
		printf("| `");
		d_option_spell(stdout, &row, "\\|");
		printf("` | %s |\n", row.help);
	}
	printf("\nAccepted so that existing scripts run, but without effect:");
	for (size_t i = 0; i < d_option_count(); i++) {
		struct d_option_help row = d_option_help(i);

		if (!row.has_effect)
			printf("\n`%s`", row.name);
	}
	printf(".\n\n");
}

void command_markdown_d(void)
{
	print_functions(FUNCTION_ACTION, "Actions");
	print_functions(FUNCTION_AGGREGATING, "Aggregating functions");
	print_functions(FUNCTION_SUBROUTINE, "Subroutines");
	print_builtins();
	print_options();
}
