/* SPDX-License-Identifier: BSD-2-Clause */
/* top: contract between its BPF program and tools/top.c. */
#ifndef ERLBPF_BPF_TOP_H
#define ERLBPF_BPF_TOP_H

#include <linux/types.h>

#define TOP_PROCESSES (1u << 18) /* that have done something while probes were on */
#define TOP_THREADS 4096

#define TOP_WATCHED_MESSAGES 65536 /* that wait in one mailbox at a time */
#define TOP_WATCHED_SENDERS 4096

struct top_key {
	__u64 id;
	__u32 os_id;
	__u32 pad;
};

/* Work of a process since it was first seen, while probes were on. */
struct top_counts {
	__u64 sent;
	__u64 received;
	__u64 waited_ns;  /* sum over all messages of the time they were in its mailbox */
	__u64 changed_ns; /* when the mailbox last changed */
	__u64 length;	  /* of the mailbox, since then */
	__u64 collections;
	__u64 collecting_ns;
};

/* The process whose messages are looked at one by one; id 0: none. */
struct top_watched {
	__u64 id;
	__u32 os_id;
	__u32 pad;
	__u64 lost_messages, lost_senders; /* for which there was no room */
};

/* A message that waits, by its address. */
struct top_message {
	__u64 receiver;
	__u64 enqueued_ns;
};

#endif
