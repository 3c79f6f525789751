/* SPDX-License-Identifier: BSD-2-Clause */
/* uprobe: contract between its BPF program and tools/uprobe.c. */
#ifndef ERLBPF_BPF_UPROBE_H
#define ERLBPF_BPF_UPROBE_H

#include "term.h"

#define UPROBE_VALUES 9		    /* arguments, as many as PROTOTYPE_VALUES */
#define UPROBE_RESULT UPROBE_VALUES /* its place behind them */
#define UPROBE_CALLS 4096	    /* that may be under way at a time while they are shown */
#define UPROBE_ARGUMENT_LINES 48    /* of a snapshot; the others are for the result */

struct uprobe_config {
	__u32 mode; /* enum function_mode of user/probe/sites/source.h */
};

struct uprobe_value {
	__u64 value;
	__u32 form; /* enum erl_form */
	__u32 size; /* of what it points to, in bytes */
};

/* A call; the memory that its values reach follows it, as a snapshot. */
struct uprobe_call {
	__u64 start_ns;
	__u64 end_ns; /* 0: its end was not waited for */
	__u64 id;     /* the process, 0: not known */
	__u64 name;
	__u64 reason; /* why a BIF returned no value: its process's freason; 0: it did */
	__u32 os_id;
	__u32 probe;
	__u32 function;
	__u32 argument_lines; /* of the snapshot; what follows is the memory at the end */
	struct uprobe_value values[UPROBE_VALUES + 1];
};

#endif
