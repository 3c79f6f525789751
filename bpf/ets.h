/* SPDX-License-Identifier: BSD-2-Clause */
/* ets: contract between its BPF program and tools/ets.c. */
#ifndef ERLBPF_BPF_ETS_H
#define ERLBPF_BPF_ETS_H

#include <linux/types.h>

#define ETS_UNFINISHED_MAX 16384 /* operations that gave way and are not over yet, at a time */

struct ets_config {
	__u32 by_function; /* what a case is about: the function, or else the table */
	__u32 counters;	   /* count by table and function */
};

enum ets_account {
	ETS_YIELDED,	/* operations that gave way to other processes before they were done */
	ETS_UNFINISHED, /* of these, those whose end was not seen */
	ETS_ACCOUNTS,
};

#endif
