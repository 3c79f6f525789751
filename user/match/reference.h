/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * References: builds of a release whose function names are known, in tables that are part of erlbpf. Each release has
 * at least two, by different compilers. `make fingerprints` makes the tables with probes/fingerprint.c.
 *
 * A table is compressed with zlib: the uncompressed size as 8 bytes, then numbers in LEB128, and the names:
 *
 *   version, release, references, bytes of names; the NUL-terminated names
 *   features, each as the difference from the previous one
 *   for each reference: functions, and for each function
 *       its instructions, its registers (registers.h), its name (0: none, else 1 + twice its number, + 1 if static),
 *       how many features, calls, taken functions, and each of them (as differences)
 *       how many touched objects, and each: twice its number, + 1 if its address is computed, and the offset in it
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
	const char *text; /* NULL: none, or a copy with other arguments */
	bool is_static;
};

struct reference_object {
	const char *name;
	uint32_t size;
	uint32_t kind; /* binary_kind_of_data() */
};

struct touch {
	uint32_t object, place; /* offset into it */
	bool is_computed;	/* see TOUCHED() */
};

struct reference {
	struct graph graph;	      /* TOUCHES has indexes into `touches` */
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

/* 0, -EINVAL if the table is invalid, or -ENOMEM. Call reference_set_free() in any case. */
int reference_set_read(const void *table, size_t size, struct reference_set *set);
void reference_set_free(struct reference_set *set);

/* The table of `release`, or of the newest release before it; NULL: none. */
const void *reference_table(int release, size_t *size);

#endif
