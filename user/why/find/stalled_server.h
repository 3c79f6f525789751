/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that is idle while others wait for its reply, directly or through others. */
#ifndef ERLBPF_WHY_FIND_STALLED_SERVER_H
#define ERLBPF_WHY_FIND_STALLED_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/source/signs.h"
#include "why/processes/process_trends.h"

#define STALLED_MOST 64 /* processes that others wait for */

struct stalled_servers {
	struct stalled_server {
		uint64_t id, callers;
		bool is_indirect; /* some of them wait through others */
	} asked[STALLED_MOST];
	size_t count;
};

/* Adds a process that waits for a reply of `id`, directly or through others. */
void stalled_add(struct stalled_servers *chains, uint64_t id, bool is_indirect);

/* Fills signs->waits.stalled. */
void stalled_finish(const struct stalled_servers *chains, struct processes *processes, const struct trends *trends,
		    struct signs *signs);

#endif
