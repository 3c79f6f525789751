// SPDX-License-Identifier: BSD-2-Clause
/*
 * args[n] of probes with typed arguments. Sources of the types: the prelude for proc and sched, the kernel's BTF for
 * rawtp, and syscall_types.def for system calls (the upper half of a register with an int is undefined). All others are
 * 64-bit integers.
 */
#include "d/check/checker.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "d/types/kernel_types.h"
#include "d/lang/syscalls.h"

#define NAME_SIZE 128

/* The inline in the prelude, NULL: none. */
static struct symbol *inline_of_provider(struct checker *checker, const char *provider, const struct probe_spec *spec,
					 int64_t number)
{
	const struct identifier *identifier;
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "__%s_%s_%d", provider, spec->name, (int)number);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	identifier = symbol_find(checker, SCOPE_GLOBAL, name);
	return identifier && !identifier->is_wrong && identifier->symbol->kind == SYMBOL_INLINE ? identifier->symbol
												: NULL;
}

/* A description without a provider means one of the kernel's. */
static bool is_of_any(const struct probe_spec *spec)
{
	return !*spec->provider && !*spec->function;
}

static const char *const providers[] = { "io", "proc", "sched" };

#define PROVIDERS (sizeof(providers) / sizeof(*providers))

static struct symbol *inline_of(struct checker *checker, const struct probe_spec *spec, int64_t number)
{
	struct symbol *symbol = NULL;

	if (!is_of_any(spec))
		return inline_of_provider(checker, spec->provider, spec, number);
	for (size_t i = 0; !symbol && i < PROVIDERS; i++)
		symbol = inline_of_provider(checker, providers[i], spec, number);
	return symbol;
}

/* The native name of a tracepoint is a C identifier; no other kernel probe has an underscore. */
static bool is_raw(const struct probe_spec *spec)
{
	return !strcmp(spec->provider, "rawtp") || (is_of_any(spec) && strchr(spec->name, '_'));
}

int check_argument_count(struct checker *checker, const struct probe_spec *spec)
{
	int count = 0;

	if (!*spec->name || strpbrk(spec->name, "*?["))
		return -1;
	if (is_raw(spec))
		return kernel_types_arguments(checker->unit->kernel, spec->name);
	for (size_t i = 0; i < PROVIDERS; i++) {
		if (strcmp(spec->provider, providers[i]))
			continue;
		while (inline_of_provider(checker, providers[i], spec, count))
			count++;
		return count;
	}
	return -1;
}

static bool is_call(const struct probe_spec *spec)
{
	return (!strcmp(spec->provider, "syscall") || !*spec->provider) && *spec->function &&
	       !strcmp(spec->name, "entry");
}

/* A type that is unknown to the program may be the kernel's. */
static struct type *type_of_call(struct checker *checker, const char *call, int64_t number)
{
	const char *types = syscall_types(call);
	char text[NAME_SIZE];
	struct type *type;

	for (; types && number; number--) {
		types = strstr(types, ", ");
		types = types ? types + 2 : NULL;
	}
	if (!types || !*types)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(types, ","), types);
	type = type_parse(checker->unit->types, text);
	return type || strchr(text, ' ') ? type : kernel_types_named(checker->unit->kernel, text);
}

/* NULL: unknown. */
static struct type *type_of(struct checker *checker, const struct probe_spec *spec, int64_t number)
{
	const struct symbol *symbol;

	if (is_raw(spec))
		return kernel_types_argument(checker->unit->kernel, spec->name, (unsigned int)number);
	if (is_call(spec))
		return type_of_call(checker, spec->function, number);
	symbol = inline_of(checker, spec, number);
	return symbol ? symbol->type : NULL;
}

/* The type on which all descriptions of the clause agree. */
static struct type *common_type(struct checker *checker, int64_t number)
{
	const struct probe_spec *specs = checker->clause->clause->specs;
	struct type *type = specs ? type_of(checker, specs, number) : NULL;

	for (const struct probe_spec *spec = specs; type && spec; spec = spec->next) {
		if (is_raw(spec) != is_raw(specs) || is_call(spec) != is_call(specs) ||
		    !type_same(type_of(checker, spec, number), type))
			return NULL;
	}
	return type;
}

/* The raw value, argN. */
static struct node *raw_argument(struct checker *checker, const struct node *at, int64_t number)
{
	struct node *node = arena_alloc(checker->unit->arena, sizeof(*node));

	*node = (struct node){
		.kind = NODE_IDENT,
		.file = at->file,
		.line = at->line,
		.name = arena_printf(checker->unit->arena, "arg%d", (int)number),
	};
	return check_identifier(checker, node) ? node : NULL;
}

bool check_probe_argument(struct checker *checker, struct node *node, int64_t number)
{
	const struct probe_spec *spec = checker->clause->clause->specs;
	struct type *type = common_type(checker, number);

	if (!type) {
		node->type = type_parse(checker->unit->types, "int64_t");
		return true;
	}
	node->args = NULL;
	if (!is_raw(spec) && !is_call(spec))
		return expand_inline(checker, node, inline_of(checker, spec, number), NULL);
	node->kind = NODE_CAST;
	node->symbol = NULL; /* no longer the index of args, where a further index would be another one */
	node->named = node->type = type;
	node->a = raw_argument(checker, node, number);
	return node->a;
}
