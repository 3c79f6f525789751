// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/option.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "options.h"

const char option_no_memory[] = "out of memory";

#define MOST_SET 16

/* Where reading stands. */
struct option_cursor {
	const struct option_reader *reader;
	char **argv;
	int argc, at;
	bool is_over;				/* after a row with is_last */
	const struct option_row *set[MOST_SET]; /* rows that were taken and set something to a value of theirs */
	size_t set_count;
};

/* An option as it was written: "-p", "--pid". */
struct spelling {
	char text[64];
};

const struct option_row *option_at(const struct option_table *table, size_t i)
{
	if (i < table->own.count)
		return &table->own.rows[i];
	i -= table->own.count;
	return table->common && i < table->common->count ? &table->common->rows[i] : NULL;
}

bool option_is_chosen(unsigned int takes, unsigned int needs)
{
	return !needs || needs & takes;
}

bool option_is_taken(const struct option_table *table, const struct option_row *row)
{
	bool is_own = row >= table->own.rows && row < table->own.rows + table->own.count;

	if (!table->command)
		return option_is_chosen(table->takes, row->needs);
	return row->commands & table->command || (is_own && !row->commands);
}

void option_list_choices(FILE *to, const struct option_choice *choices, unsigned int takes)
{
	size_t left = 0;

	for (const struct option_choice *c = choices; c->name; c++)
		left += option_is_chosen(takes, c->needs);
	for (const struct option_choice *c = choices; c->name; c++) {
		if (!option_is_chosen(takes, c->needs))
			continue;
		left--;
		fprintf(to, "%s%s", c->name, left > 1 ? ", " : left ? " or " : "");
	}
}

/* --- Messages ---------------------------------------------------------------------------------------------- */

static void begin_message(const struct option_reader *reader)
{
	fprintf(reader->errors, "%s: ", reader->called);
}

static int end_message(const struct option_reader *reader)
{
	fprintf(reader->errors, "; see `%s`\n", reader->help);
	return EXIT_USAGE;
}

__attribute__((format(printf, 2, 3))) static int complain(const struct option_reader *reader, const char *format, ...)
{
	va_list args;

	begin_message(reader);
	va_start(args, format);
	vfprintf(reader->errors, format, args);
	va_end(args);
	return end_message(reader);
}

int option_problem(const struct option_reader *reader, const char *problem)
{
	return complain(reader, "%s", problem);
}

/* `problem` of a handler about an option, or about a word if `shown` is NULL. */
static int judge(const struct option_reader *reader, const char *shown, const char *value, const char *problem)
{
	if (!problem)
		return EXIT_OK;
	if (problem == option_no_memory) {
		fprintf(reader->errors, "%s: %s\n", reader->called, problem);
		return EXIT_FAILED;
	}
	if (!shown)
		return complain(reader, "\"%s\": %s", value, problem);
	if (value && isdigit((unsigned char)shown[1])) /* -32 is one word */
		return complain(reader, "%s%s: %s", shown, value, problem);
	return value ? complain(reader, "%s \"%s\": %s", shown, value, problem)
		     : complain(reader, "%s: %s", shown, problem);
}

/* --- Values ------------------------------------------------------------------------------------------------ */

static bool parse_number(const struct option_row *row, const char *value, uint64_t *number)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end || errno || n < row->least || (row->most && n > row->most))
		return false;
	*number = n;
	return true;
}

static int take_number(const struct option_reader *reader, const struct option_row *row, const char *shown,
		       const char *value)
{
	if (parse_number(row, value, (uint64_t *)((char *)reader->data + row->to)))
		return EXIT_OK;
	if (row->most)
		return complain(reader, "%s \"%s\": expected a number from %" PRIu64 " to %" PRIu64, shown, value,
				row->least, row->most);
	return complain(reader, "%s \"%s\": expected a number, at least %" PRIu64, shown, value, row->least);
}

static int take_time(const struct option_reader *reader, const struct option_row *row, const char *shown,
		     const char *value)
{
	uint64_t ns;

	if (duration_parse(value, NS_PER_S, &ns) || !ns)
		return complain(reader, "%s \"%s\": expected a time, such as 10 (seconds), 500ms or 250us", shown,
				value);
	*(uint64_t *)((char *)reader->data + row->to) = ns;
	return EXIT_OK;
}

static int take_choice(const struct option_reader *reader, const struct option_row *row, const char *shown,
		       const char *value)
{
	for (const struct option_choice *c = row->choices; c->name; c++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a choice has an argument */
		if (!strcmp(c->name, value) && option_is_chosen(reader->table.takes, c->needs)) {
			*(int *)((char *)reader->data + row->to) = c->value;
			return EXIT_OK;
		}
	}
	begin_message(reader);
	fprintf(reader->errors, "%s \"%s\": expected ", shown, value);
	option_list_choices(reader->errors, row->choices, reader->table.takes);
	return end_message(reader);
}

static int call_handler(const struct option_reader *reader, const struct option_row *row, const char *shown,
			const char *value)
{
	const char *problem = row->take_as ? row->take_as(reader->data, row->as, value)
					   : row->take(reader->data, value);
	int code = judge(reader, shown, value, problem);

	return code && row->refused ? row->refused : code;
}

