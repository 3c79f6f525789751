/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last hour of each node for the page, at intervals of ten seconds: counts and percentiles of each histogram, and
 * numbers of the node (node_metrics.h). Memory is bounded: HISTORY_MOST histograms of HISTORY_BYTES, and HISTORY_NODES
 * nodes of HISTORY_NODE_BYTES; others have no history. Entries without data for an hour are reused.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_HISTORY_H
#define ERLBPF_SERVE_NODE_VIEW_HISTORY_H

#include <stdint.h>

#include "serve/metrics/metrics.h"

#define HISTORY_EVERY_NS (10 * 1000000000ULL)
#define HISTORY_POINTS 360
#define HISTORY_MOST 256
#define HISTORY_BYTES (14 * 1024)
#define HISTORY_NODES 256
#define HISTORY_NODE_BYTES (9 * 1024)

struct history;
struct json_object;

/* NULL: no memory. */
struct history *history_new(void);
void history_free(struct history *history);

/* Call after a reading: adds a point if it is time for one. */
void history_add(struct history *history, const struct metrics *metrics, uint64_t now_ns);

/*
 * {"every_s": 10, "times": [...], "series": [{"metric", "unit", "node", "count", "p50", "p90", "p99"}], "numbers":
 * [{"metric", "unit", "node", "values"}]}. Times are seconds since 1970, oldest first. Each series has as many values;
 * null: none. Values of counters are growth per second. The caller frees it.
 */
struct json_object *history_json(const struct history *history);

#endif
