// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What happens, one event after the other? Every hit of the probes, with all its arguments.
 *
 * How large a record is follows from the class, which the verifier knows as constants; so a record
 * takes the room that its probe needs, although ring buffers give out constant sizes only.
 */
#include "call.bpf.h"
#include "iodata.bpf.h"
#include "ring.bpf.h"
#include "trace.h"

const volatile struct trace_config trace_config = {};

static __always_inline bool is_text(u32 form)
{
	return form == ERL_FORM_TEXT || form == ERL_FORM_IODATA;
}

/* A VM without notes gives module, function and arguments instead of the text mfa. */
static __always_inline bool is_call(const int n)
{
	return n == 1 && erl_config.args[n].form == ERL_FORM_NONE &&
	       erl_config.args[ERL_ARG_MODULE].form == ERL_FORM_TERM &&
	       erl_config.args[ERL_ARG_FUNCTION].form == ERL_FORM_TERM &&
	       erl_config.args[ERL_ARG_TERM].form == ERL_FORM_TERM;
}

static __always_inline u32 arg_size(const int n)
{
	u32 form = erl_config.args[n].form;

	if (is_call(n))
		return 8;
	return form == ERL_FORM_NONE ? 0 : is_text(form) ? 8 + erl_config.args[n].text_size : 8;
}

static __always_inline void take_arg(void *ctx, const struct erl_hit *hit, struct trace_event *event, const int n,
				     void *to)
{
	u32 form = erl_config.args[n].form, size = erl_config.args[n].text_size;
	u64 *value = to;
	u64 v, id;

	event->forms[n] = is_text(form) ? ERL_FORM_TEXT : form;
	event->text_sizes[n] = size;
	if (is_call(n)) {
		event->forms[n] = TRACE_FORM_CALL;
		*value = call_of_spawn(erl_arg(ctx, hit, ERL_ARG_MODULE), erl_arg(ctx, hit, ERL_ARG_FUNCTION),
				       erl_arg(ctx, hit, ERL_ARG_TERM));
		return;
	}
	if (form == ERL_FORM_NONE)
		return;
	v = erl_arg(ctx, hit, n);
	if (is_text(form)) {
		*value = iodata_copy_arg(value + 1, size, v, form);
		return;
	}
	id = form == ERL_FORM_TERM ? erl_id_of_term(v) : 0;
	if (id)
		event->forms[n] = TRACE_FORM_ID;
	*value = id ? id : v;
}

static __always_inline bool is_about(void *ctx, const struct erl_hit *hit, u64 erl_pid)
{
	bool is = false;

#pragma unroll
	for (int n = 0; n < 4; n++)
		is |= erl_arg_id(ctx, hit, n) == erl_pid;
	return is;
}

SEC("usdt/erlang:*")
int hit(void *ctx)
{
	u32 size = sizeof(struct trace_event);
	struct trace_event *event;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	if (trace_config.erl_pid && !is_about(ctx, &hit, trace_config.erl_pid))
		return 0;
#pragma unroll
	for (int n = 0; n < TRACE_ARGS; n++)
		size += arg_size(n);
	event = bpf_ringbuf_reserve(&erl_ring, size, 0);
	if (!event) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	event->time_ns = bpf_ktime_get_ns();
	event->os_id = hit.os_id;
	event->probe = hit.probe;
	size = sizeof(*event);
#pragma unroll
	for (int n = 0; n < TRACE_ARGS; n++) {
		take_arg(ctx, &hit, event, n, (void *)event + size);
		size += arg_size(n);
	}
	bpf_ringbuf_submit(event, ring_flags());
	return 0;
}
