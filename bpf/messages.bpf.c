// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Who sends what to whom? Every message that is sent, with --show as the term it is: taken from the
 * sender's heap before the VM copies it.
 */
#include "erl.bpf.h"
#include "messages.h"
#include "ring.bpf.h"
#include "term.bpf.h"

const volatile struct messages_config messages_config = {};

static __always_inline void fill(struct messages_event *event, const struct erl_hit *hit, u64 from, u64 to,
				 bool has_message)
{
	event->time_ns = bpf_ktime_get_ns();
	event->os_pid = hit->os_pid;
	event->has_message = has_message;
	event->from = from;
	event->to = to;
}

/* False: there was no room for it. */
static __always_inline bool send_with_message(void *ctx, const struct erl_hit *hit, u64 from, u64 to)
{
	struct term_place *place = term_place_get();
	struct messages_event *event;
	long err;

	if (!place)
		return false;
	event = term_place_head(place, struct messages_event);
	fill(event, hit, from, to, true);
	term_take(&place->snapshot, erl_arg(ctx, hit, ERL_ARG_TERM));
	err = bpf_ringbuf_output(&erl_ring, event, sizeof(*event) + term_snapshot_size(&place->snapshot),
				 ring_flags());
	term_place_put(place);
	return !err;
}

static __always_inline bool send(const struct erl_hit *hit, u64 from, u64 to)
{
	struct messages_event *event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);

	if (!event)
		return false;
	fill(event, hit, from, to, false);
	bpf_ringbuf_submit(event, ring_flags());
	return true;
}

SEC("usdt/erlang:message-send")
int message_send(void *ctx)
{
	bool with_message = messages_config.show && erl_config.args[ERL_ARG_TERM].form == ERL_FORM_TERM;
	u64 from, to, erl_pid = messages_config.erl_pid;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	from = erl_arg_id(ctx, &hit, 0);
	to = erl_arg_id(ctx, &hit, 1);
	if (erl_pid && from != erl_pid && to != erl_pid)
		return 0;
	if (with_message ? send_with_message(ctx, &hit, from, to) : send(&hit, from, to))
		erl_count(&hit);
	else
		erl_count_lost(&hit);
	return 0;
}
