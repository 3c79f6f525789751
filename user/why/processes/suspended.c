// SPDX-License-Identifier: BSD-2-Clause
/* Processes that busy ports and connections suspend, and their share of the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/memory/erlid.h"
#include "node/processes/busy.h"
#include "node/processes/processes.h"
#include "why/schedulers/samples.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define SUSPENDED_MOST 32

struct suspended {
	uint64_t looks;
	size_t count;
	struct suspension {
		struct busy_wait last;
		uint64_t looks, seen_in, processes;
	} all[SUSPENDED_MOST];
};

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

static void suspended_look(struct suspended *suspended, const struct target *target, const struct erl_pid_layout *pids)
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

static void suspended_finish(struct suspended *suspended, struct processes *processes, struct signs *signs)
{
	qsort(suspended->all, suspended->count, sizeof(*suspended->all), by_looks);
	for (size_t i = 0; i < suspended->count && signs->suspended.count < SIGN_FEW; i++) {
		const struct suspension *one = &suspended->all[i];
		struct sign_busy *sign = &signs->suspended.worst[signs->suspended.count++];

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

static void source_look(void *state, struct why_node *node)
{
	suspended_look(state, node->target, &node->pids);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	suspended_finish(state, node->processes, signs);
}

const struct why_source suspended_source = {
	.size = sizeof(struct suspended),
	.look = source_look,
	.finish = source_finish,
};
