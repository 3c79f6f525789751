// SPDX-License-Identifier: BSD-2-Clause
/*
 * Decides which keys of an aggregation have a series: the heaviest, up to the limit. All others share one, which must
 * not lose counts when a key leaves it.
 */
#include "serve/scripts/script_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "dtrace/aggregations/values.h"

#define NEVER_HEAVIER 2 /* a key replaces another one if it weighs this many times more */
#define BREATHE_NS (10 * NS_PER_MS)
#define LOOK_EACH 64

static int make_rivals(struct exported *e)
{
	e->rivals = calloc(e->script->series + 1, sizeof(*e->rivals));
	if (!e->rivals)
		return -ENOMEM;
	for (size_t i = 0; i < e->script->series; i++) {
		e->rivals[i].words = calloc(e->words, sizeof(uint64_t));
		e->rivals[i].key = malloc(e->key_size);
		if (!e->rivals[i].words || !e->rivals[i].key)
			return -ENOMEM;
	}
	return 0;
}

int series_new(struct exported *e)
{
	e->others = calloc(e->words, sizeof(*e->others));
	e->offset = calloc(e->words, sizeof(*e->offset));
	e->reported = calloc(e->words, sizeof(*e->reported));
	return e->others && e->offset && e->reported ? make_rivals(e) : -ENOMEM;
}

void series_forget_node(struct script_key *shown)
{
	for (size_t i = 0; i < shown->node_count; i++)
		free((char *)(uintptr_t)shown->node[i].value);
	shown->node_count = 0;
}

static void forget(struct exported *e, struct script_key *shown)
{
	series_forget_node(shown);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): uthash; it is in there */
	HASH_DEL(e->shown, shown);
	e->shown_count--;
	free(shown->words);
	free(shown->reported);
	free(shown);
}

void series_free(struct exported *e)
{
	struct script_key *shown = NULL, *next;

	HASH_ITER(hh, e->shown, shown, next) {
		forget(e, shown);
	}
	for (size_t i = 0; e->rivals && i < e->script->series; i++) {
		free(e->rivals[i].words);
		free(e->rivals[i].key);
	}
	free(e->rivals);
	free(e->others);
	free(e->offset);
	free(e->reported);
}

void series_begin(struct exported *e)
{
	for (struct script_key *shown = e->shown; shown; shown = shown->hh.next)
		shown->is_seen = false;
	e->rival_count = 0;
	e->dropped = 0;
	memset(e->others, 0, e->words * sizeof(*e->others));
}

/* The weight of a key: counts and sums by size; others by the number of values. */
static uint64_t weight_of(const struct exported *e, const uint64_t *words)
{
	int64_t sum = (int64_t)words[1 % e->words];

	if (e->kind != AGG_SUM)
		return words[0];
	return sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
}

static void swap(struct rival *a, struct rival *b)
{
	struct rival kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct exported *e, size_t i)
{
	for (; i && e->rivals[i].weight < e->rivals[(i - 1) / 2].weight; i = (i - 1) / 2)
		swap(&e->rivals[i], &e->rivals[(i - 1) / 2]);
}

static void sift_down(struct exported *e, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < e->rival_count; child++) {
			if (e->rivals[child].weight < e->rivals[least].weight)
				least = child;
		}
		if (least == i)
			return;
		swap(&e->rivals[i], &e->rivals[least]);
		i = least;
	}
}

static void join_others(struct exported *e, const struct unit_agg *agg, const uint64_t *words)
{
	values_add(agg, e->others, words);
	e->dropped++;
}

static void set_rival(struct exported *e, struct rival *rival, uint64_t weight, const struct aggregate_entry *entry)
{
	rival->weight = weight;
	memcpy(rival->words, entry->words, e->words * sizeof(*rival->words));
	memcpy(rival->key, entry->key, e->key_size);
}

static void compete(struct exported *e, const struct aggregate_entry *entry)
{
	uint64_t weight = weight_of(e, entry->words);

	if (e->rival_count < e->script->series) {
		set_rival(e, &e->rivals[e->rival_count], weight, entry);
		sift_up(e, e->rival_count++);
	} else if (e->rival_count && weight > e->rivals[0].weight) {
		join_others(e, entry->of->agg, e->rivals[0].words);
		set_rival(e, &e->rivals[0], weight, entry);
		sift_down(e, 0);
	} else {
		join_others(e, entry->of->agg, entry->words);
	}
}

