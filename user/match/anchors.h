/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What names functions for sure, in any build of a release: they are exported, or the VM's own tables name them, as the
 * table of BIFs, those of NIFs and those of drivers do.
 */
#ifndef ERLBPF_MATCH_ANCHORS_H
#define ERLBPF_MATCH_ANCHORS_H

#include "match/binary.h"
#include "match/graph.h"

/* 0 or -ENOMEM. */
int anchors_find(const struct binary *binary, struct graph *graph);

/* The array of the texts of the atoms that the VM is built with: count 0, there is none. */
struct atom_texts {
	uint32_t address, count;
};

void anchors_atoms(const struct binary *binary, struct atom_texts *atoms);

/* The text of an atom by its term, NULL: it is none of them. */
const char *anchors_atom(const struct binary *binary, const struct atom_texts *atoms, uint64_t term);

/* The table of BIFs, by its shape: its address and how many entries it has. False: there is none. */
bool anchors_bif_table(const struct binary *binary, uint32_t *address, uint32_t *entries);

/* Is this pointer that to its name in the description of a driver (ErlDrvEntry)? The name, or NULL. */
const char *anchors_driver_name(const struct binary *binary, const struct binary_pointer *pointer);

struct anchors_bif {
	uint32_t called, works; /* functions; the second does the work */
	char mfa[640];		/* what Erlang calls it */
};

/* The entry of that table at this address. False: it makes no sense. */
bool anchors_read_bif(const struct binary *binary, const struct atom_texts *atoms, uint32_t address,
		      struct anchors_bif *bif);

#define ANCHORS_DRIVER_NAME 48 /* bytes into the description */
#define ANCHORS_BIF_ENTRY 48   /* bytes of an entry */

#endif
