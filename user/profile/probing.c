// SPDX-License-Identifier: BSD-2-Clause
#include "profile/probing.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/hash.h"
#include "base/log.h"
#include "load/dump.h"
#include "load/guardian/guardian.h"
#include "budget/hit_cost.h"
#include "erlang/layout.h"
#include "trace/follow.h"
#include "results/ids.h"
#include "budget/pace.h"
#include "trace/refusals.h"

#define MOST_SHARE 20	/* limit of the CPU time for reading stacks: 1/N of a CPU... */
#define NEW_SHARE 5	/* ...and for names of new processes, which may end soon in a starting node */
#define COST_WAIT_MS 40 /* number of calls that measure the cost of a hit */

struct ended {
	uint32_t os_id;
	uint64_t at_ns;
};

/* A stack that was visited. */
struct seen {
	uint64_t key;
	UT_hash_handle hh;
};

struct probing {
	struct probing_request how;
	struct loader *loader;
	struct follow *follow;
	struct ids *ids;
	struct pace pace;
	struct pace_seen watched; /* when it is over */
	uint64_t start_ns, end_ns;
	struct ended *ended; /* nodes */
	size_t ended_count;
	struct seen *seen;
	uint64_t look_ns; /* earliest next reading of stacks */
	uint64_t added_ns[SAMPLE_NODES];
};

static int load(struct probing *probing)
{
	if (guardian_start())
		return -EIO;
	return loader_open(probing->how.elf, probing->how.elf_size, probing->how.attach.kernel, &probing->loader);
}

struct probing *probing_new(const struct probing_request *request)
{
	struct probing *probing = calloc(1, sizeof(*probing));
	int err;

	if (!probing)
		return NULL;
	probing->how = *request;
	err = load(probing);
	if (!err)
		return probing;
	probing_free(probing);
	errno = -err;
	return NULL;
}

static void free_seen(struct probing *probing)
{
	struct seen *seen, *next;

	HASH_ITER(hh, probing->seen, seen, next) {
		HASH_DEL(probing->seen, seen);
		free(seen);
	}
}

void probing_free(struct probing *probing)
{
	if (!probing)
		return;
	ids_free(probing->ids);
	follow_free(probing->follow);
	loader_free(probing->loader);
	pace_free(&probing->pace);
	free(probing->ended);
	free_seen(probing);
	free(probing);
}

struct loader *probing_loader(const struct probing *probing)
{
	return probing->loader;
}

int probing_prepare(struct probing *probing)
{
	int err = loader_make_maps(probing->loader);

	if (err)
		return err;
	probing->how.attach.loader = probing->loader;
	probing->follow = follow_new(&probing->how.attach, probing->how.nodes);
	probing->ids = probing->follow ? ids_new(probing->loader, probing->follow) : NULL;
	return probing->ids ? 0 : -errno;
}

int probing_add(struct probing *probing, const struct target *target, uint16_t number)
{
	struct layout layout;
	int err = layout_read(target, number, &layout);

	if (number < SAMPLE_NODES && !probing->added_ns[number])
		probing->added_ns[number] = duration_now();
	layout.node.since_ns = number < SAMPLE_NODES ? probing->added_ns[number] : duration_now();
	if (!err)
		err = layout_publish_threads(&layout, probing->loader);
	if (!err)
		err = layout_publish(&layout, target, probing->loader);
	layout_free(&layout);
	return err;
}

static void begin_pace(struct probing *probing)
{
	const struct pace_setup setup = {
		.mode = probing->how.share > 0 ? PACE_SAMPLE : PACE_ALWAYS,
		.share = probing->how.share,
		.lets_end = !probing->how.window_over,
		.world = pace_world_of(probing->loader, probing->follow),
	};

	hit_costs_wait(COST_WAIT_MS);
	pace_begin(&probing->pace, &setup);
	probing->start_ns = duration_now();
}

uint64_t probing_begin(struct probing *probing)
{
	probing->start_ns = duration_now();
	if (probing->pace.began_ns)
		pace_take(&probing->pace, probing->start_ns, probing->start_ns);
	return probing->start_ns;
}

const char *probing_id_text(struct probing *probing, uint32_t os_id, uint64_t id)
{
	return ids_text(probing->ids, (int)os_id, id);
}

void probing_only_tree(struct probing *probing, pid_t root)
{
	follow_only_tree(probing->follow, root);
}

size_t probing_count(const struct probing *probing)
{
	return follow_stats(probing->follow).attached;
}

char *probing_refused(const struct probing *probing)
{
	return refusals_list(probing->follow);
}

