/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * For programs that measure: whose hit is wanted, where a case counts, which cases are printed; and
 * cases that begin and end on one thread.
 */
#ifndef ERLBPF_BPF_MEASURE_BPF_H
#define ERLBPF_BPF_MEASURE_BPF_H

#include "erl.bpf.h"
#include "account.bpf.h"
#include "hist.bpf.h"
#include "measure.h"
#include "name.bpf.h"
#include "ring.bpf.h"

const volatile struct measure_config measure = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEASURE_ACCOUNTS);
	__type(key, u32);
	__type(value, u64);
} measure_accounts SEC(".maps");

/* The case that a thread is within, if any: end_ns is 0 until it ends. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct measure_event);
} measure_within SEC(".maps");

static __always_inline void measure_account(u32 account)
{
	u64 *count = bpf_map_lookup_elem(&measure_accounts, &account);

	if (count)
		__sync_fetch_and_add(count, 1);
}

static __always_inline bool measure_wants(u64 id)
{
	return !measure.erl_pid || id == measure.erl_pid;
}

/*
 * First call of a program whose first argument is the process that it is about: that process, or 0 if
 * it is not one that is wanted; return at once then. The hit is not counted yet.
 */
static __always_inline u64 measure_enter(void *ctx, struct erl_hit *hit)
{
	u64 id;

	if (!erl_enter(ctx, hit))
		return 0;
	id = erl_arg_id(ctx, hit, 0);
	return measure_wants(id) ? id : 0;
}

/* The end of a call whose start was saved; else now. */
static __always_inline u64 measure_call_end(const struct erl_hit *hit)
{
	const struct erl_window *window = hit->saved ? erl_window() : NULL;
	u64 now = bpf_ktime_get_ns();

	return window ? erl_end_of(hit->saved->start_ns, now, window->return_ns) : now;
}

/*
 * When a case is over that goes from one hit to another. On one thread, all that comes of the first after its program,
 * and of the second before it, is in between. If the second is another's, it is so where the first thread woke the
 * other. Where the other was busy or asleep longer it is not, but then the case is long.
 */
static __always_inline u64 measure_end_between(u64 start_ns, u64 now)
{
	const struct erl_window *window = erl_window();

	return window ? erl_end_of(start_ns, now, window->pair_ns) : now;
}

/* A case that is an instant until its end is set, or a call that is over. */
static __always_inline struct measure_event measure_case(const struct erl_hit *hit, u64 id)
{
	u64 now = measure_call_end(hit);

	return (struct measure_event){
		.start_ns = hit->saved ? hit->saved->start_ns : now,
		.end_ns = now,
		.id = id,
		.os_id = hit->os_id,
		.probe = hit->probe,
		.function = hit->function,
		.thread = erl_thread(hit),
	};
}

/* An argument of the probe as one of the case's amounts, if the probe has it here. */
static __always_inline void measure_amount(void *ctx, const struct erl_hit *hit, struct measure_event *c,
					   const int amount, const int arg)
{
	if (erl_config.args[arg].form == ERL_FORM_NONE)
		return;
	c->amounts[amount] = erl_arg(ctx, hit, arg);
	c->has |= 1 << amount;
}

/* The subject of a case, with --by kind. */
static __always_inline u64 measure_kind(u32 kind)
{
	return erl_id_of(ERL_ID_NUMBER, kind);
}

/* The key under which a case counts that is of the process `id` and about `what`. */
static __always_inline u64 measure_key(u64 id, u64 what)
{
	switch (measure.by) {
	case MEASURE_BY_PID: return id;
	case MEASURE_BY_NAME: return name_of_process(id);
	case MEASURE_BY_MFA: return name_call_of(id);
	case MEASURE_BY_SCHEDULER: return name_of_thread();
	case MEASURE_BY_WHAT: return what;
	default: return 0;
	}
}

/* `times` cases of the value (nanoseconds, or what else the tool measures). */
static __always_inline void measure_add(const struct erl_hit *hit, u64 id, u64 what, u64 value, u64 times)
{
	hist_add(measure_key(id, what), measure.by ? hit->os_id : 0, value, times);
}

static __always_inline bool measure_prints(u64 ns)
{
	return measure.prints && ns >= measure.min_ns;
}

/* Hand the case out, however long it took. */
static __always_inline void measure_hand_out(const struct measure_event *c)
{
	struct measure_event *event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);

	if (!event) {
		measure_account(MEASURE_UNPRINTED);
		return;
	}
	*event = *c;
	if (!event->name)
		event->name = name_of_process(c->id);
	event->scheduler = name_of_thread();
	bpf_ringbuf_submit(event, ring_flags());
}

/* Hand the case out if such are to be printed. */
static __always_inline void measure_print(const struct measure_event *c)
{
	if (measure_prints(c->end_ns - c->start_ns))
		measure_hand_out(c);
}

/* Does the case count? Whether it is printed, too, depends on how long it took. */
static __always_inline bool measure_counts(const struct measure_event *c)
{
	return erl_measures_from(c->start_ns);
}

/* A case that is over: count how long it took, and print it. */
static __always_inline void measure_took(const struct erl_hit *hit, const struct measure_event *c)
{
	if (!measure_counts(c))
		return;
	measure_add(hit, c->id, c->what, c->end_ns - c->start_ns, 1);
	measure_print(c);
}

/*
 * This thread is within the case from now on, or was from the beginning of the call on. The hit is counted here. What
 * the program did before is no part of the case.
 */
static __always_inline void measure_begin(const struct erl_hit *hit, struct measure_event *c)
{
	if (c->start_ns == c->end_ns)
		c->start_ns = bpf_ktime_get_ns();
	c->end_ns = 0;
	if (bpf_map_update_elem(&measure_within, &c->thread, c, BPF_ANY))
		erl_count_lost(hit);
	else
		erl_count(hit);
}

/*
 * The case of this thread that ends now, which the caller completes; NULL if it began before we came,
 * or its beginning was lost. The hit is counted here. Whatever happens, the thread is within none then.
 */
static __always_inline struct measure_event *measure_end(const struct erl_hit *hit, u64 id)
{
	u32 thread = erl_thread(hit);
	struct measure_event *c = bpf_map_lookup_elem(&measure_within, &thread);

	erl_count(hit);
	if (!c || c->id != id || c->end_ns) {
		measure_account(MEASURE_UNSEEN);
		return NULL;
	}
	c->end_ns = measure_end_between(c->start_ns, bpf_ktime_get_ns());
	c->probe = hit->probe;
	return measure_counts(c) ? c : NULL;
}

#endif
