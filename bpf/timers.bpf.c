// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which timers fire, and how late? A scheduler fires its timers that are due all at once, and drops the VM's
 * structure of each when it has fired: so a structure that is dropped meanwhile, on this thread, is that of a timer
 * that has fired. The structure says when it was due. That is in ticks of the VM's clock, which the scheduler had
 * read just before.
 */
#include "measure.bpf.h"
#include "timers.h"

#define NS_PER_TICK 1000000 /* SYS_CLOCK_RESOLUTION of the VM is a millisecond */

/* Arguments of vm:timer-dropped. */
enum { RECEIVER, NAME, DUE, FLAGS, STATE };

/* Flags of ErtsTmrHead, and a state of ErtsBifTimer (erl_hl_timer.c). */
#define IS_MESSAGE (1 << 12)
#define HAS_NAME (1 << 14)
#define IS_PORT (1 << 16)
#define TIMED_OUT 2

#define NOW 0 /* amount of what a thread is within: the VM's time when that began */

SEC("usdt/vm:timers-fire")
int timers_fire(void *ctx)
{
	struct measure_event within;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	within = measure_case(&hit, 0);
	within.amounts[NOW] = erl_arg(ctx, &hit, 0);
	measure_begin(&hit, &within);
	return 0;
}

SEC("usdt/vm:timers-fired")
int timers_fired(void *ctx)
{
	struct erl_hit hit;

	if (erl_enter(ctx, &hit))
		measure_end(&hit, 0);
	return 0;
}

/* How long ago it was due. */
static __always_inline u64 lateness(const struct measure_event *within, u64 now, s64 due_ticks)
{
	s64 late = within->amounts[NOW] + (s64)(now - within->start_ns) - due_ticks * NS_PER_TICK;

	return late > 0 ? late : 0;
}

static __always_inline enum timers_kind kind_of(u32 flags)
{
	return flags & IS_MESSAGE ? TIMERS_MESSAGE : flags & IS_PORT ? TIMERS_PORT : TIMERS_RECEIVE;
}

static __always_inline void fired(const struct erl_hit *hit, struct measure_event *timer)
{
	u64 key = measure_key(timer->id, timer->what);

	/* For a timer to a registered name, nothing else is known. */
	if (!timer->id && measure.by == MEASURE_BY_NAME)
		key = timer->name;
	/* It was due at start_ns, perhaps long before the probes were there. */
	if (!erl_measures_from(timer->end_ns))
		return;
	hist_add(key, measure.by ? hit->os_id : 0, timer->end_ns - timer->start_ns, 1);
	measure_print(timer);
}

SEC("usdt/vm:timer-dropped")
int timer_dropped(void *ctx)
{
	const struct measure_event *within;
	struct measure_event timer;
	struct erl_hit hit;
	u32 thread, flags;
	u64 id;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	within = bpf_map_lookup_elem(&measure_within, &thread);
	/* Not in the midst of firing: it was cancelled. */
	if (!within || within->end_ns)
		return 0;
	flags = erl_arg(ctx, &hit, FLAGS);
	id = flags & HAS_NAME ? 0 : erl_arg_id(ctx, &hit, RECEIVER);
	if (!measure_wants(id))
		return 0;
	erl_count(&hit);
	if (flags & IS_MESSAGE && erl_arg(ctx, &hit, STATE) != TIMED_OUT)
		return 0;
	timer = measure_case(&hit, id);
	timer.start_ns = timer.end_ns - lateness(within, timer.end_ns, erl_arg(ctx, &hit, DUE));
	timer.kind = kind_of(flags);
	timer.what = measure_kind(timer.kind);
	if (flags & HAS_NAME)
		timer.name = erl_id_of(ERL_ID_ATOM, erl_arg(ctx, &hit, NAME) >> 6);
	account_add(timer.kind, 1);
	fired(&hit, &timer);
	return 0;
}
