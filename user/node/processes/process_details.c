// SPDX-License-Identifier: BSD-2-Clause
#include "node/processes/process_details.h"

#include <errno.h>
#include <string.h>

static bool is_still(struct processes *processes, uint64_t id, uint64_t address)
{
	struct process_look again;

	processes_look(processes, &address, &again, 1);
	return again.process.id == id;
}

int process_details_read(struct processes *processes, const struct process *process, struct process_details *details)
{
	const struct target *target = processes_target(processes);
	const uint64_t id = process->id, address = process->address;

	*details = (struct process_details){};
	processes_look(processes, &address, &details->look, 1);
	if (details->look.process.id != id)
		return -ESRCH;
	call_stack_read(target, &details->look.fields, !strcmp(process_status(&details->look.process), "running"),
			&details->stack);
	details->has_relations = !relations_read(target, address, &details->relations);
	/* The memory may belong to another process by now. */
	return is_still(processes, id, address) ? 0 : -ESRCH;
}
