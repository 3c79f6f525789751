/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The buckets of quantize(), lquantize() and llquantize(), and their drawing. Unlike those of tools (out/quantize.h),
 * counts can be negative, because the increment is arbitrary.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_DISTRIBUTION_H
#define ERLBPF_DTRACE_AGGREGATIONS_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "d/lang/agg.h"
#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

/* One bucket: its count and label. */
struct bucket {
	int64_t count;
	int64_t low, high; /* range of values, inclusive */
	bool is_ghost;	   /* a place of llquantize() without values and label */
	char label[32];
};

struct distribution {
	struct bucket *buckets;
	unsigned int count;
	unsigned int zero;	  /* of quantize() and llquantize(): the bucket around 0 */
	unsigned int first, last; /* range to show */
};

/* From the words of an entry. 0 or -errno; call distribution_free() in any case. */
int distribution_read(struct distribution *distribution, enum agg_kind kind, const struct unit_agg *agg,
		      const uint64_t *words);
void distribution_free(struct distribution *distribution);

void distribution_print(FILE *to, const struct distribution *distribution, uint64_t normal,
			const struct consumer_options *options);

/*
 * -x aggpack: one line for each distribution of an aggregation, one character for each bucket. All lines have the same
 * buckets, so add all distributions before printing.
 */
struct packing {
	bool is_linear; /* lquantize(): all buckets are shown */
	bool has_range;
	unsigned int first, last;
	int low_width, high_width; /* of the labels on either side, including a blank */
};

void packing_add(struct packing *packing, const struct distribution *distribution);
void packing_print_heading(FILE *to, const struct packing *packing);
void packing_print(FILE *to, const struct packing *packing, const struct distribution *distribution,
		   const struct consumer_options *options);

/* Sort keys of entries: the sum over the buckets, and the count around zero. */
long double distribution_sum(enum agg_kind kind, const struct distribution *distribution);
int64_t distribution_zero(enum agg_kind kind, const struct distribution *distribution);

#endif
