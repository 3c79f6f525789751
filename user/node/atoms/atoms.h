/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of a node's atoms, read from its atom table. An atom never changes, so each is read once. The
 * cache is bounded: when it is full, it is emptied and filled anew.
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

/* The target must outlive it. NULL and errno. */
struct atoms *atoms_new(const struct target *target);
void atoms_free(struct atoms *atoms);

/* The process has ended: from now on, only what has been read is known. */
void atoms_end(struct atoms *atoms);

/* Index of the atom that a term is, or ATOM_NONE. */
uint32_t atom_of_term(uint64_t term);

/* The term of an atom; 0, which is none, of ATOM_NONE. */
uint64_t atom_term(uint32_t index);

/* Read these atoms, as far as they are not known yet, with few system calls. */
void atoms_fetch(struct atoms *atoms, const uint32_t *indices, size_t count);

/*
 * Its bytes, hostile, terminated, until the next call, and their number, since they may hold NULs; NULL if
 * there is no such atom or it cannot be read.
 */
const char *atoms_bytes(struct atoms *atoms, uint32_t index, size_t *length);

/*
 * Where the atoms with these texts are, among those that the VM starts with; ATOM_NONE: they are not. One look at the
 * table for all of them.
 */
void atoms_find(struct atoms *atoms, const char *const *texts, size_t count, uint32_t *found);

/* All atoms of the table, in its order; no more than are sane for a VM. `visit` returns false to end it. */
void atoms_each(struct atoms *atoms, bool (*visit)(void *data, const char *bytes, size_t length), void *data);

/* The same among all atoms, which takes a while on a node that has many. */
void atoms_find_all(struct atoms *atoms, const char *const *texts, size_t count, uint32_t *found);

/* The atom as Erlang writes it, in quotes where its syntax wants them. False if it cannot be read. */
bool atoms_format(struct atoms *atoms, uint32_t index, char *text, size_t size);

#endif
