/* SPDX-License-Identifier: BSD-2-Clause */
/* Erlang functions under the VM's breakpoints: contract between the BPF programs, user/run/, tools/functions.c and
 * tools/entries.c. */
#ifndef ERLBPF_BPF_FUNCTIONS_H
#define ERLBPF_BPF_FUNCTIONS_H

#include "term.h"

#define FUNCTIONS_MAX 1000	  /* of one node, that have a breakpoint of ours */
#define FUNCTIONS_WANTED 16384	  /* of all nodes */
#define FUNCTIONS_NODES 1024	  /* whose calls are limited */
#define FUNCTIONS_PROCESSES 16384 /* that may be within such a function at a time */
#define FUNCTIONS_DEPTH 32	  /* of these functions within each other, per process; a power of two */
#define FUNCTIONS_CALLS 4096	  /* that may be under way at a time while they are shown */
#define FUNCTIONS_ARGS 16	  /* of a call, that are shown; a power of two */
#define FUNCTIONS_ARGUMENT_LINES 48
#define FUNCTIONS_CALLERS 16	  /* return addresses of a call that is shown; a power of two */
#define FUNCTIONS_STACK_WORDS 128 /* among which they are looked for */

/* Keys of calls, with --by. */
enum functions_key_of {
	FUNCTIONS_BY_FUNCTION,
	FUNCTIONS_BY_CALLER,
	FUNCTIONS_BY_ARGUMENT,
};

struct functions_config {
	__u32 show;
	__u32 key;	/* enum functions_key_of */
	__u32 argument; /* from 0 */
	__u32 pad;
};

/* --when, in postfix: each step takes truths from a stack, and puts one there. */
#define FUNCTIONS_STEPS 16
#define FUNCTIONS_RESULT 255 /* as an argument */

enum functions_step_kind {
	FUNCTIONS_TEST,
	FUNCTIONS_NOT,
	FUNCTIONS_AND,
	FUNCTIONS_OR,
};

enum functions_compare {
	FUNCTIONS_EQUAL,
	FUNCTIONS_UNEQUAL,
	FUNCTIONS_LESS,
	FUNCTIONS_AT_MOST,
	FUNCTIONS_GREATER,
	FUNCTIONS_AT_LEAST,
};

struct functions_step {
	__u8 kind;     /* enum functions_step_kind */
	__u8 argument; /* from 0, or FUNCTIONS_RESULT */
	__u8 element;  /* of the tuple that it is, from 1; 0: itself */
	__u8 compare;  /* enum functions_compare */
	__u32 is_atom; /* the value is in the map functions_literals, for each node */
	__u64 value;   /* a term */
};

struct functions_when {
	__u32 count; /* 0: always */
	__u32 pad;
	struct functions_step steps[FUNCTIONS_STEPS];
};

/*
 * A function that has a breakpoint of ours (other tracers' breakpoints reach the same code of the VM), or the watchdog
 * process on the node, whose own calls do not count.
 */
struct functions_key {
	__u64 id; /* the function, or the process */
	__u32 os_id;
	__u32 pad;
};

/*
 * What is known of such a key. Of the calls that were looked at, by generation (see generation.bpf.h): the VM itself
 * counts all.
 */
struct functions_wanted {
	__u64 globs; /* that the function matches, a bit for each */
	__u64 looked[2];
};

/* Calls that are in no histogram. */
enum functions_account {
	FUNCTIONS_ENTERED,    /* all that were seen to begin */
	FUNCTIONS_RAISED,     /* an exception ended them, which is known */
	FUNCTIONS_UNRETURNED, /* their process ended, or an exception that was not seen */
	FUNCTIONS_TAIL,	      /* by which a function goes on in itself: part of the call before */
	FUNCTIONS_DEEP,	      /* within too many others */
	FUNCTIONS_OTHERS,     /* --when says that they are not wanted */
	FUNCTIONS_ACCOUNTS,
};

enum functions_end {
	FUNCTIONS_RETURNED,
	FUNCTIONS_HAS_RAISED,
	FUNCTIONS_IS_GONE,
	FUNCTIONS_IS_ENTERED, /* that is all that is looked at */
};

/* Kinds of cases, by how they ended. */
enum functions_kind {
	FUNCTIONS_CALL,
	FUNCTIONS_EXCEPTION,
	FUNCTIONS_KINDS,
};

/* A word of the stack that may be a return address, and how many are before it. */
#define FUNCTIONS_CALLER(word, at) ((word) | (__u64)(at) << 56)
#define FUNCTIONS_CALLER_CODE(caller) ((caller) & ~0ULL >> 8)
#define FUNCTIONS_CALLER_AT(caller) ((__u32)((caller) >> 56))

/* A call; the memory that its terms reach follows it, as a snapshot. */
struct functions_call {
	__u64 start_ns;
	__u64 end_ns; /* 0: not known */
	__u64 id;
	__u64 name;
	__u64 what;
	__u64 result; /* or the reason of the exception; 0, which is no term: not known */
	__u64 class;  /* of the exception, an atom */
	__u32 os_id;
	__u32 probe;
	__u32 arity;
	__u32 argument_lines; /* of the snapshot; what follows is the memory at the end */
	__u32 end;	      /* enum functions_end */
	__u32 callers_count;
	__u32 frame_words; /* of what the VM puts on the stack at a breakpoint */
	__u32 pad;
	__u64 args[FUNCTIONS_ARGS];
	__u64 callers[FUNCTIONS_CALLERS]; /* what may be addresses of code, the newest first */
};

#endif
