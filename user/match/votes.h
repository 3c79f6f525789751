/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the VM's data through the functions that use it. Each pair of functions votes for the addresses that the
 * objects of one may have in the other; objects at the same position in the order of use get the most weight.
 */
#ifndef ERLBPF_MATCH_VOTES_H
#define ERLBPF_MATCH_VOTES_H

#include "match/graph/binary.h"
#include "match/pairing.h"
#include "match/reference.h"

struct vote {
	const char *name;
	uint32_t address, size;
	uint32_t weight; /* sum of its ballots */
};

struct votes {
	struct vote *all;
	size_t count;
};

/* Adds the votes of one reference. 0 or -ENOMEM. */
int votes_count(const struct reference *reference, const struct binary *binary, const struct graph *graph,
		const struct pairing *pairing, struct votes *votes);

/*
 * Keeps the addresses that `agreeing` references agree on. A reference by another compiler may disagree if its ballots
 * have less than half the weight.
 */
void votes_decide(struct votes *votes, size_t agreeing);

void votes_free(struct votes *votes);

#endif
