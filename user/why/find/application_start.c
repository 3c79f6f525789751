// SPDX-License-Identifier: BSD-2-Clause
/*
 * The start of an application waits for its supervisor, which waits for its children, one after the other, each until
 * its init function returns. So the newest idle child is the one that all wait for.
 *
 * Source: application_master.erl, supervisor.erl and proc_lib.erl of OTP 25, 27 and 29.
 */
#include "why/find/application_start.h"

#include <string.h>

#include "why/source/sign_process.h"

#define MOST_STEPS 16 /* nested supervisors */

static uint64_t newest_child(struct processes *processes, const struct trends *trends, uint64_t parent)
{
	uint64_t newest = 0;

	for (size_t row = 0; row < processes_rows(processes); row++) {
		const struct process *process = processes_row(processes, row);

		if (processes_has(processes, row) && process->parent == parent && process->id > newest &&
		    trends_is_idle(trends, row))
			newest = process->id;
	}
	return newest;
}

void application_start_finish(struct processes *processes, const struct trends *trends, struct signs *signs)
{
	struct sign_process last = signs->waits.start.process;

	for (int step = 0; signs->waits.start.idle && step < MOST_STEPS && strstr(last.stack, "proc_lib:sync_start");
	     step++) {
		uint64_t child = newest_child(processes, trends, last.id);

		if (!child)
			return;
		last = (struct sign_process){};
		sign_process_fill(processes, child, NULL, &last);
		signs->waits.started = last;
	}
}
