/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's metrics since its start: series by name and labels. Tools add their counts since the last reading, so
 * counters only grow. Renderers (prometheus.c, native.c, otlp.c) only read.
 * The number of process names is unbounded; the number of series is not. Per metric and node, the K heaviest names have
 * a series, and per metric at most METRICS_MOST_NAMED; others are counted as "other". Weight decays, so a name without
 * new values makes room.
 */
#ifndef ERLBPF_SERVE_METRICS_METRICS_H
#define ERLBPF_SERVE_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist.h"

#define METRICS_NAME 128
#define METRICS_LABELS 16
#define METRICS_VALUE 256      /* bytes of a label's value; what is longer is cut */
#define METRICS_MOST_NAMED 500 /* series with a name, of one family */
#define METRICS_MOST 5000      /* series of one family, whatever their labels */

enum metric_kind {
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM, /* its slots are those of hist.h */
	METRIC_BUCKETS,	  /* a histogram with bounds of the family's own, and without a sum */
};

/* Of a histogram: what its slots count, and the base unit in which it is exposed. */
enum metric_unit { UNIT_NONE, UNIT_SECONDS, UNIT_BYTES };

struct metric_label {
	const char *name;  /* a constant */
	const char *value; /* hostile text; "" leaves the label out */
};

struct metric_family {
	char name[METRICS_NAME]; /* with its unit, without _total: "erlbpf_mailbox_wait_seconds" */
	char *help;
	enum metric_kind kind;
	enum metric_unit unit;
	double scale;		       /* from what is counted to the base unit: 1e-9 for nanoseconds */
	struct metric_series **series; /* in order of appearance */
	size_t series_count;
	uint64_t dropped; /* names without a series at this reading */
	struct metric_index *index;
	bool is_read;	   /* gauges set at a reading, valid until the next */
	bool is_owned;	   /* owned by its creator, which alone clears and removes it */
	uint64_t since_ns; /* then: since when its series count, whenever they were made */

	/* Of METRIC_BUCKETS: slot i has what is above bounds[i - 1] and not above bounds[i], the last slot the rest. */
	double *bounds;
	size_t bound_count;
	size_t first_used, used_end; /* slots that any series ever had something in */
};

struct metric_series {
	struct metric_label labels[METRICS_LABELS]; /* values are owned, and UTF-8: other bytes are "?" */
	size_t label_count;
	double value;	     /* of a counter or gauge */
	uint64_t count, sum; /* of a histogram */
	uint64_t *slots;     /* from `first` on, `slot_count` of them; all others are 0. Of METRIC_BUCKETS: all */
	uint32_t first, slot_count;
	uint64_t weight;   /* what it has counted; what names compete by */
	uint64_t since_ns; /* nothing of it was counted before: the beginning of the reading before its first */
	uint64_t seen_ns;  /* when it was last added to */
};

/* What is added to a histogram. `slots`: HIST_SLOTS of them. */
struct metric_hist {
	uint64_t count, sum;
	const uint64_t *slots;
};

struct metrics;

/* `names`: series with a name of their own, per family and node. NULL: no memory. */
struct metrics *metrics_new(size_t names);
void metrics_free(struct metrics *metrics);

/* Begins a reading at that time. Gauges of the last one are cleared. */
void metrics_begin(struct metrics *metrics, uint64_t now_ns);

/* The sum of a series in the base unit, with the digits that are known: 1e-9 itself is not a number that a double has.
 */
double metrics_sum(const struct metric_family *family, uint64_t counted);

/* Finds or makes the family of this name. NULL: no memory. */
struct metric_family *metrics_family(struct metrics *metrics, const char *name, const char *help, enum metric_kind kind,
				     enum metric_unit unit, double scale);

/* Labels are copied. A label "name" competes for a series, see above. 0 or -ENOMEM. */
int metrics_add_hist(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		     size_t label_count, const struct metric_hist *hist);
int metrics_add(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		size_t label_count, double value);
int metrics_set(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		size_t label_count, double value);

/* The same of what is the largest of several in this reading. */
int metrics_raise(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		  size_t label_count, double value);

/* Sets the only series of a family, or the one with this label. NULL, a family for which there was no memory, is left
 * out. */
void metrics_tell(struct metrics *metrics, struct metric_family *family, const struct metric_label *label,
		  double value);

/* The family of that name, NULL: there is none. */
struct metric_family *metrics_find(const struct metrics *metrics, const char *name);

/* The bounds of a family of METRIC_BUCKETS, ascending; they are copied. 0 or -ENOMEM. */
int metrics_bounds(struct metric_family *family, const double *bounds, size_t count);

/* `counts`: one more than there are bounds, not cumulative. */
int metrics_add_buckets(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
			size_t label_count, const uint64_t *counts);

/* For who owns a family: all of its series go; the family itself goes. */
void metrics_clear(struct metric_family *family);
void metrics_remove(struct metrics *metrics, struct metric_family *family);

/* Gauges say how it is now: those that are not set again are gone, but for those of the last reading. */
void metrics_clear_gauges(struct metrics *metrics);

/* Removes counters and histograms without updates since then: each deployment has new node names. */
void metrics_expire(struct metrics *metrics, uint64_t before_ns);

/* Families in the order in which they were made. */
size_t metrics_count(const struct metrics *metrics);
const struct metric_family *metrics_get(const struct metrics *metrics, size_t i);

#endif
