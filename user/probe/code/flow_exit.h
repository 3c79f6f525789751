/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds cheap places for probes that replace one at a function's return: emulated instructions, exactly one of which
 * each returning call passes once, shortly before it returns.
 */
#ifndef ERLBPF_PROBE_CODE_FLOW_EXIT_H
#define ERLBPF_PROBE_CODE_FLOW_EXIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow.h"

#define FLOW_EXITS 4
#define FLOW_STORES 16

/* A write, behind the place, to the structure whose address the function returns. */
struct flow_store {
	int64_t offset;
	uint64_t size;
};

struct flow_exit {
	size_t at;
	unsigned char value; /* word in struct pt_regs that holds the return value; X86_NOWHERE: no register */
	struct flow_store stores[FLOW_STORES];
	size_t store_count;
	bool stores_elsewhere; /* neither there nor on the stack */
};

struct flow_exits {
	struct flow_exit exits[FLOW_EXITS];
	size_t count;
};

/* False: no such places, or uncertain. */
bool flow_find_exits(const struct flow *flow, struct flow_exits *exits);

/* Is a part of the structure written between the place and the return? */
bool flow_exit_stores(const struct flow_exit *exit, int64_t offset, uint64_t size);

#endif
