/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the VM's data is, by the functions that use it: each pair of functions votes for all places at which the
 * objects of the one may be in the other, and most for what is used in the same order.
 */
#ifndef ERLBPF_MATCH_VOTES_H
#define ERLBPF_MATCH_VOTES_H

#include "match/graph/binary.h"
#include "match/pairing.h"
#include "match/reference.h"

struct vote {
	const char *name;
	uint32_t address, size;
	uint32_t weight; /* of the ballots for it */
};

struct votes {
	struct vote *all;
	size_t count;
};

/* Add what one reference says of a build. 0 or -ENOMEM. */
int votes_count(const struct reference *reference, const struct binary *binary, const struct graph *graph,
		const struct pairing *pairing, struct votes *votes);

/*
 * Keep the places that so many references agree on. References by another compiler may see it otherwise if they have
 * less to say: their ballots weigh less than half.
 */
void votes_decide(struct votes *votes, size_t agreeing);

void votes_free(struct votes *votes);

#endif
