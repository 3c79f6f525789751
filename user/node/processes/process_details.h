/* SPDX-License-Identifier: BSD-2-Clause */
/* All that is read of one process that somebody looks at: what the table has of it, its stack, and its relations. */
#ifndef ERLBPF_NODE_PROCESSES_PROCESS_DETAILS_H
#define ERLBPF_NODE_PROCESSES_PROCESS_DETAILS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/relations.h"

struct process_details {
	struct process_look look;
	struct call_stack stack; /* the newest first; of a process that waits, the first one is where it waits */
	struct relations relations;
	bool has_relations;
};

/* As it is now. 0; -ESRCH if the process of that id is not there any more. */
int process_details_read(struct processes *processes, const struct process *process, struct process_details *details);

#endif
