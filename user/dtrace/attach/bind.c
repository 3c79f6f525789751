// SPDX-License-Identifier: BSD-2-Clause
#include "d/compile.h"
#include "dtrace/attach/bind.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "d/lang/beam_spec.h"
#include "dtrace/attach/ticks.h"
#include "dtrace/provider/arguments.h"
#include "dtrace/provider/erlang.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/providers.h"
#include "load/kernel/release.h"
#include "probe/catalogue.h"
#include "trace/child.h"

/* The clauses of a probe, one byte each: true if included. */
struct clause_set {
	unsigned char *has;
	uint64_t hash;
};

struct matched {
	unsigned int clause; /* its id */
	size_t probes;
};

/* A description that the catalogue knows, but no VM on this machine has. */
struct unanswered {
	const struct probe_spec *spec;
	const char *why;
};

struct binding {
	struct unit *unit;
	struct probes *probes;
	struct unit_clause **clauses; /* in order */
	size_t clause_count;
	struct d_program *programs; /* texts are in the unit's arena */
	struct clause_set *sets;    /* of the programs */
	size_t program_count;
	struct matched *matched;
	size_t matched_count;
	unsigned char *scratch; /* the number of runs of each clause */
	unsigned int last_own;	/* id of the program's last clause; helpers follow */
	struct unanswered *unanswered;
	size_t unanswered_count;
	const struct probe_spec **waiting; /* for files that processes load later */
	size_t waiting_count;
	uint64_t functions;	     /* descriptions of Erlang functions found on nodes, one bit each */
	struct d_beam_matches meant; /* the same, by probe */
	bool is_answered;	     /* a VM has a wanted probe */
	bool is_full;		     /* the session has no more probe numbers */
	size_t copies;		     /* of programs: one for each tracepoint */
};

/* Helpers for old names and for Erlang functions: internal clauses. */

static bool add_helpers(struct binding *b)
{
	const char *added = NULL;
	bool has_ends = false;

	for (struct unit_clause *c = b->unit->clauses; c && c->clause->id <= b->last_own; c = c->next) {
		for (const struct probe_spec *spec = c->clause->specs; spec; spec = spec->next) {
			const char *helper = old_name_helper(spec->name);

			has_ends |= spec->beam && beam_spec_probes(spec) & BEAM_ENDS;
			if (!helper || (added && !strcmp(added, helper)))
				continue;
			added = helper;
			if (!unit_add_helper(b->unit, helper))
				return false;
		}
	}
	return !has_ends || unit_add_helper(b->unit, BEAM_HELPER);
}

struct binding *binding_new(struct unit *unit, struct probes *probes)
{
	struct binding *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->unit = unit;
	b->probes = probes;
	for (struct unit_clause *clause = unit->clauses; clause; clause = clause->next)
		b->last_own = clause->clause->id;
	if (!add_helpers(b)) {
		binding_free(b);
		errno = EINVAL;
		return NULL;
	}
	for (struct unit_clause *clause = unit->clauses; clause; clause = clause->next)
		b->clause_count++;
	b->clauses = calloc(b->clause_count + 1, sizeof(*b->clauses));
	b->scratch = calloc(b->clause_count + 1, 1);
	if (!b->clauses || !b->scratch) {
		binding_free(b);
		errno = ENOMEM;
		return NULL;
	}
	for (struct unit_clause *clause = unit->clauses; clause; clause = clause->next)
		*b->clauses++ = clause;
	b->clauses -= b->clause_count;
	return b;
}

void binding_free(struct binding *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->program_count; i++)
		free(b->sets[i].has);
	free(b->sets);
	free(b->programs);
	free(b->clauses);
	free(b->matched);
	free(b->unanswered);
	free(b->waiting);
	free(b->scratch);
	free(b);
}

/* Programs. */

/* At the end of Erlang functions, a program runs its clauses once for each function. */
static bool ends_functions(const char *name)
{
	return beam_probe_of(name) & BEAM_ENDS;
}

