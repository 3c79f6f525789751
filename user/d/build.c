// SPDX-License-Identifier: BSD-2-Clause
#include "d/build.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "d.h"
#include "base/arena.h"
#include "d/lang/beam_spec.h"
#include "d/object/emit.h"
#include "d/types/kernel_types.h"
#include "d/lower/lower.h"
#include "d/object/object.h"
#include "d/lang/symbol.h"
#include "erl.h"

#define MOST_AGG_WORDS 4000	       /* 32 KiB together */
#define MOST_ELEMENT ((size_t)4 << 20) /* key and value of a hash: the kernel's limit for one allocation is higher */
#define MOST_FRAME ((size_t)4 << 20)   /* there are four on each CPU */
#define MOST_GLOBALS ((size_t)256 << 20)
#define MOST_MAPS 48 /* of the program itself: the kernel allows 64 */

/* Sections of bpf/d.bpf.c. */
static const char *const templates[HOOKS] = {
	[HOOK_RUN] = "d/run",
	[HOOK_PROFILE] = "d/profile",
	[HOOK_ERLANG] = "d/erlang",
	[HOOK_PID_ENTRY] = "d/pid_entry",
	[HOOK_PID_RETURN] = "d/pid_return",
	[HOOK_PID_OFFSET] = "d/pid_offset",
	[HOOK_SYSCALL_ENTRY] = "d/syscall_entry",
	[HOOK_SYSCALL_RETURN] = "d/syscall_return",
	[HOOK_USDT] = "d/usdt",
	[HOOK_TRACEPOINT] = "d/tracepoint",
	[HOOK_SHAPED] = "d/shaped",
	[HOOK_SHAPED_KERNEL] = "d/shaped",
};

struct build {
	struct unit *unit;
	struct arena *arena;
	struct layout layout;
	struct constants constants;
	struct ir_list *code; /* one per program, then one per hook for the ERROR clauses */
	unsigned int *args;
	const struct d_program *programs;
	size_t count;
	bool errors_exit; /* a clause of ERROR calls exit() */
};

/* Moves the program to that position. */
static bool lower_one(struct build *build, size_t number, const struct d_program *program, bool in_error)
{
	struct ir_list *code = &build->code[number];
	struct lower lower = {
		.unit = build->unit,
		.arena = build->arena,
		.layout = &build->layout,
		.constants = &build->constants,
		.code = code,
		.hook = program->hook,
		.in_error = in_error,
		.errors_exit = build->errors_exit,
	};
	bool ok = lower_program(&lower, program->clauses, program->clause_count);

	ir_prune(build->arena, code);
	build->args[number] = lower.args;
	if (in_error) {
		build->errors_exit = lower.may_exit;
		build->unit->errors_by_hook = lower.reads_stack;
	}
	return ok;
}

static bool is_error_clause(const struct unit_clause *clause)
{
	for (const struct probe_spec *spec = clause->clause->specs; spec; spec = spec->next) {
		bool is_ours = !spec->provider[0] || !strcmp(spec->provider, "dtrace");

		if (is_ours && !strcmp(spec->name, "ERROR"))
			return true;
	}
	return false;
}

static bool has_hook(const struct build *build, enum d_hook hook)
{
	for (size_t i = 0; i < build->count; i++) {
		if (build->programs[i].hook == hook)
			return true;
	}
	return false;
}

/* One for all programs, or one for each hook in use. */
static bool has_errors_of(const struct build *build, enum d_hook hook)
{
	return build->unit->has_errors_clause && (build->unit->errors_by_hook ? has_hook(build, hook) : !hook);
}

/* The clauses of ERROR are a function that all programs call after a fault. */
static bool lower_errors(struct build *build)
{
	struct d_program errors = {};
	size_t count = 0;
	bool ok = true;

	for (struct unit_clause *c = build->unit->clauses; c; c = c->next)
		count += is_error_clause(c);
	build->unit->has_errors_clause = count > 0;
	if (!count)
		return true;
	errors.clauses = arena_alloc(build->arena, count * sizeof(struct unit_clause *));
	for (struct unit_clause *c = build->unit->clauses; c; c = c->next) {
		if (is_error_clause(c))
			errors.clauses[errors.clause_count++] = c;
	}
	build->unit->errors_by_hook = false;
	for (; ok && errors.hook < HOOKS; errors.hook++) {
		if (has_errors_of(build, errors.hook) || !errors.hook)
			ok = lower_one(build, build->count + errors.hook, &errors, true);
	}
	return ok;
}

