/* SPDX-License-Identifier: BSD-2-Clause */
/* births: contract between its BPF program and tools/births.c. */
#ifndef ERLBPF_BPF_BIRTHS_H
#define ERLBPF_BPF_BIRTHS_H

#include <linux/types.h>

/* Whose births and ends are counted together. */
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

/* Of a struct counter (counter.h), `count` are the births, `sum` the ends. */

enum births_account {
	BIRTHS_SPAWNED,
	BIRTHS_EXITED,
	BIRTHS_ACCOUNTS,
};

#endif
