// SPDX-License-Identifier: BSD-2-Clause
/*
 * A table is an atom, or a reference with a magic binary, whose data is the address of a DbTable, which has the name
 * that it was made with.
 *
 * Source: tid2tab() of erl_db.c, erts_binary_to_magic_indirection() of erl_binary.h; fields as in probes/fields.def.
 */
#include "node/tables.h"

#include "erl.h"
#include "node/atoms.h"
#include "node/fields.h"
#include "target/procfs.h"

#define TAG_MASK 3
#define TAG_BOXED 2

/* The word at a field of what `address` is of. */
static bool read_word(const struct target *target, uint64_t address, const char *field, uint64_t *word)
{
	int64_t offset;

	return address && !field_offset(target->vm, field, &offset) &&
	       !procfs_memory(target->pid, address + (uint64_t)offset, word, sizeof(*word));
}

static uint64_t id_of_atom(uint64_t term)
{
	uint32_t atom = atom_of_term(term);

	return atom == ATOM_NONE ? 0 : erl_id_of(ERL_ID_ATOM, atom);
}

uint64_t table_name(const struct target *target, uint64_t term)
{
	uint64_t magic, table, name;

	if ((term & TAG_MASK) != TAG_BOXED)
		return id_of_atom(term);
	if (!read_word(target, term, "ref.magic", &magic) || !read_word(target, magic, "magic.data", &table) ||
	    !read_word(target, table, "table.name", &name))
		return 0;
	return id_of_atom(name);
}
