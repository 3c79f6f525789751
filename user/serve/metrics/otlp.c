// SPDX-License-Identifier: BSD-2-Clause
/* The message is built in an arena, packed, and forgotten. */
#include "serve/metrics/otlp.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "serve/metrics/exponential.h"
#include "serve/metrics/prometheus.h"
#include "version.h"

#include "otlp.pb-c.h"

/* A message in the making. */
struct making {
	struct arena *arena;
	const struct otlp_head *head;
};

static void *array(struct arena *arena, size_t count, size_t size)
{
	return arena_alloc(arena, count * size + 1);
}

/* Attributes. */

static Otlp__KeyValue *attribute_new(struct arena *arena, const char *key, const char *value)
{
	Otlp__KeyValue *made = arena_alloc(arena, sizeof(*made));

	otlp__key_value__init(made);
	made->key = (char *)key;
	made->value = arena_alloc(arena, sizeof(*made->value));
	otlp__any_value__init(made->value);
	made->value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	made->value->string_value = (char *)value;
	return made;
}

static Otlp__KeyValue **attributes_new(struct arena *arena, const struct metric_series *series, size_t *count)
{
	Otlp__KeyValue **made = array(arena, series->label_count, sizeof(*made));

	*count = 0;
	for (size_t i = 0; i < series->label_count; i++) {
		if (series->labels[i].value[0])
			made[(*count)++] = attribute_new(arena, series->labels[i].name, series->labels[i].value);
	}
	return made;
}

static Otlp__Resource *resource_new(const struct making *making)
{
	const struct pairs *pairs = making->head->resource;
	Otlp__Resource *made = arena_alloc(making->arena, sizeof(*made));

	otlp__resource__init(made);
	made->attributes = array(making->arena, pairs->count, sizeof(*made->attributes));
	for (size_t i = 0; i < pairs->count; i++)
		made->attributes[made->n_attributes++] = attribute_new(making->arena, pairs->at[i].name,
								       pairs->at[i].value);
	return made;
}

/* Points. */

static uint64_t start_of(const struct making *making, const struct metric_series *series)
{
	return series->since_ns + making->head->offset_ns;
}

static Otlp__Number *number_new(const struct making *making, const struct metric_family *family,
				const struct metric_series *series)
{
	Otlp__Number *made = arena_alloc(making->arena, sizeof(*made));

	otlp__number__init(made);
	made->attributes = attributes_new(making->arena, series, &made->n_attributes);
	/* A gauge begins nowhere. */
	if (family->kind == METRIC_COUNTER)
		made->start_time_unix_nano = start_of(making, series);
	made->time_unix_nano = making->head->time_ns;
	made->value_case = OTLP__NUMBER__VALUE_AS_DOUBLE;
	made->as_double = series->value;
	return made;
}

static Otlp__Number **numbers_new(const struct making *making, const struct metric_family *family)
{
	Otlp__Number **made = array(making->arena, family->series_count, sizeof(*made));

	for (size_t i = 0; i < family->series_count; i++)
		made[i] = number_new(making, family, family->series[i]);
	return made;
}

/* Our number i is the bucket that ends at base^i, theirs the one that begins there. */
static Otlp__Buckets *buckets_new(struct arena *arena, const struct exponential *from)
{
	Otlp__Buckets *made = arena_alloc(arena, sizeof(*made));

	otlp__buckets__init(made);
	made->offset = from->first - 1;
	made->bucket_counts = array(arena, from->count, sizeof(*made->bucket_counts));
	made->n_bucket_counts = from->count;
	for (size_t i = 0; i < from->count; i++)
		made->bucket_counts[i] = from->counts[i];
	return made;
}

