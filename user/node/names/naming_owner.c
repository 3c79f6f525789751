// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the processes that a process works for. proc_lib keeps its ancestors in the dictionary as '$ancestors': pids,
 * or names that were registered at that time. Elixir's Task keeps its callers as '$callers' in the same way.
 */
#include "node/atoms/atoms.h"
#include "node/names/naming_parts.h"
#include "node/atoms/pids.h"
#include "target/reader/procfs.h"

#define MAX_OWNERS 4 /* entries of a list that are read */

static uint32_t registered_of(const struct naming *names, uint64_t id)
{
	const struct target *target = names->target;
	uint64_t process = pid_process(target, names->pids, id), reg, words[REG_WORDS];

	if (!process || procfs_memory(target->pid, process + (uint64_t)names->registered, &reg, 8) || !reg ||
	    procfs_memory(target->pid, reg, words, sizeof(words)) || words[REG_PROCESS] != process)
		return ATOM_NONE;
	return atom_of_term(words[REG_NAME]);
}

uint32_t naming_owner_of(struct naming *names, uint64_t term)
{
	uint64_t id = pid_of_term(names->pids, term);
	struct known_owner *known = &names->owner[id & (OWNERS_KNOWN - 1)];

	if (!id)
		return atom_of_term(term);
	if (known->id != id)
		*known = (struct known_owner){ id, registered_of(names, id) };
	return known->registered;
}

uint32_t naming_owner(struct naming *names, uint64_t list, uint64_t *first)
{
	uint32_t found = ATOM_NONE;

	for (int i = 0; i < MAX_OWNERS && found == ATOM_NONE && (list & 3) == 1; i++) {
		uint64_t cell[2];

		if (procfs_memory(names->target->pid, list - 1, cell, sizeof(cell)))
			break;
		if (first && !i)
			*first = pid_of_term(names->pids, cell[0]);
		found = naming_owner_of(names, cell[0]);
		list = cell[1];
	}
	return found;
}
