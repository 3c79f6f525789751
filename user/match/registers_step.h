/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction does with the registers of arguments, for registers.c. */
#ifndef ERLBPF_MATCH_REGISTERS_STEP_H
#define ERLBPF_MATCH_REGISTERS_STEP_H

#include <stdbool.h>
#include <stdint.h>

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
