// SPDX-License-Identifier: BSD-2-Clause
/*
 * app*:::order_placed { ... } becomes a clause of the probes that fire for all names, with a condition on the name
 * before its predicate. The condition is ordinary D code. It holds for other probes of the clause, and for SDT notes
 * whose provider has such a name. probename is the name, too.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/lang/beam_spec.h"
#include "d/syntax/parse_internal.h"

#define NOT_OURS "(probename != \"app-probe\" && probename != \"app-span\")"
#define NAME "copyinstr(arg1)"
#define PROBENAME "(" NOT_OURS " ? probename : " NAME ")"

static bool means_any(const struct probe_spec *spec)
{
	return !*spec->name || !strcmp(spec->name, "*");
}

/* Atoms arrive in Erlang syntax: in quotes unless they are letters, digits, @ and _ after a small letter. */
static bool wants_quotes(const char *name)
{
	size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@");

	return *name < 'a' || *name > 'z' || name[plain];
}

static void write_text(FILE *to, const char *before, const char *text, size_t size, const char *behind)
{
	fprintf(to, "\"%s", before);
	for (size_t i = 0; i < size; i++)
		fprintf(to, strchr("\"\\", text[i]) ? "\\%c" : "%c", text[i]);
	fprintf(to, "%s\"", behind);
}

/* A prefix does not show whether the whole name needs quotes. */
static void write_prefix(FILE *to, const char *name, size_t size)
{
	fprintf(to, " || substr(" NAME ", 0, %zu) == ", size);
	write_text(to, "", name, size, "");
	fprintf(to, " || substr(" NAME ", 0, %zu) == ", size + 1);
	write_text(to, "'", name, size, "");
}

static void write_condition(FILE *to, const struct probe_spec *spec)
{
	const char *quote = wants_quotes(spec->name) ? "'" : "";
	size_t size = strcspn(spec->name, "*");

	if (spec->name[size]) {
		write_prefix(to, spec->name, size);
		return;
	}
	fputs(" || " NAME " == ", to);
	write_text(to, quote, spec->name, size, quote);
}

/* False: unsupported name, reported. */
static bool check_name(struct parser *parser, const struct probe_spec *spec)
{
	const char *special = strpbrk(spec->name, "*?[");

	if (!special || !strcmp(special, "*"))
		return true;
	diag_error(parser->diag, spec->file, spec->line, "D_PDESC_INVAL",
		   "probe description %s: the name of an application's probe must be complete, or a prefix and \"*\"",
		   spec->text);
	return false;
}

static bool has_names(const struct clause *clause)
{
	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		if (app_spec_is(spec))
			return true;
	}
	return false;
}

void parse_app_names(struct parser *parser, struct clause *clause)
{
	const struct probe_spec *spec;
	struct node *condition;
	char *text = NULL;
	size_t size, named = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	if (has_names(clause))
		parse_rename(parser, clause, "probename", PROBENAME);
	fputs(NOT_OURS, to);
	for (spec = clause->specs; spec; spec = spec->next) {
		if (!app_spec_is(spec) || !check_name(parser, spec))
			continue;
		if (means_any(spec))
			break;
		write_condition(to, spec);
		named++;
	}
	fclose(to);
	condition = !spec && named ? parse_text_at(parser, text, clause) : NULL;
	if (condition)
		parse_require(parser, clause, condition);
	free(text);
}
