// SPDX-License-Identifier: BSD-2-Clause
/*
 * The generated references: docs/translators.md, and docs/tools.md but for its examples, which
 * tests/docs.py puts where their places are marked (`make docs`).
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "probe/catalogue.h"
#include "probe/source.h"
#include "probe/translator.h"
#include "load/load.h"
#include "run/summary.h"
#include "tool.h"

static const char tools_head[] =
	"# Tools\n\n"
	"Made by `make docs`; do not edit. All options are in `erlbpf help TOOL`. The examples are outputs of\n"
	"real runs; `...` stands where lines are left out.\n\n"
	"A table says where the probes of a tool come from, and what they lack there. How exact they are\n"
	"on a VM without notes is in [translators.md](translators.md), what they mean in\n"
	"[probes.md](probes.md).\n\n"
	"## JSON\n\n"
	"With `-j`, each line is one object. All have `type` and `tool`, the first has `schema`, the last is\n"
	"the summary. What is not known is null.\n\n"
	"| line | field | type | unit |\n"
	"|---|---|---|---|\n"
	"| `event` | `probe`, `node` | text | |\n"
	"| `event` | `time` | number | ns since 1970 |\n"
	"| `event` | `os_pid` | number | |\n"
	"| `event` | columns of the tool | | |\n"
	"| `table` | `rows` | list of objects with the columns of the tool | |\n"
	"| `hist` | `title`, `unit`, `key`, `name`, `node` | text | |\n"
	"| `hist` | `os_pid`, `count` | number | |\n"
	"| `hist` | `sum`, `min`, `max`, `p50`, `p90`, `p99`, `p999` | number | that of `unit` |\n"
	"| `hist` | `buckets` | list of objects with the numbers `lo`, `hi`, `count` | `lo`, `hi`: that of `unit` |\n"
	"| `interval` | `time`: end of the interval that the next lines are about | number | ns since 1970 |\n"
	"| `summary` | `events`, `lost` | number | hits of probes |\n"
	"| `summary` | `probes` | object: for the name of each probe the numbers `events`, `lost` | hits |\n"
	"| `summary` | `targets` | list of objects with `os_pid`, `node`, `otp`, `source`, `missing` | |\n"
	"| `summary` | `duration_s` | number | s |\n"
	"| `summary` | accounts of the tool | number | |\n";

/* What functions can give of a probe to a tool, over all releases. */
struct offer {
	const char *probe;
	unsigned int wanted; /* arguments */
	unsigned int given;  /* by some function at least */
	uint64_t releases;   /* a bit for each */
	bool is_jit_only;
	const char *instead;
	char missing[512]; /* what is wanted and not given, and why */
};