static int take(const struct option_reader *reader, const struct option_row *row, const char *shown, const char *value)
{
	void *to = (char *)reader->data + row->to;

	switch (row->kind) {
	case OPTION_FLAG: *(bool *)to = true; return EXIT_OK;
	case OPTION_SET: *(int *)to = row->value; return EXIT_OK;
	case OPTION_MORE: ++*(int *)to; return EXIT_OK;
	case OPTION_TEXT: *(const char **)to = value; return EXIT_OK;
	case OPTION_TIME: return take_time(reader, row, shown, value);
	case OPTION_NUMBER: return take_number(reader, row, shown, value);
	case OPTION_CHOICE: return take_choice(reader, row, shown, value);
	case OPTION_CALL: break;
	}
	return call_handler(reader, row, shown, value);
}

/* --- Words ------------------------------------------------------------------------------------------------- */

/* Another row has set the same to another value: one of the two would be left out silently. */
static int check_set(struct option_cursor *place, const struct option_row *row)
{
	if (row->kind != OPTION_SET)
		return EXIT_OK;
	for (size_t i = 0; i < place->set_count; i++) {
		const struct option_row *other = place->set[i];

		if (other->to == row->to && other->value != row->value)
			return complain(place->reader, "--%s and --%s exclude each other", other->name, row->name);
	}
	if (place->set_count < MOST_SET)
		place->set[place->set_count++] = row;
	return EXIT_OK;
}

/* Takes the option; its value is `joined`, or the next word. */
static int take_row(struct option_cursor *place, const struct option_row *row, const char *shown, const char *joined)
{
	const char *value = joined;
	int code = check_set(place, row);

	if (code)
		return code;
	if (row->argument && !value) {
		if (place->at >= place->argc)
			return complain(place->reader, "\"%s\" needs a value: %s", shown, row->argument);
		value = place->argv[place->at++];
	}
	place->is_over = row->is_last;
	return take(place->reader, row, shown, value);
}

static const struct option_row *find_letter(const struct option_table *table, char letter)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (row->letter == letter && option_is_taken(table, row))
			break;
	}
	return row;
}

/* -vp1234: letters, the last of which may have its value in the same word. */
static int take_letters(struct option_cursor *place, const char *word)
{
	const struct option_table *table = &place->reader->table;
	int code = EXIT_OK;

	for (const char *letter = word + 1; *letter && !code && !place->is_over; letter++) {
		const struct option_row *row = find_letter(table, *letter);
		char shown[3] = { '-', *letter };

		if (!row)
			return complain(place->reader, "there is no option \"%s\"", shown);
		if (row->argument)
			return take_row(place, row, shown, letter[1] ? letter + 1 : NULL);
		code = take_row(place, row, shown, NULL);
	}
	return code;
}

/* The row of that name or, if it is the only one, of a name that begins so; *count is how many do. */
static const struct option_row *find_long(const struct option_table *table, const char *name, size_t size,
					  size_t *count)
{
	const struct option_row *found = NULL, *row;

	*count = 0;
	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (!row->name || !option_is_taken(table, row) || strncmp(row->name, name, size))
			continue;
		if (!row->name[size])
			return *count = 1, row;
		found = row;
		++*count;
	}
	return *count == 1 ? found : NULL;
}

/* Only other commands take it. */
static bool is_of_others(const struct option_table *table, const char *name)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (row->name && !strcmp(row->name, name))
			return true;
	}
	return false;
}

static int unknown_long(const struct option_reader *reader, const char *name)
{
	const char *names[64];
	const char *nearest;
	const struct option_row *row;
	size_t count = 0;

	for (size_t i = 0; (row = option_at(&reader->table, i)) && count < 64; i++) {
		if (row->name && option_is_taken(&reader->table, row))
			names[count++] = row->name;
	}
	nearest = text_nearest(name, names, count);
	if (is_of_others(&reader->table, name))
		return complain(reader, "\"--%s\" is an option of other commands", name);
	if (nearest)
		return complain(reader, "there is no option \"--%s\"; did you mean \"--%s\"?", name, nearest);
	return complain(reader, "there is no option \"--%s\"", name);
}

/* --name, --name=VALUE, --name VALUE */
static int take_long(struct option_cursor *place, const char *word)
{
	const char *name = word + 2, *equals = strchr(name, '=');
	size_t size = equals ? (size_t)(equals - name) : strlen(name), count;
	const struct option_row *row = find_long(&place->reader->table, name, size, &count);
	struct spelling shown;

	if (count > 1)
		return complain(place->reader, "\"--%.*s\" is the beginning of several options", (int)size, name);
	if (!row) {
		snprintf(shown.text, sizeof(shown.text), "%.*s", (int)size, name);
		return unknown_long(place->reader, shown.text);
	}
	snprintf(shown.text, sizeof(shown.text), "--%s", row->name);
	if (equals && !row->argument)
		return complain(place->reader, "\"%s\" takes no value", shown.text);
	return take_row(place, row, shown.text, equals ? equals + 1 : NULL);
}

static int take_word(const struct option_reader *reader, const char *word)
{
	return judge(reader, NULL, word, reader->word ? reader->word(reader->data, word) : "unexpected argument");
}

int option_read(const struct option_reader *reader, int argc, char **argv)
{
	struct option_cursor place = { .reader = reader, .argv = argv, .argc = argc, .at = 1 };
	bool only_words = false;
	int code = EXIT_OK;

	while (!code && !place.is_over && place.at < argc) {
		const char *word = argv[place.at++];

		if (only_words || word[0] != '-' || !word[1])
			code = take_word(reader, word);
		else if (word[1] != '-')
			code = take_letters(&place, word);
		else if (word[2])
			code = take_long(&place, word);
		else
			only_words = true;
	}
	return code;
}
