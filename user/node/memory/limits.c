// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: ErtsPTab in erl_ptab.h, whose aid_ix increases by one with each new process (erts_ptab_new_element()), and
 * IndexTable in index.h; fields as in probes/fields.def.
 */
#include "node/memory/limits.h"

#include "node/memory/fields.h"
#include "target/reader/procfs.h"

/* Reads a 32-bit number in an exported structure. False: unreadable. */
static bool read_number(const struct target *target, const char *symbol, const char *field, uint32_t *number)
{
	uint64_t address;
	int64_t offset;

	return !field_offset(target->vm, field, &offset) && !target_symbol(target, symbol, &address) &&
	       !procfs_memory(target->pid, address + (uint64_t)offset, number, sizeof(*number));
}

static struct node_limit read_limit(const struct target *target, const char *symbol, const char *used, const char *most)
{
	uint32_t has, may;

	if (!read_number(target, symbol, used, &has) || !read_number(target, symbol, most, &may))
		return (struct node_limit){};
	return (struct node_limit){ .used = has, .most = may };
}

void node_limits_read(const struct target *target, struct node_limits *limits)
{
	*limits = (struct node_limits){
		.processes = read_limit(target, "erts_proc", "ptab.count", "ptab.max"),
		.ports = read_limit(target, "erts_port", "ptab.count", "ptab.max"),
		.atoms = read_limit(target, "erts_atom_table", "index.entries", "index.limit"),
	};
	if (!read_number(target, "erts_proc", "ptab.allotted", &limits->spawned))
		limits->spawned = 0;
}
