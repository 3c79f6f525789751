// SPDX-License-Identifier: BSD-2-Clause
/*
 * `erlbpf -l`: probes by their four names, with -v what is known of each: stability, arguments, and what stands
 * for a probe that the VM itself does not give. Also the report of -v on what a program uses.
 */
#include "cli/dtrace/dtrace_command.h"
#include "cli/options/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "d/lang/beam_spec.h"
#include "d/types/kernel_types.h"
#include "dtrace/provider/arguments.h"
#include "dtrace/provider/erlang.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/probes.h"
#include "dtrace/provider/providers.h"
#include "out/json_line.h"
#include "probe/catalogue.h"
#include "probe/sites/source.h"
#include "probe/translator.h"
#include "target/target.h"

/* --- Stability ---------------------------------------------------------------------------------------------- */

/* Arguments by the prefix of the provider's name, which may end in a process number. */
static struct stability stability_of_args(const char *provider)
{
	static const struct {
		const char *provider;
		struct stability stability;
	} rows[] = {
		{ "dtrace", { STABILITY_STABLE, STABILITY_STABLE, CLASS_COMMON } },
		{ "profile", { STABILITY_STABLE, STABILITY_STABLE, CLASS_COMMON } },
		{ "syscall", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_ISA } },
		{ "rawtp", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_ISA } },
		{ "proc", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA } },
		{ "sched", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA } },
		{ "io", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_ISA } },
		{ "erlang", { STABILITY_EVOLVING, STABILITY_EVOLVING, CLASS_COMMON } },
		{ "", { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN } },
	};
	size_t i = 0;

	while (strncmp(provider, rows[i].provider, strlen(rows[i].provider)) != 0)
		i++;
	return rows[i].stability;
}

static void print_attributes(FILE *to, const char *title, struct stability a)
{
	fprintf(to, "\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n", title,
		stability_level_text(a.names), stability_level_text(a.data), stability_class_text(a.class));
}

/* --- One probe ---------------------------------------------------------------------------------------------- */

/* The sites of a process, cached, because each probe of the list needs them. */
struct sites {
	pid_t pid;
	bool is_read;
	struct target *target;
	struct native_list natives;
	struct site_list list;
};

struct listing {
	const struct dtrace_command *command;
	const struct unit *unit;
	FILE *to;
	struct sites sites;
	const struct probe_spec *spec; /* that asks for what is listed, NULL: none */
	bool has_schema;	       /* -j: the first line is out */
	int err;		       /* of what could not be listed: 0, -errno */
};

static void sites_free(struct sites *sites)
{
	if (sites->is_read) {
		site_list_free(&sites->list);
		native_list_free(&sites->natives);
	}
	if (sites->target)
		target_free(sites->target);
	*sites = (struct sites){};
}

static void sites_read(struct sites *sites, pid_t pid, bool allow_denied)
{
	struct site_request request = { .glob = "*:*", .allow_denied = allow_denied, .natives = &sites->natives };
	const char *why;

	if (sites->pid == pid)
		return;
	sites_free(sites);
	sites->pid = pid;
	if (target_open(pid, &sites->target, &why)) {
		sites->target = NULL;
		return;
	}
	request.target = sites->target;
	native_list_of(sites->target, &sites->natives);
	sites->is_read = !site_list_make(sites->target->vm, &request, &sites->list);
	if (!sites->is_read)
		native_list_free(&sites->natives);
}

/* The translator that answers for the probe in its process, NULL: its own note does, or it is not known. */
static const struct translator *translator_of(struct listing *listing, const struct d_probe *probe)
{
	struct sites *sites = &listing->sites;

	if (probe->number >= probe_count() || probe->pid <= 0)
		return NULL;
	sites_read(sites, probe->pid, listing->command->options.allow_denied);
	for (size_t i = 0; sites->is_read && i < sites->list.count; i++) {
		const struct site *site = &sites->list.sites[i];

		if (site->probe == probe->number && (!probe->function || site->function == probe->function))
			return site->translator;
	}
	return NULL;
}

/* Arguments of the catalogue's probes. */
static const struct probe_def *definition_of(const struct d_probe *probe)
{
	return probe->hook == HOOK_ERLANG && probe->number < probe_count() ? probe_def(probe->number) : NULL;
}

/* Arguments of a tracepoint come from the kernel's types. */
static const char *argument_type(const struct listing *listing, const struct d_probe *probe, int n,
				 char buf[ARGUMENT_TYPE_SIZE])
{
	const struct unit *unit = listing->unit;
	struct type *type;

	if (probe->hook != HOOK_TRACEPOINT)
		return probe_argument_type(probe, n, buf);
	type = kernel_types_argument(unit->kernel, probe->tracepoint, (unsigned int)n);
	return type ? type_text(unit->types, type) : NULL;
}

