// SPDX-License-Identifier: BSD-2-Clause
#include "node/processes/running.h"

#include <stdlib.h>

#include "base/array.h"

#define MOST (1u << 16)

static int by_id(const void *a, const void *b)
{
	const struct running_process *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void running_merge(struct running *running)
{
	struct running_process *list = running->list;
	size_t merged = 0;

	if (!running->count)
		return;
	qsort(list, running->count, sizeof(*list), by_id);
	for (size_t i = 1; i < running->count; i++) {
		if (list[i].id == list[merged].id)
			list[merged].hits += list[i].hits;
		else
			list[++merged] = list[i];
	}
	running->count = merged + 1;
	running->is_full = running->count > MOST / 2;
}

void running_add(struct running *running, uint64_t id)
{
	if (running->count == MOST && !running->is_full)
		running_merge(running);
	if (running->count < MOST && array_has_room(running->list, running->count))
		running->list[running->count++] = (struct running_process){ .id = id, .hits = 1 };
}

void running_clear(struct running *running)
{
	running->count = 0;
	running->is_full = false;
}

void running_free(struct running *running)
{
	free(running->list);
	*running = (struct running){};
}
