// SPDX-License-Identifier: BSD-2-Clause
/* count: how often each probe fires. See bpf/count.bpf.c. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "probe/catalogue.h"
#include "tool.h"

#include "count.skel.h"

enum { PROBE, EVENTS, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PROBE] = { "probe", COLUMN_TEXT, -30, false },
	[EVENTS] = { "events", COLUMN_NUMBER, 12, false },
};

struct row {
	char name[PROBE_NAME_SIZE];
	uint64_t events;
};

static int by_events(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->events < y->events ? 1 : x->events > y->events ? -1 : 0;
}

static size_t fill_rows(struct run *run, struct row *rows)
{
	size_t count = 0;

	for (uint32_t probe = 0; probe < probe_count(); probe++) {
		uint64_t events, lost;

		if (run_hits(run, probe, &events, &lost) || !events)
			continue;
		probe_name(probe, rows[count].name);
		rows[count++].events = events;
	}
	qsort(rows, count, sizeof(*rows), by_events);
	return count;
}

static int snapshot(struct run *run)
{
	_cleanup_free_ struct row *rows = calloc(probe_count(), sizeof(*rows));
	_cleanup_free_ struct value *cells = calloc((size_t)probe_count() * COLUMNS, sizeof(*cells));
	struct sink_table table = { .cells = cells };

	if (!rows || !cells)
		return -ENOMEM;
	table.rows = fill_rows(run, rows);
	for (size_t i = 0; i < table.rows; i++) {
		cells[i * COLUMNS + PROBE].text = rows[i].name;
		cells[i * COLUMNS + EVENTS].number = rows[i].events;
	}
	run_table(run, &table);
	return 0;
}

const struct tool tool_count = {
	.name = "count",
	.summary = "how often each probe fires",
	.nothing = "no probe fired",
	.instead = "`erlbpf list -v` says what each probe is and when it fires",
	.description =
		"Counts the hits of the probes whose names match GLOB; without GLOB, of all safe probes. app:NAME is\n"
		"a probe that an application's own code fires (package erlbpf); so is a NAME that erlbpf has no probe\n"
		"of and that is not nearly one: `erlbpf app --by kind`.",
	.examples = "# Hits of every probe on all nodes of this machine, every second\n"
		    "erlbpf count 1\n"
		    "# Garbage collections of one node, for 10 seconds\n"
		    "erlbpf count 'gc_*' -p 1234 -d 10",
	.takes = TAKES_GLOB,
	.of_names = &tool_app,
	.elf = count_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.snapshot = snapshot,
};