static void print_arguments(const struct listing *listing, const struct d_probe *probe, const struct probe_def *def)
{
	FILE *to = listing->to;
	char buf[ARGUMENT_TYPE_SIZE];
	const char *type;

	fputs("\n\tArgument Types\n", to);
	for (int i = 0; (type = argument_type(listing, probe, i, buf)); i++)
		fprintf(to, "\t\targs[%d]: %s\n", i, type);
	if (!argument_type(listing, probe, 0, buf))
		fputs("\t\tNone\n", to);
	if (!def || !def->argc)
		return;
	fputs("\n\tArguments\n", to);
	for (int i = 0; i < def->argc; i++)
		fprintf(to, "\t\targ%d: %s (%s)\n", i, def->args[i].name, def->args[i].kind);
}

static void print_origin(struct listing *listing, const struct d_probe *probe)
{
	const struct translator *translator = translator_of(listing, probe);
	const char *instead = translator ? translator_instead(translator) : NULL;

	if (!translator)
		return;
	fprintf(listing->to, "\n\tAnswered By\n\t\t%s\n\t\taccuracy: %s\n", translator_function(translator),
		translator_accuracy(translator));
	if (translator_missing(translator))
		fprintf(listing->to, "\t\tmissing: %s\n", translator_missing(translator));
	if (instead)
		fprintf(listing->to, "\t\tinstead of the note: %s\n", instead);
}

/* A probe name that OTP no longer uses. */
static void print_old_name(const struct listing *listing)
{
	const char *why = listing->spec ? old_name_why(listing->spec->name) : NULL;

	if (why)
		fprintf(listing->to, "\n\tAnswers For The Old Name %s\n\t\t%s\n", listing->spec->name, why);
}

static void print_details(struct listing *listing, const struct d_probe *probe)
{
	const struct probe_def *def = definition_of(probe);

	print_attributes(listing->to, "Probe Description Attributes", stability_of_provider(probe->names.provider));
	print_attributes(listing->to, "Argument Attributes", stability_of_args(probe->names.provider));
	print_arguments(listing, probe, def);
	print_origin(listing, probe);
	print_old_name(listing);
	if (def && def->wrong)
		fprintf(listing->to, "\n\tKnown To Be Wrong\n\t\t%s\n", def->wrong);
	putc('\n', listing->to);
}

static void print_json(struct listing *listing, const struct d_probe *probe)
{
	const struct probe_names *names = &probe->names;
	char buf[ARGUMENT_TYPE_SIZE];
	const char *type;
	struct json_object *line = json_line_new(&listing->has_schema, "probe", "d"), *args = json_new_list();

	json_add_number(line, "id", names->id);
	json_add_text(line, "provider", names->provider);
	json_add_text(line, "module", names->module);
	json_add_text(line, "function", names->function);
	json_add_text(line, "name", names->name);
	for (int i = 0; (type = argument_type(listing, probe, i, buf)); i++)
		json_push(args, json_text(type));
	json_add(line, "args", args);
	json_line_put(listing->to, line);
}

/* Names of modules and functions come from files of others. */
static void print_text(struct listing *listing, const struct d_probe *probe)
{
	_cleanup_free_ char *provider = text_for_terminal(probe->names.provider);
	_cleanup_free_ char *module = text_for_terminal(probe->names.module);
	_cleanup_free_ char *function = text_for_terminal(probe->names.function);
	_cleanup_free_ char *name = text_for_terminal(probe->names.name);

	if (!provider || !module || !function || !name) {
		listing->err = -ENOMEM;
		return;
	}
	fprintf(listing->to, "%5u %10s %17s %33s %s\n", probe->names.id, provider, module, function, name);
	if (listing->command->verbosity)
		print_details(listing, probe);
}

static void print_probe(void *data, const struct d_probe *probe)
{
	struct listing *listing = data;

	if (listing->command->options.consumer.json)
		print_json(listing, probe);
	else
		print_text(listing, probe);
}

/* --- All of them ---------------------------------------------------------------------------------------------- */

/* All names of an application share one probe, which has the id. */
static void print_declared(void *data, const struct probe_names *names)
{
	struct listing *listing = data;
	_cleanup_free_ char *name = text_for_terminal(names->name);
	struct json_object *line;

	if (!listing->command->options.consumer.json) {
		fprintf(listing->to, "%5s %10s %17s %33s %s\n", "-", names->provider, "", "", name ? name : "");
		return;
	}
	line = json_line_new(&listing->has_schema, "probe", "d");
	json_add_text(line, "provider", names->provider);
	json_add_text(line, "module", names->module);
	json_add_text(line, "function", names->function);
	json_add_text(line, "name", names->name);
	json_add(line, "args", json_new_list());
	json_line_put(listing->to, line);
}

