// SPDX-License-Identifier: BSD-2-Clause
#include "serve/scripts/scripts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "out/json_line.h"

/* Where a script is. */
struct script_file {
	struct script *script;
	bool is_there; /* its file at the last scan */
	bool has_changed;
};

struct scripts {
	const struct script_setup *setup;
	struct script_file places[SCRIPTS_MOST];
	size_t turn; /* whose step is next */
	bool has_told_most;
};

struct scripts *scripts_new(const struct script_setup *setup)
{
	struct scripts *scripts;
	DIR *dir = opendir(setup->directory);

	if (!dir)
		return NULL;
	closedir(dir);
	scripts = calloc(1, sizeof(*scripts));
	if (!scripts)
		return NULL;
	scripts->setup = setup;
	script_declare(setup->metrics);
	scripts_look(scripts);
	return scripts;
}

void scripts_free(struct scripts *scripts)
{
	if (!scripts)
		return;
	for (size_t i = 0; i < SCRIPTS_MOST; i++)
		script_free(scripts->places[i].script);
	free(scripts);
}

/* Looking. */

/* Characters of ConfigMap keys. */
static bool is_script(const char *name)
{
	size_t length = strlen(name);

	if (name[0] == '.' || length < 3 || length > SCRIPT_FILE || strcmp(name + length - 2, ".d") != 0)
		return false;
	for (const char *c = name; *c; c++) {
		if (!isascii(*c) || (!isalnum((unsigned char)*c) && !strchr("-_.", *c)))
			return false;
	}
	return true;
}

static struct script_file *place_of(struct scripts *scripts, const char *file)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		if (scripts->places[i].script && !strcmp(script_file(scripts->places[i].script), file))
			return &scripts->places[i];
	}
	return NULL;
}

/* Adds a script; NULL: too many. */
static struct script_file *place_new(struct scripts *scripts, const char *file)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		struct script_file *place = &scripts->places[i];

		if (place->script)
			continue;
		place->script = script_new(scripts->setup, file);
		place->has_changed = true;
		return place->script ? place : NULL;
	}
	if (!scripts->has_told_most)
		pr_warn("%s: at most %d scripts can run: %s is not run", scripts->setup->directory, SCRIPTS_MOST, file);
	scripts->has_told_most = true;
	return NULL;
}

static void look_at(struct scripts *scripts, int directory, const char *file)
{
	struct script_file *place;
	struct stat now;

	if (fstatat(directory, file, &now, 0))
		return;
	place = place_of(scripts, file);
	if (!place)
		place = place_new(scripts, file);
	if (!place)
		return;
	place->is_there = true;
	script_look(place->script, &now);
}

static void remove_gone(struct scripts *scripts)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		struct script_file *place = &scripts->places[i];

		if (!place->script || place->is_there)
			continue;
		script_free(place->script);
		*place = (struct script_file){ .has_changed = true };
		scripts->has_told_most = false;
	}
}

/* Sorted by name, so that the limit always keeps the same scripts. */
void scripts_look(struct scripts *scripts)
{
	struct dirent **files;
	int count = scandir(scripts->setup->directory, &files, NULL, alphasort), directory;

	if (count < 0)
		return;
	directory = open(scripts->setup->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < SCRIPTS_MOST; i++)
		scripts->places[i].is_there = directory < 0;
	for (int i = 0; i < count; i++) {
		if (directory >= 0 && is_script(files[i]->d_name))
			look_at(scripts, directory, files[i]->d_name);
		free(files[i]);
	}
	free(files);
	if (directory >= 0)
		close(directory);
	remove_gone(scripts);
}

/* Working. */

bool scripts_are_busy(const struct scripts *scripts)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		if (scripts->places[i].script && script_is_busy(scripts->places[i].script))
			return true;
	}
	return false;
}

/* Waiting scripts take turns. */
void scripts_step(struct scripts *scripts)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		struct script *script = scripts->places[(scripts->turn + i) % SCRIPTS_MOST].script;

		if (!script || !script_is_busy(script))
			continue;
		scripts->turn = (scripts->turn + i + 1) % SCRIPTS_MOST;
		script_step(script);
		return;
	}
}

struct script *scripts_get(const struct scripts *scripts, size_t place)
{
	return scripts->places[place].script;
}

bool scripts_has_changed(struct scripts *scripts, size_t place)
{
	bool has_changed = scripts->places[place].has_changed;

	scripts->places[place].has_changed = false;
	return has_changed;
}

struct json_object *scripts_json(const struct scripts *scripts)
{
	json_object *list = json_new_list();

	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		if (scripts->places[i].script)
			json_push(list, script_json(scripts->places[i].script));
	}
	return list;
}

void scripts_report(const struct scripts *scripts)
{
	for (size_t i = 0; i < SCRIPTS_MOST; i++) {
		if (scripts->places[i].script)
			script_report(scripts->places[i].script);
	}
}
