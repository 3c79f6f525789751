/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last hour of each node, for the page, every ten seconds: of each histogram how much was counted and its
 * percentiles; and the numbers that say how the node was (vitals.h). Memory is bounded: HISTORY_MOST histograms of
 * nodes, HISTORY_BYTES each, and HISTORY_NODES nodes, HISTORY_NODE_BYTES each; what comes beyond has no history, and
 * one of which nothing was heard in the hour makes room.
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

/* After a reading, at that time: a point, if it is time for one. */
void history_add(struct history *history, const struct metrics *metrics, uint64_t now_ns);

/*
 * {"every_s": 10, "times": [...], "series": [{"metric", "unit", "node", "count", "p50", "p90", "p99"}],
 * "numbers": [{"metric", "unit", "node", "values"}]}: times in seconds since 1970, the oldest first; of each series as
 * many values, null where nothing was counted or the number was not there. Of a metric that only grows, a value is by
 * how much it has grown, per second. The caller's.
 */
struct json_object *history_json(const struct history *history);

#endif