static int find_program(const struct binding *b, enum d_hook hook, const char *name, const unsigned char *has)
{
	uint64_t hash = fnv64(0, has, b->clause_count);
	bool ends = ends_functions(name);

	for (size_t i = 0; i < b->program_count; i++) {
		if (b->programs[i].hook == hook && b->programs[i].ends_functions == ends && b->sets[i].hash == hash &&
		    !memcmp(b->sets[i].has, has, b->clause_count))
			return (int)i;
	}
	return -1;
}

static void set_clauses(struct binding *b, struct d_program *program, const unsigned char *has)
{
	size_t count = 0;

	for (size_t i = 0; i < b->clause_count; i++)
		count += has[i];
	program->clauses = arena_alloc(b->unit->arena, count * sizeof(*program->clauses));
	for (size_t i = 0; i < b->clause_count; i++) {
		for (unsigned int times = 0; times < has[i]; times++)
			program->clauses[program->clause_count++] = b->clauses[i];
	}
}

static int add_program(struct binding *b, enum d_hook hook, const char *section, bool ends, const unsigned char *has)
{
	struct d_program *made;
	struct clause_set *set;

	if (!array_has_room(b->programs, b->program_count) || !array_has_room(b->sets, b->program_count))
		return -ENOMEM;
	set = &b->sets[b->program_count];
	set->has = malloc(b->clause_count + 1); /* malloc(0) can return NULL */
	if (!set->has)
		return -ENOMEM;
	memcpy(set->has, has, b->clause_count);
	set->hash = fnv64(0, has, b->clause_count);
	made = &b->programs[b->program_count];
	*made = (struct d_program){
		.hook = hook,
		.section = arena_strdup(b->unit->arena, section),
		.name = arena_printf(b->unit->arena, "d_%zu", b->program_count),
		.ends_functions = ends,
	};
	set_clauses(b, made, has);
	return (int)b->program_count++;
}

/*
 * A section name is for people, and separates programs for probes of the catalogue from others. libbpf finds function
 * types by section, so where names can repeat they are numbered: a tick has programs with two hooks, and several
 * modules can have the same function.
 */
static const char *section_of(const struct binding *b, enum d_hook hook, const char *name, char *buf, size_t size)
{
	static const char *const prefixes[HOOKS] = {
		[HOOK_RUN] = "d/",
		[HOOK_PROFILE] = "d/",
		[HOOK_ERLANG] = "usdt/erlang:",
		[HOOK_PID_ENTRY] = "d/pid:",
		[HOOK_PID_RETURN] = "d/pid:",
		[HOOK_PID_OFFSET] = "d/pid:",
		[HOOK_SYSCALL_ENTRY] = "d/syscall:",
		[HOOK_SYSCALL_RETURN] = "d/syscall:",
		[HOOK_USDT] = "d/usdt:",
		[HOOK_TRACEPOINT] = "d/",
		[HOOK_SHAPED] = "d/",
		[HOOK_SHAPED_KERNEL] = "d/",
	};

	if (hook == HOOK_ERLANG)
		snprintf(buf, size, "%s%s", prefixes[hook], name);
	else
		snprintf(buf, size, "%s%.100s/%zu", prefixes[hook], name, b->program_count);
	return buf;
}

static bool has_any(const struct binding *b, const unsigned char *has)
{
	for (size_t i = 0; i < b->clause_count; i++) {
		if (has[i])
			return true;
	}
	return false;
}

static int need_program(struct binding *b, enum d_hook hook, const char *name, const unsigned char *has)
{
	int found = find_program(b, hook, name, has);
	char section[128];

	if (found >= 0 || !has_any(b, has))
		return 0;
	found = add_program(b, hook, section_of(b, hook, name, section, sizeof(section)), ends_functions(name), has);
	return found < 0 ? found : 0;
}

/* Matching. */

static bool add_matched(struct binding *b, unsigned int clause, size_t probes)
{
	if (!array_has_room(b->matched, b->matched_count))
		return false;
	b->matched[b->matched_count++] = (struct matched){ clause, probes };
	return true;
}

