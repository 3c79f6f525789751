/* SPDX-License-Identifier: BSD-2-Clause */
/* A BPF program to be: which clauses it runs, and how it is started. */
#ifndef ERLBPF_D_LANG_PROGRAM_H
#define ERLBPF_D_LANG_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct unit_clause;

/* How a program is started, which is what it may read. */
enum d_hook {
	HOOK_RUN,	     /* BEGIN, END, late ticks, ERROR by hand: raw tracepoint program, BPF_PROG_TEST_RUN */
	HOOK_PROFILE,	     /* perf event, of profile and tick: arg0 kernel pc, arg1 user pc */
	HOOK_ERLANG,	     /* site of the catalogue's probe: arguments are those of struct erl_config */
	HOOK_PID_ENTRY,	     /* function of a process: arg0... are what C passes in registers */
	HOOK_PID_RETURN,     /* arg0: offset in the function (0), arg1: what it returns */
	HOOK_PID_OFFSET,     /* no arguments */
	HOOK_SYSCALL_ENTRY,  /* arg0...5 of the call */
	HOOK_SYSCALL_RETURN, /* arg0, arg1: what it returns */
	HOOK_USDT,	     /* site of an SDT note: arguments are those of struct erl_config, all of them numbers */
	HOOK_TRACEPOINT,     /* raw tracepoint: its arguments as they come */
	HOOK_SHAPED,	     /* the same, as enum d_shape says */
	HOOK_SHAPED_KERNEL,  /* the same, by what the kernel's structs say */
};

#define HOOKS (HOOK_SHAPED_KERNEL + 1)

struct d_program {
	enum d_hook hook;
	const char *name;	      /* a C identifier, unique: "d_3" */
	const char *section;	      /* "usdt/erlang:process-spawn", else free: "d/BEGIN" */
	struct unit_clause **clauses; /* in the order of the program */
	size_t clause_count;
	bool ends_functions; /* they run for each Erlang function that ends at the probe */
};

#endif
