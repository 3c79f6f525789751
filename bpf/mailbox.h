/* SPDX-License-Identifier: BSD-2-Clause */
/* mailbox: contract between its BPF program and tools/mailbox.c. */
#ifndef ERLBPF_BPF_MAILBOX_H
#define ERLBPF_BPF_MAILBOX_H

enum mailbox_amount { MAILBOX_LENGTH }; /* of the queue when the message was taken out, itself included */

/* Messages that are in no histogram. */
enum mailbox_account {
	MAILBOX_UNSEEN, /* received, but not seen to be enqueued */
	MAILBOX_ACCOUNTS,
};

#define MAILBOX_MESSAGES 262144 /* that may wait at a time */

#endif
