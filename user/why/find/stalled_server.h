/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that does nothing while others wait for its answer, or for the answer of one that waits for it. */
#ifndef ERLBPF_WHY_FIND_STALLED_SERVER_H
#define ERLBPF_WHY_FIND_STALLED_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/source/signs.h"
#include "why/processes/process_trends.h"

#define CHAINS_MOST 64 /* processes whose answers are waited for, told apart */

struct chains {
	struct chain_asked {
		uint64_t id, askers;
		bool is_over; /* some of them wait for it over others */
	} asked[CHAINS_MOST];
	size_t count;
};

/* Somebody waits for an answer of `id`, or of others that do. */
void chains_add(struct chains *chains, uint64_t id, bool is_over);

/* Into the signs: chain. */
void chains_finish(const struct chains *chains, struct processes *processes, const struct trends *trends,
		   struct signs *signs);

#endif
