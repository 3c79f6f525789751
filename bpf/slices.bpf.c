// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long does a process or a port keep its scheduler? From the moment in which it is picked to the
 * moment in which it is let go, on the same thread, so that a thread has at most one slice at a time.
 *
 * A process that keeps it too long is in native code, mostly. With --min, native calls within a slice are timed, and
 * the longest is remembered with the slice: the last one need not be the culprit. That is many hits: these
 * probes are removed first if the tool costs too much.
 */
#include "measure.bpf.h"
#include "native.bpf.h"
#include "slices.h"

/*
 * Native calls of a thread since it last let go of a process: the one that is going on, and the
 * longest that is over.
 */
struct calls {
	u64 id;	      /* the process */
	u64 first_ns; /* when the first of them began */
	u64 start_ns; /* 0: none is going on */
	u64 what;
	u64 longest_start_ns;
	u64 longest_ns;
	u64 longest;	/* what it was */
	u64 own_ns;	/* that all of them took longer because they were timed */
	u64 details_ns; /* when probes of calls last came or went: what is older may have ended unseen */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct calls);
} thread_calls SEC(".maps");

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	/* The function that answers for the probe returns here, and was called when the one before ended. */
	c.start_ns = c.end_ns = bpf_ktime_get_ns();
	measure_begin(&hit, &c);
	return 0;
}

static __always_inline struct calls *calls_now(const struct erl_hit *hit)
{
	const struct erl_window *window = erl_window();
	u32 thread = erl_thread(hit);
	struct calls *calls = bpf_map_lookup_elem(&thread_calls, &thread);

	if (calls && window && calls->details_ns != window->details_ns)
		*calls = (struct calls){ .details_ns = window->details_ns, .own_ns = calls->own_ns };
	return calls;
}

static __always_inline struct calls *calls_make(const struct erl_hit *hit)
{
	u32 thread = erl_thread(hit);
	struct calls *calls = calls_now(hit), none = {};

	if (calls)
		return calls;
	bpf_map_update_elem(&thread_calls, &thread, &none, BPF_NOEXIST);
	return calls_now(hit);
}

/* Is the call timed that began then? Even if not, its probes make the slice longer. */
static __always_inline bool is_timed(u64 start_ns)
{
	const struct erl_window *window = erl_window();

	return window && !window->without_details && start_ns >= window->details_ns;
}

/* A call of the process began then. */
static __always_inline void call_began(struct calls *calls, u64 id, u64 start_ns)
{
	calls->id = id;
	if (!calls->first_ns)
		calls->first_ns = start_ns;
}

/* A call that began then is over. What took most of it, as a BIF's driver does, says more than it. */
static __always_inline void call_over(struct calls *calls, u64 start_ns, u64 what)
{
	u64 ns = bpf_ktime_get_ns() - start_ns;

	if (ns <= calls->longest_ns || (calls->longest_start_ns > start_ns && calls->longest_ns > ns / 2))
		return;
	calls->longest_start_ns = start_ns;
	calls->longest_ns = ns;
	calls->longest = what;
}

/*
 * A slice of a thousand short calls would be long only because they are timed. `is_call`: its entry was a hit, too.
 */
static __always_inline void add_own(struct calls *calls, bool is_call)
{
	const struct erl_window *window = erl_window();

	if (window)
		calls->own_ns += is_call ? window->call_ns : window->plain_ns;
}

static __always_inline int native_begins(void *ctx)
{
	struct calls *calls;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	calls = calls_make(&hit);
	if (!calls) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	add_own(calls, false);
	if (!is_timed(bpf_ktime_get_ns()))
		return 0;
	calls->what = native_callee(ctx, &hit);
	calls->start_ns = bpf_ktime_get_ns();
	call_began(calls, id, calls->start_ns);
	return 0;
}

