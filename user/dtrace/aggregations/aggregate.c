// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "d/lang/function.h"

static const size_t least_words[] = {
	[AGG_COUNT] = 1,
	[AGG_SUM] = 2,
	[AGG_MIN] = 2,
	[AGG_MAX] = 2,
	[AGG_AVG] = 2,
	[AGG_STDDEV] = 4,
	[AGG_QUANTIZE] = 1 + AGG_QUANTIZE_BUCKETS,
	[AGG_LQUANTIZE] = 3,
	[AGG_LLQUANTIZE] = 3,
};

static enum agg_kind kind_of(const struct unit_agg *agg)
{
	const struct d_function *function = agg->symbol->function;

	/* Without the words that the kind needs, only the number of hits is known. */
	return function && agg->words >= least_words[function->agg] ? function->agg : AGG_COUNT;
}

const char *aggregate_function(const struct aggregate *aggregate)
{
	const struct d_function *function = aggregate->agg->symbol->function;

	return function && function->agg == aggregate->kind ? function->name : "count";
}

int aggregates_new(struct aggregates *aggregates, const struct unit *unit)
{
	size_t count = 0;

	*aggregates = (struct aggregates){ 0 };
	for (const struct unit_agg *agg = unit->aggs; agg; agg = agg->next)
		count++;
	aggregates->list = calloc(count + 1, sizeof(*aggregates->list));
	if (!aggregates->list)
		return -ENOMEM;
	for (const struct unit_agg *agg = unit->aggs; agg; agg = agg->next)
		aggregates->list[aggregates->count++] = (struct aggregate){ .agg = agg,
									    .kind = kind_of(agg),
									    .normal = 1 };
	return 0;
}

void aggregates_free(struct aggregates *aggregates)
{
	free(aggregates->list);
	*aggregates = (struct aggregates){ 0 };
}

struct aggregate *aggregates_find(const struct aggregates *aggregates, const struct symbol *symbol)
{
	for (size_t i = 0; i < aggregates->count; i++)
		if (aggregates->list[i].agg->symbol == symbol)
			return &aggregates->list[i];
	return NULL;
}

/* Values. */

static uint64_t square_root(unsigned __int128 of)
{
	unsigned __int128 low = 0, high = (unsigned __int128)1 << 64;

	while (high - low > 1) {
		unsigned __int128 middle = low + (high - low) / 2;

		if (middle * middle <= of)
			low = middle;
		else
			high = middle;
	}
	return (uint64_t)low;
}

/* The least number divided by -1 is undefined in C, and traps. */
static int64_t divide(int64_t number, int64_t by)
{
	return by == -1 ? (int64_t) - (uint64_t)number : number / by;
}

/* The square root of the mean of squares less the square of the mean, in integers. */
static uint64_t deviation(const uint64_t *words, uint64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)words[3] << 64 | words[2], square;
	int64_t average;

	if (!words[0])
		return 0;
	average = divide(divide((int64_t)words[1], (int64_t)normal), (int64_t)words[0]);
	squares = squares / normal / words[0];
	square = (unsigned __int128)((__int128)average * average);
	/* Both are rounded, so the difference can be negative for a constant series. */
	return squares > square ? square_root(squares - square) : 0;
}

static int64_t number_of(const struct aggregate_entry *entry, uint64_t normal)
{
	const uint64_t *words = entry->words;
	int64_t by = (int64_t)normal;

	switch (entry->of->kind) {
	case AGG_SUM: return divide((int64_t)words[1], by);
	case AGG_MIN: return divide((int64_t)(~words[1] - AGG_BIAS), by);
	case AGG_MAX: return divide((int64_t)(words[1] - AGG_BIAS), by);
	case AGG_AVG: return words[0] ? divide(divide((int64_t)words[1], by), (int64_t)words[0]) : 0;
	case AGG_STDDEV: return (int64_t)deviation(words, normal);
	default: return (int64_t)(words[0] / normal);
	}
}

int64_t aggregate_number(const struct aggregate_entry *entry)
{
	return number_of(entry, entry->of->normal);
}

int64_t aggregate_number_as_is(const struct aggregate_entry *entry)
{
	return number_of(entry, 1);
}

struct each {
	const struct aggregate *of;
	int (*visit)(void *to, const struct aggregate_entry *entry);
	void *to;
};

static int visit_entry(void *data, const struct agg_entry *from)
{
	const struct each *each = data;
	struct aggregate_entry entry = { .of = each->of, .key = from->key, .words = from->words };

	return each->visit(each->to, &entry);
}

int aggregate_each(const struct aggregate *aggregate, const struct print *print,
		   int (*visit)(void *to, const struct aggregate_entry *entry), void *to)
{
	struct each each = { aggregate, visit, to };

	return print->ops->each(print->data, aggregate->agg, visit_entry, &each);
}
