/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to other nodes that are made again and again. */
#ifndef ERLBPF_WHY_PROCESSES_RECONNECTS_H
#define ERLBPF_WHY_PROCESSES_RECONNECTS_H

#include "node/processes/processes.h"
#include "why/source/signs.h"

#define FLAPS_MOST 256 /* peers */

struct flaps {
	struct flap {
		uint64_t peer;	      /* id of its name */
		uint32_t first, last; /* how many connections there were */
	} all[FLAPS_MOST];
	size_t count;
};

/* Look once: some times a second. */
void flaps_look(struct flaps *flaps, const struct target *target);

/* Into the signs: flaps. */
void flaps_finish(const struct flaps *flaps, struct processes *processes, struct signs *signs);

#endif
