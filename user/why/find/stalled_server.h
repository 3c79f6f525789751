/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that does nothing while others wait for its answer, or for the answer of one that waits for it. */
#ifndef ERLBPF_WHY_FIND_STALLED_SERVER_H
#define ERLBPF_WHY_FIND_STALLED_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/source/signs.h"
#include "why/processes/process_trends.h"

#define STALLED_MOST 64 /* processes whose answers are waited for, told apart */

struct stalled_servers {
	struct stalled_server {
		uint64_t id, callers;
		bool is_indirect; /* some of them wait for it over others */
	} asked[STALLED_MOST];
	size_t count;
};

/* Somebody waits for an answer of `id`, or of others that do. */
void stalled_add(struct stalled_servers *chains, uint64_t id, bool is_indirect);

/* Into the signs: chain. */
void stalled_finish(const struct stalled_servers *chains, struct processes *processes, const struct trends *trends,
		    struct signs *signs);

#endif
