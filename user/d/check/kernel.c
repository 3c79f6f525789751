// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel symbols: `max_pfn, nf_conntrack`nf_conntrack_max. A variable is the value at its address, *(type *)address,
 * and is read like all kernel memory. A symbol without a type has only an address, &`linux_banner.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "d/check/checker.h"
#include "d/types/kernel_symbols.h"

/* As in DTrace, for all kernel symbols. */
static const struct stability of_kernel = { STABILITY_PRIVATE, STABILITY_PRIVATE, CLASS_UNKNOWN };

static bool find(struct checker *checker, const struct node *node, uint64_t *address)
{
	struct unit *unit = checker->unit;
	int err = 0;

	/* Also in inlines: after expansion, the origin is no longer visible. */
	if (unit->options.is_confined) {
		check_error(checker, node, "D_PRIVS", "%s needs root rights", node->name);
		return false;
	}
	if (!unit->kernel_symbols)
		err = kernel_symbols_read(unit->options.kernel_symbols, &unit->kernel_symbols);
	if (!err)
		err = kernel_symbols_find(unit->kernel_symbols, node->name, address);
	if (!err)
		return check_stability(checker, node, node->name, of_kernel);
	if (err == -EACCES)
		check_error(checker, node, "D_IDENT_UNDEF",
			    "symbol \"%s\": the kernel hides its addresses, see kernel.kptr_restrict", node->name);
	else
		check_error(checker, node, "D_IDENT_UNDEF",
			    "symbol \"%s\": not in /proc/kallsyms, which lists variables only with CONFIG_KALLSYMS_ALL",
			    node->name);
	return false;
}

/* (type *)address */
static void become_pointer(struct checker *checker, struct node *node, uint64_t address, struct type *type)
{
	struct node *number = arena_alloc(checker->unit->arena, sizeof(*number));

	number->kind = NODE_INT;
	number->file = node->file;
	number->line = node->line;
	node_set_int(number, address, type_int(checker->unit->types, 8, false));
	node->kind = NODE_CAST;
	node->named = type_pointer(checker->unit->types, type);
	node->a = number;
}

bool check_kernel_address(struct checker *checker, struct node *node)
{
	const char *type = kernel_symbol_type(node->a->name);
	uint64_t address;

	if (!find(checker, node->a, &address))
		return false;
	become_pointer(checker, node, address,
		       type ? type_parse(checker->unit->types, type) : type_void(checker->unit->types));
	return check_expression(checker, node);
}

bool check_kernel_symbol(struct checker *checker, struct node *node)
{
	const char *type = kernel_symbol_type(node->name);
	struct node *pointer;
	uint64_t address;

	if (!find(checker, node, &address))
		return false;
	if (!type) {
		check_error(checker, node, "D_SYM_NOTYPES",
			    "symbol \"%s\": its type is unknown; cast its address, as in *(int *)&%s", node->name,
			    node->name);
		return false;
	}
	pointer = arena_alloc(checker->unit->arena, sizeof(*pointer));
	pointer->file = node->file;
	pointer->line = node->line;
	become_pointer(checker, pointer, address, type_parse(checker->unit->types, type));
	node->kind = NODE_UNARY;
	node->op = OP_DEREF;
	node->a = pointer;
	return check_expression(checker, node);
}
