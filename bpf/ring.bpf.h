/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The way of single events to user space. The loader sets the size before it loads. */
#ifndef ERLBPF_BPF_RING_BPF_H
#define ERLBPF_BPF_RING_BPF_H

#include "erl.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} erl_ring SEC(".maps");

/* Bytes of unread records from which on the reader is woken; it also looks by itself. */
const volatile __u64 ring_wakeup = 1 << 20;

static __always_inline u64 ring_flags(void)
{
	return bpf_ringbuf_query(&erl_ring, BPF_RB_AVAIL_DATA) >= ring_wakeup ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

#endif