/* Whether that is an error depends on all other matches. */
static bool add_unanswered(struct binding *b, const struct probe_spec *spec, const char *why)
{
	if (!array_has_room(b->unanswered, b->unanswered_count))
		return false;
	b->unanswered[b->unanswered_count++] = (struct unanswered){ spec, arena_strdup(b->unit->arena, why) };
	return true;
}

/*
 * A script can name all probes of its subject although a VM lacks some: these are reported. If all are missing, it is
 * an error, like any description without a match.
 */
static bool report_unanswered(struct binding *b)
{
	char meant[NEAREST_SIZE];

	for (size_t i = 0; i < b->unanswered_count; i++) {
		const struct unanswered *u = &b->unanswered[i];
		const char *why = *u->why || b->is_answered ? u->why : probes_did_you_mean(b->probes, u->spec, meant);
		const char *colon = *why ? ": " : "";

		if (b->is_answered)
			diag_warn(&b->unit->diag, u->spec->file, u->spec->line, "D_PDESC_ZERO",
				  "probe description %s does not match any probes%s%s", u->spec->text, colon, why);
		else
			diag_error(&b->unit->diag, u->spec->file, u->spec->line, "D_PDESC_ZERO",
				   "probe description %s does not match any probes%s%s", u->spec->text, colon, why);
	}
	return !b->unanswered_count || b->is_answered;
}

/* If the named file is already loaded, the list is complete. */
static bool may_wait(const struct probe_spec *spec, int matched)
{
	return !spec->beam && (!matched || glob_is_open(spec->module) || glob_is_open(spec->provider)) &&
	       probes_may_load(spec);
}

static bool add_waiting(struct binding *b, const struct probe_spec *spec)
{
	if (!array_has_room(b->waiting, b->waiting_count))
		return false;
	b->waiting[b->waiting_count++] = spec;
	return true;
}

static void add_functions(struct binding *b, const struct probe_spec *spec)
{
	uint64_t bit = 1ULL << (spec->beam - 1);
	unsigned int probes = beam_spec_probes(spec);

	b->functions |= bit;
	b->meant.entries |= probes & BEAM_ENTRIES ? bit : 0;
	b->meant.returns |= probes & BEAM_RETURN ? bit : 0;
	b->meant.exceptions |= probes & BEAM_EXCEPTION ? bit : 0;
}

/* The maximum number of arguments among the matching probes. INT_MAX: unknown for one of them. -1: no probe. */
static void count_arguments(void *data, const struct d_probe *probe)
{
	int *most = data, count = probe_argument_count(probe);

	*most = count < 0 ? INT_MAX : count > *most ? count : *most;
}

/* args[n] that no probe has is an error, as for a probe whose description is exact (check_args()). */
static bool check_arguments(struct binding *b, const struct unit_clause *clause, const struct probe_spec *spec,
			    int most)
{
	if (most < 0 || (unsigned int)most >= clause->arguments || spec->beam || app_spec_is(spec))
		return true;
	diag_error(&b->unit->diag, spec->file, spec->line, "D_ARGS_IDX", "index %u is out of range for %s args[]",
		   clause->arguments - 1, spec->text);
	return false;
}

