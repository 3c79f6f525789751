/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Speculations: ids that mark records (d_record.speculation). The consumer holds such records until commit() or
 * discard() of the id, and then frees the id.
 */
#ifndef ERLBPF_BPF_D_SPECULATION_BPF_H
#define ERLBPF_BPF_D_SPECULATION_BPF_H

#include "d/state.bpf.h"

const volatile __u64 d_speculation_count = 1; /* -x nspec: entries in the maps below */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_speculations SEC(".maps");

/* The number of CPUs that try to take it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_speculation_users SEC(".maps");

const volatile __u64 d_speculation_size = 4 << 20; /* -x specsize */

/* Bytes in each. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_speculation_sizes SEC(".maps");

#define D_SPECULATED_HEADER 8 /* what DTrace counts for a record, besides its fields */

static __always_inline volatile u64 *d_speculation_find(u64 id)
{
	u32 key = id - 1;

	return bpf_map_lookup_elem(&d_speculations, &key);
}

/*
 * A CPU takes it if it sees no other. Two at the same time can both fail; a compare-and-exchange would be better, but
 * BPF lacks it on some architectures.
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

/* A free id; 0 if there is none. */
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
	/* Busy: the consumer will free one. */
	if (busy)
		D_DROP(speculations_busy);
	else
		D_DROP(speculations_unavailable);
	return 0;
}

/* Marks the record of the clause with the speculation; 0: no such speculation, nothing is recorded. */
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

/* The same in Oracle's DTrace: a clause does not run if its record can never fit. */
D_FUNCTION d_speculate_record(struct d_frame *f, u64 id, u64 size)
{
	if (size <= d_speculation_size)
		return d_speculate(f, id);
	D_DROP(speculations);
	return 0;
}

/*
 * True if the clause so far fits: fields up to offset `fields` of the record, and texts from offset `texts` on.
 * Otherwise the clause ends.
 */
D_FUNCTION d_speculation_fits(struct d_frame *f, u64 fields, u64 texts)
{
	u64 size = D_SPECULATED_HEADER + fields - sizeof(struct d_record) + f->record_size - texts;

	if (!f->speculation || size <= f->speculation_room)
		return 1;
	D_DROP(speculations);
	return 0;
}

/* d_output() for a speculative clause. */
D_FUNCTION d_output_speculated(struct d_frame *f, u64 offset, u64 capacity)
{
	u32 key = f->speculation - 1;
	u64 *held = bpf_map_lookup_elem(&d_speculation_sizes, &key);

	if (held)
		__sync_fetch_and_add(held, D_SPECULATED_HEADER + f->record_size - sizeof(struct d_record));
	d_output_at(f, offset, capacity);
	return 0;
}

/* Oracle's DTrace: a record that does not fit is dropped as a whole. */
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

/*
 * The consumer commits or discards when it reads the record of the action; later records do not belong to the
 * speculation.
 */
static __always_inline u64 d_speculation_end(struct d_frame *f, u64 id)
{
	volatile u64 *state = d_speculation_find(id);

	/* A free id, or 0, needs no end; an id above the limit is a fault. */
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
