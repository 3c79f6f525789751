// SPDX-License-Identifier: BSD-2-Clause
/*
 * Many nodes have thousands of series of some thirty lines each: labels and bounds are formatted once and reused, for
 * fast scrapes.
 */
#include "serve/metrics/prometheus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
/* Bounds are 2^n of the counted unit: nanoseconds from 1 us to 34 s, words and bytes from 8 to 1 GiB. */
#define FIRST_NS 10
#define LAST_NS 35
#define FIRST_SIZE 3
#define LAST_SIZE 30

/* A value belongs below 2^n if its slot does: slots never lie across a power of two. */
size_t prometheus_buckets(const struct metric_family *family, const struct metric_series *series,
			  double bounds[PROMETHEUS_BUCKETS], uint64_t counts[PROMETHEUS_BUCKETS])
{
	bool is_time = family->unit == UNIT_SECONDS;
	unsigned int first = is_time ? FIRST_NS : FIRST_SIZE, last = is_time ? LAST_NS : LAST_SIZE;
	uint64_t below = 0;
	uint32_t slot = 0;
	size_t count = 0;

	for (unsigned int n = first; n <= last; n++) {
		/*
		 * A bound belongs to its bucket ("le"); the value 2^n itself is in the slot above, and goes to the next
		 * bucket.
		 */
		uint32_t end = hist_slot(1ULL << n);

		for (; slot < series->slot_count && series->first + slot < end; slot++)
			below += series->slots[slot];
		bounds[count] = ldexp(family->scale, (int)n);
		counts[count++] = below;
	}
	return count;
}

/* Text that grows. */

struct text {
	char *at;
	size_t size, room;
	bool has_failed;
};

static void reserve(struct text *to, size_t more)
{
	if (!to->has_failed && !array_has_room_for(to->at, to->room, to->size + more))
		to->has_failed = true;
}

static void put(struct text *to, const char *what, size_t n)
{
	reserve(to, n + 1);
	if (to->has_failed)
		return;
	if (n)
		memcpy(to->at + to->size, what, n);
	to->size += n;
	to->at[to->size] = '\0';
}

static void put_text(struct text *to, const char *what)
{
	put(to, what, strlen(what));
}

static void put_count(struct text *to, uint64_t n)
{
	char digits[24], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	put(to, at, (size_t)(digits + sizeof(digits) - at));
}

