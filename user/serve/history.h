/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last hour of each node, for the page: of each histogram, every ten seconds, how much was counted and its
 * percentiles. Memory is bounded: HISTORY_MOST histograms of nodes, HISTORY_BYTES each; what comes beyond has no
 * history, and one of which nothing was heard in the hour makes room.
 */
#ifndef ERLBPF_SERVE_HISTORY_H
#define ERLBPF_SERVE_HISTORY_H

#include <stdint.h>

#include "serve/metrics.h"

#define HISTORY_EVERY_NS (10 * 1000000000ULL)
#define HISTORY_POINTS 360
#define HISTORY_MOST 256
#define HISTORY_BYTES (14 * 1024)

struct history;
struct json_object;

/* NULL: no memory. */
struct history *history_new(void);
void history_free(struct history *history);

/* After a reading, at that time: a point, if it is time for one. */
void history_add(struct history *history, const struct metrics *metrics, uint64_t now_ns);

/*
 * {"every_s": 10, "times": [...], "series": [{"metric", "unit", "node", "count", "p50", "p90", "p99"}]}: times in
 * seconds since 1970, the oldest first; of each series as many values, null where nothing was counted. The caller's.
 */
struct json_object *history_json(const struct history *history);

#endif
