/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by key: contract between bpf/tally.bpf.h and user/run/tallies.c. */
#ifndef ERLBPF_BPF_TALLY_H
#define ERLBPF_BPF_TALLY_H

#include <linux/types.h>

/* Bound of the map: what does not fit is counted together, and printed as "other". */
#define TALLY_MAX_KEYS 16384

/* Two ids of erl.h, such as sender and receiver; 0 where there is none. */
struct tally_key {
	__u64 id;
	__u64 other;
	__u32 os_pid;
	__u32 kind; /* of the tool */
};

struct tally {
	__u64 count;
	__u64 sum; /* of what the tool counts: bytes, words, nanoseconds */
	__u64 max;
	__u64 extras[2];  /* further sums */
	__u64 name;	  /* of the process `id`, as an id; 0: not known */
	__u64 other_name; /* the same of `other` */
};

/* A row as it is read. */
struct tally_row {
	struct tally_key key; /* zero: what did not fit */
	struct tally tally;
};

#endif
