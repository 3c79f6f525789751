// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/print/aggregate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "d/lang/function.h"
#include "dtrace/print/chart.h"
#include "dtrace/print/distribution.h"

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

	/* Without the words that a kind needs, the number of hits is all that can be told. */
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

/* --- Values ------------------------------------------------------------------------------------- */

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

/* C has no answer to the least number by -1, and processors trap. */
static int64_t divide(int64_t number, int64_t by)
{
	return by == -1 ? (int64_t) - (uint64_t)number : number / by;
}

/* The root of the average of the squares less the square of the average, all in integers. */
static uint64_t deviation(const uint64_t *words, uint64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)words[3] << 64 | words[2], square;
	int64_t average;

	if (!words[0])
		return 0;
	average = divide(divide((int64_t)words[1], (int64_t)normal), (int64_t)words[0]);
	squares = squares / normal / words[0];
	square = (unsigned __int128)((__int128)average * average);
	/* Both are rounded, so the difference of a constant series may come out below zero. */
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

static void print_distribution(const struct print *print, const struct aggregate_entry *entry)
{
	struct distribution distribution;

	if (!distribution_read(&distribution, entry->of->kind, entry->of->agg, entry->words))
		distribution_print(print->to, &distribution, entry->of->normal, print->options);
	distribution_free(&distribution);
}

static void print_value(const struct print *print, const struct aggregate_entry *entry)
{
	if (agg_is_distribution(entry->of->kind))
		print_distribution(print, entry);
	else
		fprintf(print->to, " %16" PRId64, aggregate_number(entry));
}

/* --- Snapshots ---------------------------------------------------------------------------------- */

struct snapshot {
	const struct aggregate *of;
	unsigned int position;
	struct aggregate_entry *entries;
	size_t count, room;
};

static void snapshot_free(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++)
		free((void *)(uintptr_t)snapshot->entries[i].words);
	free(snapshot->entries);
	*snapshot = (struct snapshot){ 0 };
}

