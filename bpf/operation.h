/* SPDX-License-Identifier: BSD-2-Clause */
/* Tools of operations: contract between bpf/operation.bpf.h and user/run/operations.c. */
#ifndef ERLBPF_BPF_OPERATION_H
#define ERLBPF_BPF_OPERATION_H

/* How operations are grouped, besides their functions. */
enum operation_key {
	OPERATION_KEY_COMMON, /* see measure_key() */
	OPERATION_KEY_FUNCTION,
	OPERATION_KEY_NAME,  /* of what the operation is on: `what` of the case */
	OPERATION_KEY_THING, /* what it is on: OPERATION_THING of the case */
	OPERATION_KEY_KIND,  /* `kind` of the case: a number that the tool names */
};

/* Amounts of a case. */
enum operation_amount {
	OPERATION_BYTES, /* of tools that tell both ways: received */
	OPERATION_THING, /* an id: the port, the socket */
	OPERATION_SENT,	 /* of tools that tell both ways; else the tool's own */
};

#endif