/* The fewest digits that read back as the same number: 0.3, where %.17g has 0.29999999999999999. */
static size_t format_double(double value, char *digits, size_t size)
{
	int length = 0;

	for (int precision = 15; precision <= 17; precision++) {
		length = snprintf(digits, size, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	return (size_t)length;
}

static void put_double(struct text *to, double value)
{
	char digits[40];

	if (value >= 0 && value < 1e15 && value == floor(value))
		put_count(to, (uint64_t)value);
	else
		put(to, digits, format_double(value, digits, sizeof(digits)));
}

static void put_escaped(struct text *to, const char *text, bool with_quotes)
{
	for (; *text; text++) {
		if (*text == '\\')
			put(to, "\\\\", 2);
		else if (*text == '\n')
			put(to, "\\n", 2);
		else if (*text == '"' && with_quotes)
			put(to, "\\\"", 2);
		else
			put(to, text, 1);
	}
}

/* a="1",b="2"; labels without a value are left out. */
static void put_labels(struct text *to, const struct metric_series *series)
{
	const char *before = "";

	for (size_t i = 0; i < series->label_count; i++) {
		if (!series->labels[i].value[0])
			continue;
		put_text(to, before);
		put_text(to, series->labels[i].name);
		put_text(to, "=\"");
		put_escaped(to, series->labels[i].value, true);
		put_text(to, "\"");
		before = ",";
	}
}

/* NAME_suffix{labels} and a blank. */
static void put_start(struct text *to, const struct metric_family *family, const char *suffix,
		      const struct text *labels)
{
	put_text(to, family->name);
	put_text(to, suffix);
	if (labels->size) {
		put(to, "{", 1);
		put(to, labels->at, labels->size);
		put(to, "}", 1);
	}
	put(to, " ", 1);
}

/* What all series of a family have in common. */
struct bounds {
	char text[PROMETHEUS_BUCKETS][24];
};

static void put_buckets(struct text *to, const struct metric_family *family, const struct metric_series *series,
			const struct text *labels, const struct bounds *bounds)
{
	double unused[PROMETHEUS_BUCKETS];
	uint64_t counts[PROMETHEUS_BUCKETS];
	size_t n = prometheus_buckets(family, series, unused, counts), begin = to->size, length;

	put_text(to, family->name);
	put_text(to, "_bucket{");
	put(to, labels->at, labels->size);
	put_text(to, labels->size ? ",le=\"" : "le=\"");
	length = to->size - begin;
	for (size_t i = 0; i <= n; i++) {
		if (i) {
			reserve(to, length + 1);
			if (to->has_failed)
				return;
			put(to, to->at + begin, length);
		}
		put_text(to, i < n ? bounds->text[i] : "+Inf");
		put(to, "\"} ", 3);
		put_count(to, i < n ? counts[i] : series->count);
		put(to, "\n", 1);
	}
}

static void put_own_bucket(struct text *to, const struct metric_family *family, const struct text *labels,
			   const char *bound, uint64_t count)
{
	put_text(to, family->name);
	put_text(to, "_bucket{");
	put(to, labels->at, labels->size);
	put_text(to, labels->size ? ",le=\"" : "le=\"");
	put_text(to, bound);
	put(to, "\"} ", 3);
	put_count(to, count);
	put(to, "\n", 1);
}

void prometheus_own_buckets(const struct metric_family *family, const struct metric_series *series,
			    void (*visit)(void *to, double bound, uint64_t count), void *to)
{
	size_t first = family->first_used ? family->first_used - 1 : 0;
	uint64_t below = 0;

	for (size_t i = 0; i < family->bound_count && i < family->used_end; i++) {
		below += series->slots[i];
		if (i >= first)
			visit(to, family->bounds[i], below);
	}
}

struct own {
	struct text *to;
	const struct metric_family *family;
	const struct text *labels;
};

static void visit_own(void *data, double bound, uint64_t count)
{
	const struct own *own = data;
	char text[32];

	format_double(bound, text, sizeof(text));
	put_own_bucket(own->to, own->family, own->labels, text, count);
}

/* OpenMetrics has a count only where there is a sum. */
static void put_own_histogram(struct text *to, const struct metric_family *family, const struct metric_series *series,
			      const struct text *labels, bool is_openmetrics)
{
	struct own own = { to, family, labels };

	prometheus_own_buckets(family, series, visit_own, &own);
	put_own_bucket(to, family, labels, "+Inf", series->count);
	if (is_openmetrics)
		return;
	put_start(to, family, "_count", labels);
	put_count(to, series->count);
	put(to, "\n", 1);
}

static void put_histogram(struct text *to, const struct metric_family *family, const struct metric_series *series,
			  const struct text *labels, const struct bounds *bounds)
{
	put_buckets(to, family, series, labels, bounds);
	put_start(to, family, "_sum", labels);
	put_double(to, metrics_sum(family, series->sum));
	put(to, "\n", 1);
	put_start(to, family, "_count", labels);
	put_count(to, series->count);
	put(to, "\n", 1);
}

static void put_simple(struct text *to, const struct metric_family *family, const struct metric_series *series,
		       const struct text *labels)
{
	put_start(to, family, family->kind == METRIC_COUNTER ? "_total" : "", labels);
	put_double(to, series->value);
	put(to, "\n", 1);
}

static const char *const units[] = { [UNIT_NONE] = NULL, [UNIT_SECONDS] = "seconds", [UNIT_BYTES] = "bytes" };
static const char *const kinds[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_HISTOGRAM] = "histogram",
	[METRIC_BUCKETS] = "histogram",
};

/* In the text format a counter's type is that of NAME_total, in OpenMetrics of NAME. */
static void put_head(struct text *to, const struct metric_family *family, bool is_openmetrics)
{
	const char *suffix = family->kind == METRIC_COUNTER && !is_openmetrics ? "_total" : "";
	const char *unit = is_openmetrics ? units[family->unit] : NULL;

	put_text(to, "# HELP ");
	put_text(to, family->name);
	put_text(to, suffix);
	put(to, " ", 1);
	put_escaped(to, family->help, is_openmetrics);
	put_text(to, "\n# TYPE ");
	put_text(to, family->name);
	put_text(to, suffix);
	put(to, " ", 1);
	put_text(to, kinds[family->kind]);
	if (unit) {
		put_text(to, "\n# UNIT ");
		put_text(to, family->name);
		put(to, " ", 1);
		put_text(to, unit);
	}
	put(to, "\n", 1);
}

static void make_bounds(const struct metric_family *family, struct bounds *bounds)
{
	double values[PROMETHEUS_BUCKETS];
	uint64_t unused[PROMETHEUS_BUCKETS];
	struct metric_series none = {};
	size_t n = prometheus_buckets(family, &none, values, unused);

	for (size_t i = 0; i < n; i++)
		snprintf(bounds->text[i], sizeof(bounds->text[i]), "%.9g", values[i]);
}

static void put_family(struct text *to, const struct metric_family *family, bool is_openmetrics)
{
	struct text labels = {};
	struct bounds bounds;

	if (!family->series_count)
		return;
	put_head(to, family, is_openmetrics);
	make_bounds(family, &bounds);
	for (size_t i = 0; i < family->series_count; i++) {
		const struct metric_series *series = family->series[i];

		labels.size = 0;
		put_labels(&labels, series);
		to->has_failed |= labels.has_failed;
		if (family->kind == METRIC_HISTOGRAM)
			put_histogram(to, family, series, &labels, &bounds);
		else if (family->kind == METRIC_BUCKETS)
			put_own_histogram(to, family, series, &labels, is_openmetrics);
		else
			put_simple(to, family, series, &labels);
	}
	free(labels.at);
}

char *prometheus_render(const struct metrics *metrics, bool is_openmetrics, size_t *size)
{
	struct text to = {};

	put(&to, "", 0);
	for (size_t i = 0; i < metrics_count(metrics); i++)
		put_family(&to, metrics_get(metrics, i), is_openmetrics);
	if (is_openmetrics)
		put_text(&to, "# EOF\n");
	if (to.has_failed) {
		free(to.at);
		return NULL;
	}
	*size = to.size;
	return to.at;
}
