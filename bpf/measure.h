/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tools that measure: what the command line says to them, set by user/run/run.c, and the record of
 * one case, which user/run/cases.c shows in the tool's columns.
 */
#ifndef ERLBPF_BPF_MEASURE_H
#define ERLBPF_BPF_MEASURE_H

#include <linux/types.h>

/* Which histogram a case belongs to. */
enum measure_by {
	MEASURE_ALL,
	MEASURE_BY_PID,
	MEASURE_BY_NAME, /* registered name or initial call of the process */
	MEASURE_BY_MFA,	 /* its initial call */
	MEASURE_BY_NODE,
	MEASURE_BY_SCHEDULER, /* the thread that ran it */
	MEASURE_BY_WHAT,      /* the function, port, table, peer... that the case is about */
};

struct measure_config {
	__u64 erl_pid; /* only this Erlang process, 0: all */
	__u64 min_ns;  /* print cases of at least this */
	__u32 by;      /* enum measure_by */
	__u32 prints;  /* any case at all; with min_ns 0: every one */
};

#define MEASURE_AMOUNTS 4

/* One case: something took from start_ns to end_ns (CLOCK_MONOTONIC). */
struct measure_event {
	__u64 start_ns;
	__u64 end_ns;
	__u64 id;	 /* process or port, 0: not known */
	__u64 name;	 /* of the process, as an id; 0: not known */
	__u64 what;	 /* function, port, table, peer..., as an id; 0: nothing */
	__u64 scheduler; /* the thread that handed it out, as an id */
	__s64 amounts[MEASURE_AMOUNTS];
	__u32 os_id;
	__u32 thread;
	__u32 probe;
	__u32 function; /* number of the function, 0 at a note: see erl_cookie() */
	__u32 kind;	/* of the tool */
	__u32 has;	/* amounts that are known, a bit for each */
};

/* Cases that are not in the result, by reason; notes in the summary. */
enum measure_account {
	MEASURE_UNSEEN,	   /* ended, and began before the trace did */
	MEASURE_UNPRINTED, /* measured, but there was no room for its record */
	MEASURE_ACCOUNTS,
};

#define MEASURE_THREADS 16384 /* that may be within a case at a time */

#endif
