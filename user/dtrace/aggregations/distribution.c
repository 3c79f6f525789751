// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/distribution.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/aggregations/bars.h"
#include "dtrace/print/print.h"

#define LABEL 16	/* of llquantize(): longer labels are cut, as in DTrace */
#define PACKED_LABEL 4	/* minimum columns with -x aggpack */
#define PACKED_LINEAR 8 /* minimum columns for lquantize() */
#define MOST_BUCKETS 65536

static int buckets_new(struct distribution *distribution, size_t count)
{
	if (!count || count > MOST_BUCKETS)
		return -EINVAL;
	distribution->buckets = calloc(count, sizeof(*distribution->buckets));
	distribution->count = (unsigned int)count;
	if (distribution->buckets)
		return 0;
	print_lacks_memory();
	return -ENOMEM;
}

void distribution_free(struct distribution *distribution)
{
	free(distribution->buckets);
	distribution->buckets = NULL;
}

/* The buckets to show: one more than the non-empty range on either side. False: all are empty. */
static bool find_range(struct distribution *distribution)
{
	unsigned int first = 0, last = distribution->count - 1;

	while (first < distribution->count && !distribution->buckets[first].count)
		first++;
	if (first == distribution->count)
		return false;
	while (!distribution->buckets[last].count)
		last--;
	distribution->first = first - (first > 0);
	distribution->last = last + (last + 1 < distribution->count);
	return true;
}

static void show(struct distribution *distribution, unsigned int first, unsigned int last)
{
	unsigned int end = distribution->count - 1;

	distribution->first = first < end ? first : end;
	distribution->last = last < end ? last : end;
}

static int64_t power_of_two_value(unsigned int bucket)
{
	if (bucket == AGG_QUANTIZE_ZERO)
		return 0;
	return bucket > AGG_QUANTIZE_ZERO ? (int64_t)(1ULL << (bucket - AGG_QUANTIZE_ZERO - 1))
					  : -(int64_t)(1ULL << (AGG_QUANTIZE_ZERO - 1 - bucket));
}

static int read_quantize(struct distribution *distribution, const uint64_t *words)
{
	int err = buckets_new(distribution, AGG_QUANTIZE_BUCKETS);

	if (err)
		return err;
	distribution->zero = AGG_QUANTIZE_ZERO;
	for (unsigned int i = 0; i < distribution->count; i++) {
		struct bucket *bucket = &distribution->buckets[i];
		int64_t value = power_of_two_value(i);

		bucket->count = (int64_t)words[i];
		bucket->low = value < 0 ? 2 * value + 1 : value;
		bucket->high = value > 0 ? (int64_t)(2 * (uint64_t)value - 1) : value;
		snprintf(bucket->label, sizeof(bucket->label), "%" PRId64, value);
	}
	if (!find_range(distribution))
		show(distribution, AGG_QUANTIZE_ZERO - 1, AGG_QUANTIZE_ZERO + 1);
	return 0;
}

static int read_lquantize(struct distribution *distribution, const struct unit_agg *agg, const uint64_t *words)
{
	int64_t base = (int64_t)agg->params[0], step = (int64_t)agg->params[2];
	int err = buckets_new(distribution, agg->words - 1);

	if (err)
		return err;
	for (unsigned int i = 0; i < distribution->count; i++) {
		struct bucket *bucket = &distribution->buckets[i];
		int64_t low = base + ((int64_t)i - 1) * step;
		bool is_first = !i, is_last = i + 1 == distribution->count;

		bucket->count = (int64_t)words[i];
		bucket->low = is_first ? INT64_MIN : low;
		bucket->high = is_first ? base - 1 : is_last ? INT64_MAX : low + step - 1;
		snprintf(bucket->label, sizeof(bucket->label), "%s%" PRId64,
			 is_first  ? "< "
			 : is_last ? ">= "
				   : "",
			 is_first ? base : low);
	}
	if (!find_range(distribution))
		show(distribution, 0, 2);
	return 0;
}

static uint64_t power(uint64_t factor, uint64_t exponent)
{
	uint64_t result = 1;

	while (exponent--)
		if (__builtin_mul_overflow(result, factor, &result))
			return UINT64_MAX;
	return result;
}

/*
 * llquantize(): as many buckets below zero as above. There are steps - steps/factor buckets between factor^n and
 * factor^(n+1). Below factor, where that would split integers, only every (steps/factor)-th place is a bucket; the
 * others are ghosts.
 */
struct log_linear {
	uint64_t factor, low, high, steps;
	unsigned int half; /* places on one side of zero, except the overflow bucket */
};

static struct log_linear log_linear_of(const struct unit_agg *agg)
{
	struct log_linear l = { agg->params[0], agg->params[1], agg->params[2], agg->params[3], 0 };

