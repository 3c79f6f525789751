// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

#include "base/cleanup.h"
#include "dtrace/aggregations/values.h"

struct merged {
	UT_hash_handle hh;
	uint64_t *words;
	char key[];
};

struct merge {
	int map;
	const struct unit_agg *agg;
	struct symbols *symbols;
	struct merged *entries;
	const void *removed; /* the key whose entries to remove; NULL: merge */
	char *key;	     /* of the current entry */
};

/* Kernel addresses are the same in all processes. */
static bool is_kernel(const struct field *field)
{
	return field->symbol == SYMBOL_KADDR || field->symbol == SYMBOL_KSYM || field->symbol == SYMBOL_KMOD;
}

static bool is_merged(const struct field *field)
{
	return field->kind == FIELD_SYMBOL && field->symbol != SYMBOL_UADDR;
}

bool merge_is_wanted(const struct unit_agg *agg)
{
	for (const struct field *field = agg->keys; field; field = field->next) {
		if (is_merged(field))
			return true;
	}
	return false;
}

static void set_key(const struct merge *merge, const void *key)
{
	uint64_t words[2];

	memcpy(merge->key, key, merge->agg->key_size);
	for (const struct field *field = merge->agg->keys; field; field = field->next) {
		if (!is_merged(field))
			continue;
		memcpy(words, merge->key + field->offset, sizeof(words));
		words[0] = symbols_start(merge->symbols, (pid_t)words[1], words[0], field->symbol);
		words[1] = is_kernel(field) ? 0 : words[1];
		memcpy(merge->key + field->offset, words, sizeof(words));
	}
}

static struct merged *add_entry(struct merge *merge)
{
	const struct unit_agg *agg = merge->agg;
	struct merged *entry = calloc(1, sizeof(*entry) + agg->key_size);

	if (!entry)
		return NULL;
	entry->words = calloc(agg->words, sizeof(*entry->words));
	if (!entry->words) {
		free(entry);
		return NULL;
	}
	memcpy(entry->key, merge->key, agg->key_size);
	HASH_ADD(hh, merge->entries, key, (unsigned int)agg->key_size, entry);
	return entry;
}

static int on_entry(void *data, const struct agg_entry *from)
{
	struct merge *merge = data;
	struct merged *entry;

	set_key(merge, from->key);
	if (merge->removed)
		return memcmp(merge->key, merge->removed, merge->agg->key_size) ? 0
										: values_remove(merge->map, from->key);
	HASH_FIND(hh, merge->entries, merge->key, (unsigned int)merge->agg->key_size, entry);
	if (!entry)
		entry = add_entry(merge);
	if (!entry)
		return -ENOMEM;
	values_add(merge->agg, entry->words, from->words);
	return 0;
}

int merge_each(int map, const struct unit_agg *agg, struct symbols *symbols,
	       int (*visit)(void *to, const struct agg_entry *entry), void *to)
{
	_cleanup_free_ char *key = malloc(agg->key_size);
	struct merge merge = { .map = map, .agg = agg, .symbols = symbols, .key = key };
	int err = key ? values_each(map, agg, on_entry, &merge) : -ENOMEM;
	struct merged *entry = NULL, *next;

	HASH_ITER(hh, merge.entries, entry, next) {
		struct agg_entry out = { entry->key, entry->words };

		if (!err)
			err = visit(to, &out);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): uthash; it is in there */
		HASH_DEL(merge.entries, entry);
		free(entry->words);
		free(entry);
	}
	return err;
}

int merge_remove(int map, const struct unit_agg *agg, struct symbols *symbols, const void *removed)
{
	_cleanup_free_ char *key = malloc(agg->key_size);
	struct merge merge = { .map = map, .agg = agg, .symbols = symbols, .key = key, .removed = removed };

	return key ? values_each(map, agg, on_entry, &merge) : -ENOMEM;
}
