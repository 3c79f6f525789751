// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What do the markers say that Erlang code sets with the module dyntrace? One event is one call of
 * dyntrace:p (user_trace-i4s4), dyntrace:pn (user_trace-n0 to -n950) or dyntrace:user_trace_s1.
 */
#include "measure.bpf.h"
#include "counter.bpf.h"
#include "iodata.bpf.h"
#include "user-trace.h"

/* With --by tag; else what a marker is about is its probe. */
const volatile __u32 user_trace_by_tag = 0;

/* user_trace-s1 has one argument, its message. */
static __always_inline bool has_process(void)
{
	return erl_config.args[1].form != ERL_FORM_NONE;
}

/* The place of the text: argument 0 in user_trace-s1. */
static __always_inline u32 form_of_texts(void)
{
	return erl_config.args[has_process()].form;
}

/* The tag and the strings, as arguments have them. */
static __always_inline void find_texts(void *ctx, const struct erl_hit *hit, u64 texts[USER_TRACE_TEXTS])
{
	if (!has_process()) {
		texts[1] = erl_arg(ctx, hit, 0);
		return;
	}
	texts[0] = erl_arg(ctx, hit, 1);
	texts[1] = erl_arg(ctx, hit, 6);
	texts[2] = erl_arg(ctx, hit, 7);
	texts[3] = erl_arg(ctx, hit, 8);
	texts[4] = erl_arg(ctx, hit, 9);
}

/* The two below are no part of the program, whose stack has no room for what they need. */
static __noinline bool is_short(u64 text)
{
	char bytes[USER_TRACE_SHORT];

	return iodata_copy_arg(bytes, sizeof(bytes), text, form_of_texts()) < USER_TRACE_SHORT;
}

/* As iodata_copy_arg(). */
static __noinline long copy(void *to, u64 text, bool is_long)
{
	if (is_long)
		return iodata_copy_arg(to, USER_TRACE_MOST, text, form_of_texts());
	return iodata_copy_arg(to, USER_TRACE_SHORT, text, form_of_texts());
}

static __always_inline bool are_short(const u64 texts[USER_TRACE_TEXTS])
{
	bool are = true;

#pragma unroll
	for (int i = 0; i < USER_TRACE_TEXTS; i++)
		are &= !texts[i] || is_short(texts[i]);
	return are;
}

/* False: there is no room in the ring. `room` is constant, as the verifier wants the size of a record. */
static __always_inline bool send(void *ctx, const struct erl_hit *hit, u64 id, const u64 texts[USER_TRACE_TEXTS],
				 const u32 room)
{
	struct user_trace_event *event;
	void *to;

	event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event) + USER_TRACE_TEXTS * room, 0);
	if (!event)
		return false;
	event->time_ns = bpf_ktime_get_ns();
	event->id = id;
	event->name = name_of_process(id);
	event->numbers[0] = erl_arg(ctx, hit, 2);
	event->numbers[1] = erl_arg(ctx, hit, 3);
	event->numbers[2] = erl_arg(ctx, hit, 4);
	event->numbers[3] = erl_arg(ctx, hit, 5);
	event->os_id = hit->os_id;
	event->probe = hit->probe;
	event->room = room;
	event->has_numbers = has_process();
	to = event + 1;
#pragma unroll
	for (int i = 0; i < USER_TRACE_TEXTS; i++) {
		event->lengths[i] = texts[i] ? copy(to, texts[i], room == USER_TRACE_LONG) : 0;
		to += room;
	}
	bpf_ringbuf_submit(event, ring_flags());
	return true;
}

static __noinline u64 name_of_tag(u64 tag)
{
	struct name_text text = {};

	return iodata_copy_arg(text.text, sizeof(text.text), tag, form_of_texts()) > 1 ? name_of_text(&text) : 0;
}

static __always_inline u64 what_of(const struct erl_hit *hit, const u64 texts[USER_TRACE_TEXTS])
{
	if (!user_trace_by_tag)
		return erl_id_of(ERL_ID_NUMBER, hit->probe);
	return name_of_tag(texts[0]);
}

SEC("usdt/erlang:user_trace-*")
int user_trace(void *ctx)
{
	u64 texts[USER_TRACE_TEXTS] = {}, id;
	struct counter_key key = {};
	struct erl_hit hit;
	bool is_sent;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = has_process() ? erl_arg_id(ctx, &hit, 0) : 0;
	if (!measure_wants(id))
		return 0;
	find_texts(ctx, &hit, texts);
	if (measure.by) {
		key.id = measure_key(id, what_of(&hit, texts));
		key.os_id = hit.os_id;
		counter_add(&key, 0, 1);
		erl_count(&hit);
		return 0;
	}
	if (are_short(texts))
		is_sent = send(ctx, &hit, id, texts, USER_TRACE_SHORT);
	else
		is_sent = send(ctx, &hit, id, texts, USER_TRACE_LONG);
	if (is_sent)
		erl_count(&hit);
	else
		erl_count_lost(&hit);
	return 0;
}
