/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Maps of every D program besides its own data, and the path of records to the consumer. */
#ifndef ERLBPF_BPF_D_STATE_BPF_H
#define ERLBPF_BPF_D_STATE_BPF_H

#include "d/frame.bpf.h"
#include "ring.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct d_state);
} d_state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct d_drops);
} d_drops SEC(".maps");

/*
 * D_FRAMES_PER_CPU for each CPU; the program sets the size. The reader of the ring checks which firings are in
 * progress.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, D_FRAMES_PER_CPU);
	__type(key, u32);
	__type(value, struct d_frame);
} d_frames SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct d_probe_name);
} d_probe_names SEC(".maps");

static __always_inline struct d_state *d_state_of(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&d_state, &zero);
}

/* Adds to word `n` of struct d_drops. Atomic although per CPU: see erl_count(). */
static __always_inline void d_drop(u64 n)
{
	u32 zero = 0;
	struct d_drops *drops = bpf_map_lookup_elem(&d_drops, &zero);

	if (drops && n < sizeof(*drops) / 8)
		__sync_fetch_and_add((u64 *)drops + n, 1);
}

#define D_DROP(what) d_drop(offsetof(struct d_drops, what) / 8)

D_FUNCTION d_count_drop(struct d_frame *f, u64 n)
{
	(void)f;
	d_drop(n);
	return 0;
}

static __always_inline struct d_record *d_record_at(struct d_frame *f, u64 offset)
{
	return (struct d_record *)d_at(f, offset);
}

/* Starts a clause: its record is at `offset`, with fields up to `size`. */
D_FUNCTION d_clause_begin(struct d_frame *f, u64 offset, u64 clause, u64 size)
{
	struct d_record *record = d_record_at(f, offset);

	f->clause = clause;
	f->fault = 0;
	f->fault_value = 0;
	f->record_size = size;
	f->speculation = 0;
	f->scratch_used = 0;
	f->action = 0;
	f->exits = 0;
	record->ran = 0;
	return 0;
}

static __always_inline void d_record_head(struct d_frame *f, struct d_record *record, u32 kind)
{
	record->kind = kind;
	record->clause = f->clause;
	record->time_ns = f->time_ns;
	record->probe = f->probe;
	record->function = f->function;
	record->os_id = f->os_id;
	record->tid = f->pid_tgid;
	record->cpu = bpf_get_smp_processor_id();
	record->speculation = f->speculation;
}

/*
 * A reader that lags is awake. Another wake-up would interrupt this CPU and cost more than a whole record, so the next
 * one is sent only after the reader has advanced.
 */
static __always_inline u64 d_ring_flags(void)
{
	u64 flags = ring_flags(), at;
	struct d_state *state;

	if (flags == BPF_RB_NO_WAKEUP)
		return flags;
	state = d_state_of();
	/* Positions are multiples of 8, so this is never 0, which means that no wake-up was sent. */
	at = bpf_ringbuf_query(&erl_ring, BPF_RB_CONS_POS) | 1;
	if (!state || state->woken_at == at)
		return BPF_RB_NO_WAKEUP;
	state->woken_at = at;
	return flags;
}

/* The end is reported immediately. */
static __always_inline void d_send(const struct d_frame *f, const void *record, u64 size)
{
	u64 flags = f->has_exited ? BPF_RB_FORCE_WAKEUP : d_ring_flags();

	if (bpf_ringbuf_output(&erl_ring, (void *)record, size, flags))
		D_DROP(records);
}

static __always_inline void d_output_at(struct d_frame *f, u64 offset, u64 capacity)
{
	struct d_record *record = d_record_at(f, offset);

	d_record_head(f, record, D_RECORD_CLAUSE);
	d_send(f, record, d_most(f->record_size, capacity));
}

/* Sends the record at `offset`, which has a capacity of `capacity` bytes. */
D_FUNCTION d_output(struct d_frame *f, u64 offset, u64 capacity)
{
	d_output_at(f, offset, capacity);
	return 0;
}

/* The unsent record contains the status; the end remains in effect. */
static __always_inline void d_exit_undone(const struct d_frame *f)
{
	struct d_state *state = f->exits ? d_state_of() : NULL;

	if (state)
		state->exit_status = f->status_before;
}

D_FUNCTION d_fault_record(struct d_frame *f, u64 offset)
{
	struct d_fault_record *record = (struct d_fault_record *)d_record_at(f, offset);

	d_exit_undone(f);
	f->speculation = 0;
	d_record_head(f, &record->head, D_RECORD_FAULT);
	record->head.ran = 0;
	record->fault = f->fault;
	record->value = f->fault_value;
	d_send(f, record, sizeof(*record));
	return 0;
}

/* Faults in clauses of ERROR are counted, and cause no further ERROR. */
D_FUNCTION d_fault_in_error(struct d_frame *f, u64 offset)
{
	(void)offset;
	d_exit_undone(f);
	f->speculation = 0;
	D_DROP(errors);
	return 0;
}

/* For ERROR: illumos has no wrong sizes and indexes, only addresses and operations. */
static __always_inline u64 d_fault_told(const struct d_frame *f)
{
	if (d_has_null || f->fault < D_FAULT_BADSIZE)
		return f->fault;
	return f->fault == D_FAULT_BADSIZE ? D_FAULT_BADADDR : D_FAULT_ILLOP;
}

/* ERROR: arg1 to arg3 tell where, set by the compiler; arg4 is the fault, arg5 the address. */
D_FUNCTION d_error_begin(struct d_frame *f, u64 arg1, u64 arg2, u64 arg3)
{
#pragma unroll
	for (int n = 0; n < D_ARGS; n++) {
		f->saved_args[n] = f->args[n];
		f->args[n] = 0;
	}
	f->saved_probe = f->probe;
	f->probe = D_PROBE_ERROR;
	f->args[1] = arg1;
	f->args[2] = arg2;
	f->args[3] = arg3;
	f->args[4] = d_fault_told(f);
	f->args[5] = f->fault_value;
	return 0;
}

D_FUNCTION d_error_end(struct d_frame *f)
{
#pragma unroll
	for (int n = 0; n < D_ARGS; n++)
		f->args[n] = f->saved_args[n];
	f->probe = f->saved_probe;
	return 0;
}

/* END, or ERROR caused by END. */
static __always_inline bool d_is_end(const struct d_frame *f)
{
	return (f->probe == D_PROBE_ERROR ? f->saved_probe : f->probe) == D_PROBE_END;
}

/*
 * exit(): later firings do not run, except END, and neither do the remaining clauses. The last status counts: of the
 * clause unless a fault follows, of ERROR, of END. Among CPUs, the first one counts.
 */
D_FUNCTION d_exit(struct d_frame *f, u64 status)
{
	struct d_state *state = d_state_of();

	if (state && (!state->is_over || f->has_exited || d_is_end(f))) {
		if (!f->exits)
			f->status_before = state->exit_status;
		f->exits = 1;
		state->exit_status = status;
		state->is_over = 1;
		f->has_exited = 1;
	}
	return 0;
}

#endif
