// SPDX-License-Identifier: BSD-2-Clause
#include "match/graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int relation_add(struct relation_builder *builder, uint32_t function, uint32_t item)
{
	if (builder->count >= GRAPH_MAX_PAIRS)
		return -ENOEXEC;
	if (!array_has_room_for(builder->pairs, builder->room, builder->count + 1))
		return -ENOMEM;
	builder->pairs[builder->count++] = (uint64_t)function << 32 | item;
	return 0;
}

static int compare_pairs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t sort_pairs(uint64_t *pairs, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(pairs, count, sizeof(*pairs), compare_pairs);
	for (size_t i = 0; i < count; i++) {
		if (!kept || pairs[i] != pairs[kept - 1])
			pairs[kept++] = pairs[i];
	}
	return kept;
}

static int take_pairs(struct relation_builder *builder, size_t count, size_t functions, struct relation *relation)
{
	size_t at = 0;

	relation->first = calloc(functions + 1, sizeof(*relation->first));
	relation->items = calloc(count + 1, sizeof(*relation->items));
	if (!relation->first || !relation->items)
		return -ENOMEM;
	for (size_t i = 0; i < functions; i++) {
		relation->first[i] = (uint32_t)at;
		for (; at < count && builder->pairs[at] >> 32 == i; at++)
			relation->items[at] = (uint32_t)builder->pairs[at];
	}
	relation->first[functions] = (uint32_t)at;
	free(builder->pairs);
	*builder = (struct relation_builder){};
	return 0;
}

int relation_make(struct relation_builder *builder, size_t functions, struct relation *relation)
{
	return take_pairs(builder, sort_pairs(builder->pairs, builder->count), functions, relation);
}

/* Keeps the first of equal items, and a limited number per function. */
static size_t drop_repeated(uint64_t *pairs, size_t count)
{
	size_t kept = 0, first = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k;

		if (!i || pairs[i] >> 32 != pairs[i - 1] >> 32)
			first = kept;
		for (k = first; k < kept && pairs[k] != pairs[i];)
			k++;
		if (k == kept && kept - first < GRAPH_MAX_TOUCHED)
			pairs[kept++] = pairs[i];
	}
	return kept;
}

int relation_make_in_order(struct relation_builder *builder, size_t functions, struct relation *relation)
{
	return take_pairs(builder, drop_repeated(builder->pairs, builder->count), functions, relation);
}

static int reverse(const struct graph *graph, enum graph_relation which, struct relation_builder *builder)
{
	const struct relation *relation = &graph->relations[which];
	int err = 0;

	for (uint32_t i = 0; i < graph->count; i++) {
		for (uint32_t k = relation->first[i]; !err && k < relation->first[i + 1]; k++)
			err = relation_add(builder, relation->items[k], i);
	}
	return err;
}

int graph_reverse(struct graph *graph)
{
	struct relation_builder builder = {};
	int err = reverse(graph, CALLS, &builder);

	if (!err)
		err = reverse(graph, TAKES, &builder);
	if (!err)
		err = relation_make(&builder, graph->count, &graph->relations[CALLED_BY]);
	free(builder.pairs);
	return err;
}

static int compare_anchors(const void *a, const void *b)
{
	const struct anchor *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

void graph_sort_anchors(struct graph *graph)
{
	struct anchor *all = graph->anchors;
	size_t kept = 0;

	if (graph->anchor_count)
		qsort(all, graph->anchor_count, sizeof(*all), compare_anchors);
	for (size_t i = 0; i < graph->anchor_count;) {
		size_t end = i + 1;
		bool is_sure = true;

		for (; end < graph->anchor_count && all[end].key == all[i].key; end++)
			is_sure &= all[end].function == all[i].function;
		if (is_sure)
			all[kept++] = all[i];
		i = end;
	}
	graph->anchor_count = kept;
}

void graph_free(struct graph *graph)
{
	for (size_t i = 0; i < RELATIONS; i++) {
		free(graph->relations[i].first);
		free(graph->relations[i].items);
	}
	free(graph->instructions);
	free(graph->registers);
	free(graph->anchors);
	*graph = (struct graph){};
}
