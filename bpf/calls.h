/* SPDX-License-Identifier: BSD-2-Clause */
/* calls: contract between its BPF program and tools/calls.c. */
#ifndef ERLBPF_BPF_CALLS_H
#define ERLBPF_BPF_CALLS_H

#include <linux/types.h>

#include "pattern.h"

enum calls_kind { CALLS_BIF, CALLS_NIF, CALLS_DIRTY_NIF, CALLS_FUNCTION, CALLS_KINDS };

/* Calls that are in no histogram. */
enum calls_account {
	CALLS_UNENDED,	   /* of functions that did not tell of their return */
	CALLS_DEEP,	   /* so many others were called within that it was forgotten */
	CALLS_HANDED_OVER, /* of dirty NIFs: on the scheduler that handed them over to a dirty one */
	CALLS_ACCOUNTS,
};

#define CALLS_PROCESSES 16384 /* that may be within a function at a time */
#define CALLS_DEPTH 32	      /* of functions, per process; a power of two */

/* Which functions are wanted: as text, and for where a function is known by its atoms. */
struct calls_pattern {
	struct pattern text;
	struct pattern module;
	struct pattern function;
	__s32 arity;  /* -1: any */
	__u32 is_any; /* all are wanted */
};

#endif
