// SPDX-License-Identifier: BSD-2-Clause
#include "erlang/erlang_choice.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "erl.h"
#include "functions.h"
#include "load/kernel/debug_registers.h"
#include "node/atoms/spelling.h"

static int compare(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (int)x->arity - (int)y->arity;
}

/* "shop:order/2", without quotes. False if it cannot be read. */
static bool name_of(struct atoms *atoms, const struct code_function *f, char name[ERLANG_NAME_SIZE])
{
	size_t length;
	const char *module = atoms_bytes(atoms, f->module, &length);
	char *end = module ? stpncpy(name, module, ATOM_MAX_BYTES) : name;
	const char *function = module ? atoms_bytes(atoms, f->name, &length) : NULL;

	if (function)
		snprintf(end, ERLANG_NAME_SIZE - (size_t)(end - name), ":%s/%u", function, f->arity);
	return function;
}

/* The code of an old version of a module has the same functions as the new one. */
static bool is_repeated(const struct code_list *list, size_t i)
{
	return i && !compare(&list->functions[i - 1], &list->functions[i]);
}

static uint64_t globs_of(const struct erlang_choice *c, const char *name)
{
	uint64_t globs = 0;

	for (size_t i = 0; i < c->pattern_count; i++)
		globs |= (uint64_t)!fnmatch(c->patterns[i], name, FNM_NOESCAPE) << i;
	return globs;
}

/* What a frame leads to that the VM puts on the stack to measure a call: until OTP 25, and since. */
static bool is_returning(const char *name)
{
	return !strcmp(name, "erts_beamasm:return_time_trace/0") || !strcmp(name, "erts_beamasm:call_trace_return/0");
}

static int choose(struct erlang_choice *c, const struct code_function *f)
{
	char name[ERLANG_NAME_SIZE];
	uint64_t globs;

	if (!name_of(c->atoms, f, name))
		return 0;
	if (code_is_of_jit(name)) {
		if (is_returning(name))
			c->returning = f->start;
		return 0;
	}
	globs = globs_of(c, name);
	if (!globs) {
		if (text_near_try(&c->near, name))
			snprintf(c->nearest, sizeof(c->nearest), "%s", name);
		return 0;
	}
	if (!array_has_room(c->functions, c->count))
		return -ENOMEM;
	c->functions[c->count++] = (struct chosen_function){ *f, globs };
	return 0;
}

/* All atoms of the list are read together. */
static void fetch_atoms(struct atoms *atoms, const struct code_list *list)
{
	_cleanup_free_ uint32_t *indices = calloc(2 * list->count + 1, sizeof(*indices));

	for (size_t i = 0; indices && i < list->count; i++) {
		indices[2 * i] = list->functions[i].module;
		indices[2 * i + 1] = list->functions[i].name;
	}
	if (indices)
		atoms_fetch(atoms, indices, 2 * list->count);
}

static int choose_all(struct erlang_choice *c)
{
	struct code_list list = {};
	int err = code_list_read(c->target, &list);

	if (!err && list.count)
		qsort(list.functions, list.count, sizeof(*list.functions), compare);
	if (!err)
		fetch_atoms(c->atoms, &list);
	for (size_t i = 0; !err && i < list.count; i++) {
		/* A NIF is native code, which calls without --via vm measures. */
		if (!list.functions[i].is_nif && !is_repeated(&list, i))
			err = choose(c, &list.functions[i]);
	}
	code_list_free(&list);
	return err;
}

int erlang_choice_name(struct erlang_choice *c)
{
	c->named = calloc(c->count, sizeof(*c->named));
	for (size_t i = 0; c->named && i < c->count; i++) {
		const struct code_function *f = &c->functions[i].code;
		size_t length;
		const char *module = atoms_bytes(c->atoms, f->module, &length);

		c->named[i].module = module ? strdup(module) : NULL;
		module = atoms_bytes(c->atoms, f->name, &length);
		c->named[i].name = module ? strdup(module) : NULL;
		c->named[i].arity = f->arity;
		if (!c->named[i].module || !c->named[i].name)
			return -ENOMEM;
	}
	return c->named ? 0 : -ENOMEM;
}

void erlang_choice_free(struct erlang_choice *c)
{
	for (size_t i = 0; c->named && i < c->count; i++) {
		free((char *)c->named[i].module);
		free((char *)c->named[i].name);
	}
	free(c->named);
	for (size_t i = 0; i < c->pattern_count; i++)
		free(c->patterns[i]);
	free(c->functions);
	atoms_free(c->atoms);
}

/* The pattern has an arity or a star, so text without quotes is what atoms are. */
static char *without_quotes(const char *from)
{
	char *made = malloc(strlen(from) + 1), *to = made;

	for (; made && *from; from++) {
		if (*from != '\'')
			*to++ = *from;
	}
	if (made)
		*to = '\0';
	return made;
}