int probing_start(struct probing *probing, bool may_come)
{
	hit_costs_begin(probing->how.attach.kernel);
	if (follow_scan(probing->follow) != EXIT_OK)
		return -ESRCH;
	if (!follow_stats(probing->follow).attached && !may_come) {
		refusals_tell_option(probing->follow, probing->how.option);
		return -ENODEV;
	}
	begin_pace(probing);
	return 0;
}

/* The first window begins with the profile. The last one has length 0 if the profile ends between windows. */
static void tell_window(struct probing *probing, uint64_t to_ns, bool is_last)
{
	const struct erl_window *window = &probing->pace.window;
	uint64_t from_ns = window->opened_ns > probing->start_ns ? window->opened_ns : probing->start_ns;

	if (window->closed_ns < to_ns)
		from_ns = to_ns;
	kernel_quiesce();
	probing->how.window_over(probing->how.data, from_ns, to_ns, is_last);
}

void probing_tick(struct probing *probing)
{
	bool was_on = probing->pace.phase != PACE_OFF;

	pace_tick(&probing->pace);
	if (was_on && probing->pace.phase == PACE_OFF && probing->how.window_over)
		tell_window(probing, probing->pace.window.closed_ns, false);
}

void probing_each_node(const struct probing *probing, probing_node_visitor *visit, void *data)
{
	int map = loader_map(probing->loader, "profile_nodes");

	for (size_t i = 0; i < follow_count(probing->follow); i++) {
		const struct attachment *a = follow_get(probing->follow, i);
		const struct target *target = a->target;
		uint32_t pid = (uint32_t)target->pid;
		struct sample_node node;

		if (!a->is_refused && !follow_is_over(probing->follow, i) && !bpf_map_lookup_elem(map, &pid, &node) &&
		    target_is_alive(target))
			visit(data, target, &node);
	}
}

static const struct ended *find_ended(const struct probing *probing, uint32_t os_id)
{
	for (size_t i = 0; i < probing->ended_count; i++) {
		if (probing->ended[i].os_id == os_id)
			return &probing->ended[i];
	}
	return NULL;
}

void probing_scan(struct probing *probing)
{
	const struct follow *follow = probing->follow;

	follow_reap(probing->follow);
	follow_scan(probing->follow);
	for (size_t i = 0; i < follow_count(follow); i++) {
		uint32_t os_id = follow_get(follow, i)->target->os_id;

		if (follow_is_over(follow, i) && !find_ended(probing, os_id) &&
		    array_has_room(probing->ended, probing->ended_count))
			probing->ended[probing->ended_count++] = (struct ended){ os_id, duration_now() };
	}
}

/* False: visited before, or out of memory. */
static bool is_first_seen(struct probing *probing, uint64_t key)
{
	struct seen *seen;

	HASH_FIND(hh, probing->seen, &key, sizeof(key), seen);
	if (seen)
		return false;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return false;
	seen->key = key;
	HASH_ADD(hh, probing->seen, key, sizeof(seen->key), seen);
	return true;
}

void probing_each_new(struct probing *probing, probing_visitor *visit, void *data)
{
	uint64_t begin = duration_now(), read, end;
	struct dump dump = {};
	int err;

	if (begin < probing->look_ns)
		return;
	err = dump_look(loader_map(probing->loader, "kept_stacks"), sizeof(uint64_t), sizeof(struct kept_stack), &dump);
	read = duration_now();
	for (size_t i = 0; !err && i < dump.count; i++) {
		uint64_t key;

		memcpy(&key, dump.keys + i * sizeof(key), sizeof(key));
		if (is_first_seen(probing, key))
			visit(data, &((const struct kept_stack *)dump.values + i)->stack);
	}
	dump_free(&dump);
	end = duration_now();
	probing->look_ns = end + (read - begin) * MOST_SHARE + (end - read) * NEW_SHARE;
}

uint64_t probing_close(struct probing *probing)
{
	probing->end_ns = probing->pace.began_ns ? pace_end(&probing->pace) : duration_now();
	return probing->end_ns;
}

void probing_stop(struct probing *probing)
{
	if (probing->pace.began_ns)
		probing->watched = pace_take(&probing->pace, probing->start_ns, probing->end_ns);
	follow_detach(probing->follow);
	kernel_quiesce();
	if (probing->pace.began_ns && probing->how.window_over)
		tell_window(probing, probing->end_ns, true);
}

const struct pace_seen *probing_watched(const struct probing *probing)
{
	return &probing->watched;
}

uint64_t probing_end_ns(const struct probing *probing, uint32_t os_id)
{
	const struct ended *ended = find_ended(probing, os_id);

	return ended ? ended->at_ns : probing->end_ns;
}
