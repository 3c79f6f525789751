// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/option_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "options.h"

#define HELP_WIDTH 29
#define SYNOPSIS_WIDTH 100

/* --- The text ---------------------------------------------------------------------------------------------- */

static const char *end_of_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

static bool is_line(const char *at, const char *end, const char *wanted)
{
	size_t size = strlen(wanted);

	return (size_t)(end_of_line(at, end) - at) == size && !memcmp(at, wanted, size);
}

/* The line of an option, or a heading. */
static bool begins_part(const char *at)
{
	return *at == '-' || *at == '#';
}

/* From behind the line of the option to the next one. */
static void read_doc(const char *at, const char *end, struct option_doc *doc)
{
	const char *line_end = end_of_line(at, end), *manual = line_end;

	doc->help = at;
	doc->help_size = (int)(line_end - at);
	while (manual < end && *manual == '\n')
		manual++;
	for (at = manual; at < end && !begins_part(at); at = line_end + (line_end < end))
		line_end = end_of_line(at, end);
	while (at > manual && at[-1] == '\n')
		at--;
	doc->manual = manual;
	doc->manual_size = (int)(at - manual);
}

static const struct option_part *part_of(const struct option_table *table, const struct option_row *row)
{
	return row >= table->own.rows && row < table->own.rows + table->own.count ? &table->own : table->common;
}

struct option_doc option_doc(const struct option_table *table, const struct option_row *row)
{
	const struct option_part *part = part_of(table, row);
	const char *end = part->text + *part->text_size;
	struct option_doc doc = {};
	char name[64];

	if (row->name)
		snprintf(name, sizeof(name), "--%s", row->name);
	else
		snprintf(name, sizeof(name), "-%c", row->letter);
	for (const char *at = part->text, *next; at < end; at = next) {
		const char *line_end = end_of_line(at, end);

		next = line_end + (line_end < end);
		if (*at == '#') {
			doc.section = at + 2;
			doc.section_size = (int)(line_end - doc.section);
		}
		if (is_line(at, end, name)) {
			read_doc(next, end, &doc);
			return doc;
		}
	}
	return (struct option_doc){};
}

bool option_is_shown(const struct option_table *table, const struct option_row *row)
{
	return option_is_taken(table, row) && option_doc(table, row).help_size;
}

bool option_is_own(const struct option_table *table, const struct option_row *row)
{
	unsigned int all = TAKES_ALL_OF_TOOLS;

	return table->command ? part_of(table, row) == &table->own : row->needs && !(row->needs & all);
}

bool option_is_common(const struct option_table *table, const struct option_row *row)
{
	return !option_is_own(table, row);
}

static bool has_long_names(const struct option_table *table)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (row->name && option_is_taken(table, row))
			return true;
	}
	return false;
}

static void print_help_text(FILE *to, const struct option_table *table, const struct option_row *row)
{
	struct option_doc doc = option_doc(table, row);

	fprintf(to, "%.*s", doc.help_size, doc.help);
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

static void print_row(FILE *to, const struct option_table *table, const struct option_row *row, bool is_indented)
{
	_cleanup_free_ char *left = NULL;
	size_t size;
	FILE *spelling = open_memstream(&left, &size);

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

void option_print_help(FILE *to, const struct option_table *table, option_filter is_wanted)
{
	bool is_indented = has_long_names(table);
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (option_is_shown(table, row) && (!is_wanted || is_wanted(table, row)))
			print_row(to, table, row, is_indented);
	}
}

void option_print_names(FILE *to, const struct option_table *table, option_filter is_wanted, int width)
{
	const struct option_row *row;
	int column = 0;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		char name[64];

		if (!option_is_shown(table, row) || (is_wanted && !is_wanted(table, row)))
			continue;
		snprintf(name, sizeof(name), "%s--%s", row->letter ? (char[]){ '-', row->letter, '/', '\0' } : "",
			 row->name);
		if (column && column + (int)strlen(name) + 3 > width) {
			fputs(",\n", to);
			column = 0;
		}
		column += fprintf(to, "%s%s", column ? ", " : "  ", name);
	}
}

void option_print_help_of_command(FILE *to, const struct option_table *table)
{
	option_print_help(to, table, option_is_own);
	fputs("\nCommon options (see `erlbpf help options`):\n", to);
	option_print_names(to, table, option_is_common, SYNOPSIS_WIDTH);
	putc('\n', to);
}

void option_print_synopsis(FILE *to, const struct option_table *table, int indent)
{
	int column = indent + fprintf(to, "[-");
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (option_is_shown(table, row) && row->letter && !row->argument)
			column += fprintf(to, "%c", row->letter);
	}
	column += fprintf(to, "]");
	for (size_t i = 0; (row = option_at(table, i)); i++) {
		size_t first;

		if (!option_is_shown(table, row) || !row->letter || !row->argument || row->spelled)
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
		if (option_is_chosen(table->takes, c->needs))
			fprintf(to, " %s", c->name);
	}
}

void option_print_completion(FILE *to, const struct option_table *table)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (!option_is_shown(table, row))
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
