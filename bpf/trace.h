/* SPDX-License-Identifier: BSD-2-Clause */
/* trace: contract between its BPF program and tools/trace.c. */
#ifndef ERLBPF_BPF_TRACE_H
#define ERLBPF_BPF_TRACE_H

#include "erl.h"

#define TRACE_ARGS 10		/* as many as a probe of the catalogue has */
#define TRACE_TEXT 128		/* of a text, terminator included */

struct trace_event {
	__u64 time_ns;		/* CLOCK_MONOTONIC */
	__u32 os_pid;
	__u32 probe;
	__u8 forms[16];		/* enum erl_form of each argument */
	__u64 values[TRACE_ARGS];	/* a number, a term, an Erlang id; of a text its length or -errno */
	char texts[TRACE_ARGS][TRACE_TEXT];
};

struct trace_config {
	__u64 erl_pid;		/* only hits with this Erlang pid among their arguments, 0: all */
};

#endif
