/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A tool's own accounts: what became of things that are not in its result. An enum of the tool's
 * contract numbers them; the user side shows them with run_fates().
 */
#ifndef ERLBPF_BPF_FATE_BPF_H
#define ERLBPF_BPF_FATE_BPF_H

#include "erl.bpf.h"

#define FATES_MAX 8 /* TOOL_MAX_NOTES of user/tool.h */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FATES_MAX);
	__type(key, u32);
	__type(value, u64);
} fates SEC(".maps");

static __always_inline void fate_add(u32 fate, u64 times)
{
	u64 *count = bpf_map_lookup_elem(&fates, &fate);

	if (count)
		__sync_fetch_and_add(count, times);
}

#endif
