/* SPDX-License-Identifier: BSD-2-Clause */
/* A future BPF program: the clauses that it runs, and how it starts. */
#ifndef ERLBPF_D_LANG_PROGRAM_H
#define ERLBPF_D_LANG_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct unit_clause;

/* How a program starts, which determines what it can read. */
enum d_hook {
	HOOK_RUN,	     /* BEGIN, END, late ticks, ERROR: raw tracepoint program, run by BPF_PROG_TEST_RUN */
	HOOK_PROFILE,	     /* perf event, of profile and tick: arg0 kernel pc, arg1 user pc */
	HOOK_ERLANG,	     /* site of a probe in the catalogue: arguments by struct erl_config */
	HOOK_PID_ENTRY,	     /* function of a process: arg0... are the argument registers of C */
	HOOK_PID_RETURN,     /* arg0: offset in the function (0), arg1: return value */
	HOOK_PID_OFFSET,     /* no arguments */
	HOOK_SYSCALL_ENTRY,  /* arg0...5 of the call */
	HOOK_SYSCALL_RETURN, /* arg0, arg1: return value */
	HOOK_USDT,	     /* site of an SDT note: arguments by struct erl_config, all numbers */
	HOOK_TRACEPOINT,     /* raw tracepoint, with its own arguments */
	HOOK_SHAPED,	     /* the same, converted by enum d_shape */
	HOOK_SHAPED_KERNEL,  /* the same, converted by reading kernel structs */
};

#define HOOKS (HOOK_SHAPED_KERNEL + 1)

struct d_program {
	enum d_hook hook;
	const char *name;	      /* a C identifier, unique: "d_3" */
	const char *section;	      /* "usdt/erlang:process-spawn", or arbitrary: "d/BEGIN" */
	struct unit_clause **clauses; /* in program order */
	size_t clause_count;
	bool ends_functions; /* runs once for each Erlang function that ends at the probe */
};

#endif
