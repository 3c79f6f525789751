// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: erts_memory() in erl_alloc.c in 25.2.3, 27.3.4.1 and 29.1.1: tables are blocks of ets_alloc plus
 * erts_ets_misc_mem_size; erts_total_code_size in beam_load.c.
 */
#include "node/memory/memory.h"

#include <unistd.h>

#include "node/memory/allocators.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"

#define STAT_RESIDENT 24 /* rss in /proc/PID/stat, proc(5), in pages */

uint64_t node_resident(const struct target *target)
{
	static const int field = STAT_RESIDENT;
	uint64_t pages;

	return proc_stat_fields(target->pid, &field, 1, &pages) ? 0 : pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* 0 also if the VM does not have the variable. */
static uint64_t read_word(const struct target *target, const char *name)
{
	uint64_t address, word;

	if (target_symbol(target, name, &address) || procfs_memory(target->pid, address, &word, sizeof(word)))
		return 0;
	return word;
}

uint64_t node_ets(const struct target *target)
{
	struct allocator_use use;

	return allocator_read(target, "ets_alloc", &use) ? use.blocks + read_word(target, "erts_ets_misc_mem_size") : 0;
}

uint64_t node_code(const struct target *target)
{
	return read_word(target, "erts_total_code_size");
}

uint64_t node_literals(const struct target *target)
{
	struct allocator_use use;

	return allocator_read(target, "literal_alloc", &use) ? use.blocks : 0;
}
