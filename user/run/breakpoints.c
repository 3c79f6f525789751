// SPDX-License-Identifier: BSD-2-Clause
#include "run/breakpoints.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "dist/cookie.h"
#include "dist/guard.h"
#include "erl.h"
#include "functions.h"
#include "node/atoms.h"
#include "node/code.h"

#define NAME_SIZE (2 * ATOM_MAX_BYTES + 8)

struct breakpoints {
	struct guard guard;
	const char *limit_option;
};

struct chosen_function {
	struct code_function code;
	uint64_t globs; /* that match it, a bit for each */
};

/* The functions that the user means. */
struct chosen {
	const struct target *target;
	char *patterns[BREAKPOINTS_GLOBS]; /* without quotes; owned */
	size_t pattern_count;
	struct atoms *atoms;
	struct chosen_function *functions;
	struct guard_function *named; /* the same, as text; owned */
	size_t count;
	struct text_near near;
	char nearest[NAME_SIZE];
};

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
static bool name_of(struct atoms *atoms, const struct code_function *f, char name[NAME_SIZE])
{
	size_t length;
	const char *module = atoms_bytes(atoms, f->module, &length);
	char *end = module ? stpncpy(name, module, ATOM_MAX_BYTES) : name;
	const char *function = module ? atoms_bytes(atoms, f->name, &length) : NULL;

	if (function)
		snprintf(end, NAME_SIZE - (size_t)(end - name), ":%s/%u", function, f->arity);
	return function;
}

/* The code of an old version of a module has the same functions as the new one. */
static bool is_repeated(const struct code_list *list, size_t i)
{
	return i && !compare(&list->functions[i - 1], &list->functions[i]);
}

static uint64_t globs_of(const struct chosen *c, const char *name)
{
	uint64_t globs = 0;

	for (size_t i = 0; i < c->pattern_count; i++)
		globs |= (uint64_t)!fnmatch(c->patterns[i], name, FNM_NOESCAPE) << i;
	return globs;
}

static int choose(struct chosen *c, const struct code_function *f)
{
	char name[NAME_SIZE];
	uint64_t globs;

	if (!name_of(c->atoms, f, name))
		return 0;
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

static int choose_all(struct chosen *c)
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

/* As the node is told of them. */
static int name_all(struct chosen *c)
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

static void chosen_free(struct chosen *c)
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

static int check(const struct chosen *c, int err, char *why)
{
	const char *pattern = c->pattern_count ? c->patterns[0] : "";

	if (err)
		snprintf(why, BREAKPOINTS_WHY, "its code cannot be read (%s)", strerror(-err));
	else if (!c->count && c->nearest[0])
		snprintf(why, BREAKPOINTS_WHY, "no code is loaded for \"%.63s\" (did you mean \"%.300s\"?)", pattern,
			 c->nearest);
	else if (!c->count)
		snprintf(why, BREAKPOINTS_WHY, "no code is loaded for \"%.63s\"", pattern);
	else if (c->count > FUNCTIONS_MAX)
		snprintf(why, BREAKPOINTS_WHY, "\"%.63s\"%s are %zu functions, and %d at most can have breakpoints",
			 pattern, c->pattern_count > 1 ? " and others" : "", c->count, FUNCTIONS_MAX);
	else
		return 0;
	return err ? err : c->count ? -E2BIG : -ENOENT;
}

/* Nothing matches a glob that is about another node. */
static int take_patterns(struct chosen *c, const struct breakpoints_request *request)
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

/* 0 or -errno, with the reason in `why`; to be freed in any case. */
static int chosen_make(struct chosen *c, const struct breakpoints_request *request, char *why)
{
	int err = take_patterns(c, request);

	c->atoms = atoms_new(c->target);
	if (!err && c->pattern_count)
		text_near_begin(&c->near, c->patterns[0], strlen(c->patterns[0]) / 3);
	if (!err)
		err = c->atoms ? choose_all(c) : -ENOMEM;
	return check(c, err, why);
}

int breakpoints_find(const struct target *target, const char *glob, char *why)
{
	const struct breakpoints_request request = { .globs = &glob, .glob_count = 1 };
	struct chosen c = { .target = target };
	int err = chosen_make(&c, &request, why);

	chosen_free(&c);
	return err;
}

static uint64_t atom_term(uint32_t index)
{
	return (uint64_t)index << 6 | 0xb;
}

static int want(const struct breakpoints_request *request, const struct target *target, uint64_t id, uint64_t globs)
{
	struct functions_key key = { .id = id, .os_id = target->os_id };
	int map = loader_map(request->loader, request->map);

	return map < 0 ? map : bpf_map_update_elem(map, &key, &globs, BPF_ANY) ? -errno : 0;
}

static int set_literal(struct loader *loader, const struct target *target, size_t step, uint32_t atom)
{
	struct functions_key key = { .id = step, .os_id = target->os_id };
	int map = loader_map(loader, "functions_literals");
	__u64 term = atom_term(atom);

	return map < 0 ? map : bpf_map_update_elem(map, &key, &term, BPF_ANY) ? -errno : 0;
}

/* What the atoms of --when are on this node. One that it does not have stays unknown, and is equal to nothing. */
static int set_literals(const struct chosen *c, const struct breakpoints_request *request)
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

/* The programs are to know whose hits these are. */
static int want_all(const struct chosen *c, const struct breakpoints_request *request)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->count; i++) {
		const struct code_function *f = &c->functions[i].code;

		err = want(request, c->target, erl_id_of_mfa(atom_term(f->module), atom_term(f->name), f->arity),
			   c->functions[i].globs);
	}
	return err;
}