static Otlp__Exponential *exponential_new(const struct making *making, const struct metric_family *family,
					  const struct metric_series *series, const struct exponential_map *map)
{
	Otlp__Exponential *made = arena_alloc(making->arena, sizeof(*made));
	struct exponential exponential;

	otlp__exponential__init(made);
	exponential_make(map, series, &exponential);
	made->attributes = attributes_new(making->arena, series, &made->n_attributes);
	made->start_time_unix_nano = start_of(making, series);
	made->time_unix_nano = making->head->time_ns;
	made->count = series->count;
	made->has_sum_case = OTLP__EXPONENTIAL__HAS_SUM_SUM;
	made->sum = metrics_sum(family, series->sum);
	made->scale = EXPONENTIAL_SCALE;
	made->zero_count = exponential.zero;
	made->zero_threshold = map->below;
	if (exponential.count)
		made->positive = buckets_new(making->arena, &exponential);
	return made;
}

struct filling {
	Otlp__Explicit *point;
	uint64_t below;
};

static void add_bucket(void *to, double bound, uint64_t count)
{
	struct filling *filling = to;

	filling->point->explicit_bounds[filling->point->n_explicit_bounds++] = bound;
	filling->point->bucket_counts[filling->point->n_bucket_counts++] = count - filling->below;
	filling->below = count;
}

static Otlp__Explicit *explicit_new(const struct making *making, const struct metric_family *family,
				    const struct metric_series *series)
{
	Otlp__Explicit *made = arena_alloc(making->arena, sizeof(*made));
	struct filling filling = { .point = made };

	otlp__explicit__init(made);
	made->attributes = attributes_new(making->arena, series, &made->n_attributes);
	made->start_time_unix_nano = start_of(making, series);
	made->time_unix_nano = making->head->time_ns;
	made->count = series->count;
	made->explicit_bounds = array(making->arena, family->bound_count, sizeof(*made->explicit_bounds));
	made->bucket_counts = array(making->arena, family->bound_count + 1, sizeof(*made->bucket_counts));
	prometheus_own_buckets(family, series, add_bucket, &filling);
	made->bucket_counts[made->n_bucket_counts++] = series->count - filling.below;
	return made;
}

/* Families. */

static void fill_buckets(const struct making *making, const struct metric_family *family, Otlp__Metric *metric)
{
	Otlp__Histogram *made = arena_alloc(making->arena, sizeof(*made));

	otlp__histogram__init(made);
	made->aggregation_temporality = OTLP__TEMPORALITY__CUMULATIVE;
	made->n_data_points = family->series_count;
	made->data_points = array(making->arena, family->series_count, sizeof(*made->data_points));
	for (size_t i = 0; i < family->series_count; i++)
		made->data_points[i] = explicit_new(making, family, family->series[i]);
	metric->data_case = OTLP__METRIC__DATA_HISTOGRAM;
	metric->histogram = made;
}

static void fill_histogram(const struct making *making, const struct metric_family *family, Otlp__Metric *metric)
{
	Otlp__ExponentialHistogram *made = arena_alloc(making->arena, sizeof(*made));
	struct exponential_map map;

	otlp__exponential_histogram__init(made);
	exponential_map(family->scale, &map);
	made->aggregation_temporality = OTLP__TEMPORALITY__CUMULATIVE;
	made->n_data_points = family->series_count;
	made->data_points = array(making->arena, family->series_count, sizeof(*made->data_points));
	for (size_t i = 0; i < family->series_count; i++)
		made->data_points[i] = exponential_new(making, family, family->series[i], &map);
	metric->data_case = OTLP__METRIC__DATA_EXPONENTIAL_HISTOGRAM;
	metric->exponential_histogram = made;
}

static void fill_sum(const struct making *making, const struct metric_family *family, Otlp__Metric *metric)
{
	Otlp__Sum *made = arena_alloc(making->arena, sizeof(*made));

	otlp__sum__init(made);
	made->aggregation_temporality = OTLP__TEMPORALITY__CUMULATIVE;
	made->is_monotonic = true;
	made->n_data_points = family->series_count;
	made->data_points = numbers_new(making, family);
	metric->data_case = OTLP__METRIC__DATA_SUM;
	metric->sum = made;
}

