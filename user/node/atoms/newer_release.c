// SPDX-License-Identifier: BSD-2-Clause
/*
 * Checks that the first slots of the process table hold processes: each begins with its own pid, and its initial call
 * is two readable atoms and an arity. In a structure with added or removed fields, these words have other contents.
 */
#include "node/atoms/newer_release.h"

#include <stdint.h>

#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "node/atoms/pids.h"
#include "target/reader/procfs.h"

#define SLOTS 512 /* checked slots */
#define MOST_TRIED 16
#define LEAST_RIGHT 3
#define MAX_ARITY 255
#define PID_TAG 3
#define TAG_MASK 0xf

static bool is_atom(struct atoms *atoms, uint64_t term)
{
	uint32_t index = atom_of_term(term);
	size_t length;

	return index != ATOM_NONE && atoms_bytes(atoms, index, &length);
}

static bool is_process(const struct target *target, struct atoms *atoms, uint64_t address, int64_t initial)
{
	uint64_t id, mfa[3];

	if (procfs_memory(target->pid, address, &id, sizeof(id)) ||
	    procfs_memory(target->pid, address + (uint64_t)initial, mfa, sizeof(mfa)))
		return false;
	return (id & TAG_MASK) == PID_TAG && is_atom(atoms, mfa[0]) && is_atom(atoms, mfa[1]) && mfa[2] <= MAX_ARITY;
}

/* Describes the inconsistency, or returns NULL. */
static const char *find_mismatch(const struct target *target)
{
	struct erl_pid_layout layout;
	uint64_t slots[SLOTS];
	unsigned int tried = 0, right = 0;
	struct atoms *atoms;
	int64_t initial;

	if (pid_layout_read(target, &layout) || !layout.table || field_offset(target->vm, "process.initial", &initial))
		return "its process table is not where the newest known release has it";
	if (procfs_memory(target->pid, layout.table, slots, sizeof(slots)))
		return "its process table cannot be read";
	atoms = atoms_new(target);
	for (size_t i = 0; atoms && i < SLOTS && tried < MOST_TRIED; i++) {
		if (!slots[i])
			continue;
		tried++;
		right += is_process(target, atoms, slots[i], initial);
	}
	atoms_free(atoms);
	/* One process may end during the check, and one slot is reserved. */
	return right >= LEAST_RIGHT && right + 2 >= tried
		       ? NULL
		       : "its processes differ from those of the newest known release";
}

const char *newer_release_refusal(const struct target *target)
{
	return target->vm->otp > OTP_NEWEST ? find_mismatch(target) : NULL;
}