static bool lower_all(struct build *build, struct unit *unit, const struct d_program *programs, size_t count)
{
	bool ok = true;

	*build = (struct build){
		.unit = unit,
		.arena = unit->arena,
		.programs = programs,
		.count = count,
		.code = arena_alloc(unit->arena, (count + HOOKS) * sizeof(struct ir_list)),
		.args = arena_alloc(unit->arena, (count + HOOKS) * sizeof(unsigned int)),
	};
	lower_prepare(unit, &build->layout);
	ok = lower_errors(build);
	for (size_t i = 0; i < count; i++)
		ok &= lower_one(build, i, &programs[i], false);
	layout_place(&build->layout);
	return ok && !unit->diag.errors;
}

static void add_map(struct build *build, struct d_object *object, const char *name, size_t key, size_t value,
		    size_t entries)
{
	struct unit_map *map = arena_alloc(build->arena, sizeof(*map));

	*map = (struct unit_map){ name,		(unsigned int)key,	    (unsigned int)value, (unsigned int)entries,
				  object->maps, (unsigned int)(key + value) };
	object->maps = map;
}

static void add_arrays(struct build *build, struct d_object *object)
{
	const struct layout *layout = &build->layout;
	unsigned int entries = build->unit->options.entries;

	for (struct symbol *s = build->unit->variables; s; s = s->next) {
		if (s->scope != SCOPE_SELF)
			continue;
		add_map(build, object, arena_printf(build->arena, "d_array_%d", s->map), 8,
			lower_type_size(layout, s->type), entries);
		object->maps->counted = (unsigned int)s->type->size;
	}
	for (struct symbol *s = build->unit->arrays; s; s = s->next) {
		add_map(build, object, arena_printf(build->arena, "d_array_%d", s->map),
			lower_key_size(layout, s->keys, s->scope == SCOPE_SELF), lower_type_size(layout, s->type->base),
			entries);
	}
}

/* The number of entries that fit into so many bytes in DTrace, which counts key and value. */
static unsigned int entries_of_agg(const struct unit_options *options, const struct unit_agg *agg)
{
	size_t entries = options->agg_bytes / (agg->key_size + agg->words * sizeof(uint64_t));

	if (!options->agg_bytes)
		return UNIT_DEFAULT_ENTRIES;
	return entries > UNIT_MOST_ENTRIES ? UNIT_MOST_ENTRIES : entries ? (unsigned int)entries : 1;
}

static bool add_aggregations(struct build *build, struct d_object *object)
{
	for (struct unit_agg *agg = build->unit->aggs; agg; agg = agg->next) {
		if (agg->words > MOST_AGG_WORDS) {
			diag_error(&build->unit->diag, agg->symbol->file, agg->symbol->line, "D_LQUANT_STEPSMALL",
				   "@%s has %zu buckets, at most %d are possible", agg->symbol->name, agg->words,
				   MOST_AGG_WORDS);
			return false;
		}
		if (agg->number <= 1)
			add_map(build, object, agg->map, agg->key_size, agg->stripes * agg->stride,
				entries_of_agg(&build->unit->options, agg));
	}
	return true;
}

static void add_setting(struct build *build, struct d_object *object, const char *name, uint64_t value)
{
	struct unit_setting *setting = arena_alloc(build->arena, sizeof(*setting));

	*setting = (struct unit_setting){ name, value, object->settings };
	object->settings = setting;
}

static void add_settings(struct build *build, struct d_object *object)
{
	const struct layout *layout = &build->layout;

	add_setting(build, object, "d_string_size", build->unit->options.strsize);
	add_setting(build, object, "d_string_room", layout->room);
	add_setting(build, object, "d_scratch_offset", layout->start[AREA_SCRATCH]);
	add_setting(build, object, "d_scratch_size", layout->scratch_size);
	add_setting(build, object, "d_work_offset", layout->work);
	add_setting(build, object, "d_speculation_count", build->unit->options.speculations);
	if (build->unit->options.speculation_size)
		add_setting(build, object, "d_speculation_size", build->unit->options.speculation_size);
	add_setting(build, object, "d_has_null", build->unit->options.compat == COMPAT_ORACLE);
}

