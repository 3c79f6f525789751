/* SPDX-License-Identifier: BSD-2-Clause */
/* Who sends to the mailboxes that may be ill, and how much: looked at for short windows, one after the other. */
#ifndef ERLBPF_WHY_PROCESSES_MAILBOX_SENDERS_H
#define ERLBPF_WHY_PROCESSES_MAILBOX_SENDERS_H

#include "node/processes/processes.h"
#include "target/target.h"
#include "why/source/signs.h"

struct inflow;

/* All is borrowed, and must outlive it. NULL and errno. */
struct inflow *inflow_new(const struct target *target, const struct erl_pid_layout *pids, struct processes *processes);
void inflow_free(struct inflow *inflow);

/* From now on these mailboxes are looked at, at most SIGN_FEW; what is known of those that were is kept. */
void inflow_choose(struct inflow *inflow, const struct process *const *receivers, size_t count);

/* Look at those whose time it is. */
void inflow_look(struct inflow *inflow);

/* Into the signs of the mailboxes, which have been found. */
void inflow_finish(const struct inflow *inflow, struct signs *signs);

#endif
