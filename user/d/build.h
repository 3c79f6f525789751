/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a checked unit to a BPF object, once it is known which clauses go to which probes. The object is an ELF
 * file as clang would have made it: the library bpf/d.bpf.c, the code of the clauses, and one program per
 * struct d_program, which run/load.c opens, relocates, specialises and loads like any other tool's.
 */
#ifndef ERLBPF_D_BUILD_H
#define ERLBPF_D_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "d/unit.h"

/* How a program is started, which is what it may read. */
enum d_hook {
	HOOK_RUN,	     /* BEGIN, END, tick, ERROR by hand: raw tracepoint program, BPF_PROG_TEST_RUN */
	HOOK_PROFILE,	     /* perf event: arg0 kernel pc, arg1 user pc */
	HOOK_ERLANG,	     /* site of the catalogue's probe: arguments are those of struct erl_config */
	HOOK_PID_ENTRY,	     /* function of a process: arg0... are what C passes in registers */
	HOOK_PID_RETURN,     /* arg0: offset in the function (0), arg1: what it returns */
	HOOK_PID_OFFSET,     /* no arguments */
	HOOK_SYSCALL_ENTRY,  /* arg0...5 of the call */
	HOOK_SYSCALL_RETURN, /* arg0, arg1: what it returns */
	HOOK_TRACEPOINT,     /* raw tracepoint: its arguments as they come */
};

#define HOOKS (HOOK_TRACEPOINT + 1)

struct d_program {
	enum d_hook hook;
	const char *name;	      /* a C identifier, unique: "d_3" */
	const char *section;	      /* "usdt/erlang:process-spawn", else free: "d/BEGIN" */
	struct unit_clause **clauses; /* in the order of the program */
	size_t clause_count;
};

/* A `const volatile __u64` of the library to set before anything is loaded. */
struct unit_setting {
	const char *name;
	uint64_t value;
	struct unit_setting *next;
};

struct d_object {
	void *elf; /* in the arena of the unit */
	size_t size;
	unsigned int args;     /* that any program reads, a bit for each: see struct tool */
	struct unit_map *maps; /* shapes to give to maps before they are made; those of d_array_N and d_agg_N
				* that are not here are not to be made */
	struct unit_setting *settings;
	void *globals; /* what the only entry of the map d_globals must hold before anything runs */
	size_t globals_size;
};

/* Also fills in the offsets of all fields in the unit. False with the reason in unit->diag. */
bool d_build(struct unit *unit, const struct d_program *programs, size_t count, struct d_object *object);

/* -S: the IR of every program. */
void d_build_dump(FILE *to, struct unit *unit, const struct d_program *programs, size_t count);

#endif