static void fill_globals(struct build *build, struct d_object *object)
{
	size_t size = (build->layout.globals_size + 7) & ~(size_t)7;
	char *globals = arena_alloc(build->arena, size);

	for (const struct constant *c = build->constants.first; c; c = c->next)
		memcpy(globals + c->offset, c->text, c->length);
	for (const struct symbol *s = build->unit->variables; s; s = s->next) {
		if (s->scope == SCOPE_GLOBAL && type_is_string(s->type) && build->unit->options.compat == COMPAT_ORACLE)
			globals[s->offset + build->layout.room - 1] = 1; /* NULL */
	}
	object->globals = globals;
	object->globals_size = size;
}

/* The code refers to an array, which is a hash map, by the name of the map. */
static unsigned int count_maps(const struct emit_code *code)
{
	bool seen[D_MAX_ARRAYS + D_MAX_AGGS] = {};
	unsigned int count = 0, number;

	for (const struct emit_reference *r = code->references; r; r = r->next) {
		bool is_array = sscanf(r->name, "d_array_%u", &number) == 1;

		if (r->is_call || (!is_array && sscanf(r->name, "d_agg_%u", &number) != 1))
			continue;
		number += is_array ? 0 : D_MAX_ARRAYS;
		if (number >= D_MAX_ARRAYS + D_MAX_AGGS || seen[number])
			continue;
		seen[number] = true;
		count++;
	}
	return count;
}

/* A clause of the failing program, for the line number in the message. */
static bool add_code(struct build *build, struct object *elf, const char *name, const struct ir_list *list,
		     const struct unit_clause *clause)
{
	const char *file = clause ? clause->clause->file : NULL;
	int line = clause ? clause->clause->line : 0;
	struct emit_code code;
	unsigned int maps;

	if (!emit(build->arena, &build->layout, list, &code)) {
		diag_error(&build->unit->diag, file, line, "D_PROG_LEN",
			   "the clauses of this probe have too many instructions");
		return false;
	}
	maps = count_maps(&code);
	if (maps > MOST_MAPS) {
		diag_error(&build->unit->diag, file, line, "D_ID_OFLOW",
			   "the clauses of this probe use %u associative arrays, self-> variables and aggregations, "
			   "at most %d are possible",
			   maps, MOST_MAPS);
		return false;
	}
	object_add_function(elf, name, &code);
	return true;
}

/* True if it runs at breakpoints of the VM. */
static bool has_functions(const struct d_program *program)
{
	for (size_t i = 0; i < program->clause_count; i++) {
		for (const struct probe_spec *spec = program->clauses[i]->clause->specs; spec; spec = spec->next) {
			if (spec->beam || beam_spec_helps(spec))
				return true;
		}
	}
	return false;
}

static const char *template_of(const struct d_program *program, unsigned int args)
{
	unsigned int few = (1u << D_ARGS_FEW) - 1, all = (1u << D_ARGS) - 1;

	if (program->ends_functions)
		return "d/beam_end";
	if (program->hook == HOOK_ERLANG && has_functions(program))
		return "d/beam";
	return program->hook == HOOK_ERLANG && !(args & all & ~few) ? "d/erlang_few" : templates[program->hook];
}

static bool add_errors(struct build *build, struct object *elf)
{
	bool ok = true;

	for (enum d_hook hook = 0; ok && hook < HOOKS; hook++) {
		if (has_errors_of(build, hook))
			ok = add_code(build, elf, lower_errors_name(build->unit, hook),
				      &build->code[build->count + hook], NULL);
	}
	return ok;
}

static bool add_programs(struct build *build, struct object *elf, const struct d_program *programs)
{
	for (size_t i = 0; i < build->count; i++) {
		const char *function = arena_printf(build->arena, "%s_clauses", programs[i].name);

		if (!add_code(build, elf, function, &build->code[i],
			      programs[i].clause_count ? programs[i].clauses[0] : NULL) ||
		    !object_add_program(elf, programs[i].section, programs[i].name,
					template_of(&programs[i], build->args[i]), function, build->args[i]))
			return false;
	}
	return add_errors(build, elf);
}

/* Arguments that texts need besides their own (bpf/d/text.bpf.h): arg1 of process-spawn, arg2 with a node. */
static unsigned int parts_of(unsigned int args)
{
	unsigned int pieces = 1u << ERL_ARG_MODULE | 1u << ERL_ARG_FUNCTION | 1u << ERL_ARG_TERM;

	return (args & 1u << 1 ? pieces : 0) | (args & 1u << 2 ? 1u << 1 : 0);
}

