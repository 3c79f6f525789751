/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics as Prometheus' text format 0.0.4, and as OpenMetrics 1.0. */
#ifndef ERLBPF_SERVE_METRICS_PROMETHEUS_H
#define ERLBPF_SERVE_METRICS_PROMETHEUS_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/metrics/metrics.h"

#define PROMETHEUS_TEXT "text/plain; version=0.0.4; charset=utf-8"
#define PROMETHEUS_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* The text, which the caller frees; NULL: no memory. */
char *prometheus_render(const struct metrics *metrics, bool is_openmetrics, size_t *size);

/*
 * Buckets of a classic histogram: powers of two of what is counted. The bounds, in base units and ascending, without
 * +Inf, and how many of the series' values are not above each. Returns their number, at most PROMETHEUS_BUCKETS.
 */
#define PROMETHEUS_BUCKETS 40
size_t prometheus_buckets(const struct metric_family *family, const struct metric_series *series,
			  double bounds[PROMETHEUS_BUCKETS], uint64_t counts[PROMETHEUS_BUCKETS]);

/*
 * The same of a family with bounds of its own: those that any of its series has had something in, and the one below.
 * What is above the last is in the series' count.
 */
void prometheus_own_buckets(const struct metric_family *family, const struct metric_series *series,
			    void (*visit)(void *to, double bound, uint64_t count), void *to);

#endif
