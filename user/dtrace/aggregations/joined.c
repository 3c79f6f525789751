// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/snapshot.h"

#include <errno.h>
#include <stdlib.h>

static int make_zeros(struct joined *joined)
{
	joined->zeros = calloc(joined->count, sizeof(*joined->zeros));
	joined->zero_words = calloc(joined->count, sizeof(*joined->zero_words));
	if (!joined->zeros || !joined->zero_words)
		return -ENOMEM;
	for (size_t i = 0; i < joined->count; i++) {
		joined->zero_words[i] = calloc(joined->aggregates[i]->agg->words, sizeof(uint64_t));
		if (!joined->zero_words[i])
			return -ENOMEM;
		/* min and max are stored such that 0 is the far end; missing values print as 0. */
		if (joined->aggregates[i]->kind == AGG_MIN)
			joined->zero_words[i][1] = ~AGG_BIAS;
		else if (joined->aggregates[i]->kind == AGG_MAX)
			joined->zero_words[i][1] = AGG_BIAS;
		joined->zeros[i] = (struct aggregate_entry){ .of = joined->aggregates[i],
							     .words = joined->zero_words[i] };
	}
	return 0;
}

static int take(struct joined *joined, const struct print *print)
{
	for (size_t i = 0; i < joined->count; i++) {
		int err = snapshot_take(&joined->all, print, joined->aggregates[i], (unsigned int)i);

		if (err)
			return err;
	}
	return 0;
}

void joined_free(struct joined *joined)
{
	for (size_t i = 0; joined->zero_words && i < joined->count; i++)
		free(joined->zero_words[i]);
	free(joined->zero_words);
	free(joined->zeros);
	free(joined->cells);
	snapshot_free(&joined->all);
}

static int compare_by_key(const void *a, const void *b, void *order)
{
	const struct aggregate_entry *entry_a = a, *entry_b = b;
	int result = compare_keys(order, a, b);

	return result ? result : (int)entry_a->position - (int)entry_b->position;
}

/* Entries with the same key are adjacent: they make a row. */
static void make_rows(struct joined *joined)
{
	struct sort_order plain = { .print = joined->order.print };
	size_t width = joined->count + 1;

	for (size_t i = 0; i < joined->all.count; i++) {
		const struct aggregate_entry *entry = &joined->all.entries[i], **row;

		if (!i || compare_keys(&plain, entry, entry - 1)) {
			row = &joined->cells[joined->rows++ * width];
			row[0] = entry;
			for (size_t j = 0; j < joined->count; j++)
				row[j + 1] = &joined->zeros[j];
		}
		row = &joined->cells[(joined->rows - 1) * width];
		row[entry->position + 1] = entry;
	}
}

/* By values, starting at the position that the option names, then by key; or by key first. */
static int compare_rows(const void *a, const void *b, void *data)
{
	const struct joined *joined = data;
	const struct aggregate_entry *const *row_a = a, *const *row_b = b;
	int result = joined->order.by_key ? compare_keys(&joined->order, row_a[0], row_b[0]) : 0;

	for (size_t i = 0; i < joined->count && !result; i++) {
		size_t at = 1 + (joined->sort_position + i) % joined->count;

		result = compare_values(&joined->order, row_a[at], row_b[at]);
	}
	return result ? result : compare_keys(&joined->order, row_a[0], row_b[0]);
}

static int sort(struct joined *joined)
{
	struct sort_order plain = { .print = joined->order.print };
	size_t width = joined->count + 1;

	joined->cells = calloc(joined->all.count * width + 1, sizeof(*joined->cells));
	if (!joined->cells)
		return -ENOMEM;
	if (joined->all.count)
		qsort_r(joined->all.entries, joined->all.count, sizeof(*joined->all.entries), compare_by_key, &plain);
	make_rows(joined);
	if (joined->rows)
		qsort_r(joined->cells, joined->rows, width * sizeof(*joined->cells), compare_rows, joined);
	return 0;
}

int joined_make(struct joined *joined, struct aggregate *const *list, size_t count, const struct print *print)
{
	unsigned int position = print->options->agg_sort_pos;
	int err;

	*joined = (struct joined){ .aggregates = list,
				   .count = count,
				   .order = sort_order_of(print),
				   .sort_position = position < count ? position : 0 };
	err = make_zeros(joined);
	if (!err)
		err = take(joined, print);
	return err ? err : sort(joined);
}
