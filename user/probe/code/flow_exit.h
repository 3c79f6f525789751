/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where to put a plain probe instead of one at a function's return: on instructions that the kernel emulates, of which
 * each call that returns passes just one, once, shortly before it returns.
 */
#ifndef ERLBPF_PROBE_CODE_FLOW_EXIT_H
#define ERLBPF_PROBE_CODE_FLOW_EXIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow.h"

#define FLOW_EXITS 4
#define FLOW_STORES 16

/* What is written behind the place into the structure that the function returns the address of. */
struct flow_store {
	int64_t offset;
	uint64_t size;
};

struct flow_exit {
	size_t at;
	unsigned char
		value; /* place in struct pt_regs of what the function returns, X86_NOWHERE: it is in no register */
	struct flow_store stores[FLOW_STORES];
	size_t store_count;
	bool stores_elsewhere; /* than there and on the stack */
};

struct flow_exits {
	struct flow_exit exits[FLOW_EXITS];
	size_t count;
};

/* False: there are no such places, or it is not certain. */
bool flow_find_exits(const struct flow *flow, struct flow_exits *exits);

/* Is a part of the structure written between that place and the return? */
bool flow_exit_stores(const struct flow_exit *exit, int64_t offset, uint64_t size);

#endif
