/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line says to every tool that measures: set by the hall, see tool.h. */
#ifndef ERLBPF_BPF_MEASURE_H
#define ERLBPF_BPF_MEASURE_H

#include <linux/types.h>

struct measure_config {
	__u64 erl_pid;		/* only this Erlang process, 0: all */
	__u64 min_ns;		/* print cases of at least this, 0: none */
	__u32 by_pid;		/* a histogram per Erlang process */
	__u32 by_node;
};

#endif
