// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What does each process do: messages out and in, how long they wait, garbage collections?
 *
 * How long messages wait follows from how many there are (Little's law): at each change of a mailbox its
 * length since the change before, times the time since then, is what all its messages together have
 * waited meanwhile. That needs no record per message, and whichever message is received first does
 * not matter.
 *
 * How many messages came in follows from how many were received and how the length of the mailbox, which
 * tools/top.c reads, has changed.
 */
#include "erl.bpf.h"
#include "enqueued.bpf.h"
#include "top.h"
#include "watched.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TOP_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct top_key);
	__type(value, struct top_counts);
} top_processes SEC(".maps");

struct collection {
	u64 start_ns;
	u64 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TOP_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct collection);
} collections SEC(".maps");

/* The account of a process; NULL if there is no room for it. */
static __always_inline struct top_counts *counts_of(const struct erl_hit *hit, u64 id)
{
	struct top_key key = { .id = id, .os_id = hit->os_id };
	struct top_counts *counts = bpf_map_lookup_elem(&top_processes, &key);
	struct top_counts zero = {};

	if (counts)
		return counts;
	bpf_map_update_elem(&top_processes, &key, &zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&top_processes, &key);
}

/* Accounts for the hit. NULL if it is of no process of the node, or of one that there is no room for. */
static __always_inline struct top_counts *account(const struct erl_hit *hit, u64 id)
{
	struct top_counts *counts = erl_id_kind(id) == ERL_ID_LOCAL ? counts_of(hit, id) : NULL;

	if (!counts && erl_id_kind(id) == ERL_ID_LOCAL)
		erl_count_lost(hit);
	else
		erl_count(hit);
	return counts;
}

/* Messages in the mailbox of the process at that address, also those it has not looked at yet. */
static __always_inline u64 queue_at(u64 process)
{
	const volatile u64 *offsets = erl_config.pids.queue_offsets;
	u64 length;

	if (!process || !offsets[0])
		return 0;
	length = erl_load(process + offsets[0], 8, false);
	if (offsets[1])
		length += erl_load(process + offsets[1], 8, false);
	if (offsets[2])
		length += erl_load(process + offsets[2], 8, false);
	/* The parts are read one after the other while messages may move between them. */
	return (s64)length > 0 ? length : 0;
}

/* The mailbox of the process is about to become `change` messages longer. */
static __always_inline void mailbox_changes(struct top_counts *counts, u64 process, s64 change, u64 now)
{
	u64 before = counts->changed_ns;
	s64 length = queue_at(process) + change;

	if (before && erl_measures_from(before) && now > before)
		__sync_fetch_and_add(&counts->waited_ns, counts->length * (now - before));
	/* Two senders at once may each miss the other's message; the next change reads anew. */
	counts->length = length > 0 ? length : 0;
	counts->changed_ns = now;
}

static __always_inline void sends(const struct erl_hit *hit, u64 sender, u32 messages)
{
	struct top_counts *counts = account(hit, sender);

	if (!counts)
		return;
	__sync_fetch_and_add(&counts->sent, messages);
}

static __always_inline void gets(const struct erl_hit *hit, u64 receiver, u32 messages, u64 now)
{
	struct top_counts *counts = erl_id_kind(receiver) == ERL_ID_LOCAL ? counts_of(hit, receiver) : NULL;

	if (counts)
		mailbox_changes(counts, erl_process_of(receiver), messages, now);
}

/* Attached only where message-enqueued is not to be had: NEEDED_INSTEAD. */
SEC("usdt/erlang:message-send")
int message_send(void *ctx)
{
	struct erl_hit hit;
	u64 receiver, sender, now;
	struct top_watched *watched;

	if (!erl_enter(ctx, &hit))
		return 0;
	now = bpf_ktime_get_ns();
	receiver = erl_arg_id(ctx, &hit, 1);
	/* The note fires for messages to other nodes too; they have a probe of their own. */
	if (erl_id_kind(receiver) != ERL_ID_LOCAL)
		return 0;
	sender = erl_arg_id(ctx, &hit, 0);
	sends(&hit, sender, 1);
	gets(&hit, receiver, 1, now);
	watched = watched_of(&hit, receiver);
	if (watched)
		watched_gets(watched, sender, 1);
	return 0;
}

