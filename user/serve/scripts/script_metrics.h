/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The aggregations of a D program as metrics: one family each, its keys as labels. Keys are without bound, series are
 * not: of each aggregation the heaviest so many have a series, all others are one, whose keys are "other".
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
	/* A BEAM by its pid; NULL: it is none, or is not known. */
	const struct target *(*find)(void *data, pid_t pid);
	/* Labels of a node, at most SCRIPT_NODE_LABELS; valid until the next call. Returns how many. */
	size_t (*labels)(void *data, const struct target *target, struct metric_label *labels);
	/* What takes long calls it now and then: others have their turn. */
	void (*breathe)(void *data);
	void *data;
};

#define SCRIPT_NODE_LABELS 5

struct script_metrics;

/* For a program that begins to run; `file` is its script. Makes the families. NULL: no memory. */
struct script_metrics *script_metrics_new(struct metrics *metrics, const char *file, const struct session *session,
					  size_t series);

/* The families go, too. */
void script_metrics_free(struct script_metrics *script);

/* The values that the kernel has now become those of the families. */
void script_metrics_read(struct script_metrics *script, const struct session *session, const struct script_host *host);

/* For each aggregation its metric, or why it is none; and the keys that have no series of their own. */
struct json_object *script_metrics_json(const struct script_metrics *script);

/* The same numbers as a metric. */
void script_metrics_report(const struct script_metrics *script, struct metric_family *dropped);

#endif
