/* SPDX-License-Identifier: BSD-2-Clause */
/* messages: contract between its BPF program and tools/messages.c. */
#ifndef ERLBPF_BPF_MESSAGES_H
#define ERLBPF_BPF_MESSAGES_H

#include "term.h"

#define MESSAGES_THREADS 4096 /* that may be sending at a time */

enum messages_kind {
	MESSAGES_SEND,	 /* to a process of the node */
	MESSAGES_REMOTE, /* to another node */
	MESSAGES_QUEUED,
	MESSAGES_RECEIVED,
	MESSAGES_KINDS,
};

/* How messages are grouped, if they are counted and not shown. */
enum messages_by {
	MESSAGES_EACH,
	MESSAGES_BY_PAIR,
	MESSAGES_BY_PID, /* the sender, or the receiver of what is queued and received */
	MESSAGES_BY_NAME,
	MESSAGES_BY_MFA,
	MESSAGES_BY_NODE, /* that it is sent to, or from */
	MESSAGES_BY_KIND,
};

struct messages_config {
	__u64 erl_pid;	/* only messages from or to this Erlang pid, 0: all */
	__u32 show;	/* records have the message, too */
	__u32 by;	/* enum messages_by */
	__u64 measures; /* copies are probed, for their sizes */
};

/* Bits for the numbers of an event that are known. */
#define MESSAGES_HAS_SIZE 1
#define MESSAGES_HAS_QUEUE 2
#define MESSAGES_HAS_TOKEN 4
#define MESSAGES_HAS_LABEL 8
#define MESSAGES_HAS_MESSAGE 16

struct messages_event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 os_id;
	__u32 probe;
	__u32 kind;
	__u32 has;
	__u64 from; /* ids; 0: not known */
	__u64 to;   /* 0: an alias on another node */
	__u64 peer; /* the other node, 0: none. The VM itself sends as an atom, like system */
	__u64 from_name;
	__u64 to_name;
	__u64 size;  /* words that were copied */
	__u64 queue; /* messages in the receiver's mailbox */
	__s64 label; /* of the seq_trace token */
	__s64 serial;
	__s64 previous;
	/* A struct term_snapshot follows if it has one. */
};

/* kind of struct counter_key: sizes are counted by the slots of hist.h. */
#define MESSAGES_COUNTER_SHIFT 16
#define MESSAGES_COUNTER_SLOT 0xffff /* all of it: the size is not known */

#endif
