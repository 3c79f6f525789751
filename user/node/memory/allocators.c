// SPDX-License-Identifier: BSD-2-Clause
/*
 * erts_allctrs_info has the instances of each type of allocator: one, or one per scheduler. An instance counts its
 * carriers and their blocks, without the carriers that it gave to the pool.
 *
 * Source: ErtsAllocatorInfo_t and ErtsAllocatorThrSpec_t in erl_alloc.h, Allctr_t in erl_alloc_util.c and
 * erl_alloc_util.h, equal in 25.2.3 and 29.1.1; info_options() and sz_info_carriers() for the sums.
 */
#include "node/memory/allocators.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define INFO_SIZE 24
#define INSTANCES_MAX 1100 /* per type: one per scheduler, and some more */
#define STATS_SIZE 656	   /* of CarriersStats_t */
#define STATS_CARRIERS 3   /* kinds of carriers at its start, each a number and a size */
#define STATS_BLOCKS 80	   /* offset of the block counts, by type of allocator */
#define BLOCK_SIZE 48	   /* of each count: current, maximum, maximum ever */
#define BLOCK_KINDS 12
#define BATCH 256 /* instances per read */

struct info {
	int32_t is_util, is_enabled, is_by_thread;
	uint64_t extra;
};

enum { INSTANCES_ENABLED, INSTANCES_COUNT = 3, INSTANCES_NUMBERS };

struct instances {
	int32_t numbers[INSTANCES_NUMBERS];
	uint64_t addresses;
};

struct type {
	struct info info;
	struct instances all; /* used if there is one per scheduler */
	uint64_t first;	      /* address of the first instance */
	char name[ALLOCATOR_NAME_SIZE];
};

/* The part of an instance that is read. */
struct instance {
	unsigned char single[STATS_SIZE], multi[STATS_SIZE];
	uint64_t pool_blocks[BLOCK_KINDS], pool_carriers;
};

enum { SINGLE, MULTI, POOL_BLOCKS, POOL_CARRIERS, PARTS };

/* Offsets in an instance. */
struct places {
	const struct target *target;
	int64_t at[PARTS], name;
	size_t parts; /* 2: the VM has no pool */
};

static void sum_stats(const unsigned char stats[STATS_SIZE], struct allocator_use *use)
{
	uint64_t size;

	for (size_t i = 0; i < STATS_CARRIERS; i++) {
		memcpy(&size, stats + i * 16 + 8, sizeof(size));
		use->carriers += size;
	}
	for (size_t i = 0; i < BLOCK_KINDS; i++) {
		memcpy(&size, stats + STATS_BLOCKS + i * BLOCK_SIZE + 8, sizeof(size));
		use->blocks += size;
	}
}

static void sum_pool(const struct instance *instance, struct allocator_use *use)
{
	use->carriers += instance->pool_carriers;
	for (size_t i = 0; i < BLOCK_KINDS; i++)
		use->blocks += instance->pool_blocks[i];
}

static void add_batch(const struct places *places, const uint64_t *addresses, size_t count, struct allocator_use *use)
{
	static const size_t sizes[PARTS] = { STATS_SIZE, STATS_SIZE, BLOCK_KINDS * 8, 8 };
	_cleanup_free_ struct instance *all = malloc(count * sizeof(*all));
	struct procfs_piece pieces[BATCH * PARTS];

	for (size_t i = 0; all && i < count; i++) {
		void *to[PARTS] = { all[i].single, all[i].multi, all[i].pool_blocks, &all[i].pool_carriers };

		for (size_t part = 0; part < places->parts; part++)
			pieces[i * places->parts + part] = (struct procfs_piece){
				.address = addresses[i] + (uint64_t)places->at[part],
				.to = to[part],
				.size = sizes[part],
			};
	}
	if (all)
		procfs_pieces(places->target->pid, pieces, count * places->parts);
	for (size_t i = 0; all && i < count; i++) {
		const struct procfs_piece *read = pieces + i * places->parts;

		if (!read[SINGLE].is_read || !read[MULTI].is_read)
			continue;
		sum_stats(all[i].single, use);
		sum_stats(all[i].multi, use);
		if (places->parts == PARTS && read[POOL_BLOCKS].is_read && read[POOL_CARRIERS].is_read)
			sum_pool(&all[i], use);
	}
}

/* The addresses of a type's instances. */
static size_t list_instances(const struct target *target, const struct type *type, uint64_t addresses[INSTANCES_MAX])
{
	int32_t count = type->all.numbers[INSTANCES_COUNT];

	addresses[0] = type->info.extra;
	if (!type->info.is_by_thread)
		return 1;
	if (!type->all.numbers[INSTANCES_ENABLED] || count <= 0 || count > INSTANCES_MAX ||
	    procfs_memory(target->pid, type->all.addresses, addresses, (size_t)count * 8))
		return 0;
	return (size_t)count;
}

