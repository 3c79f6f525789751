/* SPDX-License-Identifier: BSD-2-Clause */
/* Erlang functions under the VM's breakpoints: contract between the BPF program, user/run/ and tools/functions.c. */
#ifndef ERLBPF_BPF_FUNCTIONS_H
#define ERLBPF_BPF_FUNCTIONS_H

#include "term.h"

#define FUNCTIONS_MAX 1000	  /* of one node, that have a breakpoint of ours */
#define FUNCTIONS_WANTED 16384	  /* of all nodes */
#define FUNCTIONS_PROCESSES 16384 /* that may be within such a function at a time */
#define FUNCTIONS_DEPTH 32	  /* of these functions within each other, per process; a power of two */
#define FUNCTIONS_CALLS 4096	  /* that may be under way at a time while they are shown */
#define FUNCTIONS_ARGS 16	  /* of a call, that are shown; a power of two */
#define FUNCTIONS_ARGUMENT_LINES 48

/*
 * Breakpoints of others lead to the same place in the VM: these are ours. And the process on the node that guards them,
 * whose own calls do not count.
 */
struct functions_key {
	__u64 id; /* the function, or the process */
	__u32 os_id;
	__u32 pad;
};

/* Calls that are in no histogram. */
enum functions_account {
	FUNCTIONS_ENTERED,    /* all that were seen to begin */
	FUNCTIONS_UNRETURNED, /* an exception ended them */
	FUNCTIONS_TAIL,	      /* by which a function goes on in itself: part of the call before */
	FUNCTIONS_DEEP,	      /* within too many others */
	FUNCTIONS_ACCOUNTS,
};

/* A call; the memory that its terms reach follows it, as a snapshot. */
struct functions_call {
	__u64 start_ns;
	__u64 end_ns; /* 0: an exception ended it */
	__u64 id;
	__u64 name;
	__u64 what;
	__u64 result; /* 0, which is no term: not known */
	__u32 os_id;
	__u32 probe;
	__u32 arity;
	__u32 argument_lines; /* of the snapshot; what follows is the memory at the end */
	__u64 args[FUNCTIONS_ARGS];
};

#endif