static bool match_spec(struct binding *b, const struct unit_clause *of, const struct probe_spec *spec, bool zero_ok,
		       bool waits_for_command)
{
	const struct clause *clause = of->clause;
	char meant[NEAREST_SIZE];
	const char *why = "";
	int most = -1, matched = probes_match(b->probes, spec, count_arguments, &most, &why);

	if (matched == -ENOSPC) {
		b->is_full = true;
		diag_error(&b->unit->diag, spec->file, spec->line, "D_UNKNOWN",
			   "probe description %s: too many probes; a program can have %u timers, system calls and "
			   "tracepoints",
			   spec->text, (1u << ERL_PROBE_BITS) - D_PROBE_FIRST);
		return false;
	}
	if (matched < 0) {
		diag_error(&b->unit->diag, spec->file, spec->line, "D_UNKNOWN", "probe description %s: %s", spec->text,
			   strerror(-matched));
		return false;
	}
	/* Probes of the command count as present. */
	if (!matched && waits_for_command) {
		matched = (int)erlang_may_come(b->probes, spec);
		most = matched ? erlang_arguments(spec) : most;
	}
	b->is_answered |= matched && erlang_is_known(spec);
	if (matched && spec->beam)
		add_functions(b, spec);
	if (!matched && !zero_ok && clause->id > b->last_own)
		return true;
	if (!matched && !zero_ok && !spec->beam && !strpbrk(spec->name, "*?[") && *spec->name && erlang_is_known(spec))
		return add_unanswered(b, spec, why);
	if (!matched && !zero_ok) {
		why = *why ? why : probes_did_you_mean(b->probes, spec, meant);
		diag_error(&b->unit->diag, spec->file, spec->line, probes_tag(b->probes),
			   "probe description %s does not match any probes%s%s", spec->text, *why ? ": " : "", why);
		return false;
	}
	return check_arguments(b, of, spec, most) && add_matched(b, clause->id, (size_t)matched) &&
	       (!may_wait(spec, matched) || add_waiting(b, spec));
}

/*
 * Names of an application are a single condition of the clause, so its descriptions count as one. The same holds for
 * descriptions of Erlang functions that mean the same probe.
 */
static bool is_named_before(const struct clause *clause, const struct probe_spec *spec, const char *name)
{
	bool is_app = app_spec_is(spec);

	for (const struct probe_spec *before = clause->specs; (is_app || spec->beam) && before != spec;
	     before = before->next) {
		if (is_app ? app_spec_is(before) : beam_spec_fires(before, name))
			return true;
	}
	return false;
}

/*
 * How many times each clause runs at a probe; the next call overwrites it. A clause runs once for each matching
 * description, as two equal clauses would.
 */
static const unsigned char *clauses_of(struct binding *b, const struct d_probe *probe)
{
	for (size_t i = 0; i < b->clause_count; i++) {
		const struct probe_spec *spec = b->clauses[i]->clause->specs;

		b->scratch[i] = 0;
		for (; spec && b->scratch[i] < UCHAR_MAX; spec = spec->next)
			b->scratch[i] += spec_matches_probe(spec, probe) &&
					 !is_named_before(b->clauses[i]->clause, spec, probe->names.name);
	}
	return b->scratch;
}

/*
 * One program for every combination of clauses at a present probe. A clause can match a probe that only a later
 * description finds (":::" and "tick-1s"), so this comes last.
 */
static int add_programs_of_probes(struct binding *b)
{
	int err = 0;

	for (size_t i = 0; !err && i < probes_count(b->probes); i++) {
		const struct d_probe *probe = probes_get(b->probes, i);

		/* ERROR clauses are part of the programs that can fail. */
		if (probe->number == D_PROBE_ERROR)
			continue;
		err = need_program(b, probe->hook, probe->names.name, clauses_of(b, probe));
		if (!err && tick_is(probe))
			err = need_program(b, HOOK_PROFILE, probe->names.name, b->scratch);
		b->copies += probe->hook == HOOK_TRACEPOINT && has_any(b, b->scratch);
	}
	return err;
}

/*
 * Probes without a link in the guardian disappear at once if we are killed: see load/kernel/release.h. The guardian
 * learns of its own at load time.
 */
static bool check_own_programs(struct binding *b)
{
	size_t own = b->copies;

	for (size_t i = 0; i < b->program_count; i++) {
		enum d_hook hook = b->programs[i].hook;

		own += hook == HOOK_RUN || hook == HOOK_PROFILE || hook == HOOK_SYSCALL_ENTRY ||
		       hook == HOOK_SYSCALL_RETURN;
	}
	if (own <= RELEASE_MOST_OWN)
		return true;
	diag_error(&b->unit->diag, NULL, 0, "D_PROG_LEN",
		   "timers, system calls and tracepoints need %zu BPF programs, and at most %d are allowed; use fewer "
		   "probes, or the same clauses for more of them",
		   own, RELEASE_MOST_OWN);
	return false;
}

