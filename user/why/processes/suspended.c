// SPDX-License-Identifier: BSD-2-Clause
#include "why/processes/suspended.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/memory/erlid.h"
#include "why/source/sign_process.h"

#define MOST_WAITS 256

static struct suspension *find(struct suspended *suspended, const struct busy_wait *wait)
{
	size_t i = 0;

	while (i < suspended->count &&
	       (suspended->all[i].last.port != wait->port || suspended->all[i].last.peer != wait->peer))
		i++;
	if (i == SUSPENDED_MOST)
		return NULL;
	if (i == suspended->count)
		suspended->all[suspended->count++] = (struct suspension){ .last = *wait };
	return &suspended->all[i];
}

void suspended_look(struct suspended *suspended, const struct target *target, const struct erl_pid_layout *pids)
{
	struct busy_wait waits[MOST_WAITS];
	size_t count = busy_read(target, pids, waits, MOST_WAITS);

	suspended->looks++;
	for (size_t i = 0; i < count; i++) {
		struct suspension *found = find(suspended, &waits[i]);

		if (!found)
			continue;
		if (found->seen_in != suspended->looks) {
			found->seen_in = suspended->looks;
			found->looks++;
			found->processes = 0;
			found->last = waits[i];
		}
		found->processes++;
	}
}

static int by_looks(const void *a, const void *b)
{
	const struct suspension *x = a, *y = b;

	return x->looks < y->looks ? 1 : x->looks > y->looks ? -1 : 0;
}

static void write_port(struct processes *processes, const struct busy_wait *wait, struct sign_busy *sign)
{
	struct sign_process owner = {};
	char port[ERLID_SIZE];

	snprintf(sign->what, sizeof(sign->what), "%s (%s)", erlid_format(wait->port, port), wait->name);
	sign_process_fill(processes, wait->owner, NULL, &owner);
	snprintf(sign->owner, sizeof(sign->owner), "%s%s%.200s", owner.pid, owner.name[0] ? " " : "", owner.name);
}

void suspended_finish(struct suspended *suspended, struct processes *processes, struct signs *signs)
{
	qsort(suspended->all, suspended->count, sizeof(*suspended->all), by_looks);
	for (size_t i = 0; i < suspended->count && signs->busy_count < SIGN_FEW; i++) {
		const struct suspension *one = &suspended->all[i];
		struct sign_busy *sign = &signs->busy[signs->busy_count++];

		sign->is_connection = one->last.peer != 0;
		sign->queued = one->last.queued;
		sign->share = suspended->looks ? (double)one->looks / (double)suspended->looks : 0;
		sign->processes = one->processes;
		sign_process_fill(processes, one->last.process, NULL, &sign->process);
		if (sign->is_connection)
			sign_function(processes, one->last.peer, sign->what);
		else
			write_port(processes, &one->last, sign);
	}
}
