// SPDX-License-Identifier: BSD-2-Clause
#include "results/counters.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/dump.h"

static int compare(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	if (x->counter.count != y->counter.count)
		return x->counter.count > y->counter.count ? -1 : 1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

/* Appends what did not fit under a key, if anything. */
static int take_rest(int fd, __u32 generation, struct counter_row *rows, size_t *count)
{
	struct counter rest, nothing = {};

	if (bpf_map_lookup_elem(fd, &generation, &rest))
		return -errno;
	if (!rest.count)
		return 0;
	rows[(*count)++] = (struct counter_row){ .counter = rest };
	return bpf_map_update_elem(fd, &generation, &nothing, BPF_ANY) ? -errno : 0;
}

static int compare_keys(const void *a, const void *b)
{
	return memcmp(&((const struct counter_row *)a)->key, &((const struct counter_row *)b)->key,
		      sizeof(struct counter_key));
}

static void add_up(struct counter *to, const struct counter *from)
{
	to->count += from->count;
	to->sum += from->sum;
	to->extras[0] += from->extras[0];
	to->extras[1] += from->extras[1];
	if (from->max > to->max)
		to->max = from->max;
}

/* What the kernel counts by addresses of code becomes what it is by functions. */
static size_t merge(struct ids *ids, struct counter_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		rows[i].key.id = ids_key(ids, rows[i].key.os_id, rows[i].key.id);
		rows[i].key.other = ids_key(ids, rows[i].key.os_id, rows[i].key.other);
	}
	qsort(rows, count, sizeof(*rows), compare_keys);
	for (size_t i = 0; i < count; i++) {
		if (kept && !compare_keys(&rows[kept - 1], &rows[i]))
			add_up(&rows[kept - 1].counter, &rows[i].counter);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

int counters_take(const struct loader *loader, struct ids *ids, __u32 generation, struct counter_row **rows,
		  size_t *count)
{
	struct dump dump = {};
	int err = dump_take(loader_map(loader, generation ? "counter_1" : "counter_0"), sizeof(struct counter_key),
			    sizeof(struct counter), &dump);

	*rows = err ? NULL : calloc(dump.count + 1, sizeof(**rows));
	*count = 0;
	if (!err && !*rows)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < dump.count; i++) {
		memcpy(&(*rows)[i].key, dump.keys + i * sizeof(struct counter_key), sizeof(struct counter_key));
		memcpy(&(*rows)[i].counter, dump.values + i * sizeof(struct counter), sizeof(struct counter));
		(*count)++;
	}
	if (!err) {
		*count = merge(ids, *rows, *count);
		qsort(*rows, *count, sizeof(**rows), compare);
	}
	if (!err)
		err = take_rest(loader_map(loader, "counter_rest"), generation, *rows, count);
	dump_free(&dump);
	return err;
}
