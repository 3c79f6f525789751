/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anchors identify a function with certainty in all builds of a release: it is exported, or named by a table of BIFs,
 * NIFs or drivers.
 */
#ifndef ERLBPF_MATCH_GRAPH_ANCHORS_H
#define ERLBPF_MATCH_GRAPH_ANCHORS_H

#include "match/graph/binary.h"
#include "match/graph/effort.h"
#include "match/graph/graph.h"

/* Address and number of entries; 0 entries: not found. */
struct anchors_table {
	uint32_t address, count;
};

struct anchors_tables {
	struct anchors_table atoms; /* texts of built-in atoms */
	struct anchors_table bifs;
};

/* Finds both tables by their structure. */
void anchors_tables(const struct binary *binary, struct anchors_tables *tables);

/* 0, -ENOEXEC if there are too many, or -ENOMEM. */
int anchors_find(const struct binary *binary, const struct anchors_tables *tables, struct effort *effort,
		 struct graph *graph);

/* The text of an atom by its term; NULL: no built-in atom. */
const char *anchors_atom(const struct binary *binary, const struct anchors_tables *tables, uint64_t term);

/* If the pointer is the name in an ErlDrvEntry, the driver's name; else NULL. */
const char *anchors_driver_name(const struct binary *binary, const struct binary_pointer *pointer);

struct anchors_bif {
	uint32_t called, works; /* functions: the entry, and the implementation */
	char mfa[640];		/* Erlang name */
};

/* Reads an entry of the table of BIFs. False: invalid. */
bool anchors_read_bif(const struct binary *binary, const struct anchors_tables *tables, uint32_t number,
		      struct anchors_bif *bif);

#define ANCHORS_DRIVER_NAME 48 /* offset in an ErlDrvEntry */
#define ANCHORS_BIF_ENTRY 48   /* size of an entry */

#endif
