// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dtrace/aggregations/distribution.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

void snapshot_free(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++)
		free((void *)(uintptr_t)snapshot->entries[i].words);
	free(snapshot->entries);
	*snapshot = (struct snapshot){ 0 };
}

/* Words and key of an entry in one allocation. */
static int add(void *to, const struct agg_entry *from)
{
	struct snapshot *snapshot = to;
	const struct unit_agg *agg = snapshot->of->agg;
	size_t size = agg->words * sizeof(uint64_t);
	char *memory;

	if (!array_has_room_for(snapshot->entries, snapshot->room, snapshot->count + 1))
		return -ENOMEM;
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

int snapshot_take(struct snapshot *snapshot, const struct print *print, const struct aggregate *of,
		  unsigned int position)
{
	snapshot->of = of;
	snapshot->position = position;
	return print->ops->each(print->data, of->agg, add, snapshot);
}

/* Order. */

struct sort_order sort_order_of(const struct print *print)
{
	const struct consumer_options *options = print->options;

	return (struct sort_order){ print, options->agg_sort_key, options->agg_sort_rev, options->agg_sort_key_pos };
}

static int compare_field(const struct sort_order *order, const struct aggregate_entry *a,
			 const struct aggregate_entry *b, const struct field *field)
{
	struct bytes key_a = { a->key, a->of->agg->key_size, true }, key_b = { b->key, b->of->agg->key_size, true };
	struct field_value value_a, value_b;

	value_read(&value_a, order->print, &key_a, field);
	value_read(&value_b, order->print, &key_b, field);
	if (field->kind == FIELD_INT)
		return COMPARE(value_unsigned(&value_a), value_unsigned(&value_b));
	if (field->kind == FIELD_SYMBOL)
		return value_a.os_id != value_b.os_id ? COMPARE(value_a.os_id, value_b.os_id)
						      : COMPARE(value_a.number, value_b.number);
	return memcmp((const char *)a->key + field->offset, (const char *)b->key + field->offset, field->size);
}

int compare_keys(const struct sort_order *order, const struct aggregate_entry *a, const struct aggregate_entry *b)
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

int compare_values(const struct sort_order *order, const struct aggregate_entry *a, const struct aggregate_entry *b)
{
	int result;

	if (a->of->kind != b->of->kind)
		result = COMPARE(a->of->kind, b->of->kind);
	else if (aggregate_is_distribution(a->of))
		result = compare_distributions(a, b);
	else
		result = COMPARE(aggregate_number_as_is(a), aggregate_number_as_is(b));
	return order->is_reversed ? -result : result;
}

static int compare_entries(const void *a, const void *b, void *order)
{
	const struct sort_order *by = order;
	int result = by->by_key ? 0 : compare_values(order, a, b);

	return result ? result : compare_keys(order, a, b);
}

static void snapshot_sort(struct snapshot *snapshot, struct sort_order *order)
{
	if (snapshot->count)
		qsort_r(snapshot->entries, snapshot->count, sizeof(*snapshot->entries), compare_entries, order);
}

int snapshot_take_sorted(struct snapshot *snapshot, const struct print *print, const struct aggregate *aggregate)
{
	struct sort_order order = sort_order_of(print);
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

int aggregate_trunc(const struct aggregate *aggregate, const struct print *print, int64_t most)
{
	struct sort_order order = { .print = print, .is_reversed = most >= 0 };
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
