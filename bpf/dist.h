/* SPDX-License-Identifier: BSD-2-Clause */
/* dist: contract between its BPF program and tools/dist.c. */
#ifndef ERLBPF_BPF_DIST_H
#define ERLBPF_BPF_DIST_H

#include <linux/types.h>

#include "measure.h"

enum dist_kind { DIST_BUSY, DIST_UP, DIST_DOWN, DIST_KINDS };  /* of cases */
enum dist_amount { DIST_UNTIL, DIST_VISIBILITY, DIST_REASON }; /* all of them are ids */
enum dist_counter { DIST_PACKETS, DIST_SUSPENSIONS };	       /* kinds of counters: bytes, nanoseconds */

/* Processes that are suspended at a time. */
#define DIST_SUSPENDED 16384

struct dist_key {
	__u64 id;
	__u64 os_id;
};

/* A process that is suspended because of a connection. */
struct dist_suspended {
	struct measure_event c; /* first: see `open` of struct tool */
	__u64 connection;	/* address of its DistEntry */
	__u64 key;		/* under which it will count */
};

/* Suspensions that are not in the result, by reason. */
enum dist_account {
	DIST_UNLISTED, /* resumed in a list too long to be followed */
	DIST_ACCOUNTS,
};

#endif
