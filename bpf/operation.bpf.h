/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Operations: calls of functions that take time and move bytes. Each counts in a table by function (and
 * key of --by), in the histogram of times, and is printed if it took long.
 */
#ifndef ERLBPF_BPF_OPERATION_BPF_H
#define ERLBPF_BPF_OPERATION_BPF_H

#include "measure.bpf.h"
#include "operation.h"
#include "tally.bpf.h"

const volatile __u32 operation_by = OPERATION_KEY_COMMON;

static __always_inline u64 operation_key(const struct measure_event *c)
{
	switch (operation_by) {
	case OPERATION_KEY_FUNCTION:
		return erl_id_of(ERL_ID_FUNCTION, c->function);
	case OPERATION_KEY_NAME:
		return c->what;
	case OPERATION_KEY_THING:
		return c->amounts[OPERATION_THING];
	case OPERATION_KEY_KIND:
		return erl_id_of(ERL_ID_NUMBER, c->kind);
	default:
		return measure_key(c->id, 0);
	}
}

/* An operation that is over. The hit is counted by the caller. */
static __always_inline void operation_done(const struct measure_event *c)
{
	struct tally_key key = { .os_pid = c->os_pid, .other = erl_id_of(ERL_ID_FUNCTION, c->function) };
	u64 took = c->end_ns - c->start_ns;
	u64 bytes = c->has & 1 << OPERATION_BYTES ? c->amounts[OPERATION_BYTES] : 0;

	key.id = operation_key(c);
	hist_add(key.id, measure.by ? c->os_pid : 0, took, 1);
	tally_add_both(&key, took, bytes, 1);
	measure_print(c);
}

#endif
