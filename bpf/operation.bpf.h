/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Operations: calls of functions that take time and move bytes. Each counts in a table by function (and
 * key of --by), in the histogram of times, and is printed if it took long.
 */
#ifndef ERLBPF_BPF_OPERATION_BPF_H
#define ERLBPF_BPF_OPERATION_BPF_H

#include "measure.bpf.h"
#include "operation.h"
#include "counter.bpf.h"

const volatile __u32 operation_by = OPERATION_KEY_COMMON;
const volatile __u32 operation_both_ways = 0;

/* `function`: the id of what is done. */
static __always_inline u64 operation_key(const struct measure_event *c, u64 function)
{
	switch (operation_by) {
	case OPERATION_KEY_FUNCTION: return function;
	case OPERATION_KEY_NAME: return c->what;
	case OPERATION_KEY_THING: return c->amounts[OPERATION_THING];
	case OPERATION_KEY_KIND: return erl_id_of(ERL_ID_NUMBER, c->kind);
	default: return measure_key(c->id, 0);
	}
}

/* Negative: it failed. */
static __always_inline u64 operation_bytes(const struct measure_event *c, int amount)
{
	s64 bytes = c->has & 1 << amount ? c->amounts[amount] : 0;

	return bytes > 0 ? bytes : 0;
}

/* A row for a case that is over, and the case itself if it is to be printed. */
static __always_inline void operation_tell(const struct measure_event *c, u64 function, u64 id)
{
	struct counter_key key = { .os_id = c->os_id, .other = function, .id = id };
	u64 sent = operation_both_ways ? operation_bytes(c, OPERATION_SENT) : 0;

	counter_add_all(&key, c->end_ns - c->start_ns, operation_bytes(c, OPERATION_BYTES), sent, 1);
	measure_print(c);
}

/* An operation that is over. The hit is counted by the caller. */
static __always_inline void operation_done_as(const struct measure_event *c, u64 function)
{
	u64 id = operation_key(c, function);

	if (!measure_counts(c))
		return;
	hist_add(id, measure.by ? c->os_id : 0, c->end_ns - c->start_ns, 1);
	operation_tell(c, function, id);
}

static __always_inline void operation_done(const struct measure_event *c)
{
	operation_done_as(c, erl_id_of(ERL_ID_FUNCTION, c->function));
}

#endif
