/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers of instructions (scan_x86.c, scan_a64.c) tell of each. It does not depend on the processor, as far
 * as that can be.
 */
#ifndef ERLBPF_MATCH_GRAPH_SCAN_CODE_H
#define ERLBPF_MATCH_GRAPH_SCAN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "match/graph/anchors.h"
#include "match/graph/binary.h"
#include "match/graph/effort.h"
#include "match/graph/graph.h"

/*
 * Which function is meant where one is passed to another is often told by what is passed with it: an atom or a text
 * beside its address. They are features of the function whose address is taken.
 */
#define NEAR 5	   /* instructions */
#define MAX_NEAR 8 /* of each kind that are kept */

struct near {
	uint32_t items[MAX_NEAR];
	size_t places[MAX_NEAR]; /* the numbers of the instructions */
	size_t count;
};

struct scanner;

struct scan_machine {
	/* Each instruction of a function that begins at the code, until scan_next() is false. */
	void (*read)(struct scanner *s, const unsigned char *code, uint32_t size);
	/* Where the code at a stub of the linker finds what it jumps to, a function of a library. 0: nowhere. */
	uint64_t (*stub)(const unsigned char *code, size_t left, uint64_t address);
};

struct scanner {
	const struct binary *binary;
	const struct anchors_tables *tables;
	const struct scan_machine *machine;
	struct effort *effort;
	struct near said, taken;
	size_t place; /* the number of the instruction */
	struct graph *graph;
	struct relation_builder relations[RELATIONS];
	uint32_t function; /* that is read */
	uint32_t start, end;
	int err;
};

/* An instruction has been read. False: that is enough. */
bool scan_next(struct scanner *s);

/* A branch or a call of code. */
void scan_branch(struct scanner *s, uint64_t target);

/* A call through a word that the linker fills in. */
void scan_slot(struct scanner *s, uint64_t slot);

/* An address that is computed, or a place that is read or written. */
void scan_address(struct scanner *s, uint64_t address, bool is_computed);

/* A number, which may be an address if it has 32 bits or more and the file has a fixed place. */
void scan_number(struct scanner *s, uint64_t value, bool may_be_address);

/* A place in a structure, in bytes from its beginning. */
void scan_place(struct scanner *s, int64_t place);

extern const struct scan_machine scan_a64, scan_x86;

#endif
