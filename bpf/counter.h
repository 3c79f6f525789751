/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by key: contract between bpf/counter.bpf.h and user/results/counters.c. */
#ifndef ERLBPF_BPF_COUNTER_H
#define ERLBPF_BPF_COUNTER_H

#include <linux/types.h>

/* Bound of the map: what does not fit is counted together, and printed as "other". */
#define COUNTER_MAX_KEYS 16384

/* Two ids of erl.h, such as sender and receiver; 0 where there is none. */
struct counter_key {
	__u64 id;
	__u64 other;
	__u32 os_id;
	__u32 kind; /* of the tool */
};

struct counter {
	__u64 count;
	__u64 sum; /* of what the tool counts: bytes, words, nanoseconds */
	__u64 max;
	__u64 extras[2];  /* further sums */
	__u64 name;	  /* of the process `id`, as an id; 0: not known */
	__u64 other_name; /* the same of `other` */
};

/* A row as it is read. */
struct counter_row {
	struct counter_key key; /* zero: what did not fit */
	struct counter counter;
};

#endif
