// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do messages wait from the moment they are enqueued until receive takes them out? A message is
 * known by its address, which it keeps while it waits, garbage collections included (move_msg_to_heap() of
 * erl_proc_sig_queue.c moves what it carries). So it does not matter in which order a process receives.
 *
 * Dropped messages are forgotten: messages to a process that exits, answers that come too late. Of a long queue
 * that is dropped at once, the rest stays in the map until its memory is another message.
 */
#include "enqueued.bpf.h"
#include "mailbox.h"
#include "measure.bpf.h"

const volatile __u32 mailbox_length = 0; /* the histogram is of the queue's length */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAILBOX_MESSAGES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct mailbox_key);
	__type(value, struct mailbox_message);
} mailbox_waiting SEC(".maps");

SEC("usdt/vm:message-removed")
int message_removed(void *ctx)
{
	struct mailbox_key key = {};
	struct mailbox_message *message;
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	key.message = erl_arg(ctx, &hit, 1);
	key.os_id = hit.os_id;
	message = bpf_map_lookup_elem(&mailbox_waiting, &key);
	if (!message || message->receiver != id) {
		account_add(MAILBOX_UNSEEN, 1);
		return 0;
	}
	c = measure_case(&hit, id);
	c.start_ns = message->enqueued_ns;
	c.end_ns = measure_end_between(c.start_ns, c.end_ns);
	c.what = message->sender;
	c.amounts[MAILBOX_LENGTH] = erl_arg(ctx, &hit, 2) + erl_arg(ctx, &hit, 3) + erl_arg(ctx, &hit, 4) + 1;
	c.has = 1 << MAILBOX_LENGTH;
	bpf_map_delete_elem(&mailbox_waiting, &key);
	if (!measure_counts(&c))
		return 0;
	measure_add(&hit, id, c.what, mailbox_length ? c.amounts[MAILBOX_LENGTH] : c.end_ns - c.start_ns, 1);
	measure_print(&c);
	return 0;
}

#define MAX_DROPPED 256

SEC("usdt/vm:message-dropped")
int message_dropped(void *ctx)
{
	struct mailbox_key key = {};
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	key.message = erl_arg(ctx, &hit, 0);
	key.os_id = hit.os_id;
	for (int i = 0; i < MAX_DROPPED && key.message; i++) {
		bpf_map_delete_elem(&mailbox_waiting, &key);
		key.message = erl_load(key.message, 8, false);
	}
	return 0;
}

#define IS_MESSAGE 1
#define HAS_NO_ROOM 2

/* Keep it if it is a message. A global function: the verifier looks at it once, not once per message. */
__noinline u32 mailbox_keep(u64 at, u32 os_id, const struct mailbox_message *message)
{
	struct mailbox_key key = { .message = at, .os_id = os_id };
	struct mailbox_message own;

	if (!message || !enqueued_is_message(at))
		return 0;
	/* Linux 6.1 takes no value from what an argument of a global function points to. */
	own = *message;
	return bpf_map_update_elem(&mailbox_waiting, &key, &own, BPF_ANY) ? IS_MESSAGE | HAS_NO_ROOM : IS_MESSAGE;
}

SEC("usdt/vm:message-enqueued")
int message_enqueued(void *ctx)
{
	struct mailbox_message message = {};
	struct erl_hit hit;
	u64 at, last;
	u32 found = 0;

	message.receiver = measure_enter(ctx, &hit);
	if (!message.receiver)
		return 0;
	message.sender = erl_arg_id(ctx, &hit, ENQUEUED_SENDER);
	message.enqueued_ns = bpf_ktime_get_ns();
	at = erl_arg(ctx, &hit, ENQUEUED_FIRST);
	last = erl_arg(ctx, &hit, ENQUEUED_LAST);
	for (int i = 0; i < ENQUEUED_BATCH && at; i++) {
		found |= mailbox_keep(at, hit.os_id, &message);
		if (at == last)
			break;
		at = erl_load(at, 8, false);
	}
	/* Links, monitors and the like. */
	if (!found)
		return 0;
	if (found & HAS_NO_ROOM || at != last)
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}
