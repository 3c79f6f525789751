/* SPDX-License-Identifier: BSD-2-Clause */
/* trace: contract between its BPF program and tools/trace.c. */
#ifndef ERLBPF_BPF_TRACE_H
#define ERLBPF_BPF_TRACE_H

#include "erl.h"

#define TRACE_ARGS 10 /* as many as a probe of the catalogue has */
/* Beside enum erl_form, one word each. */
#define TRACE_FORM_ID 100   /* an Erlang pid or port */
#define TRACE_FORM_CALL 101 /* the id of a function, 0: not known */

/*
 * The head of a record. For each argument that is there follows its value, 8 bytes: a number, a term,
 * an Erlang id, or of a text the length with its terminator, negative where it could not be read. A
 * text follows its value, in the size that its class has (a multiple of 8).
 */
struct trace_event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 os_id;
	__u32 probe;
	__u8 forms[16]; /* of each argument; ERL_FORM_NONE: nothing follows for it */
	__u16 text_sizes[12];
};

struct trace_config {
	__u64 erl_pid; /* only hits with this Erlang pid among their arguments, 0: all */
};

#endif