	if (l.factor && l.high >= l.low && l.high < 64 && l.steps < MOST_BUCKETS)
		l.half = (unsigned int)((l.high - l.low + 1) * (l.steps - l.steps / l.factor));
	return l;
}

static void set_pair(struct distribution *distribution, unsigned int place, uint64_t value)
{
	struct bucket *above = &distribution->buckets[distribution->zero + place];
	struct bucket *below = &distribution->buckets[distribution->zero - place];

	snprintf(above->label, LABEL, "%" PRIu64, value);
	snprintf(below->label, LABEL, "-%" PRIu64, value);
	above->low = (int64_t)value;
	below->high = -(int64_t)value;
	above->is_ghost = below->is_ghost = false;
}

static void set_places(struct distribution *distribution, const struct log_linear *l)
{
	uint64_t magnitude = l->low, per_factor = l->steps / l->factor, scale;
	unsigned int place = 1, last = l->half + 1;

	set_pair(distribution, place, power(l->factor, l->low));
	if (!l->low && l->steps > l->factor) {
		for (uint64_t step = 2; step <= l->factor && place + per_factor <= last; step++) {
			place += (unsigned int)per_factor;
			set_pair(distribution, place, step);
		}
		magnitude++;
	}
	scale = power(l->factor, magnitude + 1) / l->steps;
	for (; magnitude <= l->high; magnitude++) {
		for (uint64_t step = per_factor + 1; step <= l->steps && place < last; step++)
			set_pair(distribution, ++place, step * scale);
		scale *= l->factor;
	}
}

/* A bucket extends to the next one that is not a ghost. */
static void set_limits(struct distribution *distribution)
{
	int64_t limit = INT64_MAX;

	for (unsigned int i = distribution->count; i-- > distribution->zero + 1;) {
		struct bucket *above = &distribution->buckets[i];
		struct bucket *below = &distribution->buckets[2 * distribution->zero - i];

		if (above->is_ghost)
			continue;
		above->high = limit;
		below->low = -limit;
		limit = above->low - 1;
	}
	distribution->buckets[0].low = INT64_MIN;
	distribution->buckets[distribution->zero].low = -limit;
	distribution->buckets[distribution->zero].high = limit;
}

static void label_ends(struct distribution *distribution, const struct log_linear *l)
{
	uint64_t least = power(l->factor, l->low), most = power(l->factor, l->high + 1);
	struct bucket *zero = &distribution->buckets[distribution->zero];

	if (least == 1)
		snprintf(zero->label, LABEL, "0");
	else
		snprintf(zero->label, LABEL, "%s< %" PRIu64, distribution->first >= distribution->zero ? "" : "abs() ",
			 least);
	snprintf(distribution->buckets[0].label, LABEL, "<= -%" PRIu64, most);
	snprintf(distribution->buckets[distribution->count - 1].label, LABEL, ">= %" PRIu64, most);
}

/* The first and the last row shown can be ghosts: they have the label of the next bucket outwards. */
static void label_ghosts(struct distribution *distribution, const struct log_linear *l)
{
	unsigned int reach = (unsigned int)(l->steps / l->factor), first = distribution->first,
		     last = distribution->last;

	for (unsigned int i = 1; distribution->buckets[first].is_ghost && i < reach && i <= first; i++) {
		if (!distribution->buckets[first - i].is_ghost) {
			distribution->buckets[first].is_ghost = false;
			memcpy(distribution->buckets[first].label, distribution->buckets[first - i].label, LABEL);
		}
	}
	for (unsigned int i = 1; distribution->buckets[last].is_ghost && i < reach && last + i < distribution->count;
	     i++) {
		if (!distribution->buckets[last + i].is_ghost) {
			distribution->buckets[last].is_ghost = false;
			memcpy(distribution->buckets[last].label, distribution->buckets[last + i].label, LABEL);
		}
	}
}

static int read_llquantize(struct distribution *distribution, const struct unit_agg *agg, const uint64_t *words)
{
	struct log_linear l = log_linear_of(agg);
	int err = l.half ? buckets_new(distribution, 2 * (size_t)l.half + 3) : -EINVAL;

	if (!err && agg->words < 1 + (size_t)distribution->count)
		err = -EINVAL;
	if (err)
		return err;
	distribution->zero = l.half + 1;
	for (unsigned int i = 0; i < distribution->count; i++) {
		distribution->buckets[i].count = (int64_t)words[i];
		distribution->buckets[i].is_ghost = i != distribution->zero;
	}
	set_places(distribution, &l);
	set_limits(distribution);
	if (!find_range(distribution))
		show(distribution, distribution->zero, distribution->zero + 2);
	label_ends(distribution, &l);
	label_ghosts(distribution, &l);
	return 0;
}

