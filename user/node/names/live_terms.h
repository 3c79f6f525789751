/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much a process that waits remembers: what is in maps and lists that are reachable from its stack, as the state of
 * a server is, and in its process dictionary. Read from the node's memory; nothing is stopped for it.
 */
#ifndef ERLBPF_NODE_NAMES_LIVE_TERMS_H
#define ERLBPF_NODE_NAMES_LIVE_TERMS_H

#include <stdint.h>

#include "node/names/naming.h"
#include "target/target.h"

/* Of all that few steps lead to, over tuples and small maps. */
struct live_terms {
	uint64_t pairs;	   /* of maps */
	uint64_t elements; /* of lists, as those of a queue of the module queue; 0: there are more than were read */
};

/* A list has to be walked through: at most `*left` bytes are read for that, which become less. */
void live_terms_count(const struct target *target, const struct name_fields *fields, size_t *left,
		      struct live_terms *terms);

/* Elements of the process dictionary at that address. */
uint64_t dictionary_elements(const struct target *target, uint64_t dictionary);

#endif