/* A node with a thousand schedulers has as many instances of each type, so they are read in batches. */
static void read_type(const struct places *places, const struct type *type, struct allocator_use *use)
{
	uint64_t addresses[INSTANCES_MAX];
	size_t all = list_instances(places->target, type, addresses), count = 0;

	*use = (struct allocator_use){};
	memcpy(use->name, type->name, sizeof(use->name));
	for (size_t i = 0; i < all; i++) {
		if (addresses[i])
			addresses[count++] = addresses[i];
	}
	for (size_t i = 0; i < count; i += BATCH)
		add_batch(places, addresses + i, count - i < BATCH ? count - i : BATCH, use);
}

static bool find_places(const struct target *target, struct places *places)
{
	*places = (struct places){ .target = target, .parts = PARTS };
	if (field_offset(target->vm, "allctr.sbcs", &places->at[SINGLE]) ||
	    field_offset(target->vm, "allctr.mbcs", &places->at[MULTI]) ||
	    field_offset(target->vm, "allctr.name", &places->name))
		return false;
	if (field_offset(target->vm, "allctr.pool_blocks", &places->at[POOL_BLOCKS]) ||
	    field_offset(target->vm, "allctr.pool_carriers", &places->at[POOL_CARRIERS]))
		places->parts = POOL_BLOCKS;
	return true;
}

/* The number of types in use. */
static size_t read_infos(const struct target *target, struct type types[ALLOCATORS_MAX])
{
	struct info infos[ALLOCATORS_MAX];
	uint64_t address;
	size_t count = 0;

	_Static_assert(sizeof(infos[0]) == INFO_SIZE && sizeof(struct instances) == INFO_SIZE, "sizes in the VM");
	if (target_symbol(target, "erts_allctrs_info", &address) ||
	    procfs_memory(target->pid, address, infos, sizeof(infos)))
		return 0;
	for (size_t i = 0; i < ALLOCATORS_MAX; i++) {
		if (infos[i].is_util && infos[i].is_enabled && infos[i].extra)
			types[count++] = (struct type){ .info = infos[i] };
	}
	return count;
}

/* Reads the first instance of each type. */
static void read_firsts(const struct places *places, struct type *types, size_t count)
{
	struct procfs_piece pieces[ALLOCATORS_MAX];
	pid_t pid = places->target->pid;

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ types[i].info.extra, &types[i].all, sizeof(types[i].all), false };
	procfs_pieces(pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		bool is_known = types[i].info.is_by_thread && pieces[i].is_read;

		types[i].first = types[i].info.is_by_thread ? 0 : types[i].info.extra;
		if (!is_known)
			types[i].all = (struct instances){};
		pieces[i] = (struct procfs_piece){ types[i].all.addresses, &types[i].first, sizeof(types[i].first),
						   false };
	}
	procfs_pieces(pid, pieces, count);
}

/* The name of a type is in its first instance. */
static void read_names(const struct places *places, struct type *types, size_t count)
{
	char prefixes[ALLOCATORS_MAX][ALLOCATOR_NAME_SIZE - sizeof("alloc")] = {};
	struct procfs_piece pieces[ALLOCATORS_MAX];
	uint64_t at[ALLOCATORS_MAX] = {};
	pid_t pid = places->target->pid;

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ types[i].first ? types[i].first + (uint64_t)places->name : 0, &at[i],
						   sizeof(at[i]), false };
	procfs_pieces(pid, pieces, count);
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ at[i], prefixes[i], sizeof(prefixes[i]), false };
	procfs_pieces(pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].is_read)
			continue;
		prefixes[i][sizeof(prefixes[i]) - 1] = '\0';
		strcpy(types[i].name, prefixes[i]);
		strcat(types[i].name, "alloc");
	}
}

/* All types in use, with names. 0: the VM is unknown. */
static size_t read_types(const struct target *target, struct places *places, struct type types[ALLOCATORS_MAX])
{
	size_t count = find_places(target, places) ? read_infos(target, types) : 0;

	read_firsts(places, types, count);
	read_names(places, types, count);
	return count;
}

size_t allocators_read(const struct target *target, struct allocator_use uses[ALLOCATORS_MAX])
{
	struct type types[ALLOCATORS_MAX];
	struct places places;
	size_t all = read_types(target, &places, types), count = 0;

	for (size_t i = 0; i < all; i++) {
		read_type(&places, &types[i], &uses[count]);
		/* Counts are not read atomically and may be inconsistent. */
		if (uses[count].carriers >= uses[count].blocks && uses[count].carriers)
			count++;
	}
	return count;
}

bool allocator_read(const struct target *target, const char *name, struct allocator_use *use)
{
	struct type types[ALLOCATORS_MAX];
	struct places places;
	size_t all = read_types(target, &places, types);

	for (size_t i = 0; i < all; i++) {
		if (strcmp(types[i].name, name) != 0)
			continue;
		read_type(&places, &types[i], use);
		if (use->carriers)
			return true;
	}
	return false;
}
