// SPDX-License-Identifier: BSD-2-Clause
#include "profile/sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/hash.h"
#include "base/log.h"
#include "load/kernel/clock.h"
#include "load/dump.h"
#include "load/load.h"
#include "profile.skel.h"
#include "erlang/layout.h"
#include "profile/totals.h"

#define MAX_CPUS 8192

/* A thread in the map of the program. */
struct known_thread {
	uint32_t tid;
	uint16_t node;
};

/* A stack that was read from the map. */
struct taken {
	uint64_t key; /* key in the map */
	struct sample_stack stack;
	UT_hash_handle hh;
};

struct sampler {
	struct loader *loader;
	uint64_t period_ns, process;
	bool by_process;
	int program;
	int *links;
	size_t link_count;
	struct known_thread *threads;
	size_t thread_count;
	struct taken **stacks; /* in the order of the first reading */
	size_t stack_count, most_stacks;
	struct taken *by_key;
	uint64_t kept; /* value of SAMPLE_KEPT at the last reading */
	uint64_t lost; /* samples lost because there was no room */
};

static int load(struct sampler *sampler, const struct sampler_request *request)
{
	size_t size;
	const void *elf = profile_bpf__elf_bytes(&size);
	int err = loader_open(elf, size, request->kernel, &sampler->loader);

	if (!err)
		err = loader_make_maps(sampler->loader);
	if (err)
		return err;
	sampler->program = loader_program_named(sampler->loader, "profile_clock", LOADER_PERF_EVENT, NULL);
	return sampler->program < 0 ? sampler->program : 0;
}

struct sampler *sampler_new(const struct sampler_request *request)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int err;

	if (!sampler)
		return NULL;
	sampler->by_process = request->by_process;
	sampler->process = request->process;
	sampler->period_ns = NS_PER_S / request->frequency;
	sampler->most_stacks = request->stacks ? request->stacks : SAMPLER_STACKS;
	err = load(sampler, request);
	if (!err)
		return sampler;
	sampler_free(sampler);
	errno = -err;
	return NULL;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_stop(sampler);
	sampler_forget(sampler);
	free(sampler->stacks);
	free(sampler->threads);
	loader_free(sampler->loader);
	free(sampler);
}

static bool is_known(const struct sampler *sampler, uint32_t tid)
{
	for (size_t i = 0; i < sampler->thread_count; i++) {
		if (sampler->threads[i].tid == tid)
			return true;
	}
	return false;
}

static int keep_threads(struct sampler *sampler, const struct layout *layout)
{
	for (size_t i = 0; i < layout->thread_count; i++) {
		if (is_known(sampler, layout->threads[i].tid))
			continue;
		if (!array_has_room(sampler->threads, sampler->thread_count))
			return -ENOMEM;
		sampler->threads[sampler->thread_count++] = (struct known_thread){ layout->threads[i].tid,
										   layout->node.number };
	}
	return 0;
}

int sampler_add(struct sampler *sampler, const struct target *target, uint16_t number)
{
	struct layout layout;
	int err = layout_read(target, number, &layout);

	layout.node.by_process = sampler->by_process;
	if (!err && sampler->process)
		err = layout_only(target, sampler->process, &layout);
	if (!err)
		err = layout_publish_threads(&layout, sampler->loader);
	if (!err)
		err = keep_threads(sampler, &layout);
	/* Last: sampling begins here. */
	if (!err)
		err = layout_publish(&layout, target, sampler->loader);
	layout_free(&layout);
	return err;
}

void sampler_remove(struct sampler *sampler, const struct target *target, uint16_t number)
{
	int threads = loader_map(sampler->loader, "profile_threads");
	uint32_t pid = (uint32_t)target->pid;
	size_t kept = 0;

	bpf_map_delete_elem(loader_map(sampler->loader, "profile_nodes"), &pid);
	for (size_t i = 0; i < sampler->thread_count; i++) {
		if (sampler->threads[i].node == number)
			bpf_map_delete_elem(threads, &sampler->threads[i].tid);
		else
			sampler->threads[kept++] = sampler->threads[i];
	}
	sampler->thread_count = kept;
}

struct loader *sampler_loader(const struct sampler *sampler)
{
	return sampler->loader;
}

static int add_link(struct sampler *sampler, int fd)
{
	if (!array_has_room(sampler->links, sampler->link_count)) {
		close(fd);
		return -ENOMEM;
	}
	sampler->links[sampler->link_count++] = fd;
	return 0;
}

