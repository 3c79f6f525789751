/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A tool's own accounts: what became of things that are not in its result. An enum of the tool's
 * contract numbers them; the user side shows them with run_accounts().
 */
#ifndef ERLBPF_BPF_ACCOUNT_BPF_H
#define ERLBPF_BPF_ACCOUNT_BPF_H

#include "erl.bpf.h"

#define ACCOUNTS_MAX 8 /* TOOL_MAX_NOTES of user/tool.h */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ACCOUNTS_MAX);
	__type(key, u32);
	__type(value, u64);
} accounts SEC(".maps");

static __always_inline void account_add(u32 account, u64 times)
{
	u64 *count = bpf_map_lookup_elem(&accounts, &account);

	if (count)
		__sync_fetch_and_add(count, times);
}

#endif