static unsigned long limit_of(const struct breakpoints_request *request)
{
	return request->call_limit ? request->call_limit : OPTIONS_CALL_LIMIT;
}

/* Who changes a node says so. */
static void tell(const struct breakpoints *made, const struct target *target, unsigned long limit)
{
	const struct guard *guard = &made->guard;

	pr_info("%s (process %d): %" PRId64 " function%s of the VM now; process <0.%u.%u> of the node removes them "
		"when this trace ends, or at more than %lu calls a second",
		target->node, target->pid, guard->count, guard->count == 1 ? " has a breakpoint" : "s have breakpoints",
		guard->number, guard->serial, limit);
}

/* The cookie is forgotten as soon as it is of no more use. */
static int connect_and_set(const struct chosen *c, const struct breakpoints_request *request, struct guard *guard,
			   char *why)
{
	char cookie[COOKIE_SIZE];
	struct guard_request wanted = {
		.cookie = cookie,
		.functions = c->named,
		.count = c->count,
		.limit = limit_of(request),
		.entry_only = request->entry_only,
	};
	int err = cookie_find(c->target, request->cookie_file, cookie);

	if (err)
		snprintf(why, BREAKPOINTS_WHY, "its cookie is not known (%s), see %s", strerror(-err),
			 request->cookie_option);
	else
		err = guard_set(guard, c->target, &wanted, why);
	explicit_bzero(cookie, sizeof(cookie));
	return err;
}

static struct breakpoints *set(const struct chosen *c, const struct breakpoints_request *request, char *why)
{
	struct breakpoints *made = calloc(1, sizeof(*made));
	int err = made ? want_all(c, request) : -ENOMEM;

	if (!err)
		err = set_literals(c, request);
	if (err)
		snprintf(why, BREAKPOINTS_WHY, "its functions cannot be told to the kernel: %s", strerror(-err));
	if (!err) {
		made->limit_option = request->limit_option;
		err = connect_and_set(c, request, &made->guard, why);
	}
	if (err) {
		free(made);
		return NULL;
	}
	/* What the guard itself calls, before this is known, counts; that is a few calls at most. */
	(void)want(request, c->target, erl_id_make(ERL_ID_LOCAL, made->guard.number, made->guard.serial), 0);
	return made;
}

struct breakpoints *breakpoints_set(const struct target *target, const struct breakpoints_request *request, char *why)
{
	struct chosen c = { .target = target };
	struct breakpoints *made = NULL;
	int err = chosen_make(&c, request, why);

	if (!err && name_all(&c)) {
		snprintf(why, BREAKPOINTS_WHY, "memory is short");
		err = -ENOMEM;
	}
	if (!err)
		made = set(&c, request, why);
	if (made)
		tell(made, target, limit_of(request));
	chosen_free(&c);
	errno = err ? -err : ECONNREFUSED;
	return made;
}

void breakpoints_free(struct breakpoints *breakpoints)
{
	if (!breakpoints)
		return;
	guard_end(&breakpoints->guard);
	free(breakpoints);
}

int breakpoints_fd(const struct breakpoints *breakpoints)
{
	return breakpoints->guard.task.fd;
}

bool breakpoints_hear(struct breakpoints *breakpoints, const struct target *target)
{
	switch (guard_hear(&breakpoints->guard)) {
	case GUARD_WATCHES: return true;
	case GUARD_LIMIT:
		pr_err("%s: the functions are called too often (see %s): the breakpoints are removed, and calls are "
		       "not measured any more",
		       target->node, breakpoints->limit_option);
		return false;
	case GUARD_TRACED:
		pr_err("%s: other functions are set to be traced by anybody, and were by us: the breakpoints are "
		       "removed, "
		       "and calls are not measured any more",
		       target->node);
		return false;
	case GUARD_KILLED:
		pr_err("%s: somebody ended the process that guards the breakpoints: they are removed, and calls are "
		       "not measured any more",
		       target->node);
		return false;
	default:
		pr_err("%s: the connection is over: the breakpoints are removed, and calls are not measured any more",
		       target->node);
		return false;
	}
}