/* Limits: sizes that the kernel refuses, or that would use all memory. */
static bool fits(struct build *build, const struct d_object *object)
{
	struct diag *diag = &build->unit->diag;

	if (build->layout.frame_size > MOST_FRAME)
		diag_error(diag, NULL, 0, "D_PROG_LEN",
			   "a firing of these clauses needs %zu bytes of memory; at most %zu are possible",
			   build->layout.frame_size, MOST_FRAME);
	if (build->layout.globals_size > MOST_GLOBALS)
		diag_error(diag, NULL, 0, "D_PROG_LEN",
			   "the global variables need %zu bytes of memory; at most %zu are possible",
			   build->layout.globals_size, MOST_GLOBALS);
	for (const struct unit_map *map = object->maps; map; map = map->next) {
		if ((size_t)map->key_size + map->value_size >= MOST_ELEMENT)
			diag_error(diag, NULL, 0, "D_PROG_LEN",
				   "an element of an associative array needs %zu bytes of memory; at most %zu are "
				   "possible",
				   (size_t)map->key_size + map->value_size, MOST_ELEMENT);
	}
	return !diag->errors;
}

static bool relocate_library(struct build *build, struct object *elf)
{
	const struct btf_view *kernel = build->unit->reads_kernel ? kernel_types_view(build->unit->kernel) : NULL;
	const char *missing;

	if (!build->unit->reads_kernel)
		return true;
	missing = kernel ? object_relocate(elf, kernel) : "/sys/kernel/btf/vmlinux";
	if (missing)
		diag_error(&build->unit->diag, NULL, 0, "D_SYM_NOTYPES",
			   "this kernel has no %s, which the program reads", missing);
	return !missing;
}

bool d_build(struct unit *unit, const struct d_program *programs, size_t count, struct d_object *object)
{
	struct build build;
	struct object *elf;
	const char *missing = "the library";
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	/* A map needs at least one entry; d_speculation_count disables it. */
	size_t speculations = unit->options.speculations ? unit->options.speculations : 1;

	*object = (struct d_object){};
	if (!lower_all(&build, unit, programs, count) || !add_aggregations(&build, object))
		return false;
	add_arrays(&build, object);
	if (!fits(&build, object))
		return false;
	add_map(&build, object, "d_frames", 0, build.layout.frame_size,
		(size_t)(cpus > 0 ? cpus : 1) * D_FRAMES_PER_CPU);
	add_map(&build, object, "d_speculations", 0, 0, speculations);
	add_map(&build, object, "d_speculation_users", 0, 0, speculations);
	add_map(&build, object, "d_speculation_sizes", 0, 0, speculations);
	fill_globals(&build, object);
	add_map(&build, object, "d_globals", 0, object->globals_size, 0);
	add_settings(&build, object);
	for (size_t i = 0; i < count; i++) {
		object->args |= build.args[i] | parts_of(build.args[i]);
		object->note_args |= programs[i].hook == HOOK_USDT ? build.args[i] : 0;
		unit->reads_kernel |= programs[i].hook == HOOK_SHAPED_KERNEL;
	}
	elf = object_new(unit->arena, unit->uses_term || unit->walks_processes, build.layout.frame_size);
	if (elf && relocate_library(&build, elf) && add_programs(&build, elf, programs))
		object->elf = object_finish(elf, &object->size, &missing);
	if (!object->elf && !unit->diag.errors)
		diag_error(&unit->diag, NULL, 0, "D_UNKNOWN", "%s is not there", missing);
	return object->elf;
}

void d_build_dump(FILE *to, struct unit *unit, const struct d_program *programs, size_t count)
{
	struct build build;

	if (!lower_all(&build, unit, programs, count))
		return;
	for (size_t i = 0; i < count; i++) {
		fprintf(to, "\n%s (%s)\n", programs[i].section, programs[i].name);
		ir_print(to, &build.code[i]);
	}
	for (enum d_hook hook = 0; hook < HOOKS; hook++) {
		if (!has_errors_of(&build, hook))
			continue;
		fprintf(to, "\ndtrace:::ERROR (%s)\n", lower_errors_name(unit, hook));
		ir_print(to, &build.code[count + hook]);
	}
}
