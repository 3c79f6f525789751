/* SPDX-License-Identifier: BSD-2-Clause */
/* mailbox: contract between its BPF program and tools/mailbox.c. */
#ifndef ERLBPF_BPF_MAILBOX_H
#define ERLBPF_BPF_MAILBOX_H

#include <linux/types.h>

enum mailbox_amount { MAILBOX_LENGTH }; /* of the queue when the message was taken out, itself included */

/* Messages that are in no histogram. */
enum mailbox_account {
	MAILBOX_UNSEEN, /* received, but not seen to be enqueued */
	MAILBOX_ACCOUNTS,
};

struct mailbox_key {
	__u64 message; /* its address */
	__u32 os_id;
	__u32 pad;
};

/* A message that waits. */
struct mailbox_message {
	__u64 receiver;
	__u64 sender;
	__u64 enqueued_ns;
};

#define MAILBOX_MESSAGES 262144 /* that may wait at a time */

#endif
