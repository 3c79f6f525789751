// SPDX-License-Identifier: BSD-2-Clause
#include "why/schedulers/blocked_schedulers.h"

#include <stdlib.h>

#include "node/processes/tables.h"
#include "target/reader/proc_stat.h"

static struct blocked *blocked_for(struct blocked_schedulers *sleeps, const struct call_stack *frames)
{
	size_t i = 0;

	while (i < sleeps->count && sleeps->all[i].function != frames->functions[0])
		i++;
	if (i == BLOCKED_MOST)
		return NULL;
	if (i == sleeps->count)
		sleeps->all[sleeps->count++] = (struct blocked){ .function = frames->functions[0], .frames = *frames };
	return &sleeps->all[i];
}

static void count_process(struct blocked *blocked, uint64_t id)
{
	size_t i = 0;

	blocked->hits++;
	while (i < blocked->processes && blocked->ids[i] != id)
		i++;
	if (i == BLOCKED_IDS)
		return;
	if (i == blocked->processes)
		blocked->ids[blocked->processes++] = id;
	blocked->id_hits[i]++;
}

static void count_table(struct blocked *blocked, uint64_t table)
{
	size_t i = 0;

	while (i < BLOCKED_TABLES && blocked->tables[i] && blocked->tables[i] != table)
		i++;
	if (!table || i == BLOCKED_TABLES)
		return;
	blocked->tables[i] = table;
	blocked->table_hits[i]++;
}

static bool is_still(const struct blocked_place *place, const struct process_look *before, size_t i)
{
	struct scheduler_look looks[SCHEDULERS_MAX];
	struct process_look now;

	schedulers_look(place->schedulers, looks);
	if (looks[i].process != before->process.address)
		return false;
	processes_look(place->processes, &looks[i].process, &now, 1);
	return now.process.id == before->process.id && now.process.reds == before->process.reds;
}

bool blocked_schedulers_look(struct blocked_schedulers *sleeps, const struct blocked_place *place, size_t i,
			     const struct process_look *look)
{
	pid_t thread = host_cpu_thread(place->host, i);
	struct blocked *blocked;
	struct call_stack frames;
	char state = thread ? proc_stat_state(thread) : '\0';
	uint64_t terms[SCHEDULER_ARGUMENTS] = {};

	if (state != 'S' && state != 'D')
		return false;
	schedulers_arguments(place->schedulers, i, terms);
	if (!is_still(place, look, i))
		return false;
	call_stack_read(place->target, &look->fields, true, &frames);
	blocked = frames.count ? blocked_for(sleeps, &frames) : NULL;
	if (blocked) {
		count_process(blocked, look->process.id);
		count_table(blocked, table_name(place->target, terms[0]));
	}
	return true;
}

static int by_hits(const void *a, const void *b)
{
	const struct blocked *x = a, *y = b;

	return x->hits < y->hits ? 1 : x->hits > y->hits ? -1 : 0;
}

void blocked_schedulers_sort(struct blocked_schedulers *sleeps)
{
	qsort(sleeps->all, sleeps->count, sizeof(*sleeps->all), by_hits);
}

uint64_t blocked_process(const struct blocked *blocked)
{
	size_t most = 0;

	for (size_t i = 1; i < blocked->processes; i++)
		most = blocked->id_hits[i] > blocked->id_hits[most] ? i : most;
	return blocked->ids[most];
}

uint64_t blocked_table(const struct blocked *blocked)
{
	size_t most = 0;

	for (size_t i = 1; i < BLOCKED_TABLES; i++)
		most = blocked->table_hits[i] > blocked->table_hits[most] ? i : most;
	return blocked->tables[most];
}
