// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do processes wait for a scheduler, and how long are the queues? A process enters a queue when
 * it is spawned, when it is woken, or when its slice ends and it has more to do; it leaves when it is
 * picked. What the waker sees of its state tells the cases apart: whom it wakes while it still runs, the
 * end of the slice will queue.
 *
 * Each pick is also the moment to look at the queue of the scheduler, and at which scheduler it was last
 * time.
 */
#include "run-queue.h"
#include "sched.bpf.h"
#include "counter.bpf.h"

static __always_inline void count_pick(const struct erl_hit *hit, bool migrated, u64 length)
{
	struct counter_key key = { .id = name_of_thread(), .os_id = hit->os_id, .kind = RUN_QUEUE_LENGTH };

	counter_add(&key, length, 1);
	key.kind = RUN_QUEUE_MIGRATED;
	if (migrated)
		counter_add(&key, 0, 1);
}

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	u64 id, scheduler, length = 0, since = 0;
	struct measure_event c;
	struct sched_process *p;
	bool migrated = false;
	struct erl_hit hit;

	id = measure_enter(ctx, &hit);
	if (!id)
		return 0;
	scheduler = sched_of(id);
	p = sched_make(&hit, id, erl_state_of(id));
	if (p) {
		migrated = sched_migrated(p, sched_number(scheduler));
		since = __sync_lock_test_and_set(&p->since_ns, 0);
	}
	erl_count(&hit);
	c = measure_case(&hit, id);
	c.start_ns = since;
	c.end_ns = bpf_ktime_get_ns();
	if (scheduler) {
		length = sched_queue_length(scheduler);
		if (erl_measures_from(c.end_ns))
			count_pick(&hit, migrated, length);
	}
	if (!since || since > c.end_ns) {
		account_add(RUN_QUEUE_UNSEEN, 1);
		return 0;
	}
	c.end_ns = measure_end_between(since, c.end_ns);
	c.kind = migrated;
	c.amounts[RUN_QUEUE_BEHIND] = length;
	c.has = scheduler ? 1 << RUN_QUEUE_BEHIND : 0;
	measure_took(&hit, &c);
	return 0;
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	struct sched_process *p;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);
	u32 state;

	if (!id)
		return 0;
	erl_count(&hit);
	state = erl_state_of(id);
	p = sched_make_or_forget(&hit, id, state);
	if (!p)
		return 0;
	if (state & ERL_STATE_ACTIVE && !(state & ERL_STATE_SUSPENDED))
		p->since_ns = bpf_ktime_get_ns();
	else if (!p->woken_running)
		/* It was picked unseen, by a scheduler that slept when we came. */
		p->since_ns = 0;
	p->woken_running = 0;
	return 0;
}

SEC("usdt/vm:process-wake")
int process_wake(void *ctx)
{
	struct sched_process *p;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);
	u32 state;

	if (!id)
		return 0;
	state = erl_state_of(id);
	/* The end of its slice will queue it. */
	if (state & ERL_STATE_RUNNING && state & ERL_STATE_ACTIVE) {
		erl_count(&hit);
		return 0;
	}
	p = sched_make(&hit, id, state);
	if (!p && state) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	/*
	 * Others may have woken it before. If not, what is known is left over from a pick that was not seen:
	 * one in which it only handled signals never leaves erts_schedule().
	 */
	if (p && !(state & (ERL_STATE_ACTIVE | ERL_STATE_IN_QUEUE))) {
		p->since_ns = bpf_ktime_get_ns();
		p->woken_running = !!(state & ERL_STATE_RUNNING);
	} else if (p) {
		__sync_val_compare_and_swap(&p->since_ns, 0, bpf_ktime_get_ns());
	}
	return 0;
}

SEC("usdt/erlang:process-spawn")
int process_spawn(void *ctx)
{
	struct sched_process *p;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);
	u32 state;

	if (!id)
		return 0;
	erl_count(&hit);
	state = erl_state_of(id);
	p = sched_make(&hit, id, state);
	/* It may have run, and even ended, before its parent came here. */
	if (p && state & ERL_STATE_IN_QUEUE)
		__sync_val_compare_and_swap(&p->since_ns, 0, bpf_ktime_get_ns());
	return 0;
}
