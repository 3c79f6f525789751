/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders to the longest mailboxes, and their rates, sampled for short intervals. */
#ifndef ERLBPF_WHY_PROCESSES_MAILBOX_SENDERS_H
#define ERLBPF_WHY_PROCESSES_MAILBOX_SENDERS_H

#include "node/processes/processes.h"
#include "target/target.h"
#include "why/source/signs.h"

struct mailbox_senders;

/* Borrows all arguments, which must outlive it. NULL with errno on failure. */
struct mailbox_senders *mailbox_senders_new(const struct target *target, const struct erl_pid_layout *pids,
					    struct processes *processes);
void mailbox_senders_free(struct mailbox_senders *inflow);

/* Selects the mailboxes to sample, at most SIGN_FEW; counts of those that stay are kept. */
void mailbox_senders_choose(struct mailbox_senders *inflow, const struct process *const *receivers, size_t count);

/* Samples the mailboxes that are due. */
void mailbox_senders_look(struct mailbox_senders *inflow);

/* Fills the senders of signs->mailboxes, which other sources have filled. */
void mailbox_senders_finish(const struct mailbox_senders *inflow, struct signs *signs);

#endif
