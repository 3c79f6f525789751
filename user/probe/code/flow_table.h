/* SPDX-License-Identifier: BSD-2-Clause */
/* Jumps through a table, as compilers make them of a `switch`. */
#ifndef ERLBPF_PROBE_CODE_FLOW_TABLE_H
#define ERLBPF_PROBE_CODE_FLOW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow.h"

#define FLOW_RUN 16 /* instructions remembered */

/* Consecutive instructions without an unconditional jump in between. */
struct flow_run {
	size_t at[FLOW_RUN];
	size_t count;
};

struct flow_dispatch {
	uint64_t table; /* of 32-bit distances relative to the table */
	size_t count;
	size_t begin; /* offset of the comparison that bounds the index */
};

/*
 * Is the last instruction of the run, an indirect jump, a jump through a table whose index was compared with a bound?
 */
bool flow_table_find(const struct flow_code *code, const struct flow_run *run, struct flow_dispatch *dispatch);

#endif