/* Reading the clock costs as much as a key. */
static void breathe(struct script_metrics *script)
{
	if (++script->read % LOOK_EACH || duration_now() - script->breathed_ns < BREATHE_NS)
		return;
	script->host->breathe(script->host->data);
	script->breathed_ns = duration_now();
}

int series_take(void *to, const struct aggregate_entry *entry)
{
	struct exported *e = to;
	struct script_key *shown;

	breathe(e->script);

	HASH_FIND(hh, e->shown, entry->key, e->key_size, shown);
	if (!shown) {
		compete(e, entry);
		return 0;
	}
	memcpy(shown->words, entry->words, e->words * sizeof(*shown->words));
	shown->is_seen = true;
	return 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct rival *rival_a = a, *rival_b = b;

	return (rival_a->weight < rival_b->weight) - (rival_a->weight > rival_b->weight);
}

static struct script_key *lightest_of(const struct exported *e)
{
	struct script_key *lightest = NULL;

	for (struct script_key *shown = e->shown; shown; shown = shown->hh.next) {
		if (!lightest || weight_of(e, shown->words) < weight_of(e, lightest->words))
			lightest = shown;
	}
	return lightest;
}

static int show(struct exported *e, const struct rival *rival)
{
	size_t size = e->words * sizeof(uint64_t);
	struct script_key *shown = calloc(1, sizeof(*shown) + e->key_size);

	if (!shown)
		return -ENOMEM;
	shown->words = malloc(size);
	shown->reported = malloc(size);
	if (!shown->words || !shown->reported) {
		free(shown->words);
		free(shown->reported);
		free(shown);
		return -ENOMEM;
	}
	memcpy(shown->words, rival->words, size);
	memcpy(shown->reported, rival->words, size);
	memcpy(shown->key, rival->key, e->key_size);
	shown->is_seen = true;
	HASH_ADD_KEYPTR(hh, e->shown, shown->key, e->key_size, shown);
	e->shown_count++;
	/* Its counts within "other" stay there. */
	for (size_t i = 0; e->had_others && i < e->words; i++)
		e->offset[i] += rival->words[i];
	return 0;
}

/* Joins "other", which has not counted what was reported for it. */
static void hide(struct exported *e, const struct unit_agg *agg, struct script_key *shown)
{
	for (size_t i = 0; i < e->words; i++)
		e->offset[i] -= shown->reported[i];
	join_others(e, agg, shown->words);
	forget(e, shown);
}

void series_forget_unseen(struct exported *e)
{
	struct script_key *shown = NULL, *next;

	HASH_ITER(hh, e->shown, shown, next) {
		if (!shown->is_seen)
			forget(e, shown);
	}
}

/* Free places go to the heaviest keys; a much heavier key replaces another one. */
int series_give_places(struct exported *e, const struct unit_agg *agg)
{
	struct script_key *lightest = NULL;
	size_t i = 0;
	int err = 0;

	if (e->rival_count)
		qsort(e->rivals, e->rival_count, sizeof(*e->rivals), by_weight);
	for (; !err && i < e->rival_count && e->shown_count < e->script->series; i++)
		err = show(e, &e->rivals[i]);
	for (; !err && i < e->rival_count; i++) {
		lightest = lightest_of(e);
		if (e->rivals[i].weight / NEVER_HEAVIER <= weight_of(e, lightest->words))
			break;
		hide(e, agg, lightest);
		err = show(e, &e->rivals[i]);
	}
	for (; i < e->rival_count; i++)
		join_others(e, agg, e->rivals[i].words);
	return err;
}

void series_settle_others(struct exported *e)
{
	bool has_fallen = false;

	if (!export_is_additive(e))
		return;
	for (size_t i = 0; i < e->words; i++)
		has_fallen |= (int64_t)(e->others[i] + e->offset[i] - e->reported[i]) < 0;
	for (size_t i = 0; i < e->words; i++) {
		if (has_fallen)
			e->offset[i] = 0;
		e->others[i] += e->offset[i];
		e->reported[i] = e->others[i];
	}
}
