/* SPDX-License-Identifier: BSD-2-Clause */
/* sched-latency: contract between its BPF program and tools/sched-latency.c. */
#ifndef ERLBPF_BPF_SCHED_LATENCY_H
#define ERLBPF_BPF_SCHED_LATENCY_H

#include <linux/types.h>

/* Messages to one receiver that are remembered one by one; further ones in their order only. */
#define SCHED_LATENCY_PENDING 16
#define SCHED_LATENCY_RECEIVERS (1 << 18)

/* One slow case, or `messages` of them that were sent from sent_ns to last_sent_ns. */
struct sched_latency_event {
	__u64 sent_ns; /* CLOCK_MONOTONIC */
	__u64 last_sent_ns;
	__u64 scheduled_ns;
	__u64 sender; /* 0 where it is not known */
	__u64 receiver;
	__u32 os_id;
	__u32 messages;
};

/* Sent messages that are not in the histogram, by reason. */
enum sched_latency_account {
	SCHED_LATENCY_REMOTE,	 /* the receiver does not run on this node */
	SCHED_LATENCY_EXITED,	 /* the receiver exited before it ran again */
	SCHED_LATENCY_UNSEEN,	 /* sent while the receiver's state was not known yet */
	SCHED_LATENCY_UNPRINTED, /* measured, but there was no room for its record */
	SCHED_LATENCY_ACCOUNTS,
};

#endif
