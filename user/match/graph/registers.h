/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which arguments a function uses. Copies that a compiler makes with other arguments (constprop, isra) differ in this.
 * A match is rejected if the arguments differ.
 */
#ifndef ERLBPF_MATCH_GRAPH_REGISTERS_H
#define ERLBPF_MATCH_GRAPH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "match/graph/binary.h"
#include "match/graph/effort.h"

#define REGISTERS_UNKNOWN 0xffff

/* Bit i: the function reads argument i; bit 8 + i: it may pass argument i on to a callee. */
uint16_t registers_used(const struct binary *binary, const struct binary_function *function, struct effort *effort);

/* Can both values belong to the same function? */
bool registers_fit(uint16_t a, uint16_t b);

/* The effect of an instruction on the argument registers. */
enum step_kind {
	STEP_ON,   /* continues with the next instruction */
	STEP_CALL, /* calls and returns; arguments are lost */
	STEP_GO,   /* jumps to the target */
	STEP_FORK, /* may jump to the target */
	STEP_END,
};

#define STEP_OUT UINT64_MAX /* unknown target */

struct step {
	enum step_kind kind;
	uint64_t target;
	unsigned int reads, writes; /* one bit per argument */
	uint32_t length;	    /* bytes */
};

/* Decodes the instruction that is `at` bytes into the function. False: invalid. */
bool step_x86(const unsigned char *code, uint32_t left, uint32_t at, struct step *step);
bool step_a64(const unsigned char *code, uint32_t left, uint32_t at, struct step *step);

#endif
