/* SPDX-License-Identifier: BSD-2-Clause */
/* births: contract between its BPF program and tools/births.c. */
#ifndef ERLBPF_BPF_BIRTHS_H
#define ERLBPF_BPF_BIRTHS_H

#include <linux/types.h>

/* How births and ends are grouped. */
enum births_by {
	BIRTHS_ALL,
	BIRTHS_BY_MFA, /* what the processes were spawned to run */
	BIRTHS_BY_PID, /* who spawned them */
	BIRTHS_BY_NAME,
	BIRTHS_BY_NODE,
};

struct births_config {
	__u64 erl_pid; /* only this Erlang process and its children, 0: all */
	__u64 by;      /* enum births_by */
};

/* In struct counter (counter.h), `count` has the births and `sum` the ends. */

enum births_account {
	BIRTHS_SPAWNED,
	BIRTHS_EXITED,
	BIRTHS_ACCOUNTS,
};

#endif
