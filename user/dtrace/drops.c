// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/drops.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Counters are of all CPUs together, and are told as the first one's where a message names a CPU. */
static const struct drop {
	size_t counter;		/* in struct d_state */
	const char *tag, *what, *more;
} drops[] = {
	{ offsetof(struct d_state, record_drops), "DRP_PRINCIPAL", "drop", " on CPU 0" },
	{ offsetof(struct d_state, frame_drops), "DRP_PRINCIPAL", "drop", " on CPU 0" },
	{ offsetof(struct d_state, agg_drops), "DRP_AGGREGATION", "aggregation drop", " on CPU 0" },
	{ offsetof(struct d_state, dynamic_drops), "DRP_DYNAMIC", "dynamic variable drop", "" },
	{ offsetof(struct d_state, speculation_drops), "DRP_SPEC", "speculative drop", "" },
	{ offsetof(struct d_state, speculation_busy), "DRP_SPECBUSY", "failed speculation",
	  " (available buffer(s) still busy)" },
	{ offsetof(struct d_state, speculation_unavailable), "DRP_SPECUNAVAIL", "failed speculation",
	  " (no speculative buffer available)" },
};

static uint64_t counter_of(const struct d_state *state, const struct drop *drop)
{
	return *(const uint64_t *)((const char *)state + drop->counter);
}

void drops_tell(struct d_state *before, const struct d_state *now, const char *name, bool with_tags)
{
	for (size_t i = 0; i < sizeof(drops) / sizeof(*drops); i++) {
		uint64_t lost = counter_of(now, &drops[i]) - counter_of(before, &drops[i]);

		if (!lost)
			continue;
		fprintf(stderr, "%s: ", name);
		if (with_tags)
			fprintf(stderr, "[%s] ", drops[i].tag);
		fprintf(stderr, "%" PRIu64 " %s%s%s\n", lost, drops[i].what, lost > 1 ? "s" : "", drops[i].more);
	}
	*before = *now;
}
