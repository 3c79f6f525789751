// SPDX-License-Identifier: BSD-2-Clause
/* `erlbpf list`: the probes of the VMs found, where each comes from, what is missing and why. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/list_app.h"
#include "cli/options/command.h"
#include "out/sink.h"
#include "probe/catalogue.h"
#include "probe/functions.h"
#include "probe/sites/source.h"
#include "probe/translator.h"
#include "run/unprivileged.h"
#include "target/target.h"
#include "trace/nodes.h"

#define MOST_SITES 8 /* of a probe, that -v shows */

enum { PROCESS, NODE, PROBE, SOURCE, SITES, ARGUMENTS, FROM, NOTE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PROCESS] = { "os_pid", COLUMN_NUMBER, 0, false }, [NODE] = { "node", COLUMN_TEXT, 0, false },
	[PROBE] = { "probe", COLUMN_TEXT, 0, false },	   [SOURCE] = { "source", COLUMN_TEXT, 0, false },
	[SITES] = { "sites", COLUMN_NUMBER, 0, false },	   [ARGUMENTS] = { "arguments", COLUMN_TEXT, 0, false },
	[FROM] = { "from", COLUMN_TEXT, 0, false },	   [NOTE] = { "note", COLUMN_TEXT, 0, false },
};

/* One probe of one target. */
struct row {
	uint32_t probe;
	enum source source; /* SOURCE_ANY: it cannot be had */
	size_t sites;
	const struct site *first;
	const struct site_list *list;
	const struct missing *missing;
	int otp; /* release of the VM */
};

static struct row make_row(const struct site_list *list, uint32_t probe)
{
	struct row row = { .probe = probe, .list = list };

	for (size_t i = 0; i < list->count; i++) {
		if (list->sites[i].probe != probe)
			continue;
		if (!row.first)
			row.first = &list->sites[i];
		row.source = list->sites[i].source;
		row.sites++;
	}
	for (size_t i = 0; !row.missing && i < list->missing_count; i++) {
		if (list->missing[i].probe <= probe && probe <= list->missing[i].last)
			row.missing = &list->missing[i];
	}
	return row;
}

static const char *from_of(const struct row *row)
{
	if (!row->first)
		return "";
	return row->first->translator ? translator_function(row->first->translator) : "note";
}

static void format_arguments(uint32_t probe, char *buf, size_t size)
{
	const struct probe_def *def = probe_def(probe);
	FILE *to = fmemopen(buf, size, "w");

	buf[0] = '\0';
	for (int i = 0; to && i < def->argc; i++)
		fprintf(to, "%s%s%s%s : %s", i ? ", " : "", def->args[i].type,
			strchr(def->args[i].type, '*') ? "" : " ", def->args[i].name, def->args[i].kind);
	if (to)
		fclose(to);
}

/* A reason may quote a note, which is hostile. */
static void print_why(const char *before, const char *why)
{
	_cleanup_free_ char *safe = text_for_terminal(why);

	if (!safe)
		log_out_of_memory();
	printf("%s%s\n", before, safe);
}

/* The place of a note's site is of no use to the user. */
static void print_site(const struct site *site)
{
	_cleanup_free_ char *function = text_for_terminal(function_name(site->function));

	if (!function)
		log_out_of_memory();
	printf("    site: %s%s", site->at_return ? "return of " : "", function);
	if (site->place && !site->at_return)
		printf("+0x%" PRIx64, site->place);
	printf("%s\n", site->before_return ? ", just before it returns" : "");
}

/* One line per BIF would be hundreds. */
static void print_sites(const struct row *row, int verbosity)
{
	size_t left = verbosity > 1 ? SIZE_MAX : MOST_SITES;

	for (size_t i = 0; i < row->list->count; i++) {
		const struct site *site = &row->list->sites[i];

		if (site->probe != row->probe || !site->translator)
			continue;
		if (!left--) {
			printf("    site: ... (-vv shows all)\n");
			return;
		}
		print_site(site);
	}
}

