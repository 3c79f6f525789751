/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Stacks of processes that probes take, which are kept to the end, each once, with what is added to them. */
#ifndef ERLBPF_BPF_KEPT_BPF_H
#define ERLBPF_BPF_KEPT_BPF_H

#include "stacks.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KEPT_STACKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct kept_stack);
} kept_stacks SEC(".maps");

/* Uprobe programs are preemptible from Linux 6.12 on: another may come to this CPU while one is at work. */
struct kept_place {
	u64 is_taken;
	struct kept_stack stack;
};

#define KEPT_PLACES 4

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KEPT_PLACES);
	__type(key, u32);
	__type(value, struct kept_place);
} kept_places SEC(".maps");

static __always_inline struct kept_place *kept_place_take(void)
{
	for (u32 i = 0; i < KEPT_PLACES; i++) {
		u32 number = i;
		struct kept_place *place = bpf_map_lookup_elem(&kept_places, &number);

		if (place && !__sync_lock_test_and_set(&place->is_taken, 1))
			return place;
	}
	return NULL;
}

static __always_inline void kept_place_leave(struct kept_place *place)
{
	__sync_lock_test_and_set(&place->is_taken, 0);
}

/*
 * Where a process that stops goes on. One in dirty work, or on its way there, does so in a few words of the heap, which
 * are no function's code: 0.
 */
static __always_inline u64 kept_code(const struct sample_node *node, u64 process)
{
	u32 state = erl_load(process + node->state, 4, false);

	return state & (ERL_STATE_TO_DIRTY | ERL_STATE_DIRTY) ? 0 : user_word(process + node->code);
}

/* The stack of a process from where it has put its stack pointer: when it stops, or calls code that may collect it. */
static __always_inline void kept_walk(struct sample_stack *stack, const struct sample_node *node, u64 process)
{
	struct walking w = { .stack = stack, .node = node };

	walk_block(&w, process);
	walk(&w, user_word(process + node->stop));
}

/* The key of the stack in a place, which is kept from now on; 0: there is no room. */
static __always_inline u64 kept_add(struct kept_place *place)
{
	u64 key = digest(&place->stack.stack);

	if (!bpf_map_lookup_elem(&kept_stacks, &key)) {
		bpf_map_update_elem(&kept_stacks, &key, &place->stack, BPF_NOEXIST);
		if (!bpf_map_lookup_elem(&kept_stacks, &key))
			return 0;
	}
	return key;
}

static __always_inline struct kept_stack *kept_find(u64 key)
{
	return bpf_map_lookup_elem(&kept_stacks, &key);
}

#endif
