// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/options/script.h"
#include "d/compile.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "d/syntax/parse.h"

#define SCRIPT_MOST (16 << 20) /* maximum size of a program */
#define SCRIPT_PIECE 4096      /* minimum bytes per read */

char *script_read(const char *path, size_t *size)
{
	_cleanup_file_ FILE *file = strcmp(path, "-") ? fopen(path, "re") : fdopen(dup(STDIN_FILENO), "r");
	struct stat info;
	char *text = NULL;
	size_t room = 0;

	*size = 0;
	if (!file)
		return NULL;
	if (!fstat(fileno(file), &info) && S_ISDIR(info.st_mode))
		return errno = EISDIR, NULL;
	for (;;) {
		bool is_too_long = *size + SCRIPT_PIECE > SCRIPT_MOST;
		size_t n;

		if (is_too_long || !array_has_room_for(text, room, *size + SCRIPT_PIECE)) {
			free(text);
			return errno = is_too_long ? EFBIG : ENOMEM, NULL;
		}
		n = fread(text + *size, 1, room - *size - 1, file);
		if (!n && ferror(file))
			return free(text), NULL;
		if (!n)
			break;
		*size += n;
	}
	text[*size] = '\0';
	return text;
}

void script_blank_first_line(char *text)
{
	if (strncmp(text, "#!", 2) != 0)
		return;
	while (*text && *text != '\n')
		*text++ = ' ';
}

/* After blanks and the word, both on this line; NULL: another word. */
static const char *behind(const char *line, const char *word)
{
	if (!line)
		return NULL;
	line += strspn(line, " \t");
	return strncmp(line, word, strlen(word)) ? NULL : line + strlen(word);
}

/* The option that a line sets, cut to the buffer. */
static bool names_option(const char *line, char *name, size_t size)
{
	const char *option = behind(behind(behind(behind(behind(line, "#"), "pragma"), "D"), "option"), "");
	size_t length = option ? strspn(option, "abcdefghijklmnopqrstuvwxyz") : 0;

	snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), option ? option : "");
	return length;
}

void script_early_options(struct d_options *options, const char *text)
{
	static const char *const early[] = { "defaultargs", "argref", "empty" };

	for (const char *line = text; line; line = strchr(line, '\n')) {
		char name[16];

		line += *line == '\n';
		if (!names_option(line, name, sizeof(name)))
			continue;
		for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++) {
			if (!strcmp(name, early[i]))
				d_option_set(options, D_OPTION_PRAGMA, name, NULL);
		}
	}
}

/* --- Without a command line --------------------------------------------------------------------- */

#define BUFSIZE_MOST (4 << 20)
#define STRSIZE_MOST 4096
#define SPECSIZE_MOST (4 << 20)
#define SPECULATIONS_MOST 16

const char *script_refuses_option(const struct d_options *options, const char *name, char *why, size_t size)
{
	const struct d_options *o = options;
	const struct {
		const char *name;
		uint64_t value, most;
	} limits[] = {
		{ "bufsize", o->bufsize, BUFSIZE_MOST },
		{ "strsize", o->unit.strsize, STRSIZE_MOST },
		{ "specsize", o->consumer.speculation_size, SPECSIZE_MOST },
		{ "nspec", o->unit.speculations, SPECULATIONS_MOST },
	};

	if (!strcmp(name, "destructive") && o->unit.is_destructive)
		return "destructive actions are not allowed here";
	if (!strcmp(name, "cpp"))
		return "the preprocessor cannot run here, because it is an external program";
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (strcmp(name, limits[i].name) != 0 || limits[i].value <= limits[i].most)
			continue;
		snprintf(why, size, "the limit here is %llu", (unsigned long long)limits[i].most);
		return why;
	}
	return NULL;
}

static bool allows_option(const struct d_options *options, struct unit *unit, const struct pragma *pragma)
{
	char text[64];
	const char *why = script_refuses_option(options, pragma->key, text, sizeof(text));

	if (why)
		diag_error(&unit->diag, pragma->file, pragma->line, "D_PRAGMA_OPTSET", "option '%s': %s", pragma->key,
			   why);
	return !why;
}

static bool allows_options(const struct d_options *options, struct unit *unit)
{
	bool is_ok = true;

	for (const struct pragma *pragma = unit->program.pragmas; pragma; pragma = pragma->next) {
		if (!strcmp(pragma->name, "option") && pragma->key)
			is_ok &= allows_option(options, unit, pragma);
	}
	return is_ok;
}

static bool is_harmless(struct unit *unit)
{
	const struct node *call = unit->destructive;

	if (call)
		diag_error(&unit->diag, NULL, call->line, "D_UNKNOWN", "destructive actions not allowed: %s( )",
			   call->name);
	return !call;
}

bool script_compile(struct unit *unit, struct d_options *options, char *name, char *text, int target)
{
	char *argv[] = { name, NULL };
	struct macros macros = { .argc = 1, .argv = argv, .target = target };
	struct parse_input input = { .text = text, .size = strlen(text), .macros = &macros };
	bool is_ok;

	script_blank_first_line(text);
	script_early_options(options, text);
	macros.default_args = options->default_args;
	input.empty_ok = options->is_empty_ok;
	input.is_file = true;
	is_ok = unit_add(unit, &input);
	is_ok &= d_options_pragmas(options, unit);
	is_ok = is_ok && allows_options(options, unit) && unit_check(unit);
	return is_ok && is_harmless(unit);
}
