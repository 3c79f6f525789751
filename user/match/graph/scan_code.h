/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoders scan_x86.c and scan_a64.c report each instruction with these functions, which do not depend on the
 * processor.
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
 * When a function's address is passed as an argument, an atom or a text that is passed next to it often identifies the
 * function. These count as its features.
 */
#define NEAR 5	   /* instructions */
#define MAX_NEAR 8 /* kept per kind */

struct near {
	uint32_t items[MAX_NEAR];
	size_t places[MAX_NEAR]; /* indexes of the instructions */
	size_t count;
};

struct scanner;

struct scan_machine {
	/* Decodes the instructions of a function until scan_next() returns false. */
	void (*read)(struct scanner *s, const unsigned char *code, uint32_t size);
	/* The address of the word through which a linker stub jumps to a library function; 0: not a stub. */
	uint64_t (*stub)(const unsigned char *code, size_t left, uint64_t address);
};

struct scanner {
	const struct binary *binary;
	const struct anchors_tables *tables;
	const struct scan_machine *machine;
	struct effort *effort;
	struct near said, taken;
	size_t place; /* index of the current instruction */
	struct graph *graph;
	struct relation_builder relations[RELATIONS];
	uint32_t function; /* current function */
	uint32_t start, end;
	int err;
};

/* Call after each instruction. False: stop. */
bool scan_next(struct scanner *s);

/* A branch or call to code. */
void scan_branch(struct scanner *s, uint64_t target);

/* A call through a word that the linker fills in. */
void scan_slot(struct scanner *s, uint64_t slot);

/* An address that is computed or accessed. */
void scan_address(struct scanner *s, uint64_t address, bool is_computed);

/* A number. With may_be_address and a fixed load address, it may be an address. */
void scan_number(struct scanner *s, uint64_t value, bool may_be_address);

/* A structure offset in bytes. */
void scan_place(struct scanner *s, int64_t place);

extern const struct scan_machine scan_a64, scan_x86;

#endif