static unsigned char matches_names(const struct binding *b, size_t clause, const struct probe_names *names)
{
	const struct probe_spec *spec = b->clauses[clause]->clause->specs;
	unsigned char times = 0;

	for (; spec && times < UCHAR_MAX; spec = spec->next)
		times += spec_matches_names(spec, names) &&
			 !is_named_before(b->clauses[clause]->clause, spec, names->name);
	return times;
}

/* A provider of a later process cannot contain its pid, and PID 0 does not exist; but it can be the command of -c. */
static int add_later_program(struct binding *b, pid_t pid, uint32_t probe, const char *function)
{
	char provider[PROBE_NAME_SIZE], name[PROBE_NAME_SIZE];
	struct probe_names names = { 0, provider, "beam.smp", function, probe_name(probe, name) };

	probe_numbered(probe_def(probe)->provider, (unsigned int)pid, provider);
	for (size_t i = 0; i < b->clause_count; i++)
		b->scratch[i] = matches_names(b, i, &names);
	return need_program(b, HOOK_ERLANG, name, b->scratch);
}

static bool may_come(const struct binding *b)
{
	for (size_t i = 0; i < b->clause_count; i++) {
		for (const struct probe_spec *spec = b->clauses[i]->clause->specs; spec; spec = spec->next) {
			if (erlang_may_come(b->probes, spec))
				return true;
		}
	}
	return false;
}

static int add_later_programs(struct binding *b)
{
	struct child *child = probes_child(b->probes);
	int err = 0;

	if (!may_come(b))
		return 0;
	for (uint32_t probe = 0; !err && probe < probe_count(); probe++) {
		err = add_later_program(b, 0, probe, "");
		if (!err && child)
			err = add_later_program(b, child_pid(child), probe, "");
	}
	return err;
}

/* Files that processes load later. */

/* True if the field matches everything that the other one matches. */
static bool covers(const char *field, const char *other)
{
	return glob_matches(field, other);
}

/* The number of the clause's descriptions that match everything that the other one finds. */
static unsigned char covers_spec(const struct clause *clause, const struct probe_spec *other)
{
	unsigned char times = 0;

	for (const struct probe_spec *spec = clause->specs; spec && times < UCHAR_MAX; spec = spec->next)
		times += covers(spec->provider, other->provider) && covers(spec->module, other->module) &&
			 covers(spec->function, other->function) && covers(spec->name, other->name);
	return times;
}

static bool has_spec(const struct clause *clause, const struct probe_spec *wanted)
{
	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		if (spec == wanted)
			return true;
	}
	return false;
}

/* The clauses that always apply to the matches of the description; and its own clause, alone and once. */
static int add_loaded_programs(struct binding *b, enum d_hook hook, const struct probe_spec *spec)
{
	int err;

	for (size_t i = 0; i < b->clause_count; i++)
		b->scratch[i] = covers_spec(b->clauses[i]->clause, spec);
	err = need_program(b, hook, spec->name, b->scratch);
	for (size_t i = 0; i < b->clause_count; i++)
		b->scratch[i] = has_spec(b->clauses[i]->clause, spec);
	return err ? err : need_program(b, hook, spec->name, b->scratch);
}

static int add_loaded_programs_of_pid(struct binding *b, const struct probe_spec *spec)
{
	bool is_entry = glob_matches(spec->name, "entry"), is_return = glob_matches(spec->name, "return");
	int err = is_entry ? add_loaded_programs(b, HOOK_PID_ENTRY, spec) : 0;

	if (!err && is_return)
		err = add_loaded_programs(b, HOOK_PID_RETURN, spec);
	if (!err && !is_entry && !is_return)
		err = add_loaded_programs(b, HOOK_PID_OFFSET, spec);
	return err;
}

static int add_all_loaded_programs(struct binding *b)
{
	int err = 0;

	for (size_t i = 0; !err && i < b->waiting_count; i++)
		err = provider_pid_of(b->waiting[i]->provider, "pid")
			      ? add_loaded_programs_of_pid(b, b->waiting[i])
			      : add_loaded_programs(b, HOOK_USDT, b->waiting[i]);
	return err;
}

