// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/aggregate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "dtrace/aggregations/chart.h"
#include "dtrace/aggregations/distribution.h"
#include "dtrace/aggregations/snapshot.h"

static void print_distribution(const struct print *print, const struct aggregate_entry *entry)
{
	struct distribution distribution;

	if (!distribution_read(&distribution, entry->of->kind, entry->of->agg, entry->words))
		distribution_print(print->to, &distribution, entry->of->normal, print->options);
	distribution_free(&distribution);
}

static void print_value(const struct print *print, const struct aggregate_entry *entry)
{
	if (aggregate_is_distribution(entry->of))
		print_distribution(print, entry);
	else
		fprintf(print->to, " %16" PRId64, aggregate_number(entry));
}

/* One line of output: a key, and the value of each aggregation. */
struct row {
	const struct aggregate_entry *key;
	const struct aggregate_entry *const *values;
	size_t count, next;
};

static void print_keys(const struct print *print, const struct aggregate_entry *entry, bool is_packed)
{
	struct bytes bytes = { entry->key, entry->of->agg->key_size, true };
	struct field_value value;

	for (const struct field *key = entry->of->agg->keys; key; key = key->next) {
		value_read(&value, print, &bytes, key);
		print_key(print, &value, is_packed);
	}
}

static void print_row(const struct print *print, const struct row *row)
{
	print_keys(print, row->key, false);
	for (size_t i = 0; i < row->count; i++)
		print_value(print, row->values[i]);
	fputc('\n', print->to);
}

/* %@d: the next aggregation; the last one again if there are more conversions than aggregations. */
static void format_value(void *data, const struct print *print, const struct format_part *part, const char *flags)
{
	struct row *row = data;
	const struct aggregate_entry *entry = row->values[row->next];

	if (row->next + 1 < row->count)
		row->next++;
	if (aggregate_is_distribution(entry->of))
		print_distribution(print, entry);
	else
		print_number(print, part, flags, (uint64_t)aggregate_number(entry), entry->of->kind != AGG_COUNT);
}

static void print_row_by(const struct print *print, struct row *row, const struct format *format)
{
	const struct unit_agg *agg = row->key->of->agg;
	struct format_source source = {
		.bytes = { row->key->key, agg->key_size, true },
		.fields = agg->keys,
		.aggregation = format_value,
		.data = row,
	};

	if (format)
		print_format(print, format, &source);
	else
		print_row(print, row);
}

static void print_rows(const struct print *print, const struct snapshot *snapshot, const struct format *format)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct aggregate_entry *entry = &snapshot->entries[i];
		struct row row = { .key = entry, .values = &entry, .count = 1 };

		print_row_by(print, &row, format);
	}
}

static void print_chart(const struct print *print, const struct snapshot *snapshot, struct chart *chart)
{
	for (size_t i = 0; i < snapshot->count; i++)
		chart_add(chart, &snapshot->entries[i]);
	if (snapshot->count)
		chart_print_heading(print, chart, snapshot->of);
	for (size_t i = 0; i < snapshot->count; i++) {
		print_keys(print, &snapshot->entries[i], true);
		chart_print(print, chart, &snapshot->entries[i]);
	}
}

static int print_one(struct aggregate *aggregate, const struct print *print, const struct format *format)
{
	struct snapshot snapshot = { 0 };
	struct chart chart;
	int err = snapshot_take_sorted(&snapshot, print, aggregate);

	chart_begin(&chart, aggregate, print->options);
	if (!err && !format && chart.kind != CHART_NONE)
		print_chart(print, &snapshot, &chart);
	else if (!err)
		print_rows(print, &snapshot, format);
	snapshot_free(&snapshot);
	return err;
}

static void joined_print(const struct joined *joined, const struct print *print, const struct format *format)
{
	for (size_t i = 0; i < joined->rows; i++) {
		const struct aggregate_entry *const *cells = &joined->cells[i * (joined->count + 1)];
		struct row row = { .key = cells[0], .values = cells + 1, .count = joined->count };

		print_row_by(print, &row, format);
	}
}

static int print_joined(struct aggregate *const *list, size_t count, const struct print *print,
			const struct format *format)
{
	struct joined joined;
	int err = joined_make(&joined, list, count, print);

	if (!err)
		joined_print(&joined, print, format);
	joined_free(&joined);
	return err;
}

int aggregates_printa(const struct aggregates *aggregates, const struct print *print, const struct action *action)
{
	_cleanup_free_ struct aggregate **list = calloc(action->agg_count + 1, sizeof(*list));
	size_t count = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < action->agg_count; i++) {
		list[count] = aggregates_find(aggregates, action->aggs[i]);
		if (list[count])
			list[count++]->is_printed = true;
	}
	if (!action->format)
		fputc('\n', print->to);
	if (!count)
		return 0;
	return count == 1 ? print_one(list[0], print, action->format)
			  : print_joined(list, count, print, action->format);
}

int aggregates_print_rest(const struct aggregates *aggregates, const struct print *print)
{
	for (size_t i = 0; i < aggregates->count; i++) {
		/* aggsortrev reverses their order, too. */
		size_t at = print->options->agg_sort_rev ? aggregates->count - 1 - i : i;
		int err = aggregates->list[at].is_printed ? 0 : print_one(&aggregates->list[at], print, NULL);

		if (err)
			return err;
	}
	return 0;
}
