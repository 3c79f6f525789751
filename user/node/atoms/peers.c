// SPDX-License-Identifier: BSD-2-Clause
/* Source: DistEntry in erl_node_tables.h; fields as in probes/fields.def. All of it may change during the read. */
#include "node/atoms/peers.h"

#include <stdbool.h>

#include "erl.h"
#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define MOST_PEERS 1024

static bool read_field(const struct target *target, uint64_t entry, const char *field, void *to, size_t size)
{
	int64_t offset;

	return !field_offset(target->vm, field, &offset) &&
	       !procfs_memory(target->pid, entry + (uint64_t)offset, to, size);
}

void peers_each(const struct target *target, const char *list, void (*visit)(void *data, uint64_t entry), void *data)
{
	uint64_t address, entry;

	if (target_symbol(target, list, &address) || procfs_memory(target->pid, address, &entry, sizeof(entry)))
		return;
	for (int i = 0; entry && i < MOST_PEERS; i++) {
		visit(data, entry);
		if (!read_field(target, entry, "dist_entry.next", &entry, sizeof(entry)))
			return;
	}
}

uint64_t peer_name(const struct target *target, uint64_t entry)
{
	uint64_t name;

	if (!read_field(target, entry, "dist_entry.sysname", &name, sizeof(name)) || atom_of_term(name) == ATOM_NONE)
		return 0;
	return erl_id_of(ERL_ID_ATOM, atom_of_term(name));
}

uint32_t peer_connections(const struct target *target, uint64_t entry)
{
	uint32_t id;

	return read_field(target, entry, "dist_entry.connection_id", &id, sizeof(id)) ? id : 0;
}
