/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much data a waiting process keeps: in maps and lists reachable from its stack, such as a server's state, and in
 * its process dictionary. Read from the node's memory, without stopping it.
 */
#ifndef ERLBPF_NODE_NAMES_LIVE_TERMS_H
#define ERLBPF_NODE_NAMES_LIVE_TERMS_H

#include <stdint.h>

#include "node/names/naming.h"
#include "target/target.h"

/* Totals of all terms within a few steps, through tuples and small maps. */
struct live_terms {
	uint64_t pairs;	   /* in maps */
	uint64_t elements; /* in lists, such as those of the module queue; 0: over the limit */
};

/* Walking a list reads at most `*left` bytes, which decrease. */
void live_terms_count(const struct target *target, const struct name_fields *fields, size_t *left,
		      struct live_terms *terms);

/* The number of elements of the process dictionary at that address. */
uint64_t dictionary_elements(const struct target *target, uint64_t dictionary);

#endif
