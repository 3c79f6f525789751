/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of a node's atoms, from its atom table. Atoms never change, so each is read once. The cache is bounded:
 * when it is full, it starts empty again.
 */
#ifndef ERLBPF_NODE_ATOMS_ATOMS_H
#define ERLBPF_NODE_ATOMS_ATOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define ATOM_MAX_BYTES 1020 /* 255 characters */
#define ATOM_NONE UINT32_MAX

struct atoms;

/* The target must outlive it. NULL and errno on failure. */
struct atoms *atoms_new(const struct target *target);
void atoms_free(struct atoms *atoms);

/* Call it when the process has ended: only cached atoms are known from then on. */
void atoms_end(struct atoms *atoms);

/* The index of an atom's term, or ATOM_NONE. */
uint32_t atom_of_term(uint64_t term);

/* The term of an atom; 0 for ATOM_NONE. */
uint64_t atom_term(uint32_t index);

/* Reads the atoms that are not cached, with few system calls. */
void atoms_fetch(struct atoms *atoms, const uint32_t *indices, size_t count);

/*
 * The bytes of an atom, hostile, terminated, valid until the next call; *length because they may contain NULs. NULL: no
 * such atom, or unreadable.
 */
const char *atoms_bytes(struct atoms *atoms, uint32_t index, size_t *length);

/*
 * Finds the atoms with these texts among the first ones, with which the VM starts, in one pass. ATOM_NONE: not found.
 */
void atoms_find(struct atoms *atoms, const char *const *texts, size_t count, uint32_t *found);

/* Visits all atoms of the table in order, up to a sane number. `visit` returns false to stop. */
void atoms_each(struct atoms *atoms, bool (*visit)(void *data, const char *bytes, size_t length), void *data);

/* Same, among all atoms; slow on a node with many. */
void atoms_find_all(struct atoms *atoms, const char *const *texts, size_t count, uint32_t *found);

/* The atom in Erlang syntax, quoted if necessary. False: unreadable. */
bool atoms_format(struct atoms *atoms, uint32_t index, char *text, size_t size);

#endif
