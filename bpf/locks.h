/* SPDX-License-Identifier: BSD-2-Clause */
/* locks: contract between its BPF program and tools/locks.c. */
#ifndef ERLBPF_BPF_LOCKS_H
#define ERLBPF_BPF_LOCKS_H

#include <linux/types.h>

struct locks_config {
	__u32 by_kind;	/* what a case is about: the kind, or else the lock */
	__u32 counters; /* count by kind, lock and process whose it is */
};

enum locks_kind {
	LOCKS_PROCESS, /* of a process */
	LOCKS_TABLE,   /* of an ETS table, or of a part of one */
	LOCKS_VM,      /* in the VM's own data */
	LOCKS_OTHER,
	LOCKS_KINDS,
};

enum locks_amount { LOCKS_OF }; /* the process whose lock it is, as an id */

#endif
