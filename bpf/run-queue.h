/* SPDX-License-Identifier: BSD-2-Clause */
/* run-queue: contract between its BPF program and tools/run-queue.c. */
#ifndef ERLBPF_BPF_RUN_QUEUE_H
#define ERLBPF_BPF_RUN_QUEUE_H

/* Counts per scheduler: kinds of struct counter_key. */
enum run_queue_kind {
	RUN_QUEUE_LENGTH,   /* picks of a process, and the length of the queue at each */
	RUN_QUEUE_MIGRATED, /* picks of a process that another scheduler ran last */
	RUN_QUEUE_KINDS,
};

enum run_queue_amount {
	RUN_QUEUE_BEHIND, /* length of the queue when the process was picked */
};

enum run_queue_account {
	RUN_QUEUE_UNSEEN, /* picks of processes that were not seen to enter a queue */
	RUN_QUEUE_ACCOUNTS,
};

#endif
