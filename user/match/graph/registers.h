/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of its arguments a function uses: what a compiler that made a copy of it with other arguments (constprop, isra)
 * cannot keep. A function found by comparison whose arguments are not those of the other build is not taken.
 */
#ifndef ERLBPF_MATCH_GRAPH_REGISTERS_H
#define ERLBPF_MATCH_GRAPH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "match/graph/binary.h"
#include "match/graph/effort.h"

#define REGISTERS_UNKNOWN 0xffff

/* Bit i: argument i is read; bit 8 + i: it may be passed on to a function that is called. */
uint16_t registers_used(const struct binary *binary, const struct binary_function *function, struct effort *effort);

/* Can both be the same function? */
bool registers_fit(uint16_t a, uint16_t b);

/* What an instruction does with the registers of arguments. */
enum step_kind {
	STEP_ON,   /* to the next */
	STEP_CALL, /* and comes back, without arguments */
	STEP_GO,   /* to the target */
	STEP_FORK, /* to the target or on */
	STEP_END,
};

#define STEP_OUT UINT64_MAX /* a target that is not known */

struct step {
	enum step_kind kind;
	uint64_t target;
	unsigned int reads, writes; /* a bit for each argument */
	uint32_t length;	    /* bytes */
};

/* Of the instruction at the code, which is `at` bytes into the function; false: it is none. */
bool step_x86(const unsigned char *code, uint32_t left, uint32_t at, struct step *step);
bool step_a64(const unsigned char *code, uint32_t left, uint32_t at, struct step *step);

#endif
