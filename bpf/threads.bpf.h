/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The threads of nodes that run processes, and where each keeps which one it runs. */
#ifndef ERLBPF_BPF_THREADS_BPF_H
#define ERLBPF_BPF_THREADS_BPF_H

#include "erl.bpf.h"
#include "profile.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_THREADS);
	__type(key, u32);
	__type(value, struct sample_thread);
} profile_threads SEC(".maps");

static __always_inline const struct sample_thread *thread_here(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&profile_threads, &tid);
}

#endif
