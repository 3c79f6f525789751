/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a cheap place for a probe at the entry of a function. On x86-64, the kernel emulates a few instructions (push,
 * jumps, call, nop). It executes all others out of line and single-steps them, which takes 15 us instead of 0.5 us per
 * hit.
 */
#ifndef ERLBPF_PROBE_CODE_ENTRY_H
#define ERLBPF_PROBE_CODE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow.h"
#include "target/image/image.h"

#define ENTRY_REGISTERS X86_PLACES
#define ENTRY_LOST X86_NOWHERE

struct entry_place {
	size_t offset; /* from the function's first byte */
	/* The register that now has the value of each register at the first byte; ENTRY_LOST. */
	unsigned char now[ENTRY_REGISTERS];
	bool stores;	/* writes memory outside the stack before this place */
	uint32_t stack; /* by how much the stack pointer is lower */
};

/*
 * The first emulated instruction of the function, if all instructions before it do not branch and change the stack
 * pointer only by lowering it, and it is hit exactly when the first byte is. If the size of the function is unknown
 * (0), only its start is searched. False: none.
 */
bool entry_find_cheap(const struct image *image, uint64_t address, uint64_t size, struct entry_place *place);

/* Same, for code in memory: the whole function, or the start of one of unknown size. */
bool entry_find_cheap_in(const struct flow_code *code, bool is_whole, struct entry_place *place);

#endif
