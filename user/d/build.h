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

#include "d/lang/program.h"
#include "d/lang/unit.h"

/* A `const volatile __u64` of the library to set before anything is loaded. */
struct unit_setting {
	const char *name;
	uint64_t value;
	struct unit_setting *next;
};

struct d_object {
	void *elf; /* in the arena of the unit */
	size_t size;
	unsigned int args;	/* that any program reads, a bit for each: see struct tool */
	unsigned int note_args; /* the same, only of those of SDT notes */
	struct unit_map *maps;	/* shapes to give to maps before they are made; those of d_array_N and d_agg_N
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
