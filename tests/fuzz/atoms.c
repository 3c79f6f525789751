// SPDX-License-Identifier: BSD-2-Clause
/* Any memory as a node's atom table: single atoms, many, a search, and their texts; then again when it is gone. */
#include "foreign.h"
#include "node/atoms/atoms.h"

#define MOST 600 /* more than are read together */

static void check_atom(struct atoms *atoms, uint32_t index)
{
	char text[64];
	size_t length = 0;
	const char *bytes = atoms_bytes(atoms, index, &length);

	must(!bytes || length <= ATOM_MAX_BYTES, "an atom is no longer than atoms are");
	must(!bytes || bytes[length] == '\0', "the bytes of an atom are terminated");
	must(!bytes || index != ATOM_NONE, "no atom has no bytes");
	must(atoms_format(atoms, index, text, sizeof(text)) || !bytes, "an atom that was read has a text");
	must_be_text(text, sizeof(text));
}

/* What was read stays as it was, whatever the memory is now. */
static void check_again(struct atoms *atoms, uint32_t index)
{
	char before[ATOM_MAX_BYTES + 1];
	size_t length, again;
	const char *bytes = atoms_bytes(atoms, index, &length);

	if (!bytes)
		return;
	memcpy(before, bytes, length + 1);
	bytes = atoms_bytes(atoms, index, &again);
	must(bytes && again == length && !memcmp(bytes, before, length + 1), "an atom never changes");
}

static void check_found(struct atoms *atoms)
{
	static const char *const texts[] = { "proc_lib", "init", "no such atom" };
	uint32_t found[3];

	atoms_find(atoms, texts, 3, found);
	for (size_t i = 0; i < 3; i++) {
		size_t length;
		const char *bytes = atoms_bytes(atoms, found[i], &length);

		must(!bytes || !strcmp(bytes, texts[i]), "an atom that was found is the one that was asked for");
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	uint32_t indices[MOST], first, step;
	struct atoms *atoms;

	if (!foreign_begin(data, size))
		return;
	atoms = atoms_new(&foreign.target);
	if (!atoms)
		return;
	memcpy(&first, foreign.head.table + 4, sizeof(first));
	memcpy(&step, foreign.head.table + 8, sizeof(step));
	for (uint32_t i = 0; i < MOST; i++)
		indices[i] = first + i * step;
	check_atom(atoms, first);
	atoms_fetch(atoms, indices, MOST);
	for (uint32_t i = 0; i < MOST; i += 37)
		check_again(atoms, indices[i]);
	if (foreign.head.table[1] & 1)
		check_found(atoms);
	atoms_end(atoms);
	check_atom(atoms, first);
	check_atom(atoms, ATOM_NONE);
	must(atom_of_term((uint64_t)first << 6 | 0x0b) == first, "the term of an atom is its index");
	atoms_free(atoms);
}
