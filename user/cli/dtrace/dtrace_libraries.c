// SPDX-License-Identifier: BSD-2-Clause
/*
 * -L: the D libraries of a folder, each *.d in it, are compiled before any program. A library declares and has no
 * clauses. One that `#pragma D depends_on library NAME` names is compiled before the one that names it; else they come
 * by their names. A library that depends on one that is not there is left out, as in DTrace: who needs it will hear
 * that something is not defined.
 */
#include "cli/dtrace/dtrace_command.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "d/compile.h"
#include "dtrace/options/script.h"

#define DEPENDS "#pragma D depends_on library "

enum progress { UNSEEN, BEGUN, ADDED, LEFT_OUT, FAILED };

struct library {
	char *name, *path;
	enum progress progress;
};

struct libraries {
	const struct dtrace_command *command;
	struct unit *unit;
	struct library *all;
	size_t count;
};

static int is_library(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 2 && !strcmp(entry->d_name + length - 2, ".d");
}

static bool say(const struct libraries *libraries, const char *path, const char *why)
{
	fprintf(stderr, "%s: failed to load the library %s: %s\n", libraries->command->called, path, why);
	return false;
}

static bool note(struct libraries *libraries, const char *folder, const char *name)
{
	struct library *made;

	if (!array_has_room(libraries->all, libraries->count))
		return false;
	made = &libraries->all[libraries->count++];
	*made = (struct library){ .name = strdup(name) };
	if (asprintf(&made->path, "%s/%s", folder, name) < 0)
		made->path = NULL;
	return made->name && made->path;
}

static bool note_folder(struct libraries *libraries, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_library, alphasort);
	bool is_ok = true;

	if (count < 0)
		return say(libraries, folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (is_ok && !note(libraries, folder, entries[i]->d_name))
			is_ok = say(libraries, folder, strerror(ENOMEM));
		free(entries[i]);
	}
	free(entries);
	return is_ok;
}

static struct library *find(const struct libraries *libraries, const char *name, size_t size)
{
	for (size_t i = 0; i < libraries->count; i++) {
		const char *known = libraries->all[i].name;

		if (strlen(known) == size && !strncmp(known, name, size))
			return &libraries->all[i];
	}
	return NULL;
}

static enum progress add_dependencies(const struct libraries *libraries, char *text);

static bool add_text(const struct libraries *libraries, const struct library *library, const char *text)
{
	_cleanup_free_ char *named = NULL;
	struct macros macros = {};
	struct parse_input input = { .macros = &macros, .empty_ok = true };

	if (strpbrk(library->path, "\"\\\n") || asprintf(&named, "# 1 \"%s\"\n%s", library->path, text) < 0) {
		named = NULL;
		return say(libraries, library->path, "the name cannot be used");
	}
	input.text = named;
	input.size = strlen(named);
	if (!unit_add(libraries->unit, &input))
		return false; /* the unit has the message */
	return !libraries->unit->program.clauses || say(libraries, library->path, "a library has no clauses");
}

/* NOLINTNEXTLINE(misc-no-recursion): each library is begun once */
static enum progress read_library(const struct libraries *libraries, const struct library *library)
{
	_cleanup_free_ char *text = NULL;
	enum progress progress;
	size_t size;

	text = script_read(library->path, &size);
	if (!text)
		return say(libraries, library->path, strerror(errno)), FAILED;
	if (strlen(text) != size)
		return say(libraries, library->path, "it has a NUL character in it"), FAILED;
	progress = add_dependencies(libraries, text);
	if (progress != ADDED)
		return progress;
	return add_text(libraries, library, text) ? ADDED : FAILED;
}

/* NOLINTNEXTLINE(misc-no-recursion): each library is begun once */
static enum progress add_library(const struct libraries *libraries, struct library *library)
{
	if (library->progress == BEGUN)
		return say(libraries, library->path, "it depends on itself, by way of those that it depends on"),
		       FAILED;
	if (library->progress == UNSEEN) {
		library->progress = BEGUN;
		library->progress = read_library(libraries, library);
	}
	return library->progress;
}

/* For the parser there are no libraries to depend on: what is dealt with here becomes blank. */
/* NOLINTNEXTLINE(misc-no-recursion): each library is begun once */
static enum progress add_dependencies(const struct libraries *libraries, char *text)
{
	char *at = text;

	while ((at = strstr(at, DEPENDS))) {
		const char *name = at + strlen(DEPENDS);
		size_t length = strcspn(name, " \t\r\n");
		struct library *needed = find(libraries, name, length);
		enum progress progress = needed ? add_library(libraries, needed) : LEFT_OUT;

		if (progress != ADDED)
			return progress;
		memset(at, ' ', strlen(DEPENDS) + length);
	}
	return ADDED;
}

bool dtrace_add_libraries(const struct dtrace_command *command, struct unit *unit)
{
	struct libraries libraries = { .command = command, .unit = unit };
	const struct d_words *folders = &command->options.lib_folders;
	bool is_ok = true;

	for (size_t i = 0; is_ok && i < folders->count && !command->options.no_libraries; i++)
		is_ok = note_folder(&libraries, folders->words[i]);
	for (size_t i = 0; is_ok && i < libraries.count; i++)
		is_ok = add_library(&libraries, &libraries.all[i]) != FAILED;
	for (size_t i = 0; i < libraries.count; i++) {
		free(libraries.all[i].name);
		free(libraries.all[i].path);
	}
	free(libraries.all);
	return is_ok;
}
