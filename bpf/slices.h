/* SPDX-License-Identifier: BSD-2-Clause */
/* slices: contract between its BPF program and tools/slices.c. */
#ifndef ERLBPF_BPF_SLICES_H
#define ERLBPF_BPF_SLICES_H

#include <linux/types.h>

#define SLICES_THREADS 16384

struct slices_event {
	__u64 start_ns;		/* CLOCK_MONOTONIC */
	__u64 end_ns;
	__u64 id;
	__u32 os_pid;
	__u32 thread;		/* of the scheduler, as the kernel numbers it */
};

enum slices_fate {
	SLICES_UNSEEN,		/* ended, and began before the trace did */
	SLICES_UNPRINTED,	/* measured, but there was no room for its record */
	SLICES_FATES,
};

#endif
