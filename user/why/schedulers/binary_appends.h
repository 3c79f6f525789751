/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that append to a large binary by copying all of it. */
#ifndef ERLBPF_WHY_SCHEDULERS_BINARY_APPENDS_H
#define ERLBPF_WHY_SCHEDULERS_BINARY_APPENDS_H

#include "node/processes/processes.h"
#include "why/source/signs.h"

#define APPENDS_MOST 32 /* processes with large binaries that were found running */

struct binary_appends {
	struct binary_append {
		uint64_t id, size, value;	      /* at the look before, 0: there was none */
		uint64_t least, most;		      /* sizes */
		uint32_t looks, grown, moved, fallen; /* moved: of those that have grown, it is another one */
	} all[APPENDS_MOST];
	size_t count;
};

/* A process that was found running. */
void binary_appends_look(struct binary_appends *appends, const struct target *target, const struct process *process);

/* Who does it in most looks, into the sign, but who it is: its id is returned. 0: nobody. */
uint64_t binary_appends_finish(const struct binary_appends *appends, struct sign_binary_appends *sign);

#endif
