/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that wait for something that their stacks tell: the name of a host, a lock of all nodes, an answer. */
#ifndef ERLBPF_WHY_FIND_WAIT_GROUPS_H
#define ERLBPF_WHY_FIND_WAIT_GROUPS_H

#include "node/processes/processes.h"
#include "why/source/signs.h"
#include "why/processes/process_trends.h"

/*
 * Looks at the stacks of some processes that wait, as they are now. Into the signs: dns_wait, lock_wait, lock_held,
 * mnesia_wait, mnesia_held, send_wait, accept_wait, peer_wait, terms_wait, code_wait, circle, asked, and those who ask
 * into the signs of mailboxes, which have been found.
 */
void wait_groups_finish(struct processes *processes, const struct target *target, const struct trends *trends,
			struct signs *signs);

#endif
