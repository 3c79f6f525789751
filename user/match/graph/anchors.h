/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What names functions for sure, in any build of a release: they are exported, or the VM's own tables name them, as the
 * table of BIFs, those of NIFs and those of drivers do.
 */
#ifndef ERLBPF_MATCH_GRAPH_ANCHORS_H
#define ERLBPF_MATCH_GRAPH_ANCHORS_H

#include "match/graph/binary.h"
#include "match/graph/effort.h"
#include "match/graph/graph.h"

/* Where a table is, and how many entries it has, 0: there is none. */
struct anchors_table {
	uint32_t address, count;
};

struct anchors_tables {
	struct anchors_table atoms; /* the texts of those that the VM is built with */
	struct anchors_table bifs;
};

/* Both are found by their shape. */
void anchors_tables(const struct binary *binary, struct anchors_tables *tables);

/* 0, -ENOEXEC if there are too many, or -ENOMEM. */
int anchors_find(const struct binary *binary, const struct anchors_tables *tables, struct effort *effort,
		 struct graph *graph);

/* The text of an atom by its term, NULL: it is none of them. */
const char *anchors_atom(const struct binary *binary, const struct anchors_tables *tables, uint64_t term);

/* Is this pointer that to its name in the description of a driver (ErlDrvEntry)? The name, or NULL. */
const char *anchors_driver_name(const struct binary *binary, const struct binary_pointer *pointer);

struct anchors_bif {
	uint32_t called, works; /* functions; the second does the work */
	char mfa[640];		/* what Erlang calls it */
};

/* An entry of the table of BIFs. False: it makes no sense. */
bool anchors_read_bif(const struct binary *binary, const struct anchors_tables *tables, uint32_t number,
		      struct anchors_bif *bif);

#define ANCHORS_DRIVER_NAME 48 /* bytes into the description */
#define ANCHORS_BIF_ENTRY 48   /* bytes of an entry */

#endif
