/* SPDX-License-Identifier: BSD-2-Clause */
/* messages: contract between its BPF program and tools/messages.c. */
#ifndef ERLBPF_BPF_MESSAGES_H
#define ERLBPF_BPF_MESSAGES_H

#include "term.h"

struct messages_config {
	__u64 erl_pid;		/* only messages from or to this Erlang pid, 0: all */
	__u64 show;		/* records have the message, too */
};

struct messages_event {
	__u64 time_ns;		/* CLOCK_MONOTONIC */
	__u32 os_pid;
	__u32 has_message;
	__u64 from;		/* 0: no process, as a port or the VM itself */
	__u64 to;
	/* A struct term_snapshot follows if has_message. */
};

#endif
