/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that is shown for one selected process: its row in the table, its stack, and its relations. */
#ifndef ERLBPF_NODE_PROCESSES_PROCESS_DETAILS_H
#define ERLBPF_NODE_PROCESSES_PROCESS_DETAILS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/relations.h"

struct process_details {
	struct process_look look;
	struct call_stack stack; /* newest first; the first frame of a waiting process is where it waits */
	struct relations relations;
	bool has_relations;
};

/* Its current state. 0; -ESRCH if the process ended. */
int process_details_read(struct processes *processes, const struct process *process, struct process_details *details);

#endif