static void print_lines(const char *text, const char *indent)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		printf("%s%.*s\n", indent, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static const char *json_type(enum column_type type)
{
	static const char *const names[] = {
		[COLUMN_TEXT] = "text",	     [COLUMN_NUMBER] = "number",   [COLUMN_SIGNED] = "number, may be negative",
		[COLUMN_TIME] = "number",    [COLUMN_DURATION] = "number", [COLUMN_PID] = "text, a pid or port",
		[COLUMN_PERCENT] = "number",
	};

	return names[type];
}

static const char *json_unit(const struct column *column)
{
	if (column->type == COLUMN_TIME)
		return "ns since 1970";
	if (column->type == COLUMN_DURATION)
		return "ns";
	return column->unit ? column->unit : "";
}

static void print_columns_of(const char *what, const struct column *columns, size_t count)
{
	if (!count)
		return;
	printf("\nColumns of %s:\n\n| column | in JSON | unit |\n|---|---|---|\n", what);
	for (size_t i = 0; i < count; i++) {
		const struct column *column = &columns[i];

		printf("| `%s` | %s | %s |\n", column->name,
		       column->only_text ? "in the fields of every event" : json_type(column->type), json_unit(column));
	}
}

static void print_columns(const struct tool *tool)
{
	const char *of_columns = tool->snapshot && !tool->other_columns	 ? "the table"
				 : tool->hist && tool->takes & TAKES_MIN ? "what `--min` prints"
									 : "each event";

	for (const struct tool_other_columns *other = tool->other_columns; other && other->of; other++)
		print_columns_of(other->of, other->list, other->count);
	print_columns_of(of_columns, tool->columns.list, tool->columns.count);
}

static void add_missing(void *data, const struct translator_row *row)
{
	struct offer *offer = data;
	unsigned int missing = offer->wanted & ~row->args;
	size_t n = strlen(offer->missing);

	if (strcmp(row->probe, offer->probe) || !missing || !row->missing || strstr(offer->missing, row->missing))
		return;
	snprintf(offer->missing + n, sizeof(offer->missing) - n, "; %swithout %s",
		 missing & ~offer->given ? "" : "some of them ", row->missing);
}

static void add_row(void *data, const struct translator_row *row)
{
	struct offer *offer = data;

	if (strcmp(row->probe, offer->probe))
		return;
	offer->is_jit_only = row->flavor == FLAVOR_JIT && (!offer->releases || offer->is_jit_only);
	for (size_t i = 0; i < row->otp_count; i++)
		offer->releases |= 1ULL << row->otp[i];
	offer->instead = row->instead ? row->instead : offer->instead;
	offer->given |= row->args;
}

static void print_notes_cell(const struct probe_def *def, const struct offer *offer)
{
	if (!strcmp(def->provider, "vm"))
		fputs("none: the VM has no probe for it", stdout);
	else if (def->never)
		printf("never: %s", def->never);
	else if (offer->instead)
		printf("under the JIT from functions: %s", offer->instead);
	else if (def->emu_only)
		printf("not under the JIT: %s", def->emu_only);
	else
		fputs("all", stdout);
}

static void print_functions_cell(const struct offer *offer)
{
	const char *before = "OTP ";

	for (int otp = 0; otp < 64; otp++) {
		if (!(offer->releases >> otp & 1))
			continue;
		printf("%s%d", before, otp);
		before = ", ";
	}
	fputs(!offer->releases ? "none" : offer->is_jit_only ? " with the JIT" : "", stdout);
	fputs(offer->missing, stdout);
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

static void print_probe(const struct tool *tool, const struct probe_def *def)
{
	struct offer offer = { .probe = def->name, .wanted = tool->args & ((1u << def->argc) - 1) };

	translator_each(add_row, &offer);
	translator_each(add_missing, &offer);
	printf("| `%s` | ", def->name);
	print_notes_cell(def, &offer);
	fputs(" | ", stdout);
	print_functions_cell(&offer);
	puts(" |");
}

/* Is any program for probes that the user names? */
static bool names_probes(const struct loader *loader)
{
	for (size_t i = 0; i < loader_program_count(loader); i++) {
		if (strchr(loader_program_probe(loader, i), '*'))
			return true;
	}
	return false;
}

static void print_probes(const struct tool *tool)
{
	struct kernel kernel = {}; /* nothing is loaded */
	struct loader *loader;
	size_t size;
	const void *elf = tool->elf(&size);

	if (tool->takes & TAKES_VM_FUNCTIONS) {
		puts("\nProbes: the entry and the return of the functions that you name.");
		return;
	}
	if (loader_open(elf, size, &kernel, &loader))
		return;
	if (names_probes(loader))
		puts("\nProbes: those that you name.");
	else if (loader_program_count(loader))
		puts("\n| probe | from notes | from functions |\n|---|---|---|");
	for (size_t i = 0; i < loader_program_count(loader); i++) {
		const struct probe_def *def = find_def(loader_program_probe(loader, i));

		if (def)
			print_probe(tool, def);
	}
	loader_free(loader);
}

static void print_table_notes(const struct tool *tool)
{
	struct sink_note notes[TOOL_MAX_NOTES];
	size_t count = tool->table_notes ? tool->table_notes(NULL, notes) : 0;

	if (count)
		puts("\n| in each table | how many |\n|---|---|");
	for (size_t i = 0; i < count; i++)
		printf("| `%s` | %s |\n", notes[i].name, notes[i].text ? notes[i].text : "ns");
}

static void print_accounts(const struct tool *tool)
{
	struct sink_note notes[SUMMARY_MAX_NOTES];
	size_t count = summary_notes(tool, NULL, notes);

	if (count)
		puts("\n| in the summary | how many |\n|---|---|");
	for (size_t i = 0; i < count; i++)
		printf("| `%s` | %s%s |\n", notes[i].name, notes[i].text, notes[i].is_loss ? " (a loss)" : "");
}

static void print_tool(const struct tool *tool)
{
	printf("\n## %s\n\n%s%s.\n\n", tool->name, "Answers: ", tool->summary);
	print_lines(tool->description, "");
	printf("\n```\n");
	printf("erlbpf %s [OPTIONS] %s\n", tool->name, parse_words(tool->takes));
	print_lines(tool->examples, "");
	printf("```\n\n<!-- example of %s -->\n", tool->name);
	if (tool->hist)
		printf("\nHistogram: %s, in %s.\n", tool->hist->title, tool->hist->unit);
	print_columns(tool);
	print_probes(tool);
	print_table_notes(tool);
	print_accounts(tool);
}

void command_markdown_tools(void)
{
	fputs(tools_head, stdout);
	for (size_t i = 0; i < tools_count; i++)
		print_tool(tools[i]);
}

static void print_releases(const struct translator_row *row, bool are_checked)
{
	const char *before = "";

	for (size_t i = 0; i < row->otp_count; i++) {
		if (translator_is_checked(row->otp[i]) != are_checked)
			continue;
		printf("%s%d", before, row->otp[i]);
		before = ", ";
	}
}

static void print_translator(void *data, const struct translator_row *row)
{
	(void)data;
	printf("| %s | %s of `%s` | ", row->probe, row->at_return ? "return" : "entry", row->function);
	print_releases(row, true);
	fputs(" | ", stdout);
	print_releases(row, false);
	printf(" | %s | %s |\n", row->accuracy, row->missing ? row->missing : "");
}

void command_markdown_translators(void)
{
	puts("# Translators: probes of VMs without notes\n\n"
	     "Made from `probes/translators.def` by `make docs`; do not edit. A probe with several rows fires at\n"
	     "each of them. Tests run on the releases under *checked*. On those under *presumed* no test ran: their\n"
	     "sources have the same function with the same arguments.\n\n"
	     "| probe | function | checked | presumed | accuracy | missing arguments |\n"
	     "|---|---|---|---|---|---|");
	translator_each(print_translator, NULL);
}
