/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to other nodes that are made again and again. */
#ifndef ERLBPF_WHY_PROCESSES_RECONNECTS_H
#define ERLBPF_WHY_PROCESSES_RECONNECTS_H

#include "node/processes/processes.h"
#include "why/source/signs.h"

#define RECONNECTS_MOST 256 /* peers */

struct reconnects {
	struct reconnect {
		uint64_t peer;	      /* id of its name */
		uint32_t first, last; /* how many connections there were */
	} all[RECONNECTS_MOST];
	size_t count;
};

/* Look once: some times a second. */
void reconnects_look(struct reconnects *flaps, const struct target *target);

/* Into the signs: flaps. */
void reconnects_finish(const struct reconnects *flaps, struct processes *processes, struct signs *signs);

#endif
