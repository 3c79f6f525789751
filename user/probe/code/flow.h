/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways through one function of x86-64: which instruction follows which. Any bytes may be given; time and memory are
 * bounded by their number. A way that cannot be followed is not guessed: `is_closed` is false then.
 */
#ifndef ERLBPF_PROBE_CODE_FLOW_H
#define ERLBPF_PROBE_CODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/x86.h"

#define FLOW_LONGEST 65536 /* bytes of a function */

enum flow_kind {
	FLOW_NOTHING, /* no instruction begins here, or no way leads to it */
	FLOW_PLAIN,
	FLOW_CALL,   /* and what follows, though the callee might not return */
	FLOW_JUMP,   /* to `target` */
	FLOW_BRANCH, /* to `target`, or on */
	FLOW_SWITCH, /* to one of the table's targets; `target` is its number */
	FLOW_RETURN,
	FLOW_STOP, /* nothing follows here */
};

struct flow_byte {
	uint32_t target;
	uint32_t ways; /* that lead here, the call of the function among them */
	uint8_t kind;
	uint8_t length;
	uint8_t is_inside : 1;	 /* of an instruction, behind its first byte */
	uint8_t no_return : 1;	 /* what is called here ends the process */
	uint8_t is_dispatch : 1; /* belongs to the jump through a table behind it */
};

struct flow_table {
	uint32_t *targets;
	size_t count;
};

struct flow {
	const unsigned char *code; /* borrowed */
	size_t size;
	struct flow_byte *bytes;
	struct flow_table *tables;
	size_t table_count;
	bool knows_jumps; /* no indirect one leads nobody knows where */
	bool is_closed; /* these are all the ways there are: none leads out but by returning, and all code is reached */
};

struct flow_code {
	const unsigned char *bytes; /* of the function; they are borrowed as long as the flow lives */
	size_t size;
	uint64_t address;
	/* Read constants beside the code: tables of jumps. 0, or -ENOENT. */
	int (*read)(void *data, uint64_t address, void *buf, size_t size);
	void *data;
};

/* 0; -EINVAL: it makes no sense: instructions overlap, are not known, or go on behind the end; -EFBIG, -ENOMEM. */
int flow_make(const struct flow_code *code, struct flow *flow);
void flow_free(struct flow *flow);

/* The i-th instruction that may follow the one at `at`. False: there are no more. */
bool flow_next(const struct flow *flow, size_t at, size_t i, size_t *next);

/* Does it go on to the next instruction, and nowhere else, not even into the kernel? */
bool flow_goes_on(const struct x86 *x);

/* Read the instruction at `at`, which is one. */
void flow_read(const struct flow *flow, size_t at, struct x86 *x);

#endif
