// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/session/drops.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS (sizeof(struct d_drops) / sizeof(uint64_t))

struct drops {
	int map;
	size_t cpus;
	struct d_drops *reported, *now; /* for each CPU */
};

static const struct drop {
	size_t counter; /* in struct d_drops */
	bool is_of_cpu; /* the message names the CPU */
	const char *tag, *what, *more;
} kinds[] = {
	{ offsetof(struct d_drops, records), true, "DTRACEDROP_PRINCIPAL", "drop", "" },
	{ offsetof(struct d_drops, frames), true, "DTRACEDROP_PRINCIPAL", "drop", "" },
	{ offsetof(struct d_drops, aggregations), true, "DTRACEDROP_AGGREGATION", "aggregation drop", "" },
	{ offsetof(struct d_drops, dynamic), false, "DTRACEDROP_DYNAMIC", "dynamic variable drop", "" },
	{ offsetof(struct d_drops, calls), false, "DTRACEDROP_PRINCIPAL", "call",
	  " whose end is not seen (a process may be within 32 traced functions at a time)" },
	{ offsetof(struct d_drops, errors), false, "DTRACEDROP_DBLERROR", "error", " in ERROR probe enabling" },
	{ offsetof(struct d_drops, speculations), false, "DTRACEDROP_SPEC", "speculative drop", "" },
	{ offsetof(struct d_drops, speculations_busy), false, "DTRACEDROP_SPECBUSY", "failed speculation",
	  " (available buffer(s) still busy)" },
	{ offsetof(struct d_drops, speculations_unavailable), false, "DTRACEDROP_SPECUNAVAIL", "failed speculation",
	  " (no speculative buffer available)" },
};

struct drops *drops_new(int map)
{
	struct drops *drops = calloc(1, sizeof(*drops));
	int cpus = libbpf_num_possible_cpus();

	if (!drops || cpus <= 0) {
		free(drops);
		errno = cpus < 0 ? -cpus : ENOMEM;
		return NULL;
	}
	drops->map = map;
	drops->cpus = (size_t)cpus;
	drops->reported = calloc(drops->cpus, sizeof(*drops->reported));
	drops->now = calloc(drops->cpus, sizeof(*drops->now));
	if (drops->reported && drops->now)
		return drops;
	drops_free(drops);
	errno = ENOMEM;
	return NULL;
}

void drops_free(struct drops *drops)
{
	if (!drops)
		return;
	free(drops->reported);
	free(drops->now);
	free(drops);
}

static uint64_t counter_of(const struct d_drops *of, const struct drop *kind)
{
	return *(const uint64_t *)((const char *)of + kind->counter);
}

static uint64_t lost_on(const struct drops *drops, const struct drop *kind, size_t cpu)
{
	return counter_of(&drops->now[cpu], kind) - counter_of(&drops->reported[cpu], kind);
}

static void say(const struct drop *kind, uint64_t lost, const char *where, const char *name, bool with_tags)
{
	if (!lost || !name)
		return;
	fprintf(stderr, "%s: ", name);
	if (with_tags)
		fprintf(stderr, "[%s] ", kind->tag);
	fprintf(stderr, "%" PRIu64 " %s%s%s%s\n", lost, kind->what, lost > 1 ? "s" : "", where, kind->more);
}

static void report_each(const struct drops *drops, const struct drop *kind, const char *name, bool with_tags)
{
	for (size_t cpu = 0; cpu < drops->cpus; cpu++) {
		char where[32];

		snprintf(where, sizeof(where), " on CPU %zu", cpu);
		say(kind, lost_on(drops, kind, cpu), where, name, with_tags);
	}
}

static void report_sum(const struct drops *drops, const struct drop *kind, const char *name, bool with_tags)
{
	uint64_t lost = 0;

	for (size_t cpu = 0; cpu < drops->cpus; cpu++)
		lost += lost_on(drops, kind, cpu);
	say(kind, lost, "", name, with_tags);
}

void drops_report(struct drops *drops, uint64_t speculations, const char *name, bool with_tags)
{
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(drops->map, &zero, drops->now))
		return;
	drops->now[0].speculations += speculations;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		(kinds[i].is_of_cpu ? report_each : report_sum)(drops, &kinds[i], name, with_tags);
	memcpy(drops->reported, drops->now, drops->cpus * sizeof(*drops->reported));
}

struct d_drops drops_total(const struct drops *drops)
{
	struct d_drops total = {};

	for (size_t cpu = 0; cpu < drops->cpus; cpu++) {
		for (size_t i = 0; i < COUNTERS; i++)
			((uint64_t *)&total)[i] += ((const uint64_t *)&drops->reported[cpu])[i];
	}
	return total;
}
