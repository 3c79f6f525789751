/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* For programs that measure: whose hit is wanted, where a value counts, which cases are printed. */
#ifndef ERLBPF_BPF_MEASURE_BPF_H
#define ERLBPF_BPF_MEASURE_BPF_H

#include "erl.bpf.h"
#include "fate.bpf.h"
#include "hist.bpf.h"
#include "measure.h"
#include "ring.bpf.h"

const volatile struct measure_config measure = {};

/*
 * First call of a program whose first argument is the process that it is about: that process, or 0 if
 * it is not one that is wanted; return at once then. The hit is not counted yet.
 */
static __always_inline u64 measure_enter(void *ctx, struct erl_hit *hit)
{
	u64 id;

	if (!erl_enter(ctx, hit))
		return 0;
	id = erl_arg_id(ctx, hit, 0);
	return measure.erl_pid && id != measure.erl_pid ? 0 : id;
}

/* `times` cases of `ns` each, of the process `id`. */
static __always_inline void measure_add(const struct erl_hit *hit, u64 id, u64 ns, u64 times)
{
	hist_add(measure.by_pid ? id : 0, measure.by_pid || measure.by_node ? hit->os_pid : 0, ns, times);
}

/* Is such a case to be printed? */
static __always_inline bool measure_prints(u64 ns)
{
	return measure.min_ns && ns >= measure.min_ns;
}

#endif
