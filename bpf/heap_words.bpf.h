/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* How much a process has on its heaps, and how much its scheduler has reclaimed. */
#ifndef ERLBPF_BPF_HEAP_WORDS_BPF_H
#define ERLBPF_BPF_HEAP_WORDS_BPF_H

#include "erl.bpf.h"

#define HEAP_ABANDONED_USE 0x1000 /* F_ABANDONED_HEAP_USE of erl_process.h */

static __always_inline u64 heap_field(u64 process, u64 offset)
{
	return erl_load(process + offset, 8, false);
}

/* A heap that was put aside because its process could not be collected where it ran (young_gen_usage()). */
static __always_inline u64 heap_abandoned_words(u64 process)
{
	const volatile struct erl_heap_layout *at = &erl_config.heap;
	u64 heap = heap_field(process, at->abandoned), size = heap_field(process, at->size);

	if (!heap)
		return 0;
	return heap_field(process, at->flags) & HEAP_ABANDONED_USE ? heap_field(heap, (size - 1) * 8) : size;
}

/* Words that the process has on its heaps. Messages that wait outside are not among them. */
static __always_inline u64 heap_words(u64 process)
{
	const volatile struct erl_heap_layout *at = &erl_config.heap;

	return (heap_field(process, at->htop) - heap_field(process, at->heap)) / 8 +
	       (heap_field(process, at->old_htop) - heap_field(process, at->old_heap)) / 8 +
	       heap_field(process, at->fragments) + heap_abandoned_words(process);
}

/* Words that its scheduler has reclaimed so far. */
static __always_inline u64 heap_reclaimed(u64 process)
{
	return heap_field(heap_field(process, erl_config.heap.scheduler), erl_config.heap.reclaimed);
}

#endif