/* One timer per online CPU; offline ones return ENODEV. */
int sampler_start(struct sampler *sampler)
{
	int cpus = libbpf_num_possible_cpus(), err = 0;

	for (int cpu = 0; !err && cpu < cpus && cpu < MAX_CPUS; cpu++) {
		_cleanup_close_ int event = clock_open(sampler->period_ns, cpu, false);
		int fd;

		if (event == -ENODEV)
			continue;
		fd = event < 0 ? event : kernel_link_event(sampler->program, event, 0);
		err = fd < 0 ? fd : add_link(sampler, fd);
	}
	if (!err && !sampler->link_count)
		err = -ENODEV;
	if (err)
		pr_err("cannot start the clocks that sample: %s", strerror(-err));
	return err;
}

void sampler_stop(struct sampler *sampler)
{
	kernel_close_links(sampler->links, sampler->link_count);
	free(sampler->links);
	sampler->links = NULL;
	sampler->link_count = 0;
}

static struct taken *taken_new(uint64_t key, const struct sample_stack *stack)
{
	struct taken *taken = malloc(sizeof(*taken));

	if (!taken)
		return NULL;
	taken->key = key;
	taken->stack = *stack;
	if (stack->erlang_count > SAMPLE_ERLANG || stack->native_count > SAMPLE_NATIVE ||
	    stack->kernel_count > SAMPLE_KERNEL)
		taken->stack.erlang_count = taken->stack.native_count = taken->stack.kernel_count = 0;
	return taken;
}

/* A stack recurs in each generation in which it was sampled; it is stored once. */
static int keep(struct sampler *sampler, uint64_t key, const struct sample_stack *stack)
{
	struct taken *taken;

	HASH_FIND(hh, sampler->by_key, &key, sizeof(key), taken);
	if (taken) {
		taken->stack.count += stack->count;
		return 0;
	}
	if (sampler->stack_count >= sampler->most_stacks) {
		sampler->lost += stack->count;
		return 0;
	}
	taken = taken_new(key, stack);
	if (!taken || !array_has_room(sampler->stacks, sampler->stack_count)) {
		free(taken);
		return -ENOMEM;
	}
	sampler->stacks[sampler->stack_count++] = taken;
	HASH_ADD(hh, sampler->by_key, key, sizeof(taken->key), taken);
	return 0;
}

static int keep_all(struct sampler *sampler, const struct dump *dump)
{
	int err = 0;

	for (size_t i = 0; !err && i < dump->count; i++) {
		uint64_t key;

		memcpy(&key, dump->keys + i * sizeof(key), sizeof(key));
		err = keep(sampler, key, (const struct sample_stack *)dump->values + i);
	}
	return err;
}

static int take(struct sampler *sampler)
{
	static const char *const maps[] = { "profile_stacks_0", "profile_stacks_1" };
	struct dump dump = {};
	__u32 old;
	int err = dump_turn(sampler->loader, &old);

	if (err)
		return err;
	kernel_quiesce();
	err = dump_take(loader_map(sampler->loader, maps[old & 1]), sizeof(uint64_t), sizeof(struct sample_stack),
			&dump);
	if (!err)
		err = keep_all(sampler, &dump);
	dump_free(&dump);
	return err;
}

int sampler_take(struct sampler *sampler, bool at_once)
{
	uint64_t kept = sampler_total(sampler, SAMPLE_KEPT);

	if (!at_once && kept - sampler->kept < SAMPLE_STACKS / 2)
		return 0;
	sampler->kept = kept;
	return take(sampler);
}

void sampler_forget(struct sampler *sampler)
{
	HASH_CLEAR(hh, sampler->by_key);
	for (size_t i = 0; i < sampler->stack_count; i++)
		free(sampler->stacks[i]);
	sampler->stack_count = 0;
}

size_t sampler_count(const struct sampler *sampler)
{
	return sampler->stack_count;
}

const struct sample_stack *sampler_stack(const struct sampler *sampler, size_t i)
{
	return &sampler->stacks[i]->stack;
}

uint64_t sampler_total(const struct sampler *sampler, enum sample_total total)
{
	uint64_t ours = total == SAMPLE_LOST ? sampler->lost : 0;

	return ours + totals_read(loader_map(sampler->loader, "profile_totals"), total);
}
