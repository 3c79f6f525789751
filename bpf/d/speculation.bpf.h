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

const volatile __u64 d_speculation_size = 4 << 20; /* -x specsize */

/* Bytes that each holds. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_speculation_sizes SEC(".maps");

#define D_SPECULATED_HEADER 8 /* what DTrace counts for a record, beside its fields */

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
		u64 *held = bpf_map_lookup_elem(&d_speculation_sizes, &key);

		if (held)
			*(volatile u64 *)held = 0;
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
	u32 key = id - 1;
	u64 *held = bpf_map_lookup_elem(&d_speculation_sizes, &key);

	if (!state || !held || *state != D_SPECULATION_ACTIVE)
		return 0;
	f->speculation = id;
	f->speculation_room = d_speculation_size - d_most(*(volatile u64 *)held, d_speculation_size);
	return 1;
}

/* The same in Oracle's DTrace, where a clause whose record takes so many bytes does not run if that can never fit. */
D_FUNCTION d_speculate_record(struct d_frame *f, u64 id, u64 size)
{
	if (size <= d_speculation_size)
		return d_speculate(f, id);
	D_DROP(speculations);
	return 0;
}

/*
 * Is there room in it for the clause so far: fields up to offset `fields` of the record, and the texts behind offset
 * `texts`? The clause ends where there is none.
 */
D_FUNCTION d_speculation_fits(struct d_frame *f, u64 fields, u64 texts)
{
	u64 size = D_SPECULATED_HEADER + fields - sizeof(struct d_record) + f->record_size - texts;

	if (!f->speculation || size <= f->speculation_room)
		return 1;
	D_DROP(speculations);
	return 0;
}

/* d_output() of a clause that speculates. */
D_FUNCTION d_output_speculated(struct d_frame *f, u64 offset, u64 capacity)
{
	u32 key = f->speculation - 1;
	u64 *held = bpf_map_lookup_elem(&d_speculation_sizes, &key);

	if (held)
		__sync_fetch_and_add(held, D_SPECULATED_HEADER + f->record_size - sizeof(struct d_record));
	d_output_at(f, offset, capacity);
	return 0;
}

/* Of Oracle's DTrace: a record of so many bytes, which is lost as a whole if there is no room for it. */
D_FUNCTION d_output_speculated_record(struct d_frame *f, u64 offset, u64 capacity, u64 size)
{
	u32 key = f->speculation - 1;
	u64 *held = bpf_map_lookup_elem(&d_speculation_sizes, &key);

	if (held && f->speculation && size > f->speculation_room) {
		D_DROP(speculations);
		return 0;
	}
	if (held)
		__sync_fetch_and_add(held, size);
	d_output_at(f, offset, capacity);
	return 0;
}

/* The consumer commits or discards by the record of the action; what is behind it in time is not of it any more. */
static __always_inline u64 d_speculation_end(struct d_frame *f, u64 id)
{
	volatile u64 *state = d_speculation_find(id);

	/* One that is free, or 0, is nothing to end; but there can be no more than so many. */
	if ((u32)id > d_speculation_count)
		return d_fault(f, D_FAULT_ILLOP, 0);
	if (state && *state == D_SPECULATION_ACTIVE)
		*state = D_SPECULATION_DONE;
	return 0;
}

D_FUNCTION d_commit(struct d_frame *f, u64 id)
{
	return d_speculation_end(f, id);
}

D_FUNCTION d_discard(struct d_frame *f, u64 id)
{
	return d_speculation_end(f, id);
}

#endif