const struct probe_spec *const *binding_waiting(const struct binding *b, size_t *count)
{
	*count = b->waiting_count;
	return b->waiting;
}

int binding_programs_of(struct binding *b, const struct d_probe *probe,
			int (*visit)(void *data, const struct d_probe *probe, int program, unsigned int times),
			void *data)
{
	_cleanup_free_ unsigned char *wanted = malloc(b->clause_count + 1);
	int program, err = 0;

	if (!wanted)
		return -ENOMEM;
	memcpy(wanted, clauses_of(b, probe), b->clause_count);
	program = find_program(b, probe->hook, probe->names.name, wanted);
	if (program >= 0)
		return visit(data, probe, program, 1);
	memset(b->scratch, 0, b->clause_count);
	for (size_t i = 0; !err && i < b->clause_count; i++) {
		b->scratch[i] = 1;
		program = wanted[i] ? find_program(b, probe->hook, probe->names.name, b->scratch) : -1;
		b->scratch[i] = 0;
		err = program >= 0 ? visit(data, probe, program, wanted[i]) : 0;
	}
	return err;
}

bool binding_make(struct binding *b, bool zero_ok, bool waits_for_command)
{
	bool is_ok = probes_name_ids(b->probes, b->unit, false);
	int err;

	if (!is_ok)
		return false;
	for (size_t i = 0; i < b->clause_count; i++) {
		const struct unit_clause *clause = b->clauses[i];

		/* Stop after many errors, because each can search all processes. */
		for (const struct probe_spec *spec = clause->clause->specs;
		     spec && !b->is_full && b->unit->diag.errors < DIAG_MOST; spec = spec->next)
			is_ok &= match_spec(b, clause, spec, zero_ok, waits_for_command);
	}
	is_ok &= report_unanswered(b);
	err = is_ok ? add_programs_of_probes(b) : 0;
	if (!err && is_ok)
		err = add_later_programs(b);
	if (!err && is_ok)
		err = add_all_loaded_programs(b);
	if (err)
		diag_error(&b->unit->diag, NULL, 0, "D_UNKNOWN", "%s", strerror(-err));
	return is_ok && !err && check_own_programs(b);
}

size_t binding_matched(const struct binding *b, unsigned int first, unsigned int last)
{
	size_t sum = 0;

	for (size_t i = 0; i < b->matched_count; i++) {
		if (b->matched[i].clause >= first && b->matched[i].clause <= last)
			sum += b->matched[i].probes;
	}
	return sum;
}

uint64_t binding_functions(const struct binding *b)
{
	return b->functions;
}

struct d_beam_matches binding_function_matches(const struct binding *b)
{
	return b->meant;
}

const struct d_program *binding_programs(const struct binding *b, size_t *count)
{
	*count = b->program_count;
	return b->programs;
}

int binding_program_of(struct binding *b, const struct d_probe *probe)
{
	return find_program(b, probe->hook, probe->names.name, clauses_of(b, probe));
}

int binding_clock_program_of(struct binding *b, const struct d_probe *probe)
{
	return find_program(b, HOOK_PROFILE, probe->names.name, clauses_of(b, probe));
}

/* Without the function, which depends on the site. */
static bool may_match(const struct probe_spec *spec, const struct probe_names *names)
{
	struct probe_spec loose = *spec;

	/* An Erlang function is not that of the site. */
	if (!spec->beam)
		loose.module = loose.function = "";
	return spec_matches_names(&loose, names);
}

bool binding_may_mean(const struct binding *b, const char *program, const char *provider, const char *name)
{
	struct probe_names names = { 0, provider, "", "", name };

	for (size_t i = 0; i < b->program_count; i++) {
		if (strcmp(b->programs[i].name, program))
			continue;
		for (size_t c = 0; c < b->programs[i].clause_count; c++) {
			const struct probe_spec *spec = b->programs[i].clauses[c]->clause->specs;

			for (; spec; spec = spec->next) {
				if (may_match(spec, &names))
					return true;
			}
		}
	}
	return false;
}