static void print_details(const struct row *row, int verbosity)
{
	const struct probe_def *def = probe_def(row->probe);
	const struct translator *translator = row->first ? row->first->translator : NULL;

	printf("    %s\n", def->doc);
	for (int i = 0; i < def->argc; i++) {
		bool is_had = !row->first || row->first->config.args[i].form != ERL_FORM_NONE;

		printf("    arg%d  %-9s %-16s %s%s\n", i, def->args[i].type, def->args[i].name, def->args[i].kind,
		       is_had ? "" : " (not to be had here)");
	}
	if (translator) {
		print_sites(row, verbosity);
		printf("    accuracy: %s\n", translator_accuracy(translator));
		printf(translator_is_checked(row->otp) ? "    checked on OTP %d\n"
						       : "    presumed for OTP %d: no test ran on this release\n",
		       row->otp);
	}
	if (translator && translator_instead(translator))
		printf("    instead of the note: %s\n", translator_instead(translator));
	if (row->missing && !row->missing->whole)
		print_why("    missing: ", row->missing->why);
	if (def->wrong && !translator)
		printf("    known to be wrong: %s\n", def->wrong);
}

static void print_row(const struct row *row, const char *name, int verbosity)
{
	if (row->source == SOURCE_ANY) {
		printf("%-32s %-8s %5s  ", name, "-", "-");
		print_why("", row->missing ? row->missing->why : "");
	} else {
		printf("%-32s %-8s %5zu  %s\n", name, source_name(row->source), row->sites, from_of(row));
		/* Some of its notes are no good. */
		if (row->missing && row->missing->whole)
			print_why("    not used: ", row->missing->why);
	}
	if (verbosity > 0)
		print_details(row, verbosity);
}

/* The 951 numbered probes of user_trace are one line, unless one is asked for or all are wanted. */
static uint32_t print_probe(const struct site_list *list, uint32_t probe, int otp, int verbosity)
{
	const struct probe_def *def = probe_def(probe);
	struct row row = make_row(list, probe), next;
	char name[PROBE_NAME_SIZE * 2], full[PROBE_NAME_SIZE * 3];
	bool is_ours = strcmp(def->provider, "erlang") != 0;
	uint32_t end = probe + 1;

	while (def->last >= 0 && end < probe_count() && probe_def(end) == def) {
		next = make_row(list, end);
		if (next.source != row.source || (!next.sites && !next.missing))
			break;
		row.sites += next.sites;
		end++;
	}
	row.otp = otp;
	snprintf(full, sizeof(full), "%s%s%s", is_ours ? def->provider : "", is_ours ? ":" : "",
		 probe_range_name(probe, end - 1, name));
	print_row(&row, full, verbosity);
	return end;
}

static void print_target(const struct target *target, const struct site_list *list, const char *glob, int verbosity)
{
	_cleanup_free_ char *node = text_for_terminal(target->node[0] ? target->node : "(no name)");

	if (!node)
		log_out_of_memory();
	printf("%s: process %d, OTP %d, %s, %s\n", node, target->pid, target->vm->otp, flavor_name(target->vm->flavor),
	       target->vm->has_notes ? "with notes" : "without notes");
	printf("%-32s %-8s %5s  %s\n", "PROBE", "SOURCE", "SITES", "FROM");
	for (uint32_t probe = 0; probe < probe_count();) {
		if (probe_matches(probe, glob))
			probe = print_probe(list, probe, target->vm->otp, verbosity);
		else
			probe++;
	}
}

static void show_target(struct sink *sink, const struct target *target, const struct site_list *list, const char *glob)
{
	for (uint32_t probe = 0; probe < probe_count(); probe++) {
		struct row row = make_row(list, probe);
		char name[PROBE_NAME_SIZE], arguments[512];
		struct value cells[COLUMNS] = {};
		struct sink_table table = { .cells = cells, .rows = 1 };

		if (!probe_matches(probe, glob))
			continue;
		format_arguments(probe, arguments, sizeof(arguments));
		cells[PROCESS].number = (uint64_t)target->pid;
		cells[NODE].text = target->node;
		cells[PROBE].text = probe_name(probe, name);
		cells[SOURCE].is_null = row.source == SOURCE_ANY;
		cells[SOURCE].text = source_name(row.source);
		cells[SITES].number = row.sites;
		cells[ARGUMENTS].text = arguments;
		cells[FROM].text = from_of(&row);
		cells[NOTE].text = row.missing ? row.missing->why : "";
		sink->ops->table(sink, &table);
	}
}

