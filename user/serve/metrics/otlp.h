/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics as OTLP, the protocol of OpenTelemetry: one message with all series, under the names that they have in
 * /metrics. Histograms are exponential ones; all that grows is told as it is since its start, so a message that is lost
 * loses nothing that the next does not tell.
 */
#ifndef ERLBPF_SERVE_METRICS_OTLP_H
#define ERLBPF_SERVE_METRICS_OTLP_H

#include <stddef.h>
#include <stdint.h>

#include "serve/metrics/metrics.h"
#include "serve/http/pairs.h"

#define OTLP_TYPE "application/x-protobuf"

/* What is said of all points. Times are nanoseconds since 1970. */
struct otlp_head {
	const struct pairs *resource;
	uint64_t time_ns;
	uint64_t offset_ns; /* between the times of series and these: a start does not move with the clock */
};

/* The message, which the caller frees; NULL: no memory. */
uint8_t *otlp_render(const struct metrics *metrics, const struct otlp_head *head, size_t *size);

/* What of a message was not taken, by the answer to it: both 0 and "" if all was, or if the answer makes no sense. */
struct otlp_refusal {
	uint64_t points;
	char why[200];
};

void otlp_read_answer(const uint8_t *answer, size_t size, struct otlp_refusal *refusal);

#endif
