// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long does a message wait before its receiver runs?
 *
 * Every receiver has an entry with the send times of the messages that it has not run for yet. When
 * a scheduler picks it, each of them has waited until now. A message to a process that is running
 * waits for nothing: it counts as 0, and no message that waits does. Senders on other CPUs add entries while the
 * scheduler takes them out, so slots are claimed by an atomic add and released all at once by an exchange; a slot that
 * is claimed but not yet filled then is a message sent in the very moment the receiver was picked.
 */
#define HIST_ZERO_IS_APART true
#include "erl.bpf.h"
#include "enqueued.bpf.h"
#include "measure.bpf.h"
#include "sched-latency.h"

struct receiver {
	u64 sent_ns[SCHED_LATENCY_PENDING];
	u64 sender[SCHED_LATENCY_PENDING];
	u64 last_sent_ns; /* of the messages beyond the slots */
	u64 drained_ns;	  /* older send times are left over from an earlier round */
	u64 claimed;	  /* messages waiting */
	u32 is_running;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_LATENCY_RECEIVERS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct receiver);
} receivers SEC(".maps");

/* The stack is too small for a fresh entry: this one is always zero. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct receiver);
} blank SEC(".maps");

static __always_inline struct receiver *receiver_make(u64 key)
{
	struct receiver *found = bpf_map_lookup_elem(&receivers, &key);
	u32 zero = 0;

	if (found || !key)
		return found;
	found = bpf_map_lookup_elem(&blank, &zero);
	if (!found)
		return NULL;
	bpf_map_update_elem(&receivers, &key, found, BPF_NOEXIST);
	return bpf_map_lookup_elem(&receivers, &key);
}

static __always_inline void report(const struct sched_latency_event *waited)
{
	struct sched_latency_event *event;

	if (!measure_prints(waited->scheduled_ns - waited->sent_ns) || !erl_measures_from(waited->sent_ns))
		return;
	event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);
	if (!event) {
		account_add(SCHED_LATENCY_UNPRINTED, waited->messages);
		return;
	}
	*event = *waited;
	bpf_ringbuf_submit(event, ring_flags());
}

/*
 * Does the receiver run? The VM's own flag says so where its process table is known; elsewhere
 * process-scheduled and process-unscheduled do, which costs a program more on every switch.
 */
static __always_inline bool is_running(void *ctx, const struct erl_hit *hit, struct receiver *receiver, u64 id)
{
	u32 state;

	if (!erl_knows_states())
		return *(volatile u32 *)&receiver->is_running;
	state = erl_config.args[ERL_ARG_STATE].form ? erl_arg(ctx, hit, ERL_ARG_STATE) : erl_state_of(id);
	/* Idle with messages pending: it has run for them unseen, on a scheduler that slept when we came. */
	if (!(state & ERL_STATE_BUSY) && *(volatile u64 *)&receiver->claimed)
		account_add(SCHED_LATENCY_UNSEEN, __sync_lock_test_and_set(&receiver->claimed, 0));
	return state & ERL_STATE_RUNNING;
}

static __always_inline void wait_for_receiver(struct receiver *receiver, u64 sender, u64 now)
{
	u64 i = __sync_fetch_and_add(&receiver->claimed, 1);

	if (i >= SCHED_LATENCY_PENDING) {
		receiver->last_sent_ns = now;
		return;
	}
	if (measure.prints)
		receiver->sender[i] = sender;
	receiver->sent_ns[i] = now;
}

/* So many messages are on their way to the process. */
static __always_inline void sent(void *ctx, const struct erl_hit *hit, u64 id, u64 sender, u32 messages)
{
	struct receiver *receiver = receiver_make(erl_process_key(hit, id));
	u64 now;

	if (!receiver) {
		erl_count_lost(hit);
		return;
	}
	erl_count(hit);
	now = bpf_ktime_get_ns();
	if (is_running(ctx, hit, receiver, id)) {
		if (erl_measures_from(now))
			measure_add(hit, id, 0, 0, messages);
		return;
	}
	for (u32 n = 0; n < messages && n < ENQUEUED_BATCH; n++)
		wait_for_receiver(receiver, sender, now);
}

/* Attached only where message-enqueued is not to be had: NEEDED_INSTEAD. */
SEC("usdt/erlang:message-send")
int message_send(void *ctx)
{
	struct erl_hit hit;
	u64 id;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 1);
	if (!measure_wants(id))
		return 0;
	if (erl_id_kind(id) != ERL_ID_LOCAL) {
		erl_count(&hit);
		account_add(SCHED_LATENCY_REMOTE, 1);
		return 0;
	}
	sent(ctx, &hit, id, measure.prints ? erl_arg_id(ctx, &hit, 0) : 0, 1);
	return 0;
}

