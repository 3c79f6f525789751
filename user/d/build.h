/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a checked unit to a BPF object, after binding clauses to probes. The object is an ELF file like clang's: the
 * library bpf/d.bpf.c, the code of the clauses, and one program per struct d_program. load/load.c opens, relocates,
 * specializes and loads it like the object of any other tool.
 *
 * BPF has 512 bytes of stack, so all data of a firing (arguments, temporaries, strings, this->, keys, the record) is in
 * a frame, an element of the map d_frames (struct d_frame). There are four per CPU, claimed by an atomic exchange,
 * because a firing can interrupt another. Integers are words of 64 bits, cut where they are stored, recorded or cast.
 * A string is strsize bytes and a NUL, padded with zeros, so equal strings have equal bytes and can be part of a key;
 * the last byte of one that is NULL is 1. A key is its components in sequence, padded to words. Each array and
 * aggregation is one hash; entries whose value is 0 are deleted.
 *
 * A record has fields of fixed size, then texts; its bits `ran` say which actions under an `if` ran. A function of the
 * library that fails sets `fault`; the code then jumps to the end of the clause and sends a fault record for ERROR.
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
