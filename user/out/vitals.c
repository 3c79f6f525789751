// SPDX-License-Identifier: BSD-2-Clause
#include "out/vitals.h"

#include <stdio.h>

#include "out/cell.h"

#define ALARMING 80 /* percent of a limit */

struct facts {
	struct panel_fact *list;
	size_t count;
};

static void add(struct facts *facts, const char *title, const char *text, bool is_alarming)
{
	struct panel_fact *fact = &facts->list[facts->count++];

	snprintf(fact->text, sizeof(fact->text), "%s %.40s", title, text);
	fact->is_alarming = is_alarming;
}

static void add_bytes(struct facts *facts, const char *title, uint64_t bytes)
{
	char buf[CELL_SIZE];

	if (bytes)
		add(facts, title, cell_human(bytes, true, buf), false);
}

static void add_rate(struct facts *facts, const char *title, const struct value *rate)
{
	char buf[CELL_SIZE], text[CELL_SIZE + 4];

	if (rate->is_null)
		return;
	snprintf(text, sizeof(text), "%s/s", cell_human(rate->number, false, buf));
	add(facts, title, text, false);
}

/* "procs 1.2k/262k" */
static void add_limit(struct facts *facts, const char *title, const struct node_limit *limit)
{
	char used[CELL_SIZE], most[CELL_SIZE], text[2 * CELL_SIZE + 2];

	if (!limit->most)
		return;
	snprintf(text, sizeof(text), "%s/%s", cell_human(limit->used, false, used),
		 cell_human(limit->most, false, most));
	add(facts, title, text, limit->used * 100 >= limit->most * ALARMING);
}

size_t vitals_facts(const struct vitals *vitals, struct panel_fact list[VITALS_FACTS])
{
	const struct value reds = { .number = vitals->reds_per_s };
	struct facts facts = { .list = list };
	char text[CELL_SIZE];

	add(&facts, "run queue", cell_human(vitals->run_queue, false, text), false);
	if (vitals->busy) {
		snprintf(text, sizeof(text), "%u%%", (unsigned int)(vitals->collecting * 100 / vitals->busy));
		add(&facts, "gc", text, false);
	}
	add_rate(&facts, "reds", &reds);
	add_rate(&facts, "msgs", &vitals->messages_per_s);
	add_limit(&facts, "procs", &vitals->limits.processes);
	add_limit(&facts, "ports", &vitals->limits.ports);
	add_limit(&facts, "atoms", &vitals->limits.atoms);
	add_bytes(&facts, "rss", vitals->resident);
	add_bytes(&facts, "heaps", vitals->heaps);
	add_bytes(&facts, "binaries", vitals->binaries);
	add_bytes(&facts, "ets", vitals->ets);
	add_bytes(&facts, "code", vitals->code);
	return facts.count;
}
