// SPDX-License-Identifier: BSD-2-Clause
/*
 * erts_allctrs_info says for each type of allocator where its instances are: one, or one for each scheduler. An
 * instance counts its carriers and the blocks in them, apart from carriers that it has put into a pool for others.
 *
 * Source: ErtsAllocatorInfo_t and ErtsAllocatorThrSpec_t of erl_alloc.h, Allctr_t of erl_alloc_util.c and
 * erl_alloc_util.h, the same in 25.2.3 and 29.1.1; info_options() and sz_info_carriers() for what is added up.
 */
#include "node/allocators.h"

#include <string.h>

#include "base/cleanup.h"
#include "node/fields.h"
#include "target/procfs.h"

#define INFO_SIZE 24
#define INSTANCES_MAX 1100 /* of a type: one for each scheduler, and some */
#define STATS_SIZE 656	   /* of CarriersStats_t */
#define STATS_CARRIERS 3   /* of kinds of carriers, at its begin, each a number and a size */
#define STATS_BLOCKS 80	   /* where its blocks are counted, by type of allocator */
#define BLOCK_SIZE 48	   /* of each of these: now, most, most ever */
#define BLOCK_KINDS 12

struct info {
	int32_t is_util, is_enabled, is_by_thread;
	uint64_t extra;
};

enum { INSTANCES_ENABLED, INSTANCES_COUNT = 3, INSTANCES_NUMBERS };

struct instances {
	int32_t numbers[INSTANCES_NUMBERS];
	uint64_t addresses;
};

static int64_t sum_stats(const struct target *target, uint64_t address, struct allocator_use *use)
{
	unsigned char stats[STATS_SIZE];
	uint64_t size;

	if (procfs_memory(target->pid, address, stats, sizeof(stats)))
		return -1;
	for (size_t i = 0; i < STATS_CARRIERS; i++) {
		memcpy(&size, stats + i * 16 + 8, sizeof(size));
		use->carriers += size;
	}
	for (size_t i = 0; i < BLOCK_KINDS; i++) {
		memcpy(&size, stats + STATS_BLOCKS + i * BLOCK_SIZE + 8, sizeof(size));
		use->blocks += size;
	}
	return 0;
}

static void sum_pool(const struct target *target, uint64_t address, struct allocator_use *use)
{
	uint64_t blocks[BLOCK_KINDS], carriers;
	int64_t offset, size;

	if (field_offset(target->vm, "allctr.pool_blocks", &offset) ||
	    field_offset(target->vm, "allctr.pool_carriers", &size) ||
	    procfs_memory(target->pid, address + (uint64_t)offset, blocks, sizeof(blocks)) ||
	    procfs_memory(target->pid, address + (uint64_t)size, &carriers, sizeof(carriers)))
		return;
	use->carriers += carriers;
	for (size_t i = 0; i < BLOCK_KINDS; i++)
		use->blocks += blocks[i];
}

static void read_name(const struct target *target, uint64_t address, char name[ALLOCATOR_NAME_SIZE])
{
	char prefix[ALLOCATOR_NAME_SIZE - sizeof("alloc")];
	int64_t offset;
	uint64_t at;

	if (name[0] || field_offset(target->vm, "allctr.name", &offset) ||
	    procfs_memory(target->pid, address + (uint64_t)offset, &at, sizeof(at)) ||
	    procfs_memory(target->pid, at, prefix, sizeof(prefix)))
		return;
	prefix[sizeof(prefix) - 1] = '\0';
	strcpy(name, prefix);
	strcat(name, "alloc");
}

static void add_instance(const struct target *target, uint64_t address, struct allocator_use *use)
{
	int64_t single, multi;

	if (!address || field_offset(target->vm, "allctr.sbcs", &single) ||
	    field_offset(target->vm, "allctr.mbcs", &multi) || sum_stats(target, address + (uint64_t)single, use) ||
	    sum_stats(target, address + (uint64_t)multi, use))
		return;
	sum_pool(target, address, use);
	read_name(target, address, use->name);
}

static void add_instances(const struct target *target, uint64_t address, struct allocator_use *use)
{
	uint64_t addresses[INSTANCES_MAX];
	struct instances all;
	int32_t count;

	if (procfs_memory(target->pid, address, &all, sizeof(all)) || !all.numbers[INSTANCES_ENABLED])
		return;
	count = all.numbers[INSTANCES_COUNT];
	if (count <= 0 || count > INSTANCES_MAX ||
	    procfs_memory(target->pid, all.addresses, addresses, (size_t)count * 8))
		return;
	for (int32_t i = 0; i < count; i++)
		add_instance(target, addresses[i], use);
}

size_t allocators_read(const struct target *target, struct allocator_use uses[ALLOCATORS_MAX])
{
	struct info infos[ALLOCATORS_MAX];
	uint64_t address;
	size_t count = 0;

	_Static_assert(sizeof(infos[0]) == INFO_SIZE && sizeof(struct instances) == INFO_SIZE, "as the VM has them");
	if (target_symbol(target, "erts_allctrs_info", &address) ||
	    procfs_memory(target->pid, address, infos, sizeof(infos)))
		return 0;
	for (size_t i = 0; i < ALLOCATORS_MAX; i++) {
		struct allocator_use *use = &uses[count];

		*use = (struct allocator_use){};
		if (!infos[i].is_util || !infos[i].is_enabled || !infos[i].extra)
			continue;
		if (infos[i].is_by_thread)
			add_instances(target, infos[i].extra, use);
		else
			add_instance(target, infos[i].extra, use);
		/* Counts that are read one after the other may not fit together. */
		if (use->carriers >= use->blocks && use->carriers)
			count++;
	}
	return count;
}
