/* SPDX-License-Identifier: BSD-2-Clause */
/* Jumps through a table, as compilers make them of a `switch`. */
#ifndef ERLBPF_PROBE_CODE_FLOW_TABLE_H
#define ERLBPF_PROBE_CODE_FLOW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/code/flow.h"

#define FLOW_RUN 16 /* instructions that are remembered */

/* Instructions one behind the other, without a jump between them that is always taken. */
struct flow_run {
	size_t at[FLOW_RUN];
	size_t count;
};

struct flow_dispatch {
	uint64_t table; /* address of 32-bit distances from itself */
	size_t count;
	size_t begin; /* offset of the comparison that bounds the index */
};

/* Is the run's last instruction, an indirect jump, a jump through a table whose size is compared with before? */
bool flow_table_find(const struct flow_code *code, const struct flow_run *run, struct flow_dispatch *dispatch);

#endif
