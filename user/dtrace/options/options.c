// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/options/options.h"

#include <ctype.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "d.h"
#include "dtrace/options/option_table.h"

#define PRINT_SIZE 1024 /* as in DTrace on Linux */

static enum d_option_error set_string(char **to, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return D_OPTION_MEMORY;
	free(*to);
	*to = copy;
	return D_OPTION_OK;
}

static const struct d_option_row *row_find(const char *name)
{
	for (size_t i = 0; i < option_row_count; i++) {
		if (!strcmp(option_rows[i].name, name))
			return &option_rows[i];
	}
	return NULL;
}

static enum d_option_error set_switch(bool *to, const char *value)
{
	const char *end;
	uint64_t number;
	int yes = value ? option_yes(value) : 1;

	/* Any number sets it, even 0, as in dtrace(1). */
	if (yes < 0 && (!option_number(value, &end, &number) || *end))
		return D_OPTION_VALUE;
	*to = yes != 0;
	return D_OPTION_OK;
}

static enum d_option_error parse_plain(const char *value, uint64_t *number)
{
	const char *end;
	int yes = value ? option_yes(value) : 0;

	*number = yes == 1;
	if (yes < 0 && (!option_number(value, &end, number) || *end))
		return D_OPTION_VALUE;
	return D_OPTION_OK;
}

static enum d_option_error set_words(struct d_words *words, const char *prefix, const char *value)
{
	static const char blanks[] = " \t\n\v\f\r";
	char *copy = strdup(value), *rest = copy, *word;
	bool is_ok = copy != NULL;

	while (is_ok && (word = strsep(&rest, blanks))) {
		if (*word)
			is_ok = d_words_add(words, prefix, word);
	}
	free(copy);
	return is_ok ? D_OPTION_OK : D_OPTION_MEMORY;
}

static enum d_option_error set_choice(int *to, const char *value, const char *words)
{
	int choice = option_word(value, words);

	if (choice < 0)
		return D_OPTION_VALUE;
	*to = choice;
	return D_OPTION_OK;
}

static bool wants_value(const struct d_option_row *row)
{
	return row->kind == WORD || row->kind == STRING || row->kind == WORDS ||
	       (row->kind == ARGUMENT && strcmp(row->words, "-H") != 0);
}

static bool refuses_value(const struct d_option_row *row)
{
	return row->kind == FLAG || row->kind == FLAG_OFF || (row->kind == ARGUMENT && !wants_value(row));
}

static enum d_option_error set_row(struct d_options *options, const struct d_option_row *row, const char *value)
{
	void *to = (char *)options + row->member;
	enum d_option_error error = D_OPTION_OK;
	uint64_t number = 0;

	if (value ? refuses_value(row) : wants_value(row))
		return D_OPTION_VALUE;
	switch (row->kind) {
	case FLAG: *(bool *)to = true; break;
	case FLAG_OFF: *(bool *)to = false; break;
	case SWITCH: error = set_switch(to, value); break;
	case NUMBER:
		error = parse_plain(value, &number);
		if (!error)
			*(uint64_t *)to = number;
		break;
	case SMALL:
		error = parse_plain(value, &number);
		if (!error && number > UINT_MAX)
			error = D_OPTION_LARGE;
		if (!error)
			*(unsigned int *)to = (unsigned int)number;
		break;
	case SIZE:
		if (value && !option_size(value, &number))
			return D_OPTION_VALUE;
		*(uint64_t *)to = number;
		break;
	case RATE:
		if (value && !option_rate(value, &number))
			return D_OPTION_VALUE;
		*(uint64_t *)to = number;
		break;
	case WORD: error = set_choice(to, value, row->words); break;
	case STRING: error = set_string(to, value); break;
	case WORDS: error = set_words(to, row->words, value); break;
	case ARGUMENT: error = d_words_add(to, row->words, value ? value : "") ? D_OPTION_OK : D_OPTION_MEMORY; break;
	case OWN: error = row->set(options, value); break;
	}
	return error;
}

enum d_option_error d_option_set(struct d_options *options, enum d_option_place place, const char *name,
				 const char *value)
{
	const struct d_option_row *row = row_find(name);

	if (!row)
		return D_OPTION_UNKNOWN;
	if (row->moment == OUTSIDE && place != D_OPTION_COMMAND)
		return D_OPTION_PLACE;
	if (row->moment == STARTING && place == D_OPTION_RUNNING)
		return D_OPTION_ACTIVE;
	return set_row(options, row, value);
}

