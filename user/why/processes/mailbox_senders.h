/* SPDX-License-Identifier: BSD-2-Clause */
/* Who sends to the mailboxes that may be ill, and how much: looked at for short windows, one after the other. */
#ifndef ERLBPF_WHY_PROCESSES_MAILBOX_SENDERS_H
#define ERLBPF_WHY_PROCESSES_MAILBOX_SENDERS_H

#include "node/processes/processes.h"
#include "target/target.h"
#include "why/source/signs.h"

struct mailbox_senders;

/* All is borrowed, and must outlive it. NULL and errno. */
struct mailbox_senders *mailbox_senders_new(const struct target *target, const struct erl_pid_layout *pids,
					    struct processes *processes);
void mailbox_senders_free(struct mailbox_senders *inflow);

/* From now on these mailboxes are looked at, at most SIGN_FEW; what is known of those that were is kept. */
void mailbox_senders_choose(struct mailbox_senders *inflow, const struct process *const *receivers, size_t count);

/* Look at those whose time it is. */
void mailbox_senders_look(struct mailbox_senders *inflow);

/* Into the signs of the mailboxes, which have been found. */
void mailbox_senders_finish(const struct mailbox_senders *inflow, struct signs *signs);

#endif