static void show_names(struct sink *sink, const struct target *target, const struct declared *declared,
		       const char *glob, size_t *shown)
{
	char full[LIST_APP_NAME];

	for (size_t i = 0; i < declared->count; i++) {
		struct value cells[COLUMNS] = {};
		struct sink_table table = { .cells = cells, .rows = 1 };

		if (!list_app_means(glob, declared->names[i], full))
			continue;
		cells[PROCESS].number = (uint64_t)target->pid;
		cells[NODE].text = target->node;
		cells[PROBE].text = full;
		cells[SOURCE].text = "app";
		cells[SITES].is_null = true;
		cells[ARGUMENTS].text = "";
		cells[FROM].text = "";
		cells[NOTE].text = "";
		sink->ops->table(sink, &table);
		++*shown;
	}
}

/* Names of the application's own probes, behind those of the catalogue. */
static int list_names(struct sink *sink, const struct options *options, const struct target *target, size_t *shown)
{
	struct declared declared = {};
	int err = list_app_may_mean(options->glob) ? declared_read(target, &declared) : 0;

	if (!err && options->format == SINK_TEXT)
		*shown += list_app_print(&declared, options->glob);
	else if (!err)
		show_names(sink, target, &declared, options->glob, shown);
	declared_free(&declared);
	return err;
}

static int list_target(struct sink *sink, const struct options *options, const struct target *target, int verbosity,
		       size_t *sites)
{
	struct native_list natives;
	struct site_request request = {
		.glob = options->glob,
		.source = options->source,
		.allow_denied = options->allow_denied,
		.target = target,
		.natives = &natives,
	};
	struct site_list list;
	int err;

	native_list_of(target, &natives);
	err = site_list_make(target->vm, &request, &list);
	native_list_free(&natives);
	if (err) {
		pr_err("cannot list the probes of process %d: %s", target->pid, strerror(-err));
		return err;
	}
	if (options->format == SINK_TEXT)
		print_target(target, &list, options->glob, verbosity);
	else
		show_target(sink, target, &list, options->glob);
	*sites += list.count;
	site_list_free(&list);
	return list_names(sink, options, target, sites);
}

static int refuse_glob(const char *glob)
{
	char meant[PROBE_GLOB_SIZE];

	probe_nearest(glob, NULL, NULL, meant);
	pr_err("no probe matches \"%s\"; %s%s%s`erlbpf list` shows all probes", glob, *meant ? "did you mean \"" : "",
	       meant, *meant ? "\"? " : "");
	return EXIT_NO_TARGET;
}

static bool is_any_probe(const char *glob)
{
	for (uint32_t probe = 0; probe < probe_count(); probe++) {
		if (probe_matches(probe, glob))
			return true;
	}
	return false;
}

int command_list(const struct options *options, int verbosity)
{
	struct sink_setup setup = {
		.to = stdout,
		.tool = "list",
		.columns = columns,
		.column_count = COLUMNS,
	};
	struct target_list targets = {};
	char none[NO_NODES_SIZE];
	struct sink sink;
	size_t sites = 0;
	int code;

	if (!is_any_probe(options->glob) && !probe_app_name(options->glob))
		return refuse_glob(options->glob);
	sink_init(&sink, options->format, &setup);
	code = nodes_find(options, &targets);
	unprivileged_look(0);
	for (size_t i = 0; code == EXIT_OK && i < targets.count; i++) {
		if (i && options->format == SINK_TEXT)
			putchar('\n');
		if (list_target(&sink, options, targets.targets[i], verbosity, &sites))
			code = EXIT_FAILED;
	}
	if (code == EXIT_OK && !targets.count)
		pr_err("%s", command_no_nodes(options, none));
	else if (code == EXIT_OK && !sites && probe_app_name(options->glob))
		list_app_print_none(options->glob);
	target_list_free(&targets);
	return code == EXIT_OK && !sites ? EXIT_NO_TARGET : code;
}
