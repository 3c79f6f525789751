// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/option_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define HELP_WIDTH 29
#define SYNOPSIS_WIDTH 100

static bool is_shown(const struct option_table *table, const struct option_row *row)
{
	return row->help && option_is_taken(table->takes, row->needs);
}

static bool has_long_names(const struct option_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].name)
			return true;
	}
	return false;
}

static void print_help_text(FILE *to, const struct option_table *table, const struct option_row *row)
{
	fputs(row->help, to);
	if (!row->choices)
		return;
	putc(' ', to);
	option_list_choices(to, row->choices, table->takes);
}

/* --- Help ------------------------------------------------------------------------------------------------ */

static void spell(FILE *to, const struct option_row *row, bool is_indented)
{
	if (row->spelled)
		fputs(row->spelled, to);
	else if (row->letter)
		fprintf(to, "-%c%s", row->letter, row->name ? ", " : "");
	else if (is_indented)
		fputs("    ", to);
	if (row->name)
		fprintf(to, "--%s", row->name);
	if (row->argument && !row->spelled)
		fprintf(to, " %s", row->argument);
}

void option_print_help(FILE *to, const struct option_table *table)
{
	bool is_indented = has_long_names(table);

	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		_cleanup_free_ char *left = NULL;
		size_t size;
		FILE *spelling;

		if (!is_shown(table, row))
			continue;
		spelling = open_memstream(&left, &size);
		if (!spelling)
			return;
		spell(spelling, row, is_indented);
		fclose(spelling);
		if (size > HELP_WIDTH)
			fprintf(to, "  %s\n%*s", left, HELP_WIDTH + 3, "");
		else
			fprintf(to, "  %-*s ", HELP_WIDTH, left);
		print_help_text(to, table, row);
		putc('\n', to);
	}
}

void option_print_synopsis(FILE *to, const struct option_table *table, int indent)
{
	int column = indent + fprintf(to, "[-");

	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];

		if (is_shown(table, row) && row->letter && !row->argument)
			column += fprintf(to, "%c", row->letter);
	}
	column += fprintf(to, "]");
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		size_t first;

		if (!is_shown(table, row) || !row->letter || !row->argument || row->spelled)
			continue;
		first = strcspn(row->argument, " ");
		if (column + (int)first + 6 > SYNOPSIS_WIDTH)
			column = fprintf(to, "\n%*s", indent - 1, "") - 1;
		column += fprintf(to, " [-%c %.*s]", row->letter, (int)first, row->argument);
	}
}

/* --- Completion ------------------------------------------------------------------------------------------ */

static void print_offer(FILE *to, const struct option_table *table, const struct option_row *row)
{
	static const char *const names[] = {
		[OFFER_NOTHING] = "-",	     [OFFER_PIDS] = "pids",	  [OFFER_FILES] = "files",
		[OFFER_SCRIPTS] = "scripts", [OFFER_FOLDERS] = "folders", [OFFER_COMMANDS] = "commands",
		[OFFER_D_OPTIONS] = "x",
	};

	if (row->print_offer) {
		row->print_offer(to);
		return;
	}
	if (!row->choices) {
		fputs(names[row->offer], to);
		return;
	}
	fputs("words", to);
	for (const struct option_choice *c = row->choices; c->name; c++) {
		if (option_is_taken(table->takes, c->needs))
			fprintf(to, " %s", c->name);
	}
}

void option_print_completion(FILE *to, const struct option_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];

		if (!is_shown(table, row))
			continue;
		fputs("option\t", to);
		if (row->letter)
			fprintf(to, "-%c", row->letter);
		if (row->name)
			fprintf(to, "%s--%s", row->letter ? "," : "", row->name);
		fprintf(to, "\t%s\t", row->argument ? row->argument : "-");
		print_offer(to, table, row);
		putc('\t', to);
		print_help_text(to, table, row);
		putc('\n', to);
	}
}
