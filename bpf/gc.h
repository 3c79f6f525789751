/* SPDX-License-Identifier: BSD-2-Clause */
/* gc: contract between its BPF program and tools/gc.c. */
#ifndef ERLBPF_BPF_GC_H
#define ERLBPF_BPF_GC_H

#include <linux/types.h>

#define GC_THREADS 16384

struct gc_event {
	__u64 start_ns;		/* CLOCK_MONOTONIC */
	__u64 end_ns;
	__u64 id;
	__u64 need;		/* words that were wanted */
	__u64 reclaimed;	/* words */
	__u32 os_pid;
	__u8 is_major;
	__u8 has_need;
	__u8 has_reclaimed;
	__u8 pad;
};

enum gc_fate {
	GC_MINOR,
	GC_MAJOR,
	GC_UNSEEN,		/* ended, and began before the trace did */
	GC_UNPRINTED,		/* measured, but there was no room for its record */
	GC_FATES,
};

#endif
