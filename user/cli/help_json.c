// SPDX-License-Identifier: BSD-2-Clause
#include "cli/help_json.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/dtrace/dtrace.h"
#include "cli/export.h"
#include "cli/glossary.h"
#include "cli/options/option_text.h"
#include "cli/options/parse.h"
#include "cli/profile/profile_options.h"
#include "out/json_line.h"
#include "serve/agent/agent.h"
#include "version.h"

#define SCHEMA 1 /* raise it when a key changes its meaning */

/* --- Options ----------------------------------------------------------------------------------------------- */

/* Names of the commands that take what needs that. */
static struct json_object *takers(unsigned int needs)
{
	struct json_object *names = json_new_list();

	for (size_t i = 0; i < tools_count; i++) {
		if (option_is_chosen(tools[i]->takes | TAKES_ALL_OF_TOOLS, needs))
			json_push(names, json_text(tools[i]->name));
	}
	for (size_t i = 0; i < builtin_count; i++) {
		if (!builtins[i].has_own_options && option_is_chosen(builtins[i].takes, needs))
			json_push(names, json_text(builtins[i].name));
	}
	return names;
}

static struct json_object *json_choices(const struct option_row *row, bool are_shared)
{
	struct json_object *list = json_new_list();

	for (const struct option_choice *choice = row->choices; choice && choice->name; choice++) {
		struct json_object *object = json_new();

		json_add_text(object, "name", choice->name);
		if (are_shared)
			json_add(object, "commands", takers(choice->needs));
		json_push(list, object);
	}
	return list;
}

/* `section` is that of the option before. */
static struct json_object *json_option(const struct option_table *table, const struct option_row *row,
				       const char **section, bool is_shared)
{
	struct option_doc doc = option_doc(table, row);
	struct json_object *object = json_new();

	json_add_text(object, "name", row->name);
	json_add_text(object, "letter", row->letter ? (char[]){ row->letter, '\0' } : NULL);
	json_add_text(object, "argument", row->argument);
	json_add_text(object, "spelled", row->spelled);
	json_add(object, "help", json_text_part(doc.help, doc.help_size));
	json_add(object, "manual", json_text_part(doc.manual, doc.manual_size));
	json_add(object, "section", json_text_part(doc.section, doc.section != *section ? doc.section_size : 0));
	*section = doc.section;
	json_add(object, "choices", json_choices(row, is_shared));
	if (is_shared)
		json_add(object, "commands", takers(row->needs));
	return object;
}

/* are_shared: by several commands, each of which takes some of them. */
static struct json_object *json_options(const struct option_table *table, bool are_shared)
{
	struct json_object *list = json_new_list();
	const char *section = NULL;
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(table, i)); i++) {
		if (option_is_shown(table, row))
			json_push(list, json_option(table, row, &section, are_shared));
	}
	return list;
}

static struct json_object *json_all_options(void)
{
	const struct option_table shared = parse_table(~0u);
	struct json_object *object = json_new();

	json_add(object, "erlbpf", json_options(&shared, true));
	json_add(object, "dtrace", json_options(&dtrace_options, false));
	json_add(object, "export", json_options(&export_options, false));
	json_add(object, "profile", json_options(&profile_run_options, false));
	json_add(object, "profile_show", json_options(&profile_files_own_options, false));
	return object;
}

/* --- The whole --------------------------------------------------------------------------------------------- */

static struct json_object *json_commands(void)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < builtin_count; i++) {
		struct json_object *object = json_new();

		json_add_text(object, "name", builtins[i].name);
		json_add_text(object, "usage", builtins[i].usage);
		json_add_text(object, "summary", builtins[i].summary);
		json_add_text(object, "description", builtins[i].description);
		json_add_text(object, "examples", builtins[i].examples);
		json_push(list, object);
	}
	return list;
}

static struct json_object *json_glossary(void)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < glossary_count; i++) {
		struct json_object *object = json_new();

		json_add_text(object, "term", glossary[i].name);
		json_add_text(object, "meaning", glossary[i].meaning);
		json_push(list, object);
	}
	return list;
}

static struct json_object *json_agent_tools(void)
{
	struct json_object *names = json_new_list();

	for (size_t i = 0; i < tools_count; i++) {
		if (agent_exports(tools[i]))
			json_push(names, json_text(tools[i]->name));
	}
	return names;
}

int help_json_print(void)
{
	struct json_object *all = json_new();

	json_add_number(all, "schema", SCHEMA);
	json_add_text(all, "version", ERLBPF_VERSION);
	json_add(all, "tools", help_json_tools());
	json_add(all, "commands", json_commands());
	json_add(all, "options", json_all_options());
	json_add(all, "probes", help_json_probes());
	json_add(all, "translators", help_json_translators());
	json_add(all, "d", help_json_d());
	json_add(all, "glossary", json_glossary());
	json_add(all, "agent_tools", json_agent_tools());
	if (json_print(stdout, all))
		return EXIT_OK;
	pr_err("out of memory");
	return EXIT_FAILED;
}
