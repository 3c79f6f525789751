/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control flow of one x86-64 function. The input may be any bytes; time and memory are bounded by their number. A
 * path that cannot be followed is not guessed: `is_closed` is then false.
 */
#ifndef ERLBPF_PROBE_CODE_FLOW_H
#define ERLBPF_PROBE_CODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/x86.h"

#define FLOW_LONGEST 65536 /* bytes of a function */

enum flow_kind {
	FLOW_NOTHING, /* no instruction starts here, or it is unreachable */
	FLOW_PLAIN,
	FLOW_CALL,   /* continues after the call, though the callee might not return */
	FLOW_JUMP,   /* to `target` */
	FLOW_BRANCH, /* to `target`, or continues */
	FLOW_SWITCH, /* to one of the targets of table number `target` */
	FLOW_RETURN,
	FLOW_STOP, /* ends the path */
};

struct flow_byte {
	uint32_t target;
	uint32_t ways; /* number of incoming paths, including the call of the function */
	uint8_t kind;
	uint8_t length;
	uint8_t is_inside : 1;	 /* inside an instruction */
	uint8_t no_return : 1;	 /* the called function ends the process */
	uint8_t is_dispatch : 1; /* part of the code before a jump through a table */
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
	bool knows_jumps; /* all indirect jumps have known targets */
	bool is_closed;	  /* all paths are known: none leaves but by returning, and all code is reached */
};

struct flow_code {
	const unsigned char *bytes; /* of the function; borrowed while the flow exists */
	size_t size;
	uint64_t address;
	/* Reads constants outside the code, such as jump tables. 0, or -ENOENT. */
	int (*read)(void *data, uint64_t address, void *buf, size_t size);
	void *data;
};

/* 0; -EINVAL: instructions overlap, are unknown, or cross the end; -EFBIG, -ENOMEM. */
int flow_make(const struct flow_code *code, struct flow *flow);
void flow_free(struct flow *flow);

/* The i-th successor of the instruction at `at`. False: no more. */
bool flow_next(const struct flow *flow, size_t at, size_t i, size_t *next);

/* Is the next instruction the only successor, without entering the kernel? */
bool flow_goes_on(const struct x86 *x);

/* Decodes the instruction at `at`, which must be the start of one. */
void flow_read(const struct flow *flow, size_t at, struct x86 *x);

#endif
