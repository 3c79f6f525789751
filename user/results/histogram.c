// SPDX-License-Identifier: BSD-2-Clause
#include "results/histogram.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "load/dump.h"

/* By generation. */
static const char *const sum_maps[HIST_GENERATIONS] = { "hist_sums_0", "hist_sums_1" };
static const char *const slot_maps[HIST_GENERATIONS] = { "hist_slots_0", "hist_slots_1" };

struct slot_count {
	struct hist_slot_key key;
	__u64 count;
};

struct key_sum {
	struct hist_key key;
	struct hist_sum sum;
	__u64 count;
};

void hist_limit_keys(struct loader *loader, uint32_t keys)
{
	for (size_t i = 0; i < HIST_GENERATIONS; i++) {
		loader_resize(loader, sum_maps[i], keys ? keys : 1);
		loader_resize(loader, slot_maps[i], keys ? keys * (HIST_MAX_KEY_SLOTS / HIST_MAX_KEYS) : 1);
	}
}

static int clear_total(int fd, __u32 generation)
{
	int cpus = libbpf_num_possible_cpus();
	struct hist_total *totals;
	int err;

	if (cpus < 0)
		return cpus;
	totals = calloc((size_t)cpus, sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	for (int i = 0; i < cpus; i++)
		totals[i].sum.min = ~0ULL;
	err = bpf_map_update_elem(fd, &generation, totals, BPF_ANY);
	free(totals);
	return err ? -errno : 0;
}

int hist_prepare(const struct loader *loader)
{
	int fd = loader_map(loader, "hist_total");
	int err = 0;

	for (__u32 generation = 0; !err && generation < HIST_GENERATIONS; generation++)
		err = clear_total(fd, generation);
	if (err)
		pr_err("cannot prepare the histograms: %s", strerror(-err));
	return err;
}

static void sum_up(struct hist_sum *to, const struct hist_sum *from)
{
	to->sum += from->sum;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

static int read_total(int fd, __u32 generation, struct hist *total)
{
	int cpus = libbpf_num_possible_cpus();
	_cleanup_free_ struct hist_total *totals = NULL;

	if (cpus < 0)
		return cpus;
	totals = calloc((size_t)cpus, sizeof(*totals));
	if (!totals)
		return -ENOMEM;
	if (bpf_map_lookup_elem(fd, &generation, totals))
		return -errno;
	total->sum = (struct hist_sum){ .min = ~0ULL };
	total->count = 0;
	memset(total->slots, 0, HIST_SLOTS * sizeof(*total->slots));
	for (int i = 0; i < cpus; i++) {
		sum_up(&total->sum, &totals[i].sum);
		for (__u32 slot = 0; slot < HIST_SLOTS; slot++)
			total->slots[slot] += totals[i].slots[slot];
	}
	for (__u32 slot = 0; slot < HIST_SLOTS; slot++)
		total->count += total->slots[slot];
	return clear_total(fd, generation);
}

static int compare_keys(const struct hist_key *a, const struct hist_key *b)
{
	if (a->os_id != b->os_id)
		return a->os_id < b->os_id ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_slots(const void *a, const void *b)
{
	return compare_keys(&((const struct slot_count *)a)->key.key, &((const struct slot_count *)b)->key.key);
}

static int compare_sums(const void *a, const void *b)
{
	const struct key_sum *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return compare_keys(&x->key, &y->key);
}

static int compare_sum_keys(const void *a, const void *b)
{
	return compare_keys(&((const struct key_sum *)a)->key, &((const struct key_sum *)b)->key);
}

static struct slot_count *sort_slots(const struct dump *slots, struct ids *ids)
{
	struct slot_count *sorted = calloc(slots->count + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < slots->count; i++) {
		memcpy(&sorted[i].key, slots->keys + i * sizeof(sorted->key), sizeof(sorted->key));
		memcpy(&sorted[i].count, slots->values + i * sizeof(__u64), sizeof(__u64));
		sorted[i].key.key.id = ids_key(ids, sorted[i].key.key.os_id, sorted[i].key.key.id);
	}
	if (sorted)
		qsort(sorted, slots->count, sizeof(*sorted), compare_slots);
	return sorted;
}

/* The slots of a key, which are side by side; their number in *count. */
static const struct slot_count *find_slots(const struct slot_count *slots, size_t all, const struct hist_key *key,
					   size_t *count)
{
	struct slot_count wanted = { .key.key = *key };
	const struct slot_count *first = bsearch(&wanted, slots, all, sizeof(*slots), compare_slots);
	const struct slot_count *end;

	*count = 0;
	if (!first)
		return NULL;
	for (end = first; end < slots + all && !compare_slots(end, &wanted);)
		end++;
	while (first > slots && !compare_slots(first - 1, &wanted))
		first--;
	*count = (size_t)(end - first);
	return first;
}

/* What the kernel counts by addresses of code becomes what it is by functions. */
static size_t merge_sums(struct key_sum *sums, size_t count)
{
	size_t kept = 0;

	qsort(sums, count, sizeof(*sums), compare_sum_keys);
	for (size_t i = 0; i < count; i++) {
		if (kept && !compare_keys(&sums[kept - 1].key, &sums[i].key))
			sum_up(&sums[kept - 1].sum, &sums[i].sum);
		else
			sums[kept++] = sums[i];
	}
	return kept;
}

static uint64_t count_slots(const struct slot_count *slots, size_t all, const struct hist_key *key)
{
	size_t found;
	const struct slot_count *first = find_slots(slots, all, key, &found);
	uint64_t count = 0;

	for (size_t slot = 0; slot < found; slot++)
		count += first[slot].count;
	return count;
}

/* By key; how many in *count. */
static struct key_sum *take_sums(const struct dump *sums, struct ids *ids, size_t *count)
{
	struct key_sum *taken = calloc(sums->count + 1, sizeof(*taken));

	for (size_t i = 0; taken && i < sums->count; i++) {
		memcpy(&taken[i].key, sums->keys + i * sizeof(taken->key), sizeof(taken->key));
		memcpy(&taken[i].sum, sums->values + i * sizeof(taken->sum), sizeof(taken->sum));
		taken[i].key.id = ids_key(ids, taken[i].key.os_id, taken[i].key.id);
	}
	*count = taken ? merge_sums(taken, sums->count) : 0;
	return taken;
}

static void gather(struct hist *hist, const struct slot_count *slots, size_t all)
{
	size_t count;
	const struct slot_count *found = find_slots(slots, all, &hist->key, &count);

	memset(hist->slots, 0, HIST_SLOTS * sizeof(*hist->slots));
	for (size_t i = 0; i < count; i++) {
		if (found[i].key.slot < HIST_SLOTS)
			hist->slots[found[i].key.slot] += found[i].count;
	}
}

/* Who is given the histograms, one after the other in the same memory. */
struct visit {
	struct hist hist;
	hist_visitor *visit;
	void *data;
	size_t visited;
};

static int visit_keys(const struct dump *sums, const struct dump *slots, struct ids *ids, struct visit *to)
{
	size_t count;
	_cleanup_free_ struct slot_count *sorted_slots = sort_slots(slots, ids);
	_cleanup_free_ struct key_sum *sorted_sums = take_sums(sums, ids, &count);

	if (!sorted_slots || !sorted_sums)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted_sums[i].count = count_slots(sorted_slots, slots->count, &sorted_sums[i].key);
	qsort(sorted_sums, count, sizeof(*sorted_sums), compare_sums);
	for (size_t i = 0; i < count; i++) {
		if (!sorted_sums[i].count)
			continue;
		to->hist.key = sorted_sums[i].key;
		to->hist.sum = sorted_sums[i].sum;
		to->hist.count = sorted_sums[i].count;
		gather(&to->hist, sorted_slots, slots->count);
		to->visit(to->data, &to->hist);
		to->visited++;
	}
	return 0;
}

static int take_keys(const struct loader *loader, struct ids *ids, __u32 generation, struct visit *to)
{
	struct dump sums = {}, slots = {};
	int err = dump_take(loader_map(loader, sum_maps[generation]), sizeof(struct hist_key), sizeof(struct hist_sum),
			    &sums);

	if (!err)
		err = dump_take(loader_map(loader, slot_maps[generation]), sizeof(struct hist_slot_key), sizeof(__u64),
				&slots);
	if (!err)
		err = visit_keys(&sums, &slots, ids, to);
	dump_free(&sums);
	dump_free(&slots);
	return err;
}

int hist_take(const struct loader *loader, struct ids *ids, __u32 generation, hist_visitor *visit, void *data)
{
	_cleanup_free_ __u64 *slots = calloc(HIST_SLOTS, sizeof(*slots));
	struct visit to = { .hist = { .slots = slots }, .visit = visit, .data = data };
	int err = slots ? take_keys(loader, ids, generation, &to) : -ENOMEM;

	if (err)
		return err;
	memset(&to.hist.key, 0, sizeof(to.hist.key));
	err = read_total(loader_map(loader, "hist_total"), generation, &to.hist);
	if (!err && (to.hist.count || !to.visited))
		visit(data, &to.hist);
	return err;
}
