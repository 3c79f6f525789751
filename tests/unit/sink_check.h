/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of sinks share: a sink into memory, hostile data, histograms of samples. */
#ifndef ERLBPF_TESTS_SINK_CHECK_H
#define ERLBPF_TESTS_SINK_CHECK_H

#include "check.h"
#include "hist.h"
#include "out/sink.h"

enum { TEXT, NUMBER, SIGNED, TIME, DURATION, PID, COLUMNS };

/* A sink for events with one column of each type, and what it has written so far. */
struct captured {
	struct sink sink;
	struct column columns[COLUMNS];
	char *text;
	size_t size;
};

void captured_begin(struct captured *c, enum sink_format format);
const char *captured_text(struct captured *c); /* valid until something more is written */
void captured_free(struct captured *c);

/* Values of an event of process 4711 at 1,700,000,000 s after 1970. */
#define CHECK_TIME 1700000000123456789ULL
void make_values(struct value values[COLUMNS], const char *text);
void send_event(struct captured *c, const struct value values[COLUMNS], const char *node);

/* A histogram of samples; it borrows `slots`. */
struct sink_hist hist_of(const uint64_t *samples, size_t count, uint64_t slots[HIST_SLOTS]);

/* Texts that try to break out of a line, a field or a string. */
extern const char *const hostile_texts[];
extern const size_t hostile_count;

/* A summary of two probes and two targets. */
extern const struct sink_summary check_summary;

/* A sample with a rate. */
extern const struct sink_window check_sample;

#endif