SEC("usdt/erlang:message-send-remote")
int message_send_remote(void *ctx)
{
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	sends(&hit, erl_arg_id(ctx, &hit, 0), 1);
	return 0;
}

SEC("usdt/vm:message-enqueued")
int message_enqueued(void *ctx)
{
	u64 now, receiver, sender, first, last;
	struct top_watched *watched;
	struct erl_hit hit;
	u32 messages;

	if (!erl_enter(ctx, &hit))
		return 0;
	first = erl_arg(ctx, &hit, ENQUEUED_FIRST);
	last = erl_arg(ctx, &hit, ENQUEUED_LAST);
	messages = enqueued_messages(first, last);
	/* Links, monitors and the like. */
	if (!messages)
		return 0;
	now = bpf_ktime_get_ns();
	sender = erl_arg_id(ctx, &hit, ENQUEUED_SENDER);
	receiver = erl_arg_id(ctx, &hit, ENQUEUED_RECEIVER);
	sends(&hit, sender, messages);
	gets(&hit, receiver, messages, now);
	watched = watched_of(&hit, receiver);
	if (watched) {
		watched_gets(watched, sender, messages);
		__sync_fetch_and_add(&watched->lost_messages, watched_keep(first, last, receiver, now));
	}
	return 0;
}

static __always_inline void takes(const struct erl_hit *hit, u64 id, s64 change, u64 now)
{
	struct top_counts *counts = account(hit, id);
	u64 process;

	if (!counts)
		return;
	process = erl_process_of(id);
	__sync_fetch_and_add(&counts->received, 1);
	mailbox_changes(counts, process, change, now);
}

/* Attached only where message-removed is not to be had: NEEDED_INSTEAD. The message is still in the mailbox. */
SEC("usdt/erlang:message-receive")
int message_receive(void *ctx)
{
	struct erl_hit hit;

	if (erl_enter(ctx, &hit))
		takes(&hit, erl_arg_id(ctx, &hit, 0), -1, bpf_ktime_get_ns());
	return 0;
}

/* The message is out. */
SEC("usdt/vm:message-removed")
int message_removed(void *ctx)
{
	struct erl_hit hit;
	u64 id, now;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 0);
	now = bpf_ktime_get_ns();
	takes(&hit, id, 0, now);
	if (watched_of(&hit, id))
		watched_removes(id, erl_arg(ctx, &hit, 1), now);
	return 0;
}

static __always_inline int begin(void *ctx)
{
	struct collection collection = { .start_ns = bpf_ktime_get_ns() };
	struct erl_hit hit;
	u32 thread;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	collection.id = erl_arg_id(ctx, &hit, 0);
	if (bpf_map_update_elem(&collections, &thread, &collection, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

static __always_inline int end(void *ctx)
{
	struct top_counts *counts;
	struct collection *c;
	struct erl_hit hit;
	u64 id, now;
	u32 thread;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 0);
	counts = account(&hit, id);
	if (!counts)
		return 0;
	now = bpf_ktime_get_ns();
	thread = erl_thread(&hit);
	__sync_fetch_and_add(&counts->collections, 1);
	c = bpf_map_lookup_elem(&collections, &thread);
	/* It began before we came, or its beginning was lost. */
	if (!c || c->id != id || !erl_measures_from(c->start_ns))
		return 0;
	__sync_fetch_and_add(&counts->collecting_ns, now - c->start_ns);
	c->id = 0;
	return 0;
}

SEC("usdt/erlang:gc_minor-start")
int gc_minor_start(void *ctx)
{
	return begin(ctx);
}

SEC("usdt/erlang:gc_major-start")
int gc_major_start(void *ctx)
{
	return begin(ctx);
}

SEC("usdt/erlang:gc_minor-end")
int gc_minor_end(void *ctx)
{
	return end(ctx);
}

SEC("usdt/erlang:gc_major-end")
int gc_major_end(void *ctx)
{
	return end(ctx);
}