static int check(const struct erlang_choice *c, bool is_hardware, int err, char *why)
{
	char pattern[64], nearest[sizeof(c->nearest)];

	spelling_of_pattern(c->pattern_count ? c->patterns[0] : "", pattern, sizeof(pattern));
	spelling_of_pattern(c->nearest, nearest, sizeof(nearest));

	if (err && c->target->vm->flavor != FLAVOR_JIT)
		snprintf(why, BREAKPOINTS_WHY, "it has no JIT");
	else if (err)
		snprintf(why, BREAKPOINTS_WHY, "its code cannot be read (%s)", strerror(-err));
	else if (!c->count && c->nearest[0])
		snprintf(why, BREAKPOINTS_WHY, "no code is loaded for \"%.63s\" (did you mean \"%.300s\"?)", pattern,
			 nearest);
	else if (!c->count)
		snprintf(why, BREAKPOINTS_WHY, "no code is loaded for \"%.63s\"", pattern);
	else if (is_hardware && c->count > DEBUG_REGISTERS)
		snprintf(why, BREAKPOINTS_WHY,
			 "\"%.63s\" are %zu functions, and a processor has debug registers for %d; --entry --via vm "
			 "takes up to %d",
			 pattern, c->count, DEBUG_REGISTERS, FUNCTIONS_MAX);
	else if (c->count > FUNCTIONS_MAX)
		snprintf(why, BREAKPOINTS_WHY, "\"%.63s\"%s are %zu functions, and %d at most can have breakpoints",
			 pattern, c->pattern_count > 1 ? " and others" : "", c->count, FUNCTIONS_MAX);
	else
		return 0;
	return err ? err : c->count ? -E2BIG : -ENOENT;
}

/* Nothing matches a glob that is about another node. */
static int take_patterns(struct erlang_choice *c, const struct breakpoints_request *request)
{
	for (size_t i = 0; i < request->glob_count; i++) {
		bool is_about = !request->is_about || request->is_about(request->data, i, c->target);

		c->patterns[i] = without_quotes(is_about ? request->globs[i] : "");
		if (!c->patterns[i])
			return -ENOMEM;
		c->pattern_count++;
	}
	return 0;
}

int erlang_choice_make(struct erlang_choice *c, const struct breakpoints_request *request, char *why)
{
	int err = take_patterns(c, request);

	c->atoms = atoms_new(c->target);
	if (!err && c->pattern_count)
		text_near_begin(&c->near, c->patterns[0], strlen(c->patterns[0]) / 3);
	if (!err)
		err = c->atoms ? choose_all(c) : -ENOMEM;
	return check(c, request->is_hardware, err, why);
}

int erlang_choice_want(const struct breakpoints_request *request, const struct target *target, uint64_t id,
		       uint64_t globs)
{
	struct functions_key key = { .id = id, .os_id = target->os_id };
	/* Some maps only have its first word. */
	struct functions_wanted wanted = { .globs = globs };
	int map = request->counts_only ? -1 : loader_map(request->loader, request->map);

	if (request->counts_only)
		return 0;
	return map < 0 ? map : bpf_map_update_elem(map, &key, &wanted, BPF_ANY) ? -errno : 0;
}

static int set_literal(struct loader *loader, const struct target *target, size_t step, uint32_t atom)
{
	struct functions_key key = { .id = step, .os_id = target->os_id };
	int map = loader_map(loader, "functions_literals");
	__u64 term = atom_term(atom);

	return map < 0 ? map : bpf_map_update_elem(map, &key, &term, BPF_ANY) ? -errno : 0;
}

/* What the atoms of --when are on this node. One that it does not have stays unknown, and is equal to nothing. */
static int set_literals(const struct erlang_choice *c, const struct breakpoints_request *request)
{
	const char *texts[FUNCTIONS_STEPS];
	size_t steps[FUNCTIONS_STEPS], count = 0;
	uint32_t found[FUNCTIONS_STEPS];
	int err = 0;

	for (size_t i = 0; request->atoms && i < FUNCTIONS_STEPS; i++) {
		if (request->atoms[i]) {
			steps[count] = i;
			texts[count++] = request->atoms[i];
		}
	}
	if (count)
		atoms_find_all(c->atoms, texts, count, found);
	for (size_t i = 0; !err && i < count; i++) {
		if (found[i] != ATOM_NONE)
			err = set_literal(request->loader, c->target, steps[i], found[i]);
		else
			pr_warn("%s has no atom '%s': nothing is equal to it", c->target->node, texts[i]);
	}
	return err;
}

uint64_t erlang_choice_id(const struct erlang_choice *c, size_t i)
{
	const struct code_function *f = &c->functions[i].code;

	return erl_id_of_mfa(atom_term(f->module), atom_term(f->name), f->arity);
}

/* The programs are to know whose hits these are. */
int erlang_choice_tell(const struct erlang_choice *c, const struct breakpoints_request *request)
{
	int err = set_literals(c, request);

	for (size_t i = 0; !err && i < c->count; i++)
		err = erlang_choice_want(request, c->target, erlang_choice_id(c, i), c->functions[i].globs);
	if (!err && c->returning)
		err = erlang_choice_want(request, c->target, erl_id_of(ERL_ID_CODE, c->returning), 0);
	return err;
}
