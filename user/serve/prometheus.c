// SPDX-License-Identifier: BSD-2-Clause
#include "serve/prometheus.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds are 2^n of what is counted: nanoseconds from 1 us to 34 s, words and bytes from 8 to 1 GiB. */
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
		/* A bound is part of its bucket ("le"); 2^n itself is in the slot that begins there, and goes to the next. */
		uint32_t end = hist_slot(1ULL << n);

		for (; series->slots && slot < end; slot++)
			below += series->slots[slot];
		bounds[count] = ldexp(family->scale, (int)n);
		counts[count++] = below;
	}
	return count;
}

/* Text. */

static void put_escaped(FILE *to, const char *text, bool in_label)
{
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\\\", to);
		else if (*text == '\n')
			fputs("\\n", to);
		else if (*text == '"' && in_label)
			fputs("\\\"", to);
		else
			fputc(*text, to);
	}
}

/* Labels hold UTF-8 only: what is none is replaced, byte by byte. */
static size_t utf8_length(const unsigned char *s)
{
	size_t more = s[0] < 0x80 ? 0 : s[0] >= 0xc2 && s[0] < 0xe0 ? 1 : s[0] >= 0xe0 && s[0] < 0xf0 ? 2
		    : s[0] >= 0xf0 && s[0] < 0xf5 ? 3 : 9;

	if (more == 9)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return more + 1;
}

static void put_value(FILE *to, const char *value)
{
	while (*value) {
		size_t length = utf8_length((const unsigned char *)value);
		char part[5] = { '?', '\0' };

		if (length)
			memcpy(part, value, length);
		part[length ? length : 1] = '\0';
		put_escaped(to, part, true);
		value += length ? length : 1;
	}
}

/* {a="1",le="2"}; nothing if there are none. */
static void put_labels(FILE *to, const struct metric_series *series, const char *bound)
{
	const char *before = "{";

	for (size_t i = 0; i < series->label_count; i++) {
		if (!series->labels[i].value[0])
			continue;
		fprintf(to, "%s%s=\"", before, series->labels[i].name);
		put_value(to, series->labels[i].value);
		fputc('"', to);
		before = ",";
	}
	if (bound)
		fprintf(to, "%sle=\"%s\"", before, bound);
	if (bound || *before == ',')
		fputc('}', to);
}

static void put_histogram(FILE *to, const struct metric_family *family, const struct metric_series *series)
{
	double bounds[PROMETHEUS_BUCKETS];
	uint64_t counts[PROMETHEUS_BUCKETS];
	size_t n = prometheus_buckets(family, series, bounds, counts);

	for (size_t i = 0; i <= n; i++) {
		char bound[32] = "+Inf";

		if (i < n)
			snprintf(bound, sizeof(bound), "%.9g", bounds[i]);
		fprintf(to, "%s_bucket", family->name);
		put_labels(to, series, bound);
		fprintf(to, " %" PRIu64 "\n", i < n ? counts[i] : series->count);
	}
	fprintf(to, "%s_sum", family->name);
	put_labels(to, series, NULL);
	fprintf(to, " %.17g\n%s_count", (double)series->sum * family->scale, family->name);
	put_labels(to, series, NULL);
	fprintf(to, " %" PRIu64 "\n", series->count);
}

static void put_simple(FILE *to, const struct metric_family *family, const struct metric_series *series)
{
	fprintf(to, "%s%s", family->name, family->kind == METRIC_COUNTER ? "_total" : "");
	put_labels(to, series, NULL);
	fprintf(to, " %.17g\n", series->value);
}

static const char *const units[] = { [UNIT_NONE] = NULL, [UNIT_SECONDS] = "seconds", [UNIT_BYTES] = "bytes" };
static const char *const kinds[] = {
	[METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge", [METRIC_HISTOGRAM] = "histogram",
};

/* In the text format a counter's type is that of NAME_total, in OpenMetrics of NAME. */
static void put_family(FILE *to, const struct metric_family *family, bool is_openmetrics)
{
	const char *suffix = family->kind == METRIC_COUNTER && !is_openmetrics ? "_total" : "";

	if (!family->series_count)
		return;
	fprintf(to, "# HELP %s%s ", family->name, suffix);
	put_escaped(to, family->help, is_openmetrics);
	fprintf(to, "\n# TYPE %s%s %s\n", family->name, suffix, kinds[family->kind]);
	if (is_openmetrics && units[family->unit] && family->kind != METRIC_COUNTER)
		fprintf(to, "# UNIT %s %s\n", family->name, units[family->unit]);
	for (size_t i = 0; i < family->series_count; i++) {
		if (family->kind == METRIC_HISTOGRAM)
			put_histogram(to, family, &family->series[i]);
		else
			put_simple(to, family, &family->series[i]);
	}
}

char *prometheus_render(const struct metrics *metrics, bool is_openmetrics, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < metrics_count(metrics); i++)
		put_family(to, metrics_get(metrics, i), is_openmetrics);
	if (is_openmetrics)
		fputs("# EOF\n", to);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}
