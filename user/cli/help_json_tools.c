// SPDX-License-Identifier: BSD-2-Clause
/* The tools, the catalogue of probes and the translators as JSON. */
#include "cli/help_json.h"

#include <stdio.h>
#include <string.h>

#include "cli/options/parse.h"
#include "load/load.h"
#include "out/json_line.h"
#include "probe/catalogue.h"
#include "probe/translator.h"
#include "run/summary.h"
#include "tool.h"

/* Places of the arguments that have a bit, from 0. */
static struct json_object *json_arguments(unsigned int bits)
{
	struct json_object *list = json_new_list();

	for (unsigned int i = 0; i < ERL_MAX_ARGS; i++) {
		if (bits >> i & 1)
			json_push(list, json_number(i));
	}
	return list;
}

/* --- Tools ------------------------------------------------------------------------------------------------- */

static struct json_object *json_columns(const char *of, const struct column *columns, size_t count)
{
	static const char *const types[] = {
		[COLUMN_TEXT] = "text",	      [COLUMN_NUMBER] = "number",     [COLUMN_SIGNED] = "signed",
		[COLUMN_TIME] = "time",	      [COLUMN_DURATION] = "duration", [COLUMN_PID] = "pid",
		[COLUMN_DECIMAL] = "decimal",
	};
	struct json_object *table = json_new(), *list = json_new_list();

	for (size_t i = 0; i < count; i++) {
		struct json_object *column = json_new();

		json_add_text(column, "name", columns[i].name);
		json_add_text(column, "type", types[columns[i].type]);
		json_add_text(column, "unit", columns[i].unit);
		json_add(column, "in_every_event", json_truth(columns[i].only_text));
		json_push(list, column);
	}
	json_add_text(table, "of", of);
	json_add(table, "columns", list);
	return table;
}

static struct json_object *json_tables(const struct tool *tool)
{
	const char *of_columns = tool->snapshot && !tool->other_columns	 ? "the table"
				 : tool->hist && tool->takes & TAKES_MIN ? "what `--min` prints"
									 : "each event";
	struct json_object *list = json_new_list();

	for (const struct tool_other_columns *other = tool->other_columns; other && other->of; other++)
		json_push(list, json_columns(other->of, other->list, other->count));
	if (tool->columns.count)
		json_push(list, json_columns(of_columns, tool->columns.list, tool->columns.count));
	return list;
}

static struct json_object *json_histogram(const struct tool_histogram *hist)
{
	struct json_object *object;

	if (!hist)
		return NULL;
	object = json_new();
	json_add_text(object, "title", hist->title);
	json_add_text(object, "unit", hist->unit);
	return object;
}

/* "PROVIDER:PROBE", or the name alone. */
static const struct probe_def *find_def(const char *probe)
{
	const char *name = strchr(probe, ':') ? strchr(probe, ':') + 1 : probe;

	for (size_t i = 0; i < probe_def_count; i++) {
		if (!strcmp(probe_defs[i].name, name))
			return &probe_defs[i];
	}
	return NULL;
}

static struct json_object *json_used_probe(const struct tool *tool, const struct probe_def *def)
{
	struct json_object *object = json_new();

	json_add_text(object, "name", def->name);
	json_add(object, "arguments", json_arguments(tool->args & ((1u << def->argc) - 1)));
	return object;
}

/* "probes" and "probes_named": those that its programs are for, and what the user names instead. */
static void add_probes(struct json_object *object, const struct tool *tool)
{
	struct kernel kernel = {}; /* nothing is loaded */
	struct json_object *list = json_new_list();
	const char *named = tool->takes & TAKES_VM_FUNCTIONS ? "functions" : NULL;
	struct loader *loader = NULL;
	size_t size;
	const void *elf = tool->elf(&size);

	if (!named && loader_open(elf, size, &kernel, &loader))
		loader = NULL;
	for (size_t i = 0; loader && i < loader_program_count(loader); i++) {
		const char *probe = loader_program_probe(loader, i);
		const struct probe_def *def = find_def(probe);

		if (strchr(probe, '*'))
			named = "probes";
		if (def)
			json_push(list, json_used_probe(tool, def));
	}
	loader_free(loader);
	json_add(object, "probes", list);
	json_add_text(object, "probes_named", named);
}