static int snapshot_grow(struct snapshot *snapshot)
{
	size_t room = snapshot->room ? 2 * snapshot->room : 64;
	struct aggregate_entry *entries = realloc(snapshot->entries, room * sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	snapshot->entries = entries;
	snapshot->room = room;
	return 0;
}

/* Words and key of an entry in one piece of memory. */
static int snapshot_add(void *to, const struct agg_entry *from)
{
	struct snapshot *snapshot = to;
	const struct unit_agg *agg = snapshot->of->agg;
	size_t size = agg->words * sizeof(uint64_t);
	int err = snapshot->count < snapshot->room ? 0 : snapshot_grow(snapshot);
	char *memory;

	if (err)
		return err;
	memory = malloc(size + agg->key_size);
	if (!memory)
		return -ENOMEM;
	memcpy(memory, from->words, size);
	memcpy(memory + size, from->key, agg->key_size);
	snapshot->entries[snapshot->count++] = (struct aggregate_entry){
		.of = snapshot->of,
		.position = snapshot->position,
		.words = (const uint64_t *)(const void *)memory,
		.key = memory + size,
	};
	return 0;
}

static int snapshot_take(struct snapshot *snapshot, const struct print *print, const struct aggregate *of,
			 unsigned int position)
{
	snapshot->of = of;
	snapshot->position = position;
	return print->ops->each(print->data, of->agg, snapshot_add, snapshot);
}

/* --- Order -------------------------------------------------------------------------------------- */

/* How it is sorted: the options, but trunc() always goes by value. */
struct order {
	const struct print *print;
	bool by_key, is_reversed;
	unsigned int key_position;
};

static struct order order_of(const struct print *print)
{
	const struct consumer_options *options = print->options;

	return (struct order){ print, options->agg_sort_key, options->agg_sort_rev, options->agg_sort_key_pos };
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_field(const struct order *order, const struct aggregate_entry *a, const struct aggregate_entry *b,
			 const struct field *field)
{
	struct bytes key_a = { a->key, a->of->agg->key_size, true }, key_b = { b->key, b->of->agg->key_size, true };
	struct value value_a, value_b;

	value_read(&value_a, order->print, &key_a, field);
	value_read(&value_b, order->print, &key_b, field);
	if (field->kind == FIELD_INT)
		return COMPARE(value_unsigned(&value_a), value_unsigned(&value_b));
	if (field->kind == FIELD_SYMBOL)
		return value_a.os_pid != value_b.os_pid ? COMPARE(value_a.os_pid, value_b.os_pid)
							: COMPARE(value_a.number, value_b.number);
	return memcmp((const char *)a->key + field->offset, (const char *)b->key + field->offset, field->size);
}

/* Keys from the one that the option names on, then those before it. */
static int compare_keys(const struct order *order, const struct aggregate_entry *a, const struct aggregate_entry *b)
{
	const struct field *keys = a->of->agg->keys;
	unsigned int count = 0, from, i = 0;
	int before = 0, result = 0;

	for (const struct field *key = keys; key; key = key->next)
		count++;
	from = order->key_position < count ? order->key_position : 0;
	for (const struct field *key = keys; key && !result; key = key->next) {
		if (i++ < from)
			before = before ? before : compare_field(order, a, b, key);
		else
			result = compare_field(order, a, b, key);
	}
	result = result ? result : before;
	return order->is_reversed ? -result : result;
}

static int compare_distributions(const struct aggregate_entry *a, const struct aggregate_entry *b)
{
	struct distribution da, db;
	int result = 0;

	if (!(distribution_read(&da, a->of->kind, a->of->agg, a->words) |
	      distribution_read(&db, b->of->kind, b->of->agg, b->words))) {
		long double sum_a = distribution_sum(a->of->kind, &da), sum_b = distribution_sum(b->of->kind, &db);

		result = COMPARE(sum_a, sum_b);
		if (!result)
			result = COMPARE(distribution_zero(a->of->kind, &da), distribution_zero(b->of->kind, &db));
	}
	distribution_free(&da);
	distribution_free(&db);
	return result;
}

/* As they are, not as they are normalized. Aggregations of different kinds: by kind. */
static int compare_values(const struct order *order, const struct aggregate_entry *a, const struct aggregate_entry *b)
{
	int result;

	if (a->of->kind != b->of->kind)
		result = COMPARE(a->of->kind, b->of->kind);
	else if (agg_is_distribution(a->of->kind))
		result = compare_distributions(a, b);
	else
		result = COMPARE(number_of(a, 1), number_of(b, 1));
	return order->is_reversed ? -result : result;
}

static int compare_entries(const void *a, const void *b, void *order)
{
	const struct order *by = order;
	int result = by->by_key ? 0 : compare_values(order, a, b);

	return result ? result : compare_keys(order, a, b);
}

static void snapshot_sort(struct snapshot *snapshot, struct order *order)
{
	if (snapshot->count)
		qsort_r(snapshot->entries, snapshot->count, sizeof(*snapshot->entries), compare_entries, order);
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

static int snapshot_take_sorted(struct snapshot *snapshot, const struct print *print, const struct aggregate *aggregate)
{
	struct order order = order_of(print);
	int err = snapshot_take(snapshot, print, aggregate, 0);

	if (!err)
		snapshot_sort(snapshot, &order);
	return err;
}

int aggregate_walk(const struct aggregate *aggregate, const struct print *print,
		   void (*visit)(void *to, const struct aggregate_entry *entry), void *to)
{
	struct snapshot snapshot = { 0 };
	int err = snapshot_take_sorted(&snapshot, print, aggregate);

	if (!err) {
		for (size_t i = 0; i < snapshot.count; i++)
			visit(to, &snapshot.entries[i]);
	}
	snapshot_free(&snapshot);
	return err;
}

int aggregate_trunc(struct aggregate *aggregate, const struct print *print, int64_t most)
{
	struct order order = { .print = print, .is_reversed = most >= 0 };
	uint64_t keep = most < 0 ? -(uint64_t)most : (uint64_t)most;
	struct snapshot snapshot = { 0 };
	int err = snapshot_take(&snapshot, print, aggregate, 0);

	if (!err) {
		snapshot_sort(&snapshot, &order);
		for (size_t i = keep < snapshot.count ? keep : snapshot.count; i < snapshot.count && !err; i++)
			err = print->ops->remove(print->data, aggregate->agg, snapshot.entries[i].key);
	}
	snapshot_free(&snapshot);
	return err;
}

/* --- Printing ----------------------------------------------------------------------------------- */

/* One line of output: a key, and what each of the aggregations has there. */
struct row {
	const struct aggregate_entry *key;
	const struct aggregate_entry *const *values;
	size_t count, next;
};

static void print_keys(const struct print *print, const struct aggregate_entry *entry, bool is_packed)
{
	struct bytes bytes = { entry->key, entry->of->agg->key_size, true };
	struct value value;

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
	if (agg_is_distribution(entry->of->kind))
		print_distribution(print, entry);
	else
		print_int(print, part, flags, (uint64_t)aggregate_number(entry), entry->of->kind != AGG_COUNT);
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

/* --- Several at once: joined by key ------------------------------------------------------------------ */

struct joined {
	struct aggregate *const *aggregates;
	size_t count;
	struct snapshot all;
	struct aggregate_entry *zeros; /* for an aggregation that has nothing at a key */
	uint64_t **zero_words;
	const struct aggregate_entry **cells; /* of all rows: a key, then its values */
	size_t rows;
	struct order order;
	unsigned int sort_position;
};

static int joined_zeros(struct joined *joined)
{
	joined->zeros = calloc(joined->count, sizeof(*joined->zeros));
	joined->zero_words = calloc(joined->count, sizeof(*joined->zero_words));
	if (!joined->zeros || !joined->zero_words)
		return -ENOMEM;
	for (size_t i = 0; i < joined->count; i++) {
		joined->zero_words[i] = calloc(joined->aggregates[i]->agg->words, sizeof(uint64_t));
		if (!joined->zero_words[i])
			return -ENOMEM;
		/* min and max are stored such that 0 is the far end; what is not there prints as 0. */
		if (joined->aggregates[i]->kind == AGG_MIN)
			joined->zero_words[i][1] = ~AGG_BIAS;
		else if (joined->aggregates[i]->kind == AGG_MAX)
			joined->zero_words[i][1] = AGG_BIAS;
		joined->zeros[i] = (struct aggregate_entry){ .of = joined->aggregates[i],
							     .words = joined->zero_words[i] };
	}
	return 0;
}

static int joined_take(struct joined *joined, const struct print *print)
{
	for (size_t i = 0; i < joined->count; i++) {
		int err = snapshot_take(&joined->all, print, joined->aggregates[i], (unsigned int)i);

		if (err)
			return err;
	}
	return 0;
}

static void joined_free(struct joined *joined)
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

	return result ? result : COMPARE(entry_a->position, entry_b->position);
}

/* Entries of one key are neighbours now: each makes a row. */
static void joined_rows(struct joined *joined)
{
	struct order plain = { .print = joined->order.print };
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

/* By the values from the position that the option names on, around, and by key last; or by key first. */
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

static int joined_sort(struct joined *joined)
{
	struct order plain = { .print = joined->order.print };
	size_t width = joined->count + 1;

	joined->cells = calloc(joined->all.count * width + 1, sizeof(*joined->cells));
	if (!joined->cells)
		return -ENOMEM;
	if (joined->all.count)
		qsort_r(joined->all.entries, joined->all.count, sizeof(*joined->all.entries), compare_by_key, &plain);
	joined_rows(joined);
	if (joined->rows)
		qsort_r(joined->cells, joined->rows, width * sizeof(*joined->cells), compare_rows, joined);
	return 0;
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
	unsigned int position = print->options->agg_sort_pos;
	struct joined joined = { .aggregates = list,
				 .count = count,
				 .order = order_of(print),
				 .sort_position = position < count ? position : 0 };
	int err = joined_zeros(&joined);

	if (!err)
		err = joined_take(&joined, print);
	if (!err)
		err = joined_sort(&joined);
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
		/* aggsortrev turns their order around too. */
		size_t at = print->options->agg_sort_rev ? aggregates->count - 1 - i : i;
		int err = aggregates->list[at].is_printed ? 0 : print_one(&aggregates->list[at], print, NULL);

		if (err)
			return err;
	}
	return 0;
}
