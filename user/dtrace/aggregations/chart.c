// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/chart.h"

/* libdtrace scales averages and deviations, but draws and prints their number of hits: an oversight. */
static bool has_bars(enum agg_kind kind)
{
	return kind == AGG_COUNT || kind == AGG_SUM || kind == AGG_AVG || kind == AGG_STDDEV;
}

void chart_begin(struct chart *chart, const struct aggregate *aggregate, const struct consumer_options *options)
{
	enum agg_kind kind = aggregate->kind;

	*chart = (struct chart){ .bars.options = options, .packing.is_linear = kind == AGG_LQUANTIZE };
	if (options->agg_hist && has_bars(kind))
		chart->kind = CHART_BARS;
	else if (options->agg_pack && (kind == AGG_QUANTIZE || kind == AGG_LQUANTIZE))
		chart->kind = CHART_PACKED;
}

static void add_distribution(struct chart *chart, const struct aggregate_entry *entry)
{
	struct distribution distribution;

	if (!distribution_read(&distribution, entry->of->kind, entry->of->agg, entry->words))
		packing_add(&chart->packing, &distribution);
	distribution_free(&distribution);
}

static void add_number(struct bars *bars, const struct aggregate_entry *entry)
{
	bars_add(bars, aggregate_number_as_is(entry));
	/* libdtrace uses an integer: with small numbers, the longest bar fills its place anyway. */
	if (bars->options->agg_zoom)
		bars->total = (long double)(uint64_t)bars->total;
}

void chart_add(struct chart *chart, const struct aggregate_entry *entry)
{
	if (chart->kind == CHART_BARS)
		add_number(&chart->bars, entry);
	else if (chart->kind == CHART_PACKED)
		add_distribution(chart, entry);
}

void chart_print_heading(const struct print *print, const struct chart *chart, const struct aggregate *aggregate)
{
	int width = 0;

	for (const struct field *key = aggregate->agg->keys; key; key = key->next)
		width += print_key_width(key);
	if (chart->kind == CHART_BARS) {
		bars_print_heading(print->to, width ? width : 16, width ? "key" : "value");
	} else {
		fprintf(print->to, "\n%*s", width, width ? "key" : "");
		packing_print_heading(print->to, &chart->packing);
	}
}

static void print_distribution(const struct print *print, const struct chart *chart,
			       const struct aggregate_entry *entry)
{
	struct distribution distribution;

	if (!distribution_read(&distribution, entry->of->kind, entry->of->agg, entry->words))
		packing_print(print->to, &chart->packing, &distribution, print->options);
	distribution_free(&distribution);
}

void chart_print(const struct print *print, const struct chart *chart, const struct aggregate_entry *entry)
{
	if (chart->kind == CHART_BARS) {
		fputc(' ', print->to);
		bars_print(print->to, &chart->bars, aggregate_number_as_is(entry), aggregate_number(entry));
	} else {
		print_distribution(print, chart, entry);
	}
}
