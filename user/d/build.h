/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a checked unit to a BPF object, after binding clauses to probes. The object is an ELF file like clang's: the
 * library bpf/d.bpf.c, the code of the clauses, and one program per struct d_program. load/load.c opens, relocates,
 * specializes and loads it like the object of any other tool.
 */
#ifndef ERLBPF_D_BUILD_H
#define ERLBPF_D_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "d/lang/program.h"
#include "d/lang/unit.h"

/* A `const volatile __u64` of the library, to be set before loading. */
struct unit_setting {
	const char *name;
	uint64_t value;
	struct unit_setting *next;
};

struct d_object {
	void *elf; /* in the arena of the unit */
	size_t size;
	unsigned int args;	/* arguments that programs read, one bit each: see struct tool */
	unsigned int note_args; /* the same, for SDT notes only */
	struct unit_map
		*maps; /* shapes for maps; do not create those of d_array_N and d_agg_N that are not in this list */
	struct unit_setting *settings;
	void *globals; /* initial value of the only entry of the map d_globals */
	size_t globals_size;
};

/* Also sets the offsets of all fields in the unit. False: the reason is in unit->diag. */
bool d_build(struct unit *unit, const struct d_program *programs, size_t count, struct d_object *object);

/* -S: prints the IR of every program. */
void d_build_dump(FILE *to, struct unit *unit, const struct d_program *programs, size_t count);

#endif
