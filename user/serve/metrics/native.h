/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics as Prometheus' protobuf format: histograms are native ones, and classic ones for who wants these. */
#ifndef ERLBPF_SERVE_METRICS_NATIVE_H
#define ERLBPF_SERVE_METRICS_NATIVE_H

#include <stddef.h>

#include "serve/metrics/metrics.h"

#define NATIVE_TYPE "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"

/* Families, each with its length before it. The caller frees it; NULL: no memory. */
char *native_render(const struct metrics *metrics, size_t *size);

#endif
