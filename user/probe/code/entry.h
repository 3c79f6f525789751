/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where to put a probe on the entry of a function so that it is cheap. On x86-64 the kernel emulates a few
 * instructions (push, jumps, call, nop); any other it executes out of line and single-steps, which
 * takes 15 microseconds where a hit takes half of one.
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
	/* Where the values are there that registers had at the function's first byte; ENTRY_LOST. */
	unsigned char now[ENTRY_REGISTERS];
	bool stores;	/* memory is written before, and not only the stack */
	uint32_t stack; /* how far the stack pointer is below where it was */
};

/*
 * The first instruction of the function that the kernel emulates, if all before it do not branch, nor do to the stack
 * pointer more than lower it, and every hit of the first byte is one of this place. Of a function of unknown size, 0,
 * only its very begin is looked at. False: there is no such place.
 */
bool entry_find_cheap(const struct image *image, uint64_t address, uint64_t size, struct entry_place *place);

/* The same of code that is at hand: the whole function, or the begin of one of unknown size. */
bool entry_find_cheap_in(const struct flow_code *code, bool is_whole, struct entry_place *place);

#endif
