/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The process that is open on the screen: its senders, and how long its messages wait. A message is known by its
 * address while it waits, as in mailbox.bpf.c. While none is open, a hit costs one more array lookup.
 */
#ifndef ERLBPF_BPF_WATCHED_BPF_H
#define ERLBPF_BPF_WATCHED_BPF_H

#include "enqueued.bpf.h"
#include "hist.h"
#include "top.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct top_watched);
} top_watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TOP_WATCHED_MESSAGES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct top_message);
} top_messages SEC(".maps");

/* How many messages are of each sender, and how many have waited for how long (hist_slot()). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TOP_WATCHED_SENDERS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, u64);
} top_senders SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HIST_SLOTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, u64);
} top_waits SEC(".maps");

/* NULL: it is another process, or none is watched. */
static __always_inline struct top_watched *watched_of(const struct erl_hit *hit, u64 id)
{
	u32 only = 0;
	struct top_watched *watched = bpf_map_lookup_elem(&top_watched, &only);

	return watched && watched->id == id && watched->os_id == hit->os_id ? watched : NULL;
}

/* False: there is no room. */
static __always_inline bool watched_add(void *map, u64 key, u64 count)
{
	u64 zero = 0, *sum = bpf_map_lookup_elem(map, &key);

	if (!sum) {
		bpf_map_update_elem(map, &key, &zero, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, &key);
	}
	if (sum)
		__sync_fetch_and_add(sum, count);
	return sum;
}

/* Keeps those messages of the list; how many had no room. A global function: the verifier looks at it once. */
__noinline u32 watched_keep(u64 at, u64 last, u64 receiver, u64 now)
{
	struct top_message message = { .receiver = receiver, .enqueued_ns = now };
	u32 lost = 0;

	for (int i = 0; i < ENQUEUED_BATCH && at; i++) {
		if (enqueued_is_message(at) && bpf_map_update_elem(&top_messages, &at, &message, BPF_ANY))
			lost++;
		if (at == last)
			break;
		at = erl_load(at, 8, false);
	}
	return lost;
}

static __always_inline void watched_gets(struct top_watched *watched, u64 sender, u32 messages)
{
	if (!watched_add(&top_senders, sender, messages))
		__sync_fetch_and_add(&watched->lost_senders, 1);
}

static __always_inline void watched_removes(u64 receiver, u64 at, u64 now)
{
	const struct top_message *message = bpf_map_lookup_elem(&top_messages, &at);

	if (!message || message->receiver != receiver)
		return;
	/* One of another window may have been taken out between the two, and its memory be another message now. */
	if (erl_measures_from(message->enqueued_ns) && now > message->enqueued_ns)
		watched_add(&top_waits, hist_slot(now - message->enqueued_ns), 1);
	bpf_map_delete_elem(&top_messages, &at);
}

#endif
