/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports the aggregations of a D program as metric families, with keys as labels. The number of keys is unbounded; the
 * number of series is not: per aggregation, the heaviest keys have a series, and all others share one, with keys
 * "other".
 */
#ifndef ERLBPF_SERVE_SCRIPTS_SCRIPT_METRICS_H
#define ERLBPF_SERVE_SCRIPTS_SCRIPT_METRICS_H

#include <json-c/json.h>
#include <sys/types.h>

#include "serve/metrics/metrics.h"

struct session;
struct target;

/* Who runs scripts. */
struct script_host {
	/* The BEAM with this pid, or NULL. */
	const struct target *(*find)(void *data, pid_t pid);
	/* Labels of a node, at most SCRIPT_NODE_LABELS; valid until the next call. Returns how many. */
	size_t (*labels)(void *data, const struct target *target, struct metric_label *labels);
	/* Called during long work, to answer requests. */
	void (*breathe)(void *data);
	void *data;
};

#define SCRIPT_NODE_LABELS 5

struct script_metrics;

/* For a starting program of script `file`. Makes the families. NULL: no memory. */
struct script_metrics *script_metrics_new(struct metrics *metrics, const char *file, const struct session *session,
					  size_t series);

/* Also removes the families. */
void script_metrics_free(struct script_metrics *script);

/* Reads the current values from the kernel into the families. */
void script_metrics_read(struct script_metrics *script, const struct session *session, const struct script_host *host);

/* For each aggregation: its metric or the reason why it has none, and the number of keys without a series. */
struct json_object *script_metrics_json(const struct script_metrics *script);

/* The same numbers as a metric. */
void script_metrics_report(const struct script_metrics *script, struct metric_family *dropped);

#endif
