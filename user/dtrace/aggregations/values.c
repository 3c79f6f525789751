// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/aggregations/values.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "d/lang/agg.h"
#include "d/lang/function.h"

/* The keys of a map, in one array. */
struct keys {
	char *keys;
	size_t count, room, size;
};

static size_t key_size_of(const struct unit_agg *agg)
{
	return agg->key_size ? agg->key_size : 8;
}

static bool make_room(struct keys *keys)
{
	char *grown = array_reserve(keys->keys, &keys->room, keys->count + 1, keys->size);

	if (grown)
		keys->keys = grown;
	return grown != NULL;
}

/* Only this process removes keys, so the iteration keeps its place. */
static int list_keys(int map, struct keys *keys)
{
	const char *last = NULL;

	for (;;) {
		if (!make_room(keys))
			return -ENOMEM;
		last = keys->count ? keys->keys + (keys->count - 1) * keys->size : NULL;
		if (bpf_map_get_next_key(map, last, keys->keys + keys->count * keys->size))
			return errno == ENOENT ? 0 : -errno;
		keys->count++;
	}
}

/* In a shared map: the keys of this aggregation. */
static void keep_own(struct keys *keys, const struct unit_agg *agg)
{
	size_t count = 0;

	for (size_t i = 0; agg->number && i < keys->count; i++) {
		const char *key = keys->keys + i * keys->size;

		if (!memcmp(key, &agg->number, sizeof(agg->number)))
			memmove(keys->keys + count++ * keys->size, key, keys->size);
	}
	if (agg->number)
		keys->count = count;
}

static int list_own_keys(int map, const struct unit_agg *agg, struct keys *keys)
{
	int err = map < 0 ? map : list_keys(map, keys);

	keep_own(keys, agg);
	return err;
}

/* min and max are stored so that the greater one wins. */
static bool is_extreme(const struct unit_agg *agg)
{
	const struct d_function *function = agg->symbol ? agg->symbol->function : NULL;

	return function && (function->agg == AGG_MIN || function->agg == AGG_MAX);
}

static bool is_stddev(const struct unit_agg *agg)
{
	const struct d_function *function = agg->symbol ? agg->symbol->function : NULL;

	return function && function->agg == AGG_STDDEV;
}

void values_add(const struct unit_agg *agg, uint64_t *sum, const uint64_t *words)
{
	for (size_t i = 0; i < agg->words; i++) {
		if (i == 1 && is_extreme(agg))
			sum[i] = sum[i] > words[i] ? sum[i] : words[i];
		else
			sum[i] += words[i];
	}
	/* 128 bits: carry from the low word. */
	if (is_stddev(agg) && agg->words > 3 && sum[2] < words[2])
		sum[3]++;
}

static int visit_keys(int map, const struct unit_agg *agg, const struct keys *keys,
		      int (*visit)(void *to, const struct agg_entry *entry), void *to)
{
	_cleanup_free_ char *all = calloc(agg->stripes, agg->stride);
	_cleanup_free_ uint64_t *sum = calloc(agg->words, sizeof(*sum));
	int err = all && sum ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < keys->count; i++) {
		struct agg_entry entry = { keys->keys + i * keys->size, sum };

		if (bpf_map_lookup_elem(map, entry.key, all)) {
			err = errno == ENOENT ? 0 : -errno;
			continue;
		}
		memset(sum, 0, agg->words * sizeof(*sum));
		for (size_t stripe = 0; stripe < agg->stripes; stripe++)
			values_add(agg, sum, (const uint64_t *)(all + stripe * agg->stride));
		err = visit(to, &entry);
	}
	return err;
}

int values_each(int map, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry), void *to)
{
	struct keys keys = { .size = key_size_of(agg) };
	int err = list_own_keys(map, agg, &keys);

	if (!err)
		err = visit_keys(map, agg, &keys, visit, to);
	free(keys.keys);
	return err;
}

int values_clear(int map, const struct unit_agg *agg)
{
	struct keys keys = { .size = key_size_of(agg) };
	int err = list_own_keys(map, agg, &keys);
	_cleanup_free_ char *zeros = err ? NULL : calloc(agg->stripes, agg->stride);

	if (!err && !zeros)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < keys.count; i++) {
		if (bpf_map_update_elem(map, keys.keys + i * keys.size, zeros, BPF_EXIST) && errno != ENOENT)
			err = -errno;
	}
	free(keys.keys);
	return err;
}

int values_remove(int map, const void *key)
{
	return bpf_map_delete_elem(map, key) && errno != ENOENT ? -errno : 0;
}
