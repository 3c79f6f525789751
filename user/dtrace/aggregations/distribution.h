/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The buckets of quantize(), lquantize() and llquantize(), and how they are drawn: unlike those of our own
 * tools (out/quantize.h) they may hold negative counts, since a program may aggregate by any increment.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_DISTRIBUTION_H
#define ERLBPF_DTRACE_AGGREGATIONS_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "d/lang/agg.h"
#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

/* One bucket: its counts, and what stands in front of it. */
struct bucket {
	int64_t count;
	int64_t low, high; /* values that fall into it, both included */
	bool is_ghost;	   /* a place of llquantize() that no value falls into: it has no label */
	char label[32];
};

struct distribution {
	struct bucket *buckets;
	unsigned int count;
	unsigned int zero;	  /* of quantize() and llquantize(): the bucket around 0 */
	unsigned int first, last; /* that are shown */
};

/* Of the words of an entry. 0 or -errno; distribution_free() in any case. */
int distribution_read(struct distribution *distribution, enum agg_kind kind, const struct unit_agg *agg,
		      const uint64_t *words);
void distribution_free(struct distribution *distribution);

void distribution_print(FILE *to, const struct distribution *distribution, uint64_t normal,
			const struct consumer_options *options);

/*
 * -x aggpack: a line for each distribution of an aggregation, a character for each bucket. All lines have the same
 * buckets, so each distribution is added before the first is printed.
 */
struct packing {
	bool is_linear; /* of lquantize(): all buckets are shown */
	bool has_range;
	unsigned int first, last;
	int low_width, high_width; /* of what stands on either side, a blank in front included */
};

void packing_add(struct packing *packing, const struct distribution *distribution);
void packing_print_heading(FILE *to, const struct packing *packing);
void packing_print(FILE *to, const struct packing *packing, const struct distribution *distribution,
		   const struct consumer_options *options);

/* What entries are sorted by: the sum over the buckets, and the count around zero. */
long double distribution_sum(enum agg_kind kind, const struct distribution *distribution);
int64_t distribution_zero(enum agg_kind kind, const struct distribution *distribution);

#endif