static __always_inline int native_ends(void *ctx)
{
	struct calls *calls;
	struct erl_hit hit;

	if (!measure_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	calls = calls_now(&hit);
	if (calls)
		add_own(calls, false);
	if (!calls || !calls->start_ns)
		return 0;
	call_over(calls, calls->start_ns, calls->what);
	calls->start_ns = 0;
	return 0;
}

SEC("usdt/erlang:nif-entry")
int nif_entry(void *ctx)
{
	return native_begins(ctx);
}

SEC("usdt/erlang:nif-return")
int nif_return(void *ctx)
{
	return native_ends(ctx);
}

/* A call that is seen when it is over. NULL: it is not wanted. */
static __always_inline struct calls *timed_call(void *ctx, struct erl_hit *hit)
{
	u64 id = measure_enter(ctx, hit);
	struct calls *calls;

	if (!id || !hit->saved)
		return NULL;
	calls = calls_make(hit);
	if (!calls) {
		erl_count_lost(hit);
		return NULL;
	}
	erl_count(hit);
	add_own(calls, true);
	if (!is_timed(hit->saved->start_ns))
		return NULL;
	call_began(calls, id, hit->saved->start_ns);
	return calls;
}

SEC("usdt/vm:port-call")
int port_call(void *ctx)
{
	struct erl_hit hit;
	struct calls *calls = timed_call(ctx, &hit);

	if (calls)
		call_over(calls, hit.saved->start_ns, name_of_user_text(erl_arg(ctx, &hit, 1)));
	return 0;
}

/* A BIF, or a collection: what it is, is the function that was probed. */
static __always_inline int timed_function(void *ctx)
{
	struct erl_hit hit;
	struct calls *calls = timed_call(ctx, &hit);

	if (calls)
		call_over(calls, hit.saved->start_ns, erl_id_of(ERL_ID_FUNCTION, hit.function));
	return 0;
}

SEC("usdt/vm:bif-call")
int bif_call(void *ctx)
{
	return timed_function(ctx);
}

SEC("usdt/vm:gc-run")
int gc_run(void *ctx)
{
	return timed_function(ctx);
}

/*
 * A slice of many calls is printed only if it was long enough even if timing them cost twice what was taken off: in a
 * node hits cost more than on ourselves, and it must not be blamed for that.
 */
static __always_inline bool is_long(const struct measure_event *c, const struct calls *calls)
{
	return measure_prints(erl_end_of(c->start_ns, c->end_ns, calls ? calls->own_ns : 0) - c->start_ns);
}

static __always_inline void slice_over(const struct erl_hit *hit, struct measure_event *c, const struct calls *calls)
{
	if (!measure_counts(c))
		return;
	measure_add(hit, c->id, c->what, c->end_ns - c->start_ns, 1);
	if (!is_long(c, calls))
		return;
	c->amounts[SLICES_INITIAL] = name_call_of(c->id);
	c->amounts[SLICES_CURRENT] = name_current_call_of(c->id);
	measure_hand_out(c);
}

/*
 * A scheduler that slept when we came returns from its sleep unseen, and what it runs then has no
 * beginning. Its first native call is one that is late, and late by little if it is what took long.
 */
static __always_inline void late_slice(const struct erl_hit *hit, u64 id, const struct calls *calls)
{
	struct measure_event c;

	if (!calls || calls->id != id || !calls->first_ns) {
		measure_account(MEASURE_UNSEEN);
		return;
	}
	c = measure_case(hit, id);
	c.start_ns = calls->first_ns;
	c.what = calls->longest;
	c.amounts[SLICES_CALL_NS] = calls->longest_ns;
	c.has = 1 << SLICES_CALL_NS;
	c.end_ns = erl_end_of(c.start_ns, c.end_ns, calls->own_ns);
	slice_over(hit, &c, calls);
}

static __always_inline void slice_ends(const struct erl_hit *hit, u64 id, const struct calls *calls)
{
	u32 thread = erl_thread(hit);
	struct measure_event *c = bpf_map_lookup_elem(&measure_within, &thread);

	if (measure.prints && (!c || c->id != id || c->end_ns)) {
		erl_count(hit);
		late_slice(hit, id, calls);
		return;
	}
	c = measure_end(hit, id);
	if (!c)
		return;
	if (calls)
		c->end_ns = erl_end_of(c->start_ns, c->end_ns, calls->own_ns);
	/* In a slice that began earlier, the long call may have begun earlier, too. */
	if (calls && calls->longest_ns && c->start_ns >= calls->details_ns) {
		c->what = calls->longest;
		c->amounts[SLICES_CALL_NS] = calls->longest_ns;
		c->has = 1 << SLICES_CALL_NS;
	}
	slice_over(hit, c, calls);
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	struct calls *calls;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	calls = measure.prints ? calls_now(&hit) : NULL;
	/* On a dirty scheduler the call ends here. */
	if (calls && calls->start_ns)
		call_over(calls, calls->start_ns, calls->what);
	slice_ends(&hit, id, calls);
	if (calls)
		*calls = (struct calls){ .details_ns = calls->details_ns };
	return 0;
}

SEC("usdt/vm:port-run")
int port_run(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	c = measure_case(&hit, id);
	c.kind = SLICES_PORT;
	c.name = name_of_user_text(erl_arg(ctx, &hit, 1));
	if (!measure_counts(&c))
		return 0;
	hist_add(measure.by == MEASURE_BY_NAME ? c.name : measure_key(id, 0), measure.by ? hit.os_id : 0,
		 c.end_ns - c.start_ns, 1);
	measure_print(&c);
	return 0;
}
