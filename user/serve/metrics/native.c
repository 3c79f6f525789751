// SPDX-License-Identifier: BSD-2-Clause
/* A family is one message: it is built in an arena, packed, and forgotten. */
#include "serve/metrics/native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "serve/metrics/exponential.h"
#include "serve/metrics/prometheus.h"

#include "prometheus.pb-c.h"

static void *array(struct arena *arena, size_t count, size_t size)
{
	return arena_alloc(arena, count * size + 1);
}

static void fill_labels(struct arena *arena, const struct metric_series *series, Prometheus__Metric *metric)
{
	metric->label = array(arena, series->label_count, sizeof(*metric->label));
	for (size_t i = 0; i < series->label_count; i++) {
		Prometheus__Label *label;

		if (!series->labels[i].value[0])
			continue;
		label = arena_alloc(arena, sizeof(*label));
		prometheus__label__init(label);
		label->name = (char *)series->labels[i].name;
		label->value = (char *)series->labels[i].value;
		metric->label[metric->n_label++] = label;
	}
}

static void fill_classic(struct arena *arena, const struct metric_family *family, const struct metric_series *series,
			 Prometheus__Histogram *histogram)
{
	double bounds[PROMETHEUS_BUCKETS];
	uint64_t counts[PROMETHEUS_BUCKETS];
	size_t n = prometheus_buckets(family, series, bounds, counts);

	histogram->bucket = array(arena, n, sizeof(*histogram->bucket));
	histogram->n_bucket = n;
	for (size_t i = 0; i < n; i++) {
		Prometheus__Bucket *bucket = histogram->bucket[i] = arena_alloc(arena, sizeof(*bucket));

		prometheus__bucket__init(bucket);
		bucket->cumulative_count = counts[i];
		bucket->upper_bound = bounds[i];
	}
}

/* Spans are runs of buckets that are not empty; counts are told as what each differs from the one before. */
static void fill_native(struct arena *arena, const struct exponential *from, Prometheus__Histogram *histogram)
{
	int32_t expected = 0; /* the bucket after the last span */
	int64_t before = 0;
	Prometheus__Span *span = NULL;

	histogram->positive_span = array(arena, from->count, sizeof(*histogram->positive_span));
	histogram->positive_delta = array(arena, from->count, sizeof(*histogram->positive_delta));
	for (size_t i = 0; i < from->count; i++) {
		int32_t number = from->first + (int32_t)i;

		if (!from->counts[i])
			continue;
		if (!span || number != expected) {
			span = arena_alloc(arena, sizeof(*span));
			prometheus__span__init(span);
			span->offset = number - expected;
			histogram->positive_span[histogram->n_positive_span++] = span;
		}
		span->length++;
		expected = number + 1;
		histogram->positive_delta[histogram->n_positive_delta++] = (int64_t)from->counts[i] - before;
		before = (int64_t)from->counts[i];
	}
}

static void fill_histogram(struct arena *arena, const struct metric_family *family, const struct metric_series *series,
			   const struct exponential_map *map, Prometheus__Metric *metric)
{
	struct exponential exponential;
	Prometheus__Histogram *histogram = metric->histogram = arena_alloc(arena, sizeof(*histogram));

	prometheus__histogram__init(histogram);
	exponential_make(map, series, &exponential);
	histogram->sample_count = series->count;
	histogram->sample_sum = metrics_sum(family, series->sum);
	histogram->schema = EXPONENTIAL_SCALE;
	histogram->zero_threshold = map->below;
	histogram->zero_count = exponential.zero;
	fill_classic(arena, family, series, histogram);
	fill_native(arena, &exponential, histogram);
}

struct buckets {
	struct arena *arena;
	Prometheus__Histogram *histogram;
};

static void add_bucket(void *to, double bound, uint64_t count)
{
	const struct buckets *buckets = to;
	Prometheus__Bucket *bucket = arena_alloc(buckets->arena, sizeof(*bucket));

	prometheus__bucket__init(bucket);
	bucket->cumulative_count = count;
	bucket->upper_bound = bound;
	buckets->histogram->bucket[buckets->histogram->n_bucket++] = bucket;
}

/* Bounds that are no powers of two by the native schema: classic buckets only. Whoever reads it makes 0 of no sum at
 * all. */
static void fill_buckets(struct arena *arena, const struct metric_family *family, const struct metric_series *series,
			 Prometheus__Metric *metric)
{
	struct buckets buckets = { arena, arena_alloc(arena, sizeof(*buckets.histogram)) };

	prometheus__histogram__init(buckets.histogram);
	metric->histogram = buckets.histogram;
	buckets.histogram->sample_count = series->count;
	buckets.histogram->sample_sum = NAN;
	buckets.histogram->bucket = array(arena, family->bound_count, sizeof(*buckets.histogram->bucket));
	prometheus_own_buckets(family, series, add_bucket, &buckets);
}

static Prometheus__Value *value_new(struct arena *arena, double value)
{
	Prometheus__Value *made = arena_alloc(arena, sizeof(*made));

	prometheus__value__init(made);
	made->value = value;
	return made;
}

static Prometheus__Metric *metric_new(struct arena *arena, const struct metric_family *family,
				      const struct metric_series *series, const struct exponential_map *map)
{
	Prometheus__Metric *metric = arena_alloc(arena, sizeof(*metric));

	prometheus__metric__init(metric);
	fill_labels(arena, series, metric);
	if (family->kind == METRIC_HISTOGRAM)
		fill_histogram(arena, family, series, map, metric);
	else if (family->kind == METRIC_BUCKETS)
		fill_buckets(arena, family, series, metric);
	else if (family->kind == METRIC_COUNTER)
		metric->counter = value_new(arena, series->value);
	else
		metric->gauge = value_new(arena, series->value);
	return metric;
}

static void put_delimited(FILE *to, const Prometheus__Family *family, struct arena *arena)
{
	size_t size = prometheus__family__get_packed_size(family), rest = size;
	uint8_t *packed = arena_alloc(arena, size);

	for (; rest >= 0x80; rest >>= 7)
		fputc((int)(rest & 0x7f) | 0x80, to);
	fputc((int)rest, to);
	prometheus__family__pack(family, packed);
	fwrite(packed, 1, size, to);
}

static void put_family(FILE *to, const struct metric_family *from, struct arena *arena)
{
	static const Prometheus__Type types[] = {
		[METRIC_COUNTER] = PROMETHEUS__TYPE__COUNTER,
		[METRIC_GAUGE] = PROMETHEUS__TYPE__GAUGE,
		[METRIC_HISTOGRAM] = PROMETHEUS__TYPE__HISTOGRAM,
		[METRIC_BUCKETS] = PROMETHEUS__TYPE__HISTOGRAM,
	};
	Prometheus__Family family = PROMETHEUS__FAMILY__INIT;
	struct exponential_map map;

	exponential_map(from->scale, &map);
	family.name = arena_printf(arena, "%s%s", from->name, from->kind == METRIC_COUNTER ? "_total" : "");
	family.help = from->help;
	family.type = types[from->kind];
	family.metric = array(arena, from->series_count, sizeof(*family.metric));
	for (size_t i = 0; i < from->series_count; i++)
		family.metric[family.n_metric++] = metric_new(arena, from, from->series[i], &map);
	put_delimited(to, &family, arena);
}

char *native_render(const struct metrics *metrics, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < metrics_count(metrics); i++) {
		const struct metric_family *family = metrics_get(metrics, i);
		struct arena *arena = family->series_count ? arena_new() : NULL;

		if (arena)
			put_family(to, family, arena);
		arena_free(arena);
	}
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}