static void fill_gauge(const struct making *making, const struct metric_family *family, Otlp__Metric *metric)
{
	Otlp__Gauge *made = arena_alloc(making->arena, sizeof(*made));

	otlp__gauge__init(made);
	made->n_data_points = family->series_count;
	made->data_points = numbers_new(making, family);
	metric->data_case = OTLP__METRIC__DATA_GAUGE;
	metric->gauge = made;
}

/* By UCUM, as OpenTelemetry asks for. */
static const char *const units[] = { [UNIT_NONE] = "", [UNIT_SECONDS] = "s", [UNIT_BYTES] = "By" };

/* What receives it for Prometheus adds _total and the unit to names that do not have them: ours have. */
static Otlp__Metric *metric_new(const struct making *making, const struct metric_family *family)
{
	static void (*const fill[])(const struct making *, const struct metric_family *, Otlp__Metric *) = {
		[METRIC_COUNTER] = fill_sum,
		[METRIC_GAUGE] = fill_gauge,
		[METRIC_HISTOGRAM] = fill_histogram,
		[METRIC_BUCKETS] = fill_buckets,
	};
	Otlp__Metric *made = arena_alloc(making->arena, sizeof(*made));

	otlp__metric__init(made);
	made->name = arena_printf(making->arena, "%s%s", family->name, family->kind == METRIC_COUNTER ? "_total" : "");
	made->description = family->help;
	made->unit = (char *)units[family->unit];
	fill[family->kind](making, family, made);
	return made;
}

static Otlp__ScopeMetrics *scope_new(const struct making *making, const struct metrics *metrics)
{
	Otlp__ScopeMetrics *made = arena_alloc(making->arena, sizeof(*made));

	otlp__scope_metrics__init(made);
	made->scope = arena_alloc(making->arena, sizeof(*made->scope));
	otlp__scope__init(made->scope);
	made->scope->name = (char *)"erlbpf";
	made->scope->version = (char *)ERLBPF_VERSION;
	made->metrics = array(making->arena, metrics_count(metrics), sizeof(*made->metrics));
	for (size_t i = 0; i < metrics_count(metrics); i++) {
		const struct metric_family *family = metrics_get(metrics, i);

		if (family->series_count)
			made->metrics[made->n_metrics++] = metric_new(making, family);
	}
	return made;
}

uint8_t *otlp_render(const struct metrics *metrics, const struct otlp_head *head, size_t *size)
{
	struct making making = { .arena = arena_new(), .head = head };
	Otlp__Request request = OTLP__REQUEST__INIT;
	Otlp__ResourceMetrics resource = OTLP__RESOURCE_METRICS__INIT, *resources[] = { &resource };
	Otlp__ScopeMetrics *scopes[1];
	uint8_t *packed;

	if (!making.arena)
		return NULL;
	scopes[0] = scope_new(&making, metrics);
	resource.resource = resource_new(&making);
	resource.scope_metrics = scopes;
	resource.n_scope_metrics = 1;
	request.resource_metrics = resources;
	request.n_resource_metrics = 1;
	*size = otlp__request__get_packed_size(&request);
	packed = malloc(*size);
	if (packed)
		otlp__request__pack(&request, packed);
	arena_free(making.arena);
	return packed;
}

void otlp_read_answer(const uint8_t *answer, size_t size, struct otlp_refusal *refusal)
{
	Otlp__Response *response = otlp__response__unpack(NULL, size, answer);
	const Otlp__PartialSuccess *partial = response ? response->partial_success : NULL;

	*refusal = (struct otlp_refusal){};
	if (partial && partial->rejected_data_points > 0)
		refusal->points = (uint64_t)partial->rejected_data_points;
	if (partial)
		snprintf(refusal->why, sizeof(refusal->why), "%s", partial->error_message);
	otlp__response__free_unpacked(response, NULL);
}
