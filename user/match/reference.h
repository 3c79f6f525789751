/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * References: builds of a release whose functions are known by name, in a table that is part of erlbpf. There are at
 * least two for a release, by different compilers. probes/fingerprint.c makes the tables, `make fingerprints` runs it.
 *
 * A table is compressed by zlib: the size of the rest as 8 bytes, then numbers in LEB128, and the names:
 *
 *   version, release, references, bytes of names; the names, each with a NUL
 *   features, and each as the distance from the one before
 *   of each reference: functions, and of each function
 *       its instructions, its registers (registers.h), its name (0: none, else 1 + twice its number, + 1 if static),
 *       how many features, calls, taken functions, and each of them (a distance, again)
 *       how many touched objects, and each: twice its number, + 1 if its address is computed, and where in it
 *     anchors, each a key and a function
 *     objects, each a name, its size and its kind
 */
#ifndef ERLBPF_MATCH_REFERENCE_H
#define ERLBPF_MATCH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "match/graph/graph.h"

#define REFERENCE_VERSION 1
#define REFERENCES_MAX 8

struct reference_name {
	const char *text; /* NULL: it has none, or is a copy with other arguments */
	bool is_static;
};

struct reference_object {
	const char *name;
	uint32_t size;
	uint32_t kind; /* binary_kind_of_data() */
};

struct touch {
	uint32_t object, place; /* bytes from its beginning */
	bool is_computed;	/* see TOUCHED() */
};

struct reference {
	struct graph graph;	      /* TOUCHES has the numbers of touches */
	struct reference_name *names; /* of each function */
	struct reference_object *objects;
	size_t object_count;
	struct touch *touches;
	size_t touch_count;
};

struct reference_set {
	int release;
	struct reference all[REFERENCES_MAX];
	size_t count;
	char *names;
};

/* Of a table; -EINVAL if it makes no sense, or -ENOMEM. reference_set_free() in any case. */
int reference_set_read(const void *table, size_t size, struct reference_set *set);
void reference_set_free(struct reference_set *set);

/* The tables that are part of erlbpf: of release `release`, or of the newest before it, NULL: none. */
const void *reference_table(int release, size_t *size);

#endif
