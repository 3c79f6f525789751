/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Speculations: numbers that records are marked with (d_record.speculation). The consumer keeps such records until
 * commit() or discard() of their number; then it makes the number free.
 */
#ifndef ERLBPF_BPF_D_SPECULATION_BPF_H
#define ERLBPF_BPF_D_SPECULATION_BPF_H

#include "d/state.bpf.h"

const volatile __u64 d_speculation_count = 1; /* -x nspec: entries of the maps below */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_speculations SEC(".maps");

/* How many look at one to take it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_speculation_users SEC(".maps");

static __always_inline volatile u64 *d_speculation_find(u64 id)
{
	u32 key = id - 1;

	return bpf_map_lookup_elem(&d_speculations, &key);
}

/*
 * Who sees itself alone may take it. Two who come at the same time may both leave it; a compare-and-exchange would
 * do better, but not every architecture's BPF has it.
 */
static __always_inline bool d_speculation_take(u32 key, u64 *state)
{
	u64 *users = bpf_map_lookup_elem(&d_speculation_users, &key);
	bool is_taken = false;

	if (!users)
		return false;
	__sync_fetch_and_add(users, 1);
	if (*(volatile u64 *)users == 1 && *(volatile u64 *)state == D_SPECULATION_FREE) {
		*(volatile u64 *)state = D_SPECULATION_ACTIVE;
		is_taken = true;
	}
	__sync_fetch_and_add(users, -1);
	return is_taken;
}

/* A number that is free; 0 if none is. */
D_FUNCTION d_speculation(struct d_frame *f)
{
	u64 count = d_speculation_count, busy = 0;

	for (u64 i = 0; i < count; i++) {
		u32 key = i;
		u64 *state = bpf_map_lookup_elem(&d_speculations, &key);

		d_keep(i);
		if (!state)
			break;
		if (d_speculation_take(key, state))
			return d_opaque(f, i + 1);
		busy |= *(volatile u64 *)state == D_SPECULATION_DONE;
	}
	/* Busy: one will be free when the consumer has dealt with it. */
	if (busy)
		D_DROP(speculations_busy);
	else
		D_DROP(speculations_unavailable);
	return 0;
}

/* What the clause records belongs to that speculation; 0: there is no such one, nothing is to be recorded. */
D_FUNCTION d_speculate(struct d_frame *f, u64 id)
{
	volatile u64 *state = d_speculation_find(id);

	if (!state || *state != D_SPECULATION_ACTIVE)
		return 0;
	f->speculation = id;
	return 1;
}

/* The consumer commits or discards by the record of the action; what is behind it in time is not of it any more. */
static __always_inline u64 d_speculation_end(u64 id)
{
	volatile u64 *state = d_speculation_find(id);

	if (state && *state == D_SPECULATION_ACTIVE)
		*state = D_SPECULATION_DONE;
	return 0;
}

D_FUNCTION d_commit(struct d_frame *f, u64 id)
{
	(void)f;
	return d_speculation_end(id);
}

D_FUNCTION d_discard(struct d_frame *f, u64 id)
{
	(void)f;
	return d_speculation_end(id);
}

#endif
