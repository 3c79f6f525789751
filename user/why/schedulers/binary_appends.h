/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that append to a large binary by copying all of it. */
#ifndef ERLBPF_WHY_SCHEDULERS_BINARY_APPENDS_H
#define ERLBPF_WHY_SCHEDULERS_BINARY_APPENDS_H

#include "node/processes/processes.h"
#include "why/source/signs.h"

#define APPENDS_MOST 32 /* running processes with large binaries */

struct binary_appends {
	struct binary_append {
		uint64_t id, size, value;	      /* at the previous sample; 0: none */
		uint64_t least, most;		      /* sizes */
		uint32_t looks, grown, moved, fallen; /* moved: grown, and another binary than before */
	} all[APPENDS_MOST];
	size_t count;
};

/* A process that was found running. */
void binary_appends_look(struct binary_appends *appends, const struct target *target, const struct process *process);

/* Fills the sign except for the process, whose id is returned. 0: none. */
uint64_t binary_appends_finish(const struct binary_appends *appends, struct sign_binary_appends *sign);

#endif