static struct json_object *json_notes(const struct sink_note *notes, size_t count)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < count; i++) {
		struct json_object *note = json_new();

		json_add_text(note, "name", notes[i].name);
		json_add_text(note, "meaning", notes[i].text);
		json_add(note, "is_loss", json_truth(notes[i].is_loss));
		json_push(list, note);
	}
	return list;
}

static struct json_object *json_tool(const struct tool *tool)
{
	struct sink_note of_table[TOOL_MAX_NOTES], of_summary[SUMMARY_MAX_NOTES];
	struct json_object *object = json_new();
	char usage[64];

	snprintf(usage, sizeof(usage), "[OPTIONS] %s", parse_words(tool->takes));
	json_add_text(object, "name", tool->name);
	json_add_text(object, "usage", usage);
	json_add_text(object, "summary", tool->summary);
	json_add_text(object, "description", tool->description);
	json_add_text(object, "examples", tool->examples);
	json_add(object, "histogram", json_histogram(tool->hist));
	json_add(object, "tables", json_tables(tool));
	add_probes(object, tool);
	json_add(object, "table_notes",
		 json_notes(of_table, tool->table_notes ? tool->table_notes(NULL, of_table) : 0));
	json_add(object, "accounts", json_notes(of_summary, summary_notes(tool, NULL, of_summary)));
	return object;
}

struct json_object *help_json_tools(void)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < tools_count; i++)
		json_push(list, json_tool(tools[i]));
	return list;
}

/* --- Probes ------------------------------------------------------------------------------------------------ */

static struct json_object *json_faults(const struct probe_def *def)
{
	struct json_object *faults = json_new();

	json_add_text(faults, "wrong", def->wrong);
	json_add_text(faults, "deny_always", def->deny_always);
	json_add_text(faults, "deny_jit", def->deny_jit);
	json_add_text(faults, "never", def->never);
	json_add_text(faults, "emu_only", def->emu_only);
	json_add_text(faults, "note_only", def->note_only);
	return faults;
}

struct json_object *help_json_probes(void)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < probe_def_count; i++) {
		const struct probe_def *def = &probe_defs[i];
		struct json_object *probe = json_new(), *args = json_new_list();

		for (int a = 0; a < def->argc; a++) {
			struct json_object *arg = json_new();

			json_add_text(arg, "name", def->args[a].name);
			json_add_text(arg, "type", def->args[a].type);
			json_add_text(arg, "kind", def->args[a].kind);
			json_push(args, arg);
		}
		json_add_text(probe, "provider", def->provider);
		json_add_text(probe, "name", def->name);
		json_add(probe, "first", def->last < 0 ? NULL : json_signed(def->first));
		json_add(probe, "last", def->last < 0 ? NULL : json_signed(def->last));
		json_add_text(probe, "doc", def->doc);
		json_add(probe, "arguments", args);
		json_add(probe, "faults", json_faults(def));
		json_push(list, probe);
	}
	return list;
}

/* --- Translators ------------------------------------------------------------------------------------------- */

static struct json_object *json_releases(const struct translator_row *row, bool are_checked)
{
	struct json_object *list = json_new_list();

	for (size_t i = 0; i < row->otp_count; i++) {
		if (translator_is_checked(row->otp[i]) == are_checked)
			json_push(list, json_signed(row->otp[i]));
	}
	return list;
}

static void push_translator(void *data, const struct translator_row *row)
{
	static const char *const flavors[] = { [FLAVOR_JIT] = "jit", [FLAVOR_EMU] = "emu" };
	struct json_object *object = json_new();

	json_add_text(object, "probe", row->probe);
	json_add_text(object, "function", row->function);
	json_add_text(object, "at", row->at_return ? "return" : "entry");
	json_add_text(object, "only_of", flavors[row->flavor]);
	json_add(object, "otp_checked", json_releases(row, true));
	json_add(object, "otp_presumed", json_releases(row, false));
	json_add(object, "arguments", json_arguments(row->args));
	json_add_text(object, "accuracy", row->accuracy);
	json_add_text(object, "missing", row->missing);
	json_add_text(object, "instead", row->instead);
	json_push(data, object);
}

struct json_object *help_json_translators(void)
{
	struct json_object *list = json_new_list();

	translator_each(push_translator, list);
	return list;
}