const char *d_option_problem(enum d_option_error error)
{
	static const char *const problems[] = {
		[D_OPTION_OK] = "no problem",
		[D_OPTION_UNKNOWN] = "unknown option",
		[D_OPTION_VALUE] = "invalid value",
		[D_OPTION_PLACE] = "only the command line can set it",
		[D_OPTION_ACTIVE] = "it cannot be set while tracing is active",
		[D_OPTION_LARGE] = "the value is too large",
		[D_OPTION_VERSION] = "that version of the language is not supported",
		[D_OPTION_MEMORY] = "out of memory",
	};

	return problems[error];
}

const char *d_option_set_running(void *options, const char *name, const char *value)
{
	enum d_option_error error = d_option_set(options, D_OPTION_RUNNING, name, value);

	return error ? d_option_problem(error) : NULL;
}

/* All of them. */

static bool locale_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool is_utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return is_utf8;
}

/* libdtrace knows the terminals without block characters, and assumes that all others have them. */
static bool terminal_is_plain(void)
{
	static const char *const plain[] = { "sun", "sun-color", "dumb" };
	const char *term = getenv("TERM");

	for (size_t i = 0; term && i < sizeof(plain) / sizeof(*plain); i++) {
		if (!strcmp(term, plain[i]))
			return true;
	}
	return false;
}

/* Of the machine, or the number set by tests. */
static unsigned int count_cpus(void)
{
	const char *forced = getenv("ERLBPF_CPUS");
	long cpus = forced ? strtol(forced, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);

	return cpus > 0 && cpus < INT_MAX ? (unsigned int)cpus : 1;
}

void d_options_init(struct d_options *options)
{
	*options = (struct d_options){
		.unit = { .strsize = 256,
			  .scratch_size = 256,
			  .frames = 20,
			  .ustack_frames = D_STACK_FRAMES,
			  .speculations = 1,
			  .entries = UNIT_DEFAULT_ENTRIES,
			  .cpus = count_cpus() },
		.cpu = -1,
		.consumer = { .stack_indent = 14,
			      .print_size = PRINT_SIZE,
			      .testing = getenv("_DTRACE_TESTING") != NULL,
			      .has_utf8_packed = locale_is_utf8() && !terminal_is_plain() },
	};
}

void d_options_free(struct d_options *options)
{
	d_words_free(&options->cpp_args);
	d_words_free(&options->lib_folders);
	d_words_free(&options->environment);
	free(options->cpp_path);
	free(options->cookie_file);
	free(options->functions);
	free(options->string_unused);
	*options = (struct d_options){};
}

void d_options_environment(struct d_options *options)
{
	for (size_t i = 0; i < option_row_count; i++) {
		char name[64];
		const char *value;

		snprintf(name, sizeof(name), "DTRACE_OPT_%s", option_rows[i].name);
		value = getenv(name);
		for (char *c = name; !value && *c; c++)
			*c = (char)toupper((unsigned char)*c);
		value = value ? value : getenv(name);
		/* In an environment variable, an empty value means none. */
		if (value)
			d_option_set(options, D_OPTION_COMMAND, option_rows[i].name,
				     *value || !refuses_value(&option_rows[i]) ? value : NULL);
	}
}

bool d_options_pragmas(struct d_options *options, struct unit *unit)
{
	size_t before = unit->diag.errors;

	for (const struct pragma *pragma = unit->program.pragmas; pragma; pragma = pragma->next) {
		enum d_option_error error;

		if (strcmp(pragma->name, "option") || !pragma->key)
			continue;
		error = d_option_set(options, D_OPTION_PRAGMA, pragma->key, pragma->value);
		if (error)
			diag_error(&unit->diag, pragma->file, pragma->line, "D_PRAGMA_OPTSET",
				   "failed to set option '%s'%s%s%s: %s", pragma->key, pragma->value ? " to '" : "",
				   pragma->value ? pragma->value : "", pragma->value ? "'" : "",
				   d_option_problem(error));
	}
	unit->options = options->unit;
	return unit->diag.errors == before;
}

/* Help. */

static const char *value_of(const struct d_option_row *row)
{
	switch (row->kind) {
	case NUMBER:
	case SMALL: return "N";
	case SIZE: return "SIZE";
	case RATE: return "RATE";
	case STRING: return "TEXT";
	case WORDS: return "WORDS";
	case WORD:
	case OWN: return row->words;
	case ARGUMENT: return wants_value(row) ? "TEXT" : "";
	default: return "";
	}
}

size_t d_option_count(void)
{
	return option_row_count;
}

struct d_option_help d_option_help(size_t i)
{
	return (struct d_option_help){ option_rows[i].name, value_of(&option_rows[i]), option_rows[i].help,
				       option_rows[i].help != option_nothing, option_rows[i].moment == ANYTIME };
}

void d_option_spell(FILE *to, const struct d_option_help *option)
{
	fprintf(to, "%s%s", option->name, *option->value ? "=" : "");
	for (const char *c = option->value; *c; c++)
		putc(*c == ' ' ? '|' : *c, to);
}