SEC("usdt/vm:message-enqueued")
int message_enqueued(void *ctx)
{
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);
	u32 messages;

	if (!id)
		return 0;
	messages = enqueued_messages(erl_arg(ctx, &hit, ENQUEUED_FIRST), erl_arg(ctx, &hit, ENQUEUED_LAST));
	/* Links, monitors and the like. */
	if (messages)
		sent(ctx, &hit, id, measure.prints ? erl_arg_id(ctx, &hit, ENQUEUED_SENDER) : 0, messages);
	return 0;
}

static __always_inline void waited(const struct erl_hit *hit, u64 id, u64 sent_ns, u64 now, u64 messages)
{
	u64 ns = measure_end_between(sent_ns, now) - sent_ns;

	if (erl_measures_from(sent_ns))
		measure_add(hit, id, 0, ns ? ns : 1, messages);
}

/*
 * The messages beyond the slots: sent from `first` on, the last at last_sent_ns, taken as evenly
 * spread between, in at most SCHED_LATENCY_PENDING groups.
 */
static __always_inline void drain_rest(const struct erl_hit *hit, struct receiver *receiver, u64 id, u64 first,
				       u64 messages, u64 now)
{
	u64 groups = messages < SCHED_LATENCY_PENDING ? messages : SCHED_LATENCY_PENDING;
	u64 last = receiver->last_sent_ns;
	u64 gap;

	if (last < first || last > now)
		last = now;
	gap = (last - first) / groups;
	for (u32 i = 1; i <= SCHED_LATENCY_PENDING && i <= groups; i++)
		waited(hit, id, first + gap * i, now,
		       i == groups ? messages - messages / groups * (groups - 1) : messages / groups);
	report(&(struct sched_latency_event){
		.sent_ns = first + gap,
		.last_sent_ns = last,
		.scheduled_ns = measure_end_between(first + gap, now),
		.receiver = id,
		.os_id = hit->os_id,
		.messages = messages,
	});
}

/* A scheduler picked the process: all that waited for it has waited until now. */
static __always_inline void drain(const struct erl_hit *hit, struct receiver *receiver, u64 id)
{
	u64 waiting, now, latest = 0;

	if (!*(volatile u64 *)&receiver->claimed)
		return;
	waiting = __sync_lock_test_and_set(&receiver->claimed, 0);
	now = bpf_ktime_get_ns();
	for (u32 i = 0; i < SCHED_LATENCY_PENDING && i < waiting; i++) {
		u64 sent_ns = *(volatile u64 *)&receiver->sent_ns[i];

		/*
		 * Claimed, and not yet stored: what is there is of an earlier round, when the time was
		 * taken before the slot was, and the slot before that round ended. The message is sent
		 * right now.
		 */
		if (sent_ns <= receiver->drained_ns || sent_ns > now)
			sent_ns = now;
		waited(hit, id, sent_ns, now, 1);
		report(&(struct sched_latency_event){
			.sent_ns = sent_ns,
			.last_sent_ns = sent_ns,
			.scheduled_ns = measure_end_between(sent_ns, now),
			.sender = receiver->sender[i],
			.receiver = id,
			.os_id = hit->os_id,
			.messages = 1,
		});
		latest = sent_ns;
	}
	if (waiting > SCHED_LATENCY_PENDING)
		drain_rest(hit, receiver, id, latest, waiting - SCHED_LATENCY_PENDING, now);
	receiver->drained_ns = now;
}

/* The entry of the process that a probe's first argument names; its key and id. NULL: none. */
static __always_inline struct receiver *receiver_of(void *ctx, struct erl_hit *hit, u64 *key, u64 *id)
{
	if (!erl_enter(ctx, hit))
		return NULL;
	erl_count(hit);
	*id = erl_arg_id(ctx, hit, 0);
	*key = erl_process_key(hit, *id);
	return bpf_map_lookup_elem(&receivers, key);
}

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	struct receiver *receiver;
	struct erl_hit hit;
	u64 id, key;

	receiver = receiver_of(ctx, &hit, &key, &id);
	if (!receiver)
		return 0;
	if (!erl_knows_states())
		*(volatile u32 *)&receiver->is_running = 1;
	drain(&hit, receiver, id);
	return 0;
}

/* Attached only where the process table is not known: NEEDED_WITHOUT_STATES. */
SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	struct receiver *receiver;
	struct erl_hit hit;
	u64 id, key;

	receiver = receiver_of(ctx, &hit, &key, &id);
	if (!receiver)
		return 0;
	/*
	 * It ran without our knowing: its entry is younger than its turn, or a scheduler slept in
	 * erts_schedule when we came. Whether its messages waited cannot be told.
	 */
	if (!receiver->is_running)
		account_add(SCHED_LATENCY_UNSEEN, __sync_lock_test_and_set(&receiver->claimed, 0));
	*(volatile u32 *)&receiver->is_running = 0;
	return 0;
}

SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	struct receiver *receiver;
	struct erl_hit hit;
	u64 id, key;

	receiver = receiver_of(ctx, &hit, &key, &id);
	if (!receiver)
		return 0;
	account_add(SCHED_LATENCY_EXITED, receiver->claimed);
	bpf_map_delete_elem(&receivers, &key);
	return 0;
}