/* A description that matches nothing is told, and is no error: -l is a question. */
static void list_spec(struct listing *listing, const struct probe_spec *spec, struct probes *probes)
{
	char meant[NEAREST_SIZE];
	const char *why = "";
	int count;

	listing->spec = spec;
	count = probes_match(probes, spec, print_probe, listing, &why);
	if (count > 0 && app_spec_is(spec) && erlang_declared(probes, spec, print_declared, listing) == -ENOMEM)
		listing->err = -ENOMEM;
	listing->spec = NULL;
	if (count > 0)
		return;
	if (count < 0)
		listing->err = count;
	if (spec->is_id) {
		fprintf(stderr, "%s: probe id %s does not exist\n", listing->command->called, spec->text);
		return;
	}
	if (!count && !(why && *why))
		why = probes_did_you_mean(probes, spec, meant);
	fprintf(stderr, "%s: failed to match %s:%s:%s:%s: %s\n", listing->command->called, spec->provider, spec->module,
		spec->function, spec->name,
		count < 0     ? strerror(-count)
		: why && *why ? why
			      : "no probe matches the description");
}

static void list_clauses(struct listing *listing, const struct unit *unit, struct probes *probes)
{
	for (const struct clause *clause = unit->program.clauses; clause; clause = clause->next) {
		for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next)
			list_spec(listing, spec, probes);
	}
}

static void list_all(struct listing *listing, struct probes *probes)
{
	int count = probes_list(probes, print_probe, listing);

	if (count < 0)
		listing->err = count;
	if (count < 0 && count != -ENOMEM)
		fprintf(stderr, "%s: failed to list the probes: %s\n", listing->command->called, strerror(-count));
}

enum dtrace_status dtrace_list(const struct dtrace_command *command, const struct unit *unit, struct probes *probes)
{
	struct listing listing = { .command = command, .unit = unit, .to = stdout };
	bool is_file = command->output != NULL;
	int status;

	if (is_file)
		listing.to = fopen(command->output, "ae");
	if (!listing.to) {
		fprintf(stderr, "%s: failed to open output file '%s': %s\n", command->called, command->output,
			strerror(errno));
		return DTRACE_ERROR;
	}
	if (!command->options.consumer.json)
		fprintf(listing.to, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (command->program_count)
		list_clauses(&listing, unit, probes);
	else
		list_all(&listing, probes);
	sites_free(&listing.sites);
	if (listing.err == -ENOMEM)
		fprintf(stderr, "%s: out of memory: the list is not complete\n", command->called);
	status = output_check(listing.to, is_file ? command->output : "standard output",
			      listing.err ? DTRACE_ERROR : DTRACE_OK);
	if (is_file)
		fclose(listing.to);
	return (enum dtrace_status)status;
}

/* --- What a program uses ---------------------------------------------------------------------------------------- */

struct usage {
	struct stability probes, args, statements;
	FILE *to; /* each probe is printed there; NULL: not */
	struct listing *listing;
};

static void use_probe(void *data, const struct d_probe *probe)
{
	struct usage *usage = data;

	usage->probes = stability_least(usage->probes, stability_of_provider(probe->names.provider));
	usage->args = stability_least(usage->args, stability_of_args(probe->names.provider));
	if (!usage->to)
		return;
	fprintf(usage->to, "\n%s:%s:%s:%s\n", probe->names.provider, probe->names.module, probe->names.function,
		probe->names.name);
	print_details(usage->listing, probe);
}

void dtrace_print_stability(const struct dtrace_command *command, const struct dtrace_program *program,
			    const struct unit *unit, struct probes *probes, FILE *to)
{
	const struct stability most = STABILITY_DEFAULT;
	struct listing listing = { .command = command, .unit = unit, .to = to };
	struct usage usage = { .probes = most, .args = most, .statements = most };
	struct usage each = { .to = to, .listing = &listing };

	for (const struct unit_clause *clause = unit->clauses; clause; clause = clause->next) {
		if (clause->clause->id < program->first || clause->clause->id > program->last)
			continue;
		usage.args = most;
		for (const struct probe_spec *spec = clause->clause->specs; spec; spec = spec->next)
			probes_match(probes, spec, use_probe, &usage, NULL);
		usage.statements = stability_least(usage.statements, clause->stability);
		if (clause->uses_args)
			usage.statements = stability_least(usage.statements, usage.args);
	}
	fprintf(to, "\nStability attributes for %s %s:\n", program->by == DTRACE_BY_SCRIPT ? "script" : "description",
		program->name);
	print_attributes(to, "Minimum Probe Description Attributes", usage.probes);
	print_attributes(to, "Minimum Statement Attributes", usage.statements);
	for (const struct clause *clause = unit->program.clauses; command->compile_only && clause;
	     clause = clause->next) {
		for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
			if (clause->id >= program->first && clause->id <= program->last)
				probes_match(probes, spec, use_probe, &each, NULL);
		}
	}
	if (!command->compile_only)
		putc('\n', to);
	sites_free(&listing.sites);
}