int distribution_read(struct distribution *distribution, enum agg_kind kind, const struct unit_agg *agg,
		      const uint64_t *words)
{
	*distribution = (struct distribution){ 0 };
	switch (kind) {
	case AGG_QUANTIZE: return read_quantize(distribution, words + 1);
	case AGG_LQUANTIZE: return read_lquantize(distribution, agg, words + 1);
	case AGG_LLQUANTIZE: return read_llquantize(distribution, agg, words + 1);
	default: return -EINVAL;
	}
}

/* By size and sign: normalize() takes an unsigned number. */
static int64_t normalized(int64_t count, uint64_t normal)
{
	return count < 0 ? -(int64_t)(-(uint64_t)count / normal) : (int64_t)((uint64_t)count / normal);
}

void distribution_print(FILE *to, const struct distribution *distribution, uint64_t normal,
			const struct consumer_options *options)
{
	struct bars bars = { .options = options };

	for (unsigned int i = distribution->first; i <= distribution->last; i++)
		bars_add(&bars, distribution->buckets[i].count);
	bars_print_heading(to, 16, "value");
	for (unsigned int i = distribution->first; i <= distribution->last; i++) {
		const struct bucket *bucket = &distribution->buckets[i];

		if (bucket->is_ghost)
			continue;
		fprintf(to, "%16s ", bucket->label);
		bars_print(to, &bars, bucket->count, normalized(bucket->count, normal ? normal : 1));
	}
}

/* The buckets to show; to the left of zero, no empty ones. */
static unsigned int first_packed(const struct distribution *distribution)
{
	return distribution->first + (distribution->first + 1 == distribution->zero);
}

static int label_width(const struct distribution *distribution, unsigned int i)
{
	int width = (int)strlen(distribution->buckets[i].label);

	return width < PACKED_LABEL ? PACKED_LABEL : width;
}

void packing_add(struct packing *packing, const struct distribution *distribution)
{
	unsigned int first = packing->is_linear ? 0 : first_packed(distribution);
	unsigned int last = packing->is_linear ? distribution->count - 1 : distribution->last;

	if (!packing->has_range || first < packing->first)
		packing->first = first;
	if (!packing->has_range || last > packing->last)
		packing->last = last;
	packing->has_range = true;
	packing->low_width = packing->is_linear ? PACKED_LINEAR : 1 + label_width(distribution, packing->first);
	packing->high_width = packing->is_linear ? PACKED_LINEAR : label_width(distribution, packing->last);
}

void packing_print_heading(FILE *to, const struct packing *packing)
{
	fprintf(to, "%*s .", packing->low_width, "min");
	for (unsigned int i = packing->first; i <= packing->last; i++)
		fputc('-', to);
	fprintf(to, ". %-*s | count\n", packing->high_width, "max");
}

void packing_print(FILE *to, const struct packing *packing, const struct distribution *distribution,
		   const struct consumer_options *options)
{
	struct bars bars = { .options = options };
	uint64_t count = 0;

	for (unsigned int i = packing->first; i <= packing->last; i++) {
		bars_add(&bars, distribution->buckets[i].count);
		count += (uint64_t)distribution->buckets[i].count;
	}
	fprintf(to, "%*s :", packing->low_width, distribution->buckets[packing->first].label);
	for (unsigned int i = packing->first; i <= packing->last; i++)
		bars_print_packed(to, &bars, distribution->buckets[i].count);
	fprintf(to, ": %-*s | %" PRId64 "\n", packing->high_width, distribution->buckets[packing->last].label,
		(int64_t)count);
}

/* The value of a bucket for comparing distributions. */
static long double weight(enum agg_kind kind, const struct distribution *distribution, unsigned int i)
{
	const struct bucket *bucket = &distribution->buckets[i];

	if (kind == AGG_LQUANTIZE)
		return i ? (long double)bucket->low + (i + 1 == distribution->count) : (long double)bucket->high;
	if (i == distribution->zero)
		return 0;
	return i > distribution->zero ? (long double)bucket->low : (long double)bucket->high;
}

long double distribution_sum(enum agg_kind kind, const struct distribution *distribution)
{
	long double sum = 0;

	for (unsigned int i = 0; i < distribution->count; i++)
		if (distribution->buckets[i].count)
			sum += weight(kind, distribution, i) * (long double)distribution->buckets[i].count;
	return sum;
}

int64_t distribution_zero(enum agg_kind kind, const struct distribution *distribution)
{
	if (kind != AGG_LQUANTIZE)
		return distribution->buckets[distribution->zero].count;
	for (unsigned int i = 0; i < distribution->count; i++)
		if (weight(kind, distribution, i) == 0)
			return distribution->buckets[i].count;
	return 0;
}
