// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What happens, one event after the other? Every hit of the probes, with all its arguments. */
#include "erl.bpf.h"
#include "ring.bpf.h"
#include "trace.h"

const volatile struct trace_config trace_config = {};

static __always_inline void take_arg(void *ctx, const struct erl_hit *hit, struct trace_event *event,
				     u32 n)
{
	u8 form = erl_config.args[n].form;
	u64 v;

	event->forms[n] = form;
	event->values[n] = 0;
	if (form == ERL_FORM_NONE)
		return;
	v = erl_arg(ctx, hit, n);
	if (form == ERL_FORM_TEXT) {
		event->texts[n][0] = '\0';
		event->values[n] = v ? bpf_probe_read_user_str(event->texts[n], TRACE_TEXT,
							       (const void *)v)
				     : 0;
		return;
	}
	event->values[n] = form == ERL_FORM_TERM && erl_id_of_term(v) ? erl_id_of_term(v) : v;
	/* Tells an identifier from another term. */
	if (form == ERL_FORM_TERM && erl_id_of_term(v))
		event->texts[n][0] = 'i';
	else
		event->texts[n][0] = '\0';
}

static __always_inline bool is_about(void *ctx, const struct erl_hit *hit, u64 erl_pid)
{
	bool is = false;

#pragma unroll
	for (u32 n = 0; n < 4; n++)
		is |= erl_arg_id(ctx, hit, n) == erl_pid;
	return is;
}

SEC("usdt/erlang:*")
int hit(void *ctx)
{
	struct trace_event *event;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	if (trace_config.erl_pid && !is_about(ctx, &hit, trace_config.erl_pid))
		return 0;
	event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);
	if (!event) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	event->time_ns = bpf_ktime_get_ns();
	event->os_pid = hit.os_pid;
	event->probe = hit.probe;
#pragma unroll
	for (u32 n = 0; n < TRACE_ARGS; n++)
		take_arg(ctx, &hit, event, n);
	bpf_ringbuf_submit(event, ring_flags());
	return 0;
}
